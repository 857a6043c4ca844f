"""The files around the library say the same thing: versions, names, what is shipped."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import marginloss

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# no macOS wheel of xgboost-cpu exists; the pair has one version
TWINS = {"xgboost": "xgboost-cpu"}


def constraints() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").split()
    return {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}


def direct() -> dict[str, Requirement]:
    """Direct requirements of the library and of the extras that the chapters and their tests need."""
    extras = PROJECT["optional-dependencies"]
    lines = PROJECT["dependencies"] + [line for extra in ("bench", "book", "test", "cluster") for line in extras[extra]]
    found = {canonicalize_name(r.name): r for r in map(Requirement, lines)}
    return {name: requirement for name, requirement in found.items() if name != "marginloss"}


def conda_pins() -> tuple[dict[str, str], list[str]]:
    (pip,) = (
        part["pip"]
        for part in yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))["dependencies"]
        if isinstance(part, dict)
    )
    options = [line for line in pip if line.startswith("-")]
    pins = [Requirement(line) for line in pip if line not in options]
    return {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in pins}, options


def test_environment_names_exactly_the_direct_requirements():
    pins, options = conda_pins()
    assert set(pins) == set(direct())
    assert options == ["-c constraints.txt", "-e ."]


def test_pins_agree_and_lie_in_their_ranges():
    pins, _ = conda_pins()
    fixed = constraints()
    for name, requirement in direct().items():
        version = fixed[TWINS.get(name, name)]
        assert pins[name] == version, name
        assert requirement.specifier.contains(version), f"{requirement} excludes {version}"


def test_every_extra_is_constrained():
    requirements = [Requirement(line) for lines in PROJECT["optional-dependencies"].values() for line in lines]
    names = {canonicalize_name(r.name) for r in requirements} - {"marginloss", *TWINS}
    assert names <= set(constraints())


def test_version_is_said_once():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == marginloss.__version__
    assert citation["license"] == PROJECT["license"]
    assert "version" in PROJECT["dynamic"]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
@pytest.mark.parametrize("folder", ["lib/marginloss/x.py", "data/ledger/x.yml", "chapters/x.md"])
def test_sources_are_not_ignored(folder):
    # the usual .gitignore for Python has a line lib/, which would drop the library without a word
    assert subprocess.run(["git", "check-ignore", "-q", folder], cwd=ROOT, check=False).returncode == 1


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
@pytest.mark.parametrize("path", ["_build/html/index.html", ".venv/x", "chapters/_static/mathjax/core.js"])
def test_generated_files_are_ignored(path):
    assert subprocess.run(["git", "check-ignore", "-q", path], cwd=ROOT, check=False).returncode == 0


def sources() -> dict[str, str]:
    """Text of every file that is part of the project, or would be."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return {name: (ROOT / name).read_text("utf-8", "replace") for name in names if (ROOT / name).is_file()}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
def test_the_old_name_and_the_address_of_the_repository_stand_nowhere():
    # capitalised it is the title of the book; the change log and the decision on the name may speak of it
    old = {"marginalia", "MARGINALIA"}
    told = ("CHANGELOG.md", "docs/decisions/", "tests/test_packaging.py")
    found = {
        name
        for name, text in sources().items()
        if (any(word in text for word in old) and not name.startswith(told))
        or re.search(r"github(usercontent)?\.com/[\w.-]+/marginloss", text)
    }
    assert found == set()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
def test_instructions_install_from_a_clone_while_nothing_is_released():
    pattern = r"pip install ([^\n`]* )?['\"]?marginloss\b"
    assert re.search(pattern, 'pip install "marginloss[book]"') and re.search(pattern, "pip install marginloss")
    assert [
        name for name, text in sources().items() if name != "tests/test_packaging.py" and re.search(pattern, text)
    ] == []


def test_readme_shows_both_commands_on_its_first_screen():
    first = "\n".join((ROOT / "README.md").read_text("utf-8").splitlines()[:25])
    assert "make book" in first and "make test" in first


def test_readme_python_runs():
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), flags=re.S)
    exec(compile(block, "README.md", "exec"), {})


@pytest.mark.parametrize("workflow", sorted((ROOT / ".github/workflows").glob("*.yml")), ids=lambda path: path.name)
def test_workflows_call_targets_that_exist(workflow):
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.M))
    steps = [step for job in yaml.safe_load(workflow.read_text("utf-8"))["jobs"].values() for step in job["steps"]]
    called = {name for step in steps for name in re.findall(r"\bmake ([a-z]+)", step.get("run", ""))}
    assert called <= targets


def test_pages_are_published_to_where_colab_looks():
    from marginloss.companion.book import opening

    published = (ROOT / ".github/workflows/book.yml").read_text("utf-8")
    assert "gh-pages" in published and "blob/gh-pages/" in Path(opening.__file__).read_text("utf-8")
