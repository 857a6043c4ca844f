"""Chapters as notebooks that read well in plain Jupyter, VS Code and Colab.

MyST is understood by the book alone. Here numbers, citations, references and directives become ordinary Markdown, glued
figures become outputs of the cells that drew them, and a first cell says where the library comes from.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from typing import Any

from marginloss.companion.book.labels import Labels
from marginloss.companion.results import PREFIX
from marginloss.companion.wording import sentence_part

INTRODUCTION = """*A chapter of* Marginalia, *with its numbers, figures and outputs as in the book. To run it again you
need the book's library, `marginloss`, which is not on a package index: clone the repository of the book, and set
`CLONE` below to the folder of your clone.*"""
FIRST = """from importlib.util import find_spec

CLONE = "."  # the folder of your clone of the book's repository
if find_spec("marginloss") is None:
    %pip install --quiet "{CLONE}[book]"
%precision %.4g"""

# directive of ours: title of its box
BOXES = {"in-one-sentence": "In one sentence", "remember": "What to remember"}

FENCE = re.compile(r"^(?P<fence>:{3,}|`{3,})\{(?P<name>[\w:-]+)\}[ \t]*(?P<argument>.*)$")
OPTION = re.compile(r"^:(?P<key>[\w-]+):[ \t]*(?P<value>.*)$")
ROLE = re.compile(r"\{(?P<role>[\w:]+)\}`(?P<text>[^`]+)`")
EQUATION = re.compile(r"(\$\$.*?)\$\$[ \t]*\((?P<label>eq-[\w-]+)\)", re.DOTALL)
TARGET = re.compile(r"^\([\w-]+\)=\n", re.MULTILINE)
MACROS = {r"\R": r"\mathbb{R}", r"\E": r"\mathbb{E}", r"\sign": r"\operatorname{sign}"}
MACRO = re.compile(r"\\(?:R|E|sign)(?![A-Za-z])")
INTERACTIVE = "*This figure moves under a slider on the page of the book.*"


def readable(notebook: Any, values: Mapping[str, Any]) -> Any:
    """A copy of an executed notebook that needs nothing of the book to be read.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        As it was executed, with the outputs that it glued.
    values : mapping
        What it recorded, by name.
    """
    from nbformat.v4 import new_code_cell, new_markdown_cell

    def translated(text: str) -> str:
        return as_markdown(text, values, Labels.of_book())

    result = copy.deepcopy(notebook)
    for cell in result.cells:
        if cell.cell_type == "markdown":
            cell.source = translated(cell.source)
            continue
        tags = cell.metadata.pop("tags", [])
        cell.metadata.pop("mystnb", None)
        if {"hide-input", "remove-cell", "hide-cell", "remove-input"} & set(tags):
            cell.metadata["jupyter"] = {"source_hidden": True}
        if "remove-stderr" in tags:
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
        cell.outputs = [shown for output in cell.outputs if (shown := _shown(output, translated)) is not None]
    # a cell of options or labels alone leaves nothing to read
    result.cells = [cell for cell in result.cells if cell.source.strip()]
    first = [new_markdown_cell(INTRODUCTION), new_code_cell(FIRST)]
    for number, cell in enumerate(first):
        cell.id = f"cell-{number}"  # the same file from the same chapter
    result.cells[:0] = first
    return result


def _shown(output: Any, translated: Callable[[str], str]) -> Any:
    """An output as a plain viewer shows it: glued figures with the rest, glued values not at all."""
    if "scrapbook" in output.get("metadata", {}):
        output.data = {kind.removeprefix(PREFIX): content for kind, content in output.data.items()}
        output.metadata = {}
        if set(output.data) == {"text/plain"}:
            return None
    data = output.get("data", {})
    if "<script" in data.get("text/html", ""):  # drawn by a script of the book's pages
        output.data = {kind: content for kind, content in data.items() if kind == "image/png"}
        output.data["text/markdown"] = INTERACTIVE
        output.data["text/plain"] = INTERACTIVE.strip("*")
    elif "text/markdown" in data:
        data["text/markdown"] = translated(data["text/markdown"])
    return output


def as_markdown(text: str, values: Mapping[str, Any], labels: Labels) -> str:
    """MyST as Markdown that any viewer understands."""
    lines, result = TARGET.sub("", text).split("\n"), []
    while lines:
        opening = FENCE.match(lines[0])
        if opening is None:
            result.append(lines.pop(0))
            continue
        end = next(i for i, line in enumerate(lines[1:], 1) if line.rstrip() == opening["fence"])
        body, lines = lines[1:end], lines[end + 1 :]
        options = {}
        while body and (option := OPTION.match(body[0])):
            options[option["key"]] = option["value"]
            body.pop(0)
        inner = as_markdown("\n".join(body).strip(), values, labels)
        argument = as_markdown(opening["argument"], values, labels) if opening["argument"] else ""
        result.append(_directive(opening["name"], argument, options, inner, labels, values))
    text = "\n".join(result)
    text = EQUATION.sub(lambda found: rf"{found[1]} \tag{{{labels.number(found['label'])}}}$$", text)
    text = ROLE.sub(lambda role: _role(role["role"], role["text"], values, labels), text)
    text = MACRO.sub(lambda found: MACROS[found[0]], text)
    text = re.sub(r"\]\((\w+)\.md\)", r"](\1.ipynb)", text)
    return re.sub(r"\n{3,}", "\n\n", text)


def _directive(
    name: str, argument: str, options: dict[str, str], inner: str, labels: Labels, values: Mapping[str, Any]
) -> str:
    """One directive, its inside already translated."""
    label = options.get("name", options.get("label", ""))
    if name in BOXES:
        return _quote(f"**{BOXES[name]}.**", inner)
    if name == "opening":
        return _quote("**What this chapter reproduces.**", inner)
    if name == "glue:figure":
        return f"*{labels.named(label)}.* {inner}" if label else inner
    if name == "table":
        return f"*{labels.named(label)}.* {argument}\n\n{inner}" if label else f"{argument}\n\n{inner}"
    if name == "math":
        tag = rf" \tag{{{labels.number(label)}}}" if label else ""
        return f"$$\n{inner}{tag}\n$$"
    if name == "glue:md":
        return as_markdown(str(values.get(argument, "")), values, labels)
    if name == "claims":
        return "*The table of claims with their verdicts stands on the page of this chapter in the book.*"
    if name.startswith("prf:"):
        kind = name.removeprefix("prf:").capitalize()
        head = kind if kind == "Proof" else f"{kind} {labels.number(label)}" + (f" ({argument})" if argument else "")
        return _quote(f"**{head}.**", inner)
    if name == "admonition":
        return f"**{argument}.** {inner}" if argument == "Solution" else _quote(f"**{argument}.**", inner)
    return inner


def _quote(head: str, inner: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in f"{head} {inner}".split("\n"))


def _role(role: str, text: str, values: Mapping[str, Any], labels: Labels) -> str:
    if role == "n":
        return sentence_part(text, values)
    if role.startswith("cite"):
        return labels.citation(text, parentheses=role != "cite:t")
    titled = re.fullmatch(r"(?P<title>.*?)\s*<(?P<target>[^>]+)>", text)
    title, target = (titled["title"], titled["target"]) if titled else ("", text)
    if role == "numref":
        return title.replace("%s", labels.number(target)) if title else labels.named(target)
    if role == "eq":
        return f"({labels.number(target)})"
    if role == "prf:ref":
        return title or labels.named(target)
    if role == "doc":
        return f"[{title or labels.title(target)}]({target.rpartition('/')[2]}.ipynb)"
    return title or target  # a term, a piece of code
