PYTHON ?= python3
VENV ?= .venv
SCALE ?= quick
BIN := $(VENV)/bin
# one thread of BLAS in each process: chapters and sweeps are what runs side by side
export OMP_NUM_THREADS ?= 1

# the browser tests drive a Chromium that is already there; none is installed
comma := ,
CHROMIUM := $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
EXTRAS := book,test,cluster$(if $(CHROMIUM),$(comma)browser)

# COVERAGE=1 measures the lines and branches that the tests reach; the floor stands in pyproject.toml
COVERAGE ?=

.PHONY: book test run lint mutants clean help

book: run ## execute every chapter that changed and build _build/html (SCALE=paper: as many runs as in the papers)
	$(BIN)/python -m marginloss build --scale $(SCALE)

test: lint book ## format, lint, types, then all tests, on the chapters and pages just built (COVERAGE=1 measures)
	MARGINLOSS_SCALE=$(SCALE) $(BIN)/python -m pytest -n 2 --dist loadfile $(if $(COVERAGE),--cov --cov-report=term:skip-covered)

lint: $(VENV)/.ready ## format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

mutants: $(VENV)/.ready ## are wrong formulas caught? 300 of them, in some hours; goes on where it stopped
	$(BIN)/python tests/mutants.py

run: $(VENV)/.ready ## get the data that can be had and execute every chapter that changed
	$(BIN)/python -m marginloss data --fetch
	$(BIN)/python -m marginloss run --scale $(SCALE)

clean: ## remove everything generated
	rm -rf _build

help:
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*## /\t/'

# --seed: uv makes environments without pip, and the loaders call 'pip download'; --compile-bytecode: once here, as pip
# does, and not in each of some thirty kernels
$(VENV)/.ready: pyproject.toml constraints.txt
	@echo "setting up $(VENV) (once, some minutes with pip, less than one with uv)"
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv -q --seed --allow-existing --python '>=3.11,<3.14' $(VENV) && uv pip install -q --compile-bytecode --python $(BIN)/python -c constraints.txt -e '.[$(EXTRAS)]'; \
	else \
	  $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=…"; exit 1; }; \
	  $(PYTHON) -m venv $(VENV) || { echo "The venv module is missing (Debian, Ubuntu: apt install python3-venv)"; exit 1; }; \
	  $(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[$(EXTRAS)]'; \
	fi
	@touch $@
