"""The one lazy door to numba: kernels are compiled when they are first called, and kept on disk.

One arithmetic everywhere: without fast-math and contraction a kernel gives the same bits on every processor, and in the
process that compiles it as in one that loads it. Importing a module with kernels does not import numba: its import
takes about 1 s.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterator
from functools import cached_property, partial, update_wrapper
from threading import RLock
from types import CodeType, FunctionType
from typing import Any

__all__ = ["Kernel", "any_order", "helper", "kernel"]

_LOCK = RLock()
_STRICT = {"nogil": True, "error_model": "numpy"}  # Python's check for division by zero would hinder vector registers


class Kernel:
    """A function of this library as machine code; it and what it calls are compiled at the first call.

    A global name is bound to what it stands for then: other kernels, numbers, modules.

    Parameters
    ----------
    function : callable
    names : dict, optional
        What names in the code stand for, if not what they stand for in the module of the function: one function makes
        several kernels.
    **options
        For ``numba.njit``.

    Examples
    --------
    >>> @kernel
    ... def total(values):
    ...     found = 0.0
    ...     for i in range(len(values)):
    ...         found += values[i]
    ...     return found
    >>> import numpy as np
    >>> float(total.function(np.arange(4.0)))  # the same in Python
    6.0
    """

    def __init__(self, function: Callable[..., Any], names: dict[str, Any] | None = None, **options: Any) -> None:
        update_wrapper(self, function)
        self.function: Any = function
        self.names = names or {}
        self.options = _STRICT | options

    def __call__(self, *args: Any) -> Any:
        """Run the machine code."""
        return self._entry(*args)

    def __reduce__(self) -> str:
        return self.function.__qualname__

    @cached_property
    def _names(self) -> dict[str, Any]:
        """What the global names in the code stand for."""
        scope = self.function.__globals__ | self.names
        return {name: scope[name] for code in _codes(self.function.__code__) for name in code.co_names if name in scope}

    @cached_property
    def digest(self) -> str:
        """Of the code of this kernel and of all that it calls; edits of comments and docstrings do not change it."""
        parts = [repr(sorted(self.options.items(), key=str))]
        for code in _codes(self.function.__code__):
            constants = [c for c in code.co_consts if c != self.function.__doc__ and not isinstance(c, CodeType)]
            parts += [code.co_code.hex(), repr((code.co_names, code.co_varnames, constants))]
        for name, value in sorted(self._names.items()):
            parts += [name, value.digest if isinstance(value, Kernel) else repr(value)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @cached_property
    def dispatcher(self) -> Any:
        """What numba makes of the function, for other kernels: kept on disk with those that call it."""
        return self._compile(no_cpython_wrapper=True, no_cfunc_wrapper=True)

    @cached_property
    def _entry(self) -> Any:
        """The same for Python, kept on disk."""
        with _LOCK:
            entry = self._compile()
            entry._cache = _disk_cache(entry.py_func, self.digest) or entry._cache
            return entry

    def _compile(self, **options: bool) -> Any:
        with _LOCK:
            from numba import njit

            code, names = self.function.__code__, self._names
            scope = {name: v.dispatcher if isinstance(v, Kernel) else v for name, v in names.items()}
            body = FunctionType(code, scope | {"__name__": self.function.__module__}, code.co_name)
            body.__qualname__ = "_".join([self.function.__qualname__, *(v.__name__ for v in self.names.values())])
            body.__module__ = self.function.__module__
            return njit(**self.options, **options)(body)  # type: ignore[call-overload]


kernel = Kernel

#: Only for sums of weights that are multiples of 2**-51 and add up to one: they are exact, so that their order, which
#: vector registers change, does not matter.
any_order = partial(Kernel, fastmath={"reassoc"})

#: For small functions that only kernels call; they become part of their callers.
helper = partial(Kernel, forceinline=True)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those inside of it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _disk_cache(body: Any, digest: str) -> Any:
    """Numba's cache, good for as long as the digest stays the same; trouble with it costs a warning, never a fit."""
    from numba.core.caching import FunctionCache, IndexDataCacheFile

    class DiskCache(FunctionCache):
        def __init__(self) -> None:
            super().__init__(body)
            self._cache_file = IndexDataCacheFile(self.cache_path, self._impl.filename_base, digest)

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                return super().load_overload(sig, target_context)
            except Exception as error:  # a damaged file raises whatever its bytes happen to mean
                _warn(error)
                self._try(self.flush)
                return None

        def save_overload(self, sig: Any, data: Any) -> None:
            self._try(super().save_overload, sig, data)

        def _try(self, write: Callable[..., None], *args: Any) -> None:
            try:
                write(*args)
            except Exception as error:
                _warn(error)

    try:
        return DiskCache()
    except (OSError, RuntimeError) as error:  # numba's word for no writable place
        _warn(error)
        return None


_warned = False


def _warn(error: Exception) -> None:
    """Say once in a process that compiled code is not kept."""
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            f"compiled code cannot be kept on disk and will be compiled again in the next process ({error!r}); "
            "NUMBA_CACHE_DIR can name a folder for it",
            RuntimeWarning,
            stacklevel=3,
        )
