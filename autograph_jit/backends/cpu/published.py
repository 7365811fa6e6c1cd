"""Native functions that all programs of a process share: compiled at the first use, known to LLVM's linker by their names."""

from __future__ import annotations

from collections.abc import Callable

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core.compiler_lock import global_compiler_lock

from autograph_jit.backends.cpu.library import Library

published: dict[str, Library] = {}  # their code stays for the process


def declared(module: ir.Module, name: str, type: ir.FunctionType) -> ir.Function:
    """A published function as a program's module calls it."""
    return module.globals.get(name) or ir.Function(module, type, name)


def publish(name: str, build: Callable[[ir.Module], object], as_written: bool = False) -> str:
    """The name by which compiled code calls a function, which `build` puts into a module where it is not known yet."""
    with global_compiler_lock:
        if name not in published:
            module = ir.Module()
            build(module)
            library = Library(str(module), as_written)
            llvm.add_symbol(name, library.address(name))
            published[name] = library
    return name
