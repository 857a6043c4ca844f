"""From numba kernels to a WebAssembly module: lower, retarget, emit, export. To be run in a process of its own.

There is no linker and no C in this, only llvmlite, which numba brings:

1. numba *lowers* the kernels, unoptimised and for a generic processor: optimised code has 64-bit offsets baked in;
2. their text is *retargeted* to 32 bits: another layout, reference counts that do nothing, one instruction replaced;
3. llvmlite optimises and *emits* one object file, which is a WebAssembly module that lacks exports;
4. :mod:`marginloss.companion.live.link` *exports* the kernels and says what the module imports.

What the kernels compute is not touched: no flag of theirs is changed, so that the page has the library's bits if the
kernels have an arithmetic that all processors share.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
from typing import Any

from marginloss._compiled import Kernel
from marginloss.companion.live.link import KernelError, data_end, imports, with_exports

__all__ = ["EXPECTED", "KNOWN_NUMBA", "compile_kernels", "lower"]

TRIPLE = "wasm32-unknown-unknown"
LAYOUT = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"
FEATURES = "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint"  # in all browsers since 2023
STACK = 1 << 16  # bytes, above the data; it grows down

#: All that a module may ask of the page: its memory, where the stack begins, and room for an array.
EXPECTED = {"__linear_memory", "__stack_pointer", "__indirect_function_table", "NRT_MemInfo_alloc_aligned"}

#: Versions whose intermediate code was looked at: from the first one on, up to and without the second.
KNOWN_NUMBA = (0, 62), (0, 69)

#: How the process must be started: nothing optimised, and no machine code from an earlier one.
ENVIRONMENT = {"NUMBA_OPT": "0", "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}

NUMBERS = {
    "float64": "f64",
    "int64": "i64",
    "int32": "i32",
    "int8": "i8",
    "uint8": "u8",
    "bool": "bool",
    "none": "none",
}

# WebAssembly cannot say that a product overflowed: LLVM would call a function of compiler-rt, and would put it back if
# it could see through this one
PRODUCT = """define internal { i64, i1 } @live.smul(i64 %a, i64 %b) noinline optnone {
  %none = icmp eq i64 %a, 0
  %by = select i1 %none, i64 1, i64 %a
  %r = mul i64 %a, %b
  %q = sdiv i64 %r, %by
  %differs = icmp ne i64 %q, %b
  %some = xor i1 %none, true
  %bad = and i1 %some, %differs
  %x = insertvalue { i64, i1 } poison, i64 %r, 0
  %y = insertvalue { i64, i1 } %x, i1 %bad, 1
  ret { i64, i1 } %y
}"""


def compile_kernels(where: str, *names: str) -> dict[str, tuple[bytes, dict[str, Any]]]:
    """Compile the kernels of some figures in a fresh process; one for all, because its imports take the longest.

    Parameters
    ----------
    where : str
        ``"module:name"`` of a mapping: for each figure, from the name that the page calls to the function and its
        signature, as numba writes it.
    *names : str
        Figures; all of them if none is named.

    Returns
    -------
    dict
        For each figure the module and what the page must know: ``memory``, its first free address, and ``kernels``, the
        types of each.

    Raises
    ------
    KernelError
        If numba is not known, or a kernel asks for a function that the page does not have.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | ENVIRONMENT | {"NUMBA_CACHE_DIR": folder}
        program = "import sys; from marginloss.companion.live import lower; lower._main(*sys.argv[1:])"
        command = [sys.executable, "-W", "ignore", "-c", program, where, *names]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    answer = json.loads(done.stdout)
    if "error" in answer:
        raise KernelError(answer["error"])
    return {name: (base64.b64decode(code), about) for name, (code, about) in answer.items()}


def lower(kernels: dict[str, tuple[Kernel, str]]) -> tuple[bytes, dict[str, Any]]:
    """Compile one table of kernels in this process, which must have been started with ``ENVIRONMENT``."""
    import llvmlite.binding as llvm
    from numba.core.sigutils import normalize_signature

    _check_numba()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=2, features=FEATURES)
    whole = llvm.parse_assembly(f'target triple = "{TRIPLE}"\ntarget datalayout = "{LAYOUT}"\n')
    symbols, described, parts = {}, {}, {}
    for name, (kernel, signature) in kernels.items():
        types, _ = normalize_signature(signature)
        dispatcher = kernel.dispatcher
        dispatcher.compile(types)
        result = dispatcher.overloads[types]
        symbol = result.fndesc.llvm_func_name
        module = llvm.parse_assembly(retarget(str(result.library._final_module)))
        for function in module.functions:  # the wrappers for Python are called by nobody, and vanish
            if not function.is_declaration:
                function.linkage = "external" if function.name == symbol else "internal"
        symbols[symbol], parts[name] = name, str(module)
        whole.link_in(module)
        described[name] = {"takes": [describe(t) for t in types], "gives": describe(result.signature.return_type)}
    program = with_exports(machine.emit_object(_optimised(whole, machine)), symbols)
    if imports(program) - EXPECTED:
        for name, text in parts.items():  # which of them was it?
            _refuse_strangers(name, imports(machine.emit_object(_optimised(llvm.parse_assembly(text), machine))))
    return program, {"memory": data_end(program) + STACK, "kernels": described}


def retarget(text: str) -> str:
    """Unoptimised code of numba for this computer, as code for WebAssembly."""
    text = re.sub(r'target triple = ".*"', f'target triple = "{TRIPLE}"', text)
    text = re.sub(r'target datalayout = ".*"', f'target datalayout = "{LAYOUT}"', text)
    text = re.sub(r'"(target-cpu|target-features|tune-cpu)"="[^"]*"', "", text)
    # numba shares these with its dynamic linker; an object file for WebAssembly has no such thing
    text = re.sub(r"= (common|linkonce) (local_unnamed_addr )?global", "= internal global", text)
    # memory is given back all at once, when the next call begins
    for name in ("NRT_incref", "NRT_decref"):
        nothing = f"define internal void @{name}(ptr %p) {{ ret void }}"
        text = re.sub(rf"declare void @{name}\(ptr[^)]*\).*", nothing, text)
        text = re.sub(rf"define [^\n]*void @{name}\((.|\n)*?\n}}", nothing, text)
    if "@llvm.smul.with.overflow.i64(" in text:
        text = re.sub(r"declare \{ i64, i1 \} @llvm.smul.with.overflow.i64\(.*", PRODUCT, text)
        text = text.replace("@llvm.smul.with.overflow.i64(", "@live.smul(")
    return text


def describe(kind: Any) -> Any:
    """A type as the page reads it: ``"f64"``, or ``["array", "f64", 2]`` for a matrix row by row."""
    from numba import types

    kind = types.unliteral(kind)
    if isinstance(kind, types.Array):
        if kind.layout != "C":
            raise KernelError(f"the page passes arrays row by row, got {kind}")
        return ["array", NUMBERS[str(kind.dtype)], kind.ndim]
    if str(kind) not in NUMBERS:
        raise KernelError(f"the page cannot pass {kind}; it knows {', '.join(NUMBERS)} and arrays of these")
    return NUMBERS[str(kind)]


def _optimised(module: Any, machine: Any) -> Any:
    import llvmlite.binding as llvm

    tuning = llvm.create_pipeline_tuning_options(speed_level=2)
    tuning.loop_vectorization = tuning.slp_vectorization = True
    module.verify()
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    return module


def _refuse_strangers(kernel: str, found: set[str]) -> None:
    strangers = sorted(found - EXPECTED)
    if strangers:
        raise KernelError(
            f"kernel {kernel!r} calls {', '.join(strangers)}, which the page does not have; "
            "exponentials and logarithms are in marginloss.losses.elementary"
        )


def _check_numba() -> None:
    import numba

    version = tuple(int(part) for part in re.findall(r"\d+", numba.__version__)[:2])
    if not KNOWN_NUMBA[0] <= version < KNOWN_NUMBA[1]:
        (a, b), (c, d) = KNOWN_NUMBA
        raise KernelError(f"numba {numba.__version__} is not known here (from {a}.{b} on, below {c}.{d})")


def _main(where: str, *names: str) -> None:
    """What the process of :func:`compile_kernels` does: print the answer, or the reason why there is none."""
    source, table = where.split(":")
    answer: dict[str, Any] = {}
    try:
        figures = getattr(importlib.import_module(source), table)
        for name in names or figures:
            code, about = lower(figures[name])
            answer[name] = base64.b64encode(code).decode(), about
    except KernelError as error:
        answer = {"error": str(error)}
    print(json.dumps(answer))
