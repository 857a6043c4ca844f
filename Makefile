PYTHON ?= python3
VENV ?= .venv
SCALE ?= quick
BIN := $(VENV)/bin
# one thread of BLAS in each process: chapters and sweeps are what runs side by side
export OMP_NUM_THREADS ?= 1

.PHONY: book test run clean

book: run ## execute every chapter that changed and build _build/html
	$(BIN)/python -m marginalia build --scale $(SCALE)

test: book ## all tests, on the chapters and pages just built
	MARGINALIA_SCALE=$(SCALE) $(BIN)/python -m pytest

run: $(VENV)/.ready
	$(BIN)/python -m marginalia run --scale $(SCALE)

clean:
	rm -rf _build

# --seed: uv makes environments without pip, and the loaders call 'pip download'
$(VENV)/.ready: pyproject.toml constraints.txt
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv -q --seed --allow-existing --python '>=3.11,<3.14' $(VENV) && uv pip install -q --python $(BIN)/python -c constraints.txt -e '.[book,test,cluster]'; \
	else \
	  $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=…"; exit 1; }; \
	  $(PYTHON) -m venv $(VENV) || { echo "The venv module is missing (Debian, Ubuntu: apt install python3-venv)"; exit 1; }; \
	  $(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[book,test,cluster]'; \
	fi
	@touch $@
