"""Refusals that took long to find, kept on disk: a later process runs such a call in Python at once, with the same warning.

A refusal is one of exactly this call: sources, globals and captured variables of all functions that the trace converted, arguments with
their sizes and values, settings, versions. All of it is one text (`stable_texts.py`), whose digest the entry holds; what has no such
text is not kept. Refusals by a clock are not kept, nor those of a function that was compiled before in the process.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import platform
import sys
from types import FunctionType
from typing import Any, Protocol

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np

from autograph_jit.backends.cpu.library import package_version
from autograph_jit.backends.disk_cache import REFUSAL, disk_cache
from autograph_jit.budget import Account, Compilation
from autograph_jit.errors import BudgetError, ConversionError, SlowerThanPython
from autograph_jit.records import dataclass
from autograph_jit.runtime.budgets import is_last
from autograph_jit.runtime.inspection import Inspected
from autograph_jit.runtime.refusals import Refusals
from autograph_jit.runtime.settings import all_settings
from autograph_jit.runtime.stable_texts import StableText
from autograph_jit.runtime.writing_back import Args
from autograph_jit.source import PACKAGE, is_library_file

FORMAT = "refusal 1"
LONG = 0.5  # seconds: what is found sooner is found again
WITHOUT_EFFECT = ("logs", "cache", "progress", "threads")  # settings
FAULTS = (OSError, RecursionError)  # files that are gone, containers in containers without end: nothing is kept then
Place = tuple[str, str, str]  # of a function: module, file, name


class Refusing(Protocol):
    """What is asked of a compiled function."""

    function: Any
    options: dict[str, Any]
    initial: frozenset[Any]
    specializations: list[Any]
    refusals: Refusals
    account: Account

    def may_choose_python(self) -> bool:
        """Whether calls may run in Python although they could be compiled."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A refusal: the reason, and whether it is that of all calls of the function."""

    reason: str
    is_general: bool


def recall(compiled: Refusing, arguments: Args) -> Kept | None:
    """The refusal of this call that another process has found; where anything that matters has changed since, it is dropped."""
    if compiled.account.compilations or not may_be_kept(compiled):
        return None
    with contextlib.suppress(*FAULTS):
        name = name_of(compiled, arguments)
        body = disk_cache.read(name, REFUSAL)
        if body is not None:
            entry = json.loads(body)
            text = deciding_text(compiled, arguments, [tuple(place) for place in entry["also"]])
            if text.is_stable and text.digest == entry["digest"]:
                return Kept(entry["reason"], entry["is_general"])
            disk_cache.drop(name, REFUSAL)  # with a larger budget it may be compiled now, and found on disk later
    return None


def keep(compiled: Refusing, error: ConversionError, arguments: Args) -> None:
    """Keep the refusal of a function's first compilation, if it took long to find and later processes would find it again."""
    if not is_first(compiled) or not may_be_kept(compiled) or not is_worth_keeping(compiled.account.last, error):
        return
    with contextlib.suppress(*FAULTS):
        also = elsewhere(compiled, arguments)
        text = deciding_text(compiled, arguments, also)
        if text.is_stable:
            entry = {"reason": str(error), "is_general": is_last(error), "also": also, "digest": text.digest}
            disk_cache.write(name_of(compiled, arguments), json.dumps(entry).encode(), REFUSAL)


def is_first(compiled: Refusing) -> bool:
    """Whether nothing that the process did before can have led to a refusal."""
    return compiled.account.compilations == 1 and not any(made.all_calls for made in compiled.specializations)


def is_worth_keeping(compilation: Compilation | None, error: ConversionError) -> bool:
    """Whether a refusal depends on what was asked alone, and took long to find."""
    if isinstance(error, BudgetError):
        return error.is_counted
    return isinstance(error, SlowerThanPython) and compilation is not None and compilation.elapsed > LONG


def may_be_kept(compiled: Refusing) -> bool:
    """Whether refusals of a function are looked for and kept."""
    return disk_cache.enabled and type(compiled.function) is FunctionType and not compiled.initial and compiled.may_choose_python()


def name_of(compiled: Refusing, arguments: Args) -> str:
    """The name of the entry: one for a function and kinds of arguments."""
    code = compiled.function.__code__
    kinds = in_words(compiled.refusals.kinds(arguments))
    return hashlib.sha256(repr((FORMAT, os.path.abspath(code.co_filename), code.co_qualname, kinds)).encode()).hexdigest()


def in_words(kind: Any) -> Any:
    """A kind of arguments as text: classes by their names."""
    if isinstance(kind, tuple):
        return tuple(map(in_words, kind))
    return (kind.__module__, kind.__qualname__) if isinstance(kind, type) else repr(kind)


def deciding_text(compiled: Refusing, arguments: Args, also: list[Place]) -> StableText:
    """All that decides about a call, with functions to be found at other places than those that its own function names."""
    text = StableText()
    text.say(circumstances(), sys.getrecursionlimit())
    text.add({name: value for name, value in all_settings().items() if name not in WITHOUT_EFFECT})
    text.add(compiled.options)
    text.add(arguments)
    text.add_function(compiled.function, is_converted=True)
    for place in also:
        add_place(text, place)
    text.add_modules()
    return text


def elsewhere(compiled: Refusing, arguments: Args) -> list[Place]:
    """The places of functions that were converted and that the call's own function does not name."""
    text, compilation = deciding_text(compiled, arguments, []), compiled.account.last
    reached = sorted(compilation.reached) if compilation is not None else []
    return [place for place in reached if place[1:] not in text.codes and not is_library_file(place[1])]


def add_place(text: StableText, place: Place) -> None:
    """The function at a place; unstable where there is none."""
    function = find_function(*place)
    text.expect(function is not None)
    if function is not None:
        text.add_function(function, is_converted=True)


def find_function(module: str, filename: str, name: str) -> FunctionType | None:
    """The function of this name that a module defines, without whatever decorators have put around it."""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, "__dict__", {}).get(part)
    while found is not None:
        if isinstance(found, Inspected):
            found = found.function
        elif isinstance(found, staticmethod | classmethod):
            found = found.__func__
        if type(found) is FunctionType and (found.__code__.co_filename, found.__code__.co_qualname) == (filename, name):
            return found
        found = getattr(found, "__dict__", {}).get("__wrapped__")
    return None


@functools.cache
def circumstances() -> str:
    """What else decides: versions, the processor, this package's files."""
    versions = (package_version(), sys.version, tuple(sys.flags), np.__version__, llvmlite.__version__, numba.__version__)
    return repr((FORMAT, versions, platform.machine(), llvm.get_host_cpu_name(), own_files()))


def own_files() -> str:
    """A digest of this package's files by name, size and time: an edited package may compile what it refused."""
    found = []
    for folder, _, names in os.walk(PACKAGE):
        statuses = [(name, os.stat(os.path.join(folder, name))) for name in names if name.endswith(".py")]
        found += [(folder, name, status.st_size, status.st_mtime_ns) for name, status in statuses]
    return hashlib.sha256(repr(sorted(found)).encode()).hexdigest()
