"""Native functions that all programs of a process share: compiled at the first use, known to LLVM's linker by their names."""

from __future__ import annotations

from collections.abc import Callable

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core.compiler_lock import global_compiler_lock

from autograph_jit.backends.cpu.library import Library
from autograph_jit.backends.cpu.random import symbols
from autograph_jit.backends.cpu.random.symbols import LIMITS, WIDTHS
from autograph_jit.backends.cpu.threading.threads import SHARE, threads

published: dict[str, Library] = {}  # their code stays for the process
# What else makes names known, by how they begin.
PROVIDERS: dict[str, Callable[[str], object]] = {
    SHARE: lambda name: threads.prepare(),
    WIDTHS: lambda name: symbols.tables(name.removeprefix(WIDTHS)),
    LIMITS: lambda name: symbols.tables(name.removeprefix(LIMITS)),
    "random_": lambda name: symbols.register(),
    symbols.PCG64_NEXT_DOUBLE: lambda name: symbols.register(),
}


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
            library.needs = needs_of(module)
            llvm.add_symbol(name, library.address(name))
            published[name] = library
    return name


def needs_of(module: ir.Module) -> list[list[str]]:
    """What must be known to the linker before a module's code is loaded: name, and digest of the code that is published under it, those
    that others call before them."""
    found: dict[str, str] = {}
    for name in module.globals:
        if name in published:
            found |= dict(published[name].needs)
            found[name] = published[name].digest
        elif name.startswith(tuple(PROVIDERS)):
            found[name] = ""
    return [[name, digest] for name, digest in found.items()]


def provide(needs: list[list[str]]) -> bool:
    """Make known to the linker what the code of another process needs; False where some of it is not on disk."""
    with global_compiler_lock:
        for position, (name, digest) in enumerate(needs):
            if not digest:
                next(provider for start, provider in PROVIDERS.items() if name.startswith(start))(name)
            elif name not in published:
                library = Library.found(digest, needs[:position])
                if library is None:
                    return False
                llvm.add_symbol(name, library.address(name))
                published[name] = library
    return True
