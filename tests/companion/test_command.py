"""The command line: what a wrong call says, and with which status."""

import re
import subprocess
import sys

import pytest

from marginloss import __version__
from marginloss.companion.command import main


def test_help_shows_examples(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    assert "marginloss run alpha_loss --scale paper" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["run", "try", "build", "claims", "exhibits", "data", "bench"])
def test_each_command_has_help_with_an_example(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert f"marginloss {command}" in re.split("examples?:", capsys.readouterr().out)[1]


def test_the_pdf_is_made_when_asked_for_and_says_what_it_needs(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("marginloss.companion.command.build_pages", lambda scale: tmp_path / "index.html")
    monkeypatch.setattr("marginloss.companion.command.print_book", lambda html: html / "Marginalia.pdf")
    assert main(["build"]) == 0 and ".pdf" not in capsys.readouterr().out
    assert main(["build", "--pdf"]) == 0 and "Marginalia.pdf" in capsys.readouterr().out

    def without_a_browser(html):
        raise FileNotFoundError("the PDF is printed by a browser")

    monkeypatch.setattr("marginloss.companion.command.print_book", without_a_browser)
    assert main(["build", "--pdf"]) == 1 and "by a browser" in capsys.readouterr().err


def test_a_reader_that_has_seen_enough_is_no_error():
    command = [sys.executable, "-m", "marginloss", "data"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 0


def test_alone_it_prints_its_help_with_examples(capsys):
    assert main([]) == 0
    assert "examples:" in capsys.readouterr().out


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"marginloss {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        (["run", "alfa_loss"], "did you mean 'alpha_loss'"),
        (["run", "11_alpha_los"], "did you mean '11_alpha_loss'"),
        (["try", "prolog"], "did you mean 'prologue'"),
        (["try", "alpha_loss", "-p", "n_pionts=3"], "did you mean 'n_points'"),
        (["claims", "sypherd203"], "did you mean 'sypherd2023'"),
        (["exhibits", "sypherd203"], "did you mean 'sypherd2023'"),
        (["data", "pimo"], "did you mean 'pima'"),
        (["data", "pimo", "--fetch"], "did you mean 'pima'"),
        (["run", "qqq"], "there are 00_prologue, "),
    ],
)
def test_unknown_names_get_suggestions_status_2_and_no_traceback(arguments, suggestion, capsys):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert suggestion in error
    assert "Traceback" not in error


@pytest.mark.parametrize(
    "arguments",
    [
        ["rum"],
        ["run", "--scale", "huge"],
        ["run", "--jobs", "0"],
        ["run", "--jobs", "two"],
        ["try", "alpha_loss", "-p", "n_points"],
        ["try", "alpha_loss", "-p", "1x=2"],
    ],
)
def test_wrong_options_have_status_2(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage: marginloss" in capsys.readouterr().err


def test_claims_prints_full_ids_and_verdicts(capsys):
    assert main(["claims", "sypherd2023"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (line,) = [line for line in lines if line.startswith("sypherd2023:lemma-3 ")]
    assert line.split(maxsplit=1)[1].startswith("holds")


def test_exhibits_prints_one_line_an_entry(capsys):
    from marginloss.companion.ledger import entries

    assert main(["exhibits", "servedio2003"]) == 0
    printed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert printed == [entry.id for entry in entries("servedio2003", "exhibit")]


def test_data_lists_every_set_and_describes_one(capsys):
    from marginloss.datasets.registry import names

    assert main(["data"]) == 0
    printed = capsys.readouterr().out
    assert [name for name in names() if name not in printed] == []
    assert main(["data", "breast_cancer"]) == 0
    assert "licence" in capsys.readouterr().out
