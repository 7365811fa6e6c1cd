"""The runtime module, compiled once in a process."""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.cpu.array_memory import build_alloc, build_alloc_again, build_empty, build_free_blocks
from autograph_jit.backends.cpu.library import Library
from autograph_jit.backends.cpu.list_memory import build_chunks, build_item_releases, build_lists
from autograph_jit.backends.cpu.ndarrays import build_array, build_comparison, build_keeping, build_pin
from autograph_jit.backends.cpu.runtime_module import build_endings, build_errors, build_objects, build_ownership, build_sites
from autograph_jit.backends.cpu.runtime_threads import build_threads
from autograph_jit.backends.cpu.signatures import I64, SIGNATURES
from autograph_jit.backends.cpu.text_memory import build_join, build_prefixes, build_texts
from autograph_jit.backends.cpu.text_pool import build_text_pool
from autograph_jit.backends.once import once

BUILDERS = (
    build_alloc, build_alloc_again, build_empty, build_free_blocks, build_ownership, build_endings, build_objects, build_comparison,
    build_array, build_keeping, build_pin, build_errors, build_sites, build_chunks, build_lists, build_item_releases, build_texts,
    build_join, build_prefixes, build_text_pool, build_threads,
)  # fmt: skip


told: list[str] = []  # the name of its code on disk, by another process with the same files of this package


class Runtime:
    """The compiled runtime module; `live` counts the headers that exist in the process."""

    def __init__(self) -> None:
        symbols.register_numpy()
        found = (Library.found(digest, []) for digest in told)
        self.library = next(filter(None, found), None) or Library(str(runtime_module()))
        for name in SIGNATURES:
            if name.startswith("ag_"):
                llvm.add_symbol(name, self.library.address(name))
        self.counter: Any = ctypes.c_int64.from_address(self.library.variable("ag_live"))

    @property
    def live(self) -> int:
        return self.counter.value


def runtime_module() -> ir.Module:
    """What all programs of a process share."""
    module = ir.Module()
    counter = ir.GlobalVariable(module, I64, "ag_live")
    counter.initializer = I64(0)
    for build in BUILDERS:
        build(module)
    return module


@once
def runtime() -> Runtime:
    """The process's runtime, compiled at the first use."""
    return Runtime()


def runtime_found(digest: str) -> Runtime:
    """The same, if it is not there yet from the code of this name."""
    if not told:
        told.append(digest)
    return runtime()
