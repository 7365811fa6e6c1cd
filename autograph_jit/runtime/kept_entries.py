"""What is kept on disk about a call, for later processes: an entry is found by its name, and holds while all that decided is the same.

Sources, globals and captured variables of all functions that were converted, arguments, settings, versions are one text
(`stable_texts.py`), whose digest the entry holds; what has no such text is not kept.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import platform
import sys
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, Protocol

import llvmlite.binding as llvm
import numpy as np

from autograph_jit.backends.cpu.library import digest_of
from autograph_jit.backends.disk_cache import disk_cache
from autograph_jit.budget import Account
from autograph_jit.records import dataclass
from autograph_jit.runtime.inspection import Inspected, MadeOfFunction
from autograph_jit.runtime.refusals import Refusals
from autograph_jit.runtime.settings import all_settings
from autograph_jit.runtime.stable_texts import StableText
from autograph_jit.runtime.writing_back import Args
from autograph_jit.source import PACKAGE, is_library_file

WITHOUT_EFFECT = ("logs", "cache", "progress", "threads")  # settings
FAULTS = (OSError, RecursionError)  # files that are gone, containers in containers without end: nothing is kept then
Place = tuple[str, str, str]  # of a function: module, file, name


class HasEntries(Protocol):
    """What is asked of a compiled function."""

    function: Any
    options: dict[str, Any]
    initial: frozenset[Any]
    generalized: set[Any]
    specializations: list[Any]
    refusals: Refusals
    account: Account
    device: str | None

    def may_choose_python(self) -> bool:
        """Whether calls may run in Python although they could be compiled."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of entries: what their files are called, how a text says the arguments, and whether it is `of_process`."""

    suffix: str
    say: Callable[[StableText, Args], None]
    of_process: bool = True

    def recall(self, compiled: HasEntries, arguments: Args, *further: Any) -> tuple[dict[str, Any], StableText] | None:
        """The entry of this call that another process has made, with the text; dropped where anything that matters has changed since."""
        with contextlib.suppress(*FAULTS):
            name = self.name_of(compiled, arguments, further)
            body = disk_cache.read(name, self.suffix)
            if body is not None:
                entry: dict[str, Any] = json.loads(body)
                text = self.deciding_text(compiled, arguments, [tuple(place) for place in entry["also"]])
                if text.is_stable and text.digest == entry["digest"]:
                    return entry, text
                disk_cache.drop(name, self.suffix)
        return None

    def keep(self, compiled: HasEntries, arguments: Args, make: Callable[[StableText], dict[str, Any]], *further: Any) -> None:
        """Keep an entry, if the call has a text."""
        with contextlib.suppress(*FAULTS):
            text = self.deciding_text(compiled, arguments, [])
            also = unnamed_places(compiled, text)
            if also:
                text = self.deciding_text(compiled, arguments, also)
            if text.is_stable:
                entry = make(text) | {"also": also, "digest": text.digest}
                disk_cache.write(self.name_of(compiled, arguments, further), json.dumps(entry).encode(), self.suffix)

    def name_of(self, compiled: HasEntries, arguments: Args, further: tuple[Any, ...]) -> str:
        """The name of the entry: one for a function, kinds of arguments, and what else tells entries apart."""
        function, forms = innermost(compiled.function)
        code = function.__code__
        kinds = in_words(compiled.refusals.kinds(arguments))
        words = (self.suffix, os.path.abspath(code.co_filename), code.co_qualname, code.co_firstlineno, forms, kinds, further)
        return hashlib.sha256(repr(words).encode("utf-8", "backslashreplace")).hexdigest()

    def deciding_text(self, compiled: HasEntries, arguments: Args, also: list[Place]) -> StableText:
        """All that decides about a call, with functions to be found at other places than those that its own function names."""
        text = StableText(self.of_process)
        text.say(circumstances(), digest_of(""), sys.getrecursionlimit(), np.geterr())
        text.add({name: value for name, value in all_settings().items() if name not in WITHOUT_EFFECT})
        text.add(compiled.options)
        self.say(text, arguments)
        if type(compiled.function) is FunctionType:
            text.add_root(compiled.function)
        else:
            text.add(compiled.function)
        for place in also:
            add_place(text, place)
        text.add_modules()
        return text


def has_name(compiled: HasEntries) -> bool:
    """Whether entries of a function can be found."""
    return disk_cache.enabled and not compiled.initial and type(innermost(compiled.function)[0]) is FunctionType


def innermost(function: Any) -> tuple[Any, list[str]]:
    """The user's function that another one was derived from, and how."""
    forms: list[str] = []
    while type(function) is not FunctionType:
        if isinstance(function, MethodType) and isinstance(function.__self__, MadeOfFunction):
            function = function.__self__
            forms.append(f"{type(function).__name__}{in_words(function.options)}")
        elif isinstance(function, MadeOfFunction):
            function = function.function
        else:
            break
    return function, forms


def in_words(kind: Any) -> Any:
    """A kind of arguments as text: classes, and what has no text, by their names."""
    if isinstance(kind, tuple):
        return tuple(map(in_words, kind))
    if isinstance(kind, type):
        return kind.__module__, kind.__qualname__
    return repr(kind) if not callable(kind) else getattr(kind, "__qualname__", type(kind).__name__)


def unnamed_places(compiled: HasEntries, text: StableText) -> list[Place]:
    """The places of functions that were converted and that the call's own function does not name."""
    compilation = compiled.account.last
    reached = sorted(compilation.reached) if compilation is not None else []
    return [place for place in reached if place[1:] not in text.codes and not is_library_file(place[1])]


def add_place(text: StableText, place: Place) -> None:
    """The function at a place; unstable where there is none."""
    function = find_function(*place)
    text.expect(function is not None)
    if function is not None:
        text.add_root(function)


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
    """What else decides than the versions and the processor, which the digest of no code at all tells: flags, this package's files."""
    return repr((tuple(sys.flags), platform.machine(), llvm.get_host_cpu_name(), own_files()))


def own_files() -> str:
    """A digest of this package's files by name, size and time: an edited package may compile what it refused."""
    found, folders = [], [PACKAGE]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    status = entry.stat()
                    found.append((entry.path, status.st_size, status.st_mtime_ns))
                elif entry.is_dir():
                    folders.append(entry.path)
    return hashlib.sha256(repr(sorted(found)).encode()).hexdigest()
