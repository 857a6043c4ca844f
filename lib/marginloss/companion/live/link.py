"""The few things about the format of WebAssembly that make an object file a module.

In an object file of one module everything is where it will stay: the numbers of functions are final, data begin at
address 0, and relocated places hold the values they get in a program that consists of this file alone. Only the exports
are missing. Memory, stack pointer and table are imports, which the page supplies.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["KernelError", "data_end", "imports", "with_exports"]

HEADER = b"\0asm\1\0\0\0"
CUSTOM, IMPORT, EXPORT, DATA = 0, 2, 7, 11
ORDER = [1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11]  # of the sections, as the format demands
SYMBOL_TABLE = 8
FUNCTION, DATUM, GLOBAL, SECTION, TAG, TABLE = range(6)
UNDEFINED, NAMED = 0x10, 0x40


class KernelError(Exception):
    """A kernel cannot become part of a page; the message says which and why."""


class Reader:
    """Reads numbers and names from bytes, one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        """The next byte."""
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        """A number in seven bits a byte, the last one without its highest bit."""
        value = shift = 0
        while True:
            byte = self.byte()
            value, shift = value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    def block(self) -> bytes:
        """So many bytes as the number before them says."""
        size = self.number()
        self.at += size
        return self.data[self.at - size : self.at]

    def name(self) -> str:
        """A block of text."""
        return self.block().decode()

    @property
    def more(self) -> bool:
        """Whether something is left."""
        return self.at < len(self.data)


def sections(program: bytes) -> Iterator[tuple[int, bytes]]:
    """Kind and content of each section."""
    if program[:8] != HEADER:
        raise KernelError("LLVM did not write a WebAssembly object")
    reader = Reader(program[8:])
    while reader.more:
        yield reader.byte(), reader.block()


def with_exports(program: bytes, exports: dict[str, str]) -> bytes:
    """The object file as a module that exports functions, ``{symbol: name}``, without symbols and relocations."""
    parts = list(sections(program))
    where: dict[str, int] = {}
    for kind, body in parts:
        if kind == CUSTOM:
            reader = Reader(body)
            if reader.name() == "linking":
                where = _functions(reader)
    listed = _number(len(exports))
    for symbol, name in exports.items():
        listed += _number(len(name)) + name.encode() + bytes([FUNCTION]) + _number(where[symbol])
    kept = [part for part in parts if part[0] != CUSTOM] + [(EXPORT, listed)]
    kept.sort(key=lambda part: ORDER.index(part[0]))
    return HEADER + b"".join(bytes([kind]) + _number(len(body)) + body for kind, body in kept)


def imports(program: bytes) -> set[str]:
    """Names of everything that a program takes from outside."""
    found = set()
    for kind, body in sections(program):
        if kind == IMPORT:
            reader = Reader(body)
            for _ in range(reader.number()):
                reader.name()  # of the module, always "env"
                found.add(reader.name())
                what = reader.byte()
                if what == 0:  # a function: its type
                    reader.number()
                elif what == 3:  # a global: its type, and whether it changes
                    reader.at += 2
                else:  # a table has a type before its limits, a memory has not
                    reader.at += what == 1
                    bounded = reader.byte() & 1
                    for _ in range(1 + bounded):
                        reader.number()
    return found


def data_end(program: bytes) -> int:
    """First address above the data, a multiple of 64."""
    end = 0
    for kind, body in sections(program):
        if kind == DATA:
            reader = Reader(body)
            for _ in range(reader.number()):
                if reader.number() != 0 or reader.byte() != 0x41:  # i32.const
                    raise KernelError("data without a fixed address")
                start = reader.number()
                reader.byte()  # end of the expression
                end = max(end, start + len(reader.block()))
    return -(-end // 64) * 64


def _functions(reader: Reader) -> dict[str, int]:
    """Functions that the program defines, and their numbers, from what follows the name of section ``linking``."""
    found: dict[str, int] = {}
    reader.number()  # version
    while reader.more:
        kind = reader.byte()
        symbols = Reader(reader.block())
        for _ in range(symbols.number() if kind == SYMBOL_TABLE else 0):
            what, flags = symbols.byte(), symbols.number()
            if what == DATUM:
                symbols.name()
                for _ in range(0 if flags & UNDEFINED else 3):
                    symbols.number()
            elif what == SECTION:
                symbols.number()
            else:
                number = symbols.number()
                if not flags & UNDEFINED or flags & NAMED:
                    name = symbols.name()
                    if what == FUNCTION and not flags & UNDEFINED:
                        found[name] = number
    return found


def _number(value: int) -> bytes:
    out = b""
    while True:
        value, byte = value >> 7, value & 127
        out += bytes([byte | 128 * (value > 0)])
        if not value:
            return out
