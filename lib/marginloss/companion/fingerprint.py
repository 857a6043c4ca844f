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
        return f"module {value.__name__} {_module(value)}"
    if isinstance(value, types.BuiltinFunctionType | np.ufunc):
        return f"builtin {getattr(value, '__module__', '')}.{value.__name__}"
    if isinstance(value, types.MethodType):
        return f"method {value.__name__} of {inner(value.__self__)}, {inner(value.__func__)}"
    if inspect.isclass(value):
        return f"class {value.__module__}.{value.__qualname__}" + (
            _reach(value) if _versioned(value) else _class(value, where, seen)
        )
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
    """Name, source, defaults and what the function reads from outside; the name alone if versions cover it."""
    name = f"function {function.__module__}.{function.__qualname__}"
    if _versioned(function) and not function.__closure__:
        return name + _reach(function)
    code = function.__code__
    read = _read(function)
    read |= dict(zip(code.co_freevars, (cell.cell_contents for cell in function.__closure__ or ()), strict=True))
    read["defaults"] = [function.__defaults__, function.__kwdefaults__]
    compiled = ""
    if function.__name__ == "<lambda>":  # two on one line have one source, but not the same constants and instructions
        compiled = f"{code.co_code.hex()} {[c for c in code.co_consts if not isinstance(c, types.CodeType)]!r}"
    return f"{name} {_source(function, where)} {compiled} {_describe(read, where, seen)}"


def _class(value: type, where: str, seen: tuple[int, ...]) -> str:
    """Source, base classes, and what the methods read from outside."""
    methods = [getattr(each, "__func__", getattr(each, "fget", each)) for each in vars(value).values()]
    read = [_read(method) for method in methods if isinstance(method, types.FunctionType)]
    return f"{_source(value, where)} {_describe([*value.__bases__, *read], where, seen)}"


def _read(function: types.FunctionType) -> dict[str, Any]:
    """What a function looks up in its module."""
    names = sorted(_global_names(function.__code__))
    return {name: function.__globals__[name] for name in names if name in function.__globals__}


def _global_names(code: types.CodeType) -> set[str]:
    """Names that a function, or one defined inside it, looks up in its module; attributes are none of these."""
    names = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return names.union(*(_global_names(inner) for inner in code.co_consts if isinstance(inner, types.CodeType)))


def _reach(thing: Any) -> str:
    """Digest of what a function or class of the library depends on; empty for one of another package."""
    return f" {reach_digest(thing.__module__)}" if _is_own(thing.__module__) else ""


def _module(module: types.ModuleType) -> str:
    """The same for a module; of one that is neither ours nor installed, digest of its code."""
    return reach_digest(module.__name__) if _is_own(module.__name__) else _user_code({module.__name__})


def _user_code(modules: set[str]) -> str:
    """Digest of the modules that are neither ours nor installed, and of those that they import, wherever they do."""
    digests: dict[str, str] = {}
    while modules:
        name = modules.pop()
        spec = None if name in digests else _user_spec(name)
        if spec is not None and spec.origin is not None:
            text = Path(spec.origin).read_text(encoding="utf-8")
            digests[name] = code_digest([text])
            modules |= _imported(text, spec.parent or "")
    return combine(f"{name} {digests[name]}" for name in sorted(digests))


def _user_spec(name: str) -> ModuleSpec | None:
    """Where a module is that no version stands for; None for any other, and for what is no module."""
    if _is_own(name) or name.partition(".")[0] in sys.stdlib_module_names:
        return None
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):  # a name from a module that is no package; a module made by hand
        return None
    is_file = spec is not None and spec.has_location and str(spec.origin).endswith(".py")
    return spec if is_file and not _installed(str(spec.origin)) else None  # type: ignore[union-attr]


def _imported(text: str, package: str) -> set[str]:
    """Names that may be modules in the imports of a piece of code, also of those inside functions."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            home = resolve_name("." * node.level + (node.module or ""), package)
            found |= {home, *(f"{home}.{alias.name}" for alias in node.names)}
    return found


def _is_own(module: str | None) -> bool:
    return (module or "").partition(".")[0] == "marginloss"


def _installed(file: str) -> bool:
    return "site-packages" in file or "dist-packages" in file


def _versioned(thing: Any) -> bool:
    """Whether the digest of what it reaches, or a pinned version, stands for the source of a function or class."""
    package = (thing.__module__ or "").partition(".")[0]
    if _is_own(package) or package in sys.stdlib_module_names - {"__main__"}:
        return True
    try:
        file = inspect.getfile(thing)
    except TypeError:
        return True  # built in
    except OSError:
        return False
    return _installed(file)


def _source(thing: Any, where: str) -> str:
    """Digest of the source, and of the user's modules that are imported inside of it."""
    try:
        text = textwrap.dedent(inspect.getsource(thing))
        package = getattr(sys.modules.get(thing.__module__), "__package__", None)
        return f"{code_digest([text])} {_user_code(_imported(text, package or ''))}"
    except (OSError, TypeError) as error:
        raise TypeError(
            f"{where}: the source of {thing.__qualname__} cannot be read, so that stored results could go out of date "
            "unseen; define it in a file or a notebook, or pass cache=False"
        ) from error
