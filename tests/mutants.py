"""Wrong formulas must be caught: seeded mutants of the library, each with one operator, constant or sign changed.

    python tests/mutants.py [--count 300] [--seed 0] [--jobs 2] [--only losses risk]

Each mutant runs only the tests of its module, in a copy of the sources; outcomes stand in ``_build/mutants.jsonl``, so
that an interrupted run goes on where it stopped; a changed file makes new mutants. A survivor has a reason in
``tests/mutants.yml`` or is reported. Compiled functions are changed too: their twins in NumPy tell.
"""

from __future__ import annotations

import argparse
import ast
import copy
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import yaml

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "_build" / "mutants.jsonl"
PACKAGES = ("losses", "risk", "boosting", "theory")
ENOUGH = 0.85
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


class Mutant(NamedTuple):
    """One change: the file below ``marginloss``, the function, the expression before and after, the new source."""

    file: str
    function: str
    line: int
    before: str
    after: str
    source: str
    digest: str  # of the file that was changed

    @property
    def name(self) -> str:
        """How the lists call it."""
        return f"{self.file} {self.function}: {self.before} -> {self.after}"


def wrong(node: ast.AST) -> ast.AST | None:
    """The expression with one thing wrong, if it is one of those that can be."""
    twin = copy.copy(node)
    if isinstance(twin, ast.BinOp | ast.BoolOp) and type(twin.op) in SWAPS:
        twin.op = SWAPS[type(twin.op)]()  # type: ignore[assignment]
    elif isinstance(twin, ast.Compare) and type(twin.ops[0]) in SWAPS:
        twin.ops = [SWAPS[type(twin.ops[0])](), *twin.ops[1:]]  # type: ignore[list-item]
    elif isinstance(twin, ast.UnaryOp) and isinstance(twin.op, ast.USub):
        return twin.operand
    elif isinstance(twin, ast.Constant) and type(twin.value) in (int, float):
        twin.value = twin.value + 1 if type(twin.value) is int else 2 * twin.value or 1.0
    else:
        return None
    return twin


class Place(NamedTuple):
    """Where an expression hangs in its syntax tree, and in which function: not in messages, types and texts."""

    parent: ast.AST
    function: str
    field: str
    index: int | None

    @property
    def node(self) -> ast.AST:
        """What hangs there now."""
        held = getattr(self.parent, self.field)
        return held if self.index is None else held[self.index]

    def put(self, node: ast.AST) -> None:
        """Hang something else there."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def places(node: ast.AST, scope: str = "", inside: bool = False) -> Iterator[Place]:
    """All places below a node that hold something to be changed; ``inside`` of a function."""
    for field, value in ast.iter_fields(node):
        if field in ("returns", "annotation", "decorator_list"):
            continue
        for i, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.Raise | ast.JoinedStr):
                continue
            if inside and wrong(child) is not None:
                yield Place(node, scope, field, i)
            inner = f"{scope}.{child.name}".lstrip(".") if isinstance(child, ast.FunctionDef | ast.ClassDef) else scope
            yield from places(child, inner, inside or isinstance(child, ast.FunctionDef))


def mutate(path: Path, number: int) -> Mutant:
    """One of the mutants of a file, by its number."""
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    place = list(places(tree))[number]
    node = place.node
    changed = wrong(node)
    assert changed is not None
    before, after, line = ast.unparse(node), ast.unparse(changed), getattr(node, "lineno", 0)
    place.put(changed)
    file, digest = path.relative_to(ROOT / "lib/marginloss").as_posix(), hashlib.sha256(text.encode()).hexdigest()[:12]
    return Mutant(file, place.function, line, before, after, ast.unparse(tree), digest)


def drawn(count: int, seed: int, packages: Sequence[str] = PACKAGES) -> list[Mutant]:
    """The same number from each package, in turns, so that any first part of the list is balanced as well."""
    rng = random.Random(seed)
    hands = []
    for package in packages:
        files = sorted((ROOT / "lib/marginloss" / package).rglob("*.py"))
        every = [(path, i) for path in files for i in range(len(list(places(ast.parse(path.read_text("utf-8"))))))]
        hands.append(rng.sample(every, -(-count // len(packages))))
    return [mutate(*hand[i]) for i in range(len(hands[0])) for hand in hands][:count]


def tests_of(file: str) -> list[str]:
    """Tests of a module: twins, those of its name, the rest of its folder, estimator checks; of theory the claims.

    Not those that compare the bits of several processes: they take long, and a wrong formula is wrong in all of them.
    """
    parts = Path(file).parts
    files = [path for path in (ROOT / "tests" / Path(*parts[:-1])).rglob("test_*.py") if "arithmetic" not in path.stem]
    files.sort(key=lambda path: (Path(file).stem not in path.stem, path.stem.endswith("checks"), len(path.parts), path))
    chosen = [path.relative_to(ROOT).as_posix() for path in files]
    if parts[0] != "theory":
        return ["tests/test_twins.py", *chosen]
    return list(dict.fromkeys([*chosen, "tests/theory/test_check.py"]))


def workplace(folder: Path) -> Path:
    """A copy of what is changed or imported; the rest are links."""
    folder.mkdir()
    for path in ROOT.iterdir():
        if path.name in ("lib", "tests", "data"):
            shutil.copytree(path, folder / path.name, ignore=shutil.ignore_patterns("__pycache__"))
        elif not path.name.startswith((".", "_build")):
            (folder / path.name).symlink_to(path)
    return folder


def passes(place: Path, file: str, timeout: float) -> bool:
    """Whether the tests of this module pass there; a run that takes too long does not."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:doctest",
        *tests_of(file),
    ]
    parts = Path(file).parts
    if parts[0] == "theory" and len(parts) > 2:
        command += ["-k", f"not test_check or {parts[1]}"]
    environment = os.environ | {"PYTHONPATH": str(place / "lib"), "PYTHONDONTWRITEBYTECODE": "1"}
    command += ["-o", "addopts=--strict-markers --import-mode=importlib"]
    with (place / "report.txt").open("w") as report:
        process = subprocess.Popen(
            command, cwd=place, env=environment, stdout=report, stderr=report, start_new_session=True
        )
        try:
            return process.wait(timeout) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            return False


def main() -> int:
    """Run what has not been run yet and report the survivors."""
    parser = argparse.ArgumentParser(description="Seeded mutants of the library against its tests.")
    for option, default in (("count", 300), ("seed", 0), ("jobs", 2), ("timeout", 400)):
        parser.add_argument(f"--{option}", type=int, default=default)
    parser.add_argument("--only", nargs="+", choices=PACKAGES, default=PACKAGES, help="packages to change")
    options = parser.parse_args()
    chosen = drawn(options.count, options.seed, options.only)
    RESULTS.parent.mkdir(exist_ok=True)
    lines = RESULTS.read_text("utf-8").splitlines() if RESULTS.is_file() else []
    known = {(entry["name"], entry["line"], entry["digest"]): entry["killed"] for entry in map(json.loads, lines)}
    listed = ROOT / "tests/mutants.yml"
    reasons = yaml.safe_load(listed.read_text("utf-8")) or {}

    with tempfile.TemporaryDirectory() as folder:
        free: SimpleQueue[Path] = SimpleQueue()
        for i in range(options.jobs):
            free.put(workplace(Path(folder, str(i))))
        suites = {frozenset(tests_of(mutant.file)): mutant.file for mutant in chosen}

        def run(mutant: Mutant) -> None:
            place, begin = free.get(), time.perf_counter()
            target = place / "lib/marginloss" / mutant.file
            original = target.read_text("utf-8")
            target.write_text(mutant.source, "utf-8")
            killed = not passes(place, mutant.file, options.timeout)
            target.write_text(original, "utf-8")
            free.put(place)
            known[mutant.name, mutant.line, mutant.digest] = killed
            with RESULTS.open("a", encoding="utf-8") as file:
                entry = {"name": mutant.name, "line": mutant.line, "digest": mutant.digest, "killed": killed}
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")
            print(
                "died    " if killed else "SURVIVED", f"{time.perf_counter() - begin:4.0f} s", mutant.name, flush=True
            )

        def intact(file: str) -> bool:
            place, begin = free.get(), time.perf_counter()
            good = passes(place, file, 4 * options.timeout)
            free.put(place)
            print("intact  " if good else "BROKEN  ", f"{time.perf_counter() - begin:4.0f} s", file, flush=True)
            return good

        waiting = [mutant for mutant in chosen if (mutant.name, mutant.line, mutant.digest) not in known]
        with ThreadPoolExecutor(options.jobs) as pool:
            files = {suites[frozenset(tests_of(mutant.file))] for mutant in waiting}
            broken = [file for file, good in zip(files, pool.map(intact, files), strict=True) if not good]
            if broken:
                print("these tests fail, or take too long, without any mutant:", *map(tests_of, broken), sep="\n")
                return 2
            list(pool.map(run, waiting))

    alive = [mutant for mutant in chosen if not known[mutant.name, mutant.line, mutant.digest]]
    rate = 1 - len(alive) / len(chosen)
    print(f"{len(chosen) - len(alive)} of {len(chosen)} mutants died ({rate:.0%})")
    for mutant in alive:
        print(f"{mutant.file}:{mutant.line} {mutant.name}\n    {reasons.get(mutant.name, 'NO REASON')}")
    return int(rate < ENOUGH or any(mutant.name not in reasons for mutant in alive))


if __name__ == "__main__":
    sys.exit(main())
