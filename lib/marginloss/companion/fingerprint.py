"""A text for each argument and function of a sweep that changes whenever its value or behaviour does."""

from __future__ import annotations

import ast
import dataclasses
import dis
import functools
import hashlib
import inspect
import sys
import textwrap
import types
from collections.abc import Mapping
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Any

import numpy as np

from marginloss.companion.digest import code_digest, combine, reach_digest


def describe(value: Any, where: str) -> str:
    """Describe a value so that equal texts mean equal values.

    Plain values, arrays, dataclasses such as losses, scikit-learn estimators, classes, modules and functions. A
    function of the library is described by its name and the digest of what its module reaches, one of an installed
    package by its name, because versions are pinned, any other by its source and by all that it reads from outside:
    values, functions, base classes, and the source of the user's own modules, also of those that these import.

    Parameters
    ----------
    value : object
    where : str
        What the value belongs to, for the message.

    Raises
    ------
    TypeError
        If the value is of another type, or the source of a function cannot be read.

    Examples
    --------
    >>> describe({"alpha": 2.0, "depths": [1, 2]}, "grid")
    "{'alpha': 2.0, 'depths': [1, 2]}"
    """
    return _describe(value, where, ())


def _describe(value: Any, where: str, seen: tuple[int, ...]) -> str:
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return repr(value)
    if id(value) in seen:
        return "<seen>"  # a function that calls itself
    seen = (*seen, id(value))

    def inner(part: Any) -> str:
        return _describe(part, where, seen)

    if isinstance(value, list | tuple):
        return f"[{', '.join(map(inner, value))}]" if isinstance(value, list) else f"({', '.join(map(inner, value))},)"
    if isinstance(value, set | frozenset):
        return f"set({sorted(map(inner, value))})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{inner(k)}: {inner(v)}" for k, v in value.items()) + "}"
    if isinstance(value, np.generic):
        return f"{value.dtype}({value!r})"
    if isinstance(value, np.ndarray) and value.dtype != object:
        content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return f"array({value.dtype}, {value.shape}, {content})"
    if isinstance(value, functools.partial):
        return f"partial({inner(value.func)}, {inner(value.args)}, {inner(value.keywords)})"
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__} {_modules_code({value.__name__})}"
    if isinstance(value, types.BuiltinFunctionType | np.ufunc):
        return f"builtin {getattr(value, '__module__', '')}.{value.__name__}"
    if isinstance(value, types.MethodType):
        return f"method {value.__name__} of {inner(value.__self__)}, {inner(value.__func__)}"
    if inspect.isclass(value):
        bases = "" if _is_fixed(value.__module__) else inner(value.__bases__)
        return f"class {value.__module__}.{value.__qualname__} {_code(value, where)} {bases}"
    if isinstance(value, types.FunctionType):
        return _function(value, where, seen)
    if dataclasses.is_dataclass(value):
        parts = {spec.name: getattr(value, spec.name) for spec in dataclasses.fields(value)}
        return f"{inner(type(value))}{inner(parts)}"
    if hasattr(value, "get_params"):  # a scikit-learn estimator, without importing scikit-learn in every worker
        return f"{inner(type(value))}{inner(value.get_params(deep=False))}"
    if callable(value) and hasattr(value, "__wrapped__"):  # cached and compiled functions
        return f"{type(value).__name__} {inner(value.__wrapped__)}"
    raise TypeError(
        f"{where}: {type(value).__name__} cannot be part of the key of stored results; "
        "pass plain values, arrays or dataclasses, or cache=False"
    )


def _function(function: types.FunctionType, where: str, seen: tuple[int, ...]) -> str:
    """Name, code, defaults and the values that the function reads from outside; of a fixed one name and code alone."""
    name = f"function {function.__module__}.{function.__qualname__} {_code(function, where)}"
    if _is_fixed(function.__module__) and not function.__closure__:
        return name
    code = function.__code__
    read = {name: function.__globals__[name] for name in _global_names(code) if name in function.__globals__}
    read |= dict(zip(code.co_freevars, (cell.cell_contents for cell in function.__closure__ or ()), strict=True))
    read["defaults"] = [function.__defaults__, function.__kwdefaults__]
    compiled = ""
    if function.__name__ == "<lambda>":  # two on one line have one source, but not the same constants and instructions
        compiled = f"{code.co_code.hex()} {[c for c in code.co_consts if not isinstance(c, types.CodeType)]!r}"
    return f"{name} {compiled} {_describe(read, where, seen)}"


def _global_names(code: types.CodeType) -> list[str]:
    """Names that a function, or one defined inside it, looks up in its module; attributes are none of these."""
    names = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    inner = (_global_names(const) for const in code.co_consts if isinstance(const, types.CodeType))
    return sorted(names.union(*inner))


def _code(thing: Any, where: str) -> str:
    """Digest of the code of a function or class: what its module reaches, or its source and the user's modules."""
    module = thing.__module__ or ""
    if _is_fixed(module):
        return _modules_code({module})
    try:
        text = textwrap.dedent(inspect.getsource(thing))
    except (OSError, TypeError) as error:
        raise TypeError(
            f"{where}: the source of {thing.__qualname__} cannot be read, so that stored results could go out of date "
            "unseen; define it in a file or a notebook, or pass cache=False"
        ) from error
    package = getattr(sys.modules.get(module), "__package__", None) or ""
    return f"{code_digest([text])} {_modules_code({module} | _imported(text, package))}"


def _modules_code(modules: set[str]) -> str:
    """Digest of what modules of ours reach, and of those of the user's with all that they import, wherever they do."""
    digests: dict[str, str] = {}
    while modules:
        name = modules.pop()
        if name in digests or _is_own(name):
            digests[name] = digests.get(name) or reach_digest(name)
        elif (spec := _user_spec(name)) is not None:
            text = Path(str(spec.origin)).read_text(encoding="utf-8")
            digests[name] = code_digest([text])
            modules |= _imported(text, spec.parent or "")
    return combine(f"{name} {digests[name]}" for name in sorted(digests))


def _user_spec(name: str) -> ModuleSpec | None:
    """Where a module is that no version stands for; None for any other, and for what is no module."""
    try:
        spec = None if name.partition(".")[0] in sys.stdlib_module_names else find_spec(name)
    except (ImportError, ValueError):  # a name from a module that is no package; a module made by hand
        return None
    return spec if spec and str(spec.origin).endswith(".py") and not _is_installed(str(spec.origin)) else None


def _imported(text: str, package: str) -> set[str]:
    """Names that may be modules in the imports of a piece of code, also of those inside functions; none of ours."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            home = resolve_name("." * node.level + (node.module or ""), package)
            found |= {home, *(f"{home}.{alias.name}" for alias in node.names)}
    return {name for name in found if not _is_own(name)}  # code_digest has followed those


def _is_own(module: str) -> bool:
    return module.partition(".")[0] == "marginloss"


def _is_installed(file: str) -> bool:
    return "site-packages" in file or "dist-packages" in file


def _is_fixed(module: str | None) -> bool:
    """Whether the digest of what it reaches, or a pinned version, stands for the source of a module."""
    name = module or ""
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    return _is_own(name) or _is_installed(file) or name.partition(".")[0] in sys.stdlib_module_names - {"__main__"}
