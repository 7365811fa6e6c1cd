"""Native code of an LLVM module: numba's passes and target, object code kept on disk, an engine that frees the code with its owner.

Each library has an engine of its own: names need not be unique in the process, the same object code can be loaded again
elsewhere, and when the last function made of it is gone, its memory goes back with the next library. What code refers to outside
itself it names (`symbols.py`); no address is part of the text, so the text with the target and the versions decides what the code is.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.metadata
import sys
import types
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite.binding.newpassmanagers import NewPassManager
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.cgutils import normalize_ir_text
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

from autograph_jit.backends.disk_cache import disk_cache
from autograph_jit.budget import Work, show, spend
from autograph_jit.interrupts import keeping_interrupts
from autograph_jit.ops.apart import WAIT_SECONDS, run_apart
from autograph_jit.weak import WeakKeys

config: Any = numba.config
# LLVM asks whether arrays overlap in front of an outer loop, once for all of its trips, and takes it that they do where that loop counts
# down, as every loop of a reverse sweep does. Asked in front of the inner loop, the answer is exact.
OPTION = "-hoist-runtime-checks"
# LLVM writes a loop out once for each outcome of a condition that does not change in it, and again for the next condition: a long program
# of small loops grows tenfold. There every condition but the first counts as the copies that it multiplies.
COPIES, COPIES_OF_LLVM = "-unswitch-num-initial-unscaled-candidates=1", "-unswitch-num-initial-unscaled-candidates=8"
# LLVM copies the body of a loop whose trips may fail only where it is told to: four trips then share what counts them.
EXITS = "-unroll-runtime-multi-exit"
# Where a loop asks whether an index is below several bounds, it is written out for each order that these may have, for checks that nearly
# always hold: six arrays in three loops took it 5 s.
ORDERS = "-simple-loop-unswitch-inject-invariant-conditions"
ADDRESSES = "-disable-lsr"
LONG = 4000  # lines
# From so many lines on LLVM works in a thread of its own, and makes code `quickly`. For fewer it takes less than a tenth of a second, which
# nobody who presses Ctrl-C feels; the way to another thread and back takes 0.15 ms.
APART = 500
# With code generation, at numba's level of optimisation, and the 13 that Python takes to write one.
OPTIMISED = Work("lines of LLVM's language optimised", 115.0)
# What llvmlite does to free an engine is Python code. It runs when the next library is made, not wherever the last function is dropped.
ENGINES: WeakKeys[Any, Any] = WeakKeys()
MACHINES: dict[int, Any] = {}  # by level of optimisation


ENTRY = "entry"  # the function of a program's module that is called


class Library:
    """The loaded code of one module. `from_disk` tells whether it was found there; `llvm` and `assembly` show it, compiled anew.
    A module that is written as it shall run is compiled `as_written`, without passes; one that `is_counted` is work of the
    compilation under way. `needs` are the published functions that it calls, each with the digest of its code."""

    @keeping_interrupts()
    def __init__(self, text: str, as_written: bool = False, is_counted: bool = False) -> None:
        text = normalize_ir_text(text)
        self.text = zlib.compress(text.encode("latin1"), 1)
        with compiler_lock():
            digest = self.digest = digest_of(text, as_written)
            code = disk_cache.read(digest)
        self.from_disk = code is not None
        self.needs: list[list[str]] = []
        if code is None:
            lines = text.count("\n")
            if is_counted:
                spend(OPTIMISED, lines)
            if lines > APART and not global_compiler_lock.is_locked():
                code = run_apart(code_of, text, digest, as_written, is_late=True, meanwhile=show)
            else:
                code = code_of(text, digest, as_written)
        self.load(code)

    @classmethod
    def found(cls, digest: str, needs: list[list[str]]) -> Library | None:
        """The library whose code is on disk under this name, without its text; None where it is not there."""
        code = disk_cache.read(digest)
        if code is None:
            return None
        library = cls.__new__(cls)
        library.text, library.digest, library.from_disk, library.needs = b"", digest, True, needs
        library.load(code)
        return library

    def load(self, code: bytes) -> None:
        """Have an engine of its own for the code."""
        with compiler_lock():
            self.engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), make_machine(), use_lmm=config.USE_LLVMLITE_MEMORY_MANAGER)
            self.engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            self.engine.finalize_object()
            ENGINES[self] = self.engine

    def address(self, name: str) -> int:
        """Where a function of the module is."""
        return self.engine.get_function_address(name)

    def variable(self, name: str) -> int:
        """Where a global variable of the module is."""
        return self.engine.get_global_value_address(name)

    def callable(self, name: str, shown: str, *kept: Any) -> Callable[..., Any]:
        """A function with CPython's calling convention as a Python object, shown under another name; it keeps the library alive."""
        module = types.ModuleType("autograph_jit.compiled")
        return _dynfunc.make_function(module, shown, "", self.address(name), _dynfunc.Environment({}), (self, *kept))

    def point(self, name: str, target: object) -> None:
        """Let a pointer variable of the module point to a Python object."""
        ctypes.c_void_p.from_address(self.variable(name)).value = id(target)

    @property
    def llvm(self) -> str:
        """The optimised module."""
        with global_compiler_lock:
            return str(optimised(zlib.decompress(self.text).decode("latin1")))

    @property
    def assembly(self) -> str:
        """The module's machine code as text."""
        with global_compiler_lock:
            return machine().emit_assembly(optimised(zlib.decompress(self.text).decode("latin1")))


@contextmanager
def compiler_lock() -> Iterator[None]:
    """numba's lock: who waits for LLVM, which Ctrl-C may have left to itself, can be interrupted too, and goes on telling the terminal."""
    while not global_compiler_lock._lock.acquire(timeout=WAIT_SECONDS):
        show()
    try:
        yield
    finally:
        global_compiler_lock._lock.release()


def code_of(text: str, digest: str, as_written: bool = False, is_late: bool = False) -> bytes:
    """The object code of a module, compiled and kept on disk. What `is_late` may have waited for another thread, which has compiled the
    same: one that Ctrl-C left to itself."""
    with global_compiler_lock:
        found = disk_cache.read(digest) if is_late else None
        if found is None:
            module = parsed(text) if as_written else optimised(text)
            with quickly() if text.count("\n") > APART else nullcontext():
                found = machine().emit_object(module)
            disk_cache.write(digest, found)
        return found


def parsed(text: str) -> Any:
    """The module for this processor."""
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = llvm.get_process_triple(), cpu_target.target_context.codegen()._data_layout
    module.verify()
    return module


def optimised(text: str) -> Any:
    """The module after one run of LLVM's passes: the runs that numba makes before, and its pass over counts of references, are for code
    that its front end makes."""
    module, builder = parsed(text), cpu_target.target_context.codegen()._pass_builder()
    passes = builder.getModulePassManager()
    with own_options(is_long=text.count("\n") > LONG):
        passes.run(module, builder)
    NewPassManager._dispose(passes)  # llvmlite's own class resolves to a method that frees nothing, 30 kB for each module
    passes.detach()
    return module


@contextmanager
def own_options(is_long: bool = False) -> Iterator[None]:
    """LLVM's options are the process's: they are ours while our code is compiled, and LLVM's own for everybody else's."""
    with global_compiler_lock:
        for option in (OPTION, ORDERS):
            llvm.set_option("autograph_jit", f"{option}=false")
        llvm.set_option("autograph_jit", COPIES if is_long else f"{EXITS}=true")
        try:
            yield
        finally:
            for option in (OPTION, ORDERS):
                llvm.set_option("autograph_jit", f"{option}=true")
            llvm.set_option("autograph_jit", COPIES_OF_LLVM if is_long else f"{EXITS}=false")


@contextmanager
def quickly() -> Iterator[None]:
    """Make code without one pass that takes a third of that time: LLVM's choice of what counts the addresses of a loop. Ours are a pointer
    and an index already, which the processor adds for nothing. Of 109 kernels and gradients one gains by it, a tenth to a third."""
    llvm.set_option("autograph_jit", f"{ADDRESSES}=true")
    try:
        yield
    finally:
        llvm.set_option("autograph_jit", f"{ADDRESSES}=false")


def make_machine() -> Any:
    """A target machine for this processor, with numba's options; an engine owns the one that it is given."""
    codegen = cpu_target.target_context.codegen()
    options: dict[str, Any] = {"opt": config.OPT}
    codegen._customize_tm_options(options)
    return llvm.Target.from_default_triple().create_target_machine(**options)


def machine() -> Any:
    """The target machine that emits code at the level of optimisation that numba's configuration has now."""
    with global_compiler_lock:
        if config.OPT not in MACHINES:
            MACHINES[config.OPT] = make_machine()
        return MACHINES[config.OPT]


@cache
def circumstances() -> bytes:
    """What else than the text and the level of optimisation decides about the code: versions, processor, the options of LLVM's passes."""
    codegen = cpu_target.target_context.codegen()
    versions = (package_version(), sys.version, sys.implementation.cache_tag, np.__version__, llvmlite.__version__, numba.__version__)
    settings = (config.LOOP_VECTORIZE, config.SLP_VECTORIZE, OPTION, ORDERS, COPIES, EXITS, ADDRESSES, LONG, APART)
    return repr((versions, llvm.llvm_version_info, codegen.magic_tuple(), settings)).encode()


def package_version() -> str:
    """The version of this package, empty where it runs without being installed."""
    try:
        return importlib.metadata.version("autograph-jit")
    except importlib.metadata.PackageNotFoundError:
        return ""


def digest_of(text: str, as_written: bool = False) -> str:
    """The name of the object code of a module: what it is made from, how, and under which circumstances."""
    return hashlib.sha256(repr((circumstances(), int(config.OPT), as_written)).encode() + b"\n" + text.encode("latin1")).hexdigest()
