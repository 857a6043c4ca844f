"""The command marginloss: run, try and build the book; list claims, exhibits and data sets; compare learners."""

from __future__ import annotations

import argparse
import ast
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from marginloss import __version__
from marginloss._validation import UnknownName, check_name
from marginloss.companion.bench import CORRUPTIONS, LEARNERS, TABLES, is_here, run_bench
from marginloss.companion.book.build import BuildError
from marginloss.companion.book.build import build as build_pages
from marginloss.companion.book.execute import ChapterError, execute_copy, kernel_environment
from marginloss.companion.book.layout import find_chapters
from marginloss.companion.book.pdf import print_book
from marginloss.companion.book.runner import run as run_chapters
from marginloss.companion.data import report
from marginloss.companion.exhibits import status
from marginloss.companion.findings import findings
from marginloss.companion.folders import build_folder
from marginloss.companion.ledger import PAPERS
from marginloss.companion.numbers import shown
from marginloss.companion.scale import SCALES

EXAMPLES = """examples:
  marginloss run                               execute the chapters that changed
  marginloss run alpha_loss --scale paper      one chapter, with the paper's number of runs
  marginloss try alpha_loss -p n_points=50     a copy with another parameter, in _build/try/
  marginloss build                             pages from the executed chapters, _build/html/
  marginloss build --pdf                       and all of them as one PDF, printed by a browser
  marginloss claims sypherd2023                what a paper says, and what we computed
  marginloss data pima --fetch                 get a data set
  marginloss bench --tables compas --draws 1   all learners on one table, under six corruptions
"""

BENCH_EXAMPLES = """examples:
  marginloss bench --draws 5 --rows 1000       go on where the last such bench stopped
  marginloss bench --tables compas adult --corruptions none "symmetric 20 %" --draws 2 --out mine.csv
  marginloss bench --jobs 4                    contests at a time
On a cluster call marginloss.companion.bench.run_bench() inside joblib.parallel_config(backend="dask").
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0, 1 for a failure, 2 for a wrong call."""
    options = _parser().parse_args(arguments)
    try:
        status = int(options.command(options) or 0)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # whoever reads, such as head, has seen enough; nothing is left to flush at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except UnknownName as error:
        print(f"marginloss: {error}", file=sys.stderr)
        return 2
    except (BuildError, ChapterError, ImportError, FileNotFoundError) as error:  # each says what to do
        print(f"marginloss: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nmarginloss: interrupted; what was finished is kept", file=sys.stderr)
        return 130


def run(options: argparse.Namespace) -> None:
    """Execute chapters."""
    wanted = find_chapters(options.chapters)
    started = time.perf_counter()
    done = run_chapters(wanted, options.scale, options.jobs)
    seconds = time.perf_counter() - started
    kept = len(wanted) - len(done)
    print(f"{options.scale} scale: {len(done)} executed in {seconds:.0f} s, {kept} unchanged")


def try_(options: argparse.Namespace) -> None:
    """Execute a copy of a chapter with other parameters."""
    (chapter,) = find_chapters([options.chapter])
    environment = kernel_environment(options.scale, jobs=os.cpu_count() or 1)
    print(f"open {execute_copy(chapter, dict(options.parameters), environment)}")


def build(options: argparse.Namespace) -> None:
    """Build the pages."""
    page = build_pages(options.scale)
    print(f"The book is ready. Open it in a browser:\n  {page.as_uri()}")
    if options.pdf:
        print(f"On paper:\n  {print_book(page.parent).as_uri()}")


def claims(options: argparse.Namespace) -> None:
    """List the claims of the papers with their computed verdicts."""
    found = findings(_key(options))
    for id_, finding in found.items():
        slack = "" if finding.slack is None else f"slack {shown(finding.slack)}"
        print(f"{id_:<{max(map(len, found))}}  {finding.verdict:<20} {slack}".rstrip())


def exhibits(options: argparse.Namespace) -> None:
    """List the figures and tables of the papers with their computed verdicts."""
    lines = status(_key(options), options.scale)
    width = max(len(line.id) for line in lines)
    for line in lines:
        print(f"{line.id:<{width}}  {line.verdict:<24} {line.reason}".rstrip())


def data(options: argparse.Namespace) -> int:
    """List the data sets, or fetch them."""
    if options.fetch:
        return report.fetch_one(options.name) if options.name else report.fetch_all()
    print(report.describe(options.name) if options.name else report.overview())
    return 0


def bench(options: argparse.Namespace) -> int:
    """Compare all learners on spoiled tables; an interrupted bench goes on where it stopped."""
    for kind, names, known in (
        ("table", options.tables, TABLES),
        ("corruption", options.corruptions, CORRUPTIONS),
        ("learner", options.learners, LEARNERS),
    ):
        for name in names:
            check_name(kind, name, list(known))
    missing = [name for name in options.tables if not is_here(name)]
    if missing:
        print(f"marginloss: not here: {', '.join(missing)}; see marginloss data --fetch", file=sys.stderr)
        return 1
    settings = options.tables, options.corruptions, options.draws, options.rows, options.learners
    run_bench(*settings, options.out, options.jobs, progress=True)
    print(options.out)
    return 0


def _key(options: argparse.Namespace) -> str | None:
    return options.key and check_name("paper", options.key, PAPERS)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "marginloss",
        description=__doc__.splitlines()[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"marginloss {__version__}")
    parser.set_defaults(command=lambda options: parser.print_help())
    commands = parser.add_subparsers(metavar="COMMAND")

    command = _command(
        commands, "run", run, "marginloss run alpha_loss long_servedio --scale paper --jobs 1", scale=True
    )
    command.add_argument("chapters", nargs="*", metavar="CHAPTER", help="name, with or without its number; all if none")
    command.add_argument("--jobs", type=_positive, metavar="N", help="chapters at a time (default: one per core)")

    command = _command(commands, "try", try_, "marginloss try alpha_loss -p n_points=50", scale=True)
    command.add_argument("chapter", metavar="CHAPTER", help="name, with or without its number")
    command.add_argument(
        "-p", dest="parameters", action="append", default=[], type=_assignment, metavar="NAME=VALUE", help="a parameter"
    )

    command = _command(commands, "build", build, "marginloss build --scale paper", scale=True)
    command.add_argument("--pdf", action="store_true", help="print all pages into one file too, by a browser")

    for name, function, example in (
        ("claims", claims, "marginloss claims sypherd2023"),
        ("exhibits", exhibits, "marginloss exhibits sypherd2023 --scale paper"),
    ):
        command = _command(commands, name, function, example, scale=name == "exhibits")
        command.add_argument("key", nargs="?", metavar="KEY", help="key of a paper, such as sypherd2023; all if none")

    command = _command(commands, "data", data, "marginloss data pima --fetch")
    command.add_argument("name", nargs="?", metavar="NAME", help="a data set; all if none")
    command.add_argument("--fetch", action="store_true", help="get what is missing")

    command = _command(commands, "bench", bench, "")
    command.epilog = BENCH_EXAMPLES
    for name, known in (("tables", TABLES), ("corruptions", CORRUPTIONS), ("learners", LEARNERS)):
        text = f"of {', '.join(known)}".replace("%", "%%")
        command.add_argument(f"--{name}", nargs="+", default=list(known), metavar="NAME", help=text)
    command.add_argument("--draws", type=_positive, default=5, metavar="N", help="splits, default 5")
    command.add_argument("--rows", type=_positive, default=2000, metavar="N", help="training rows, default 2000")
    command.add_argument("--jobs", type=_positive, metavar="N", help="contests at a time")
    out = build_folder() / "bench.csv"
    command.add_argument("--out", type=Path, default=out, metavar="FILE", help="results, default _build/bench.csv")
    return parser


def _command(commands: Any, name: str, function: Any, example: str, scale: bool = False) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=function.__doc__,
        description=function.__doc__,
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(command=function)
    if scale:
        default = os.environ.get("MARGINLOSS_SCALE") or "quick"
        parser.add_argument("--scale", choices=SCALES, default=default, help="default: %(default)s")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def _assignment(text: str) -> tuple[str, Any]:
    """``n=50`` as a name and a value: a Python literal, else the word itself."""
    name, sign, value = text.partition("=")
    if not (sign and name.isidentifier()):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
