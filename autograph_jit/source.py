"""Where a piece of the user's program stands: file, function, line and column."""

from __future__ import annotations

import functools
import itertools
import linecache
import os
import sys
from collections.abc import Iterator
from dataclasses import field, replace
from types import CodeType, FunctionType, ModuleType

import numpy as np

from autograph_jit.records import dataclass


def folder_of(module: ModuleType) -> str:
    """The folder that a module's file is in."""
    return os.path.join(os.path.dirname(os.path.abspath(str(module.__file__))), "")


STANDARD_LIBRARY, NUMPY = folder_of(functools), folder_of(np)
INSTALLED = os.path.join(STANDARD_LIBRARY, "site-packages", "")
SCIPY = os.path.join(os.path.dirname(os.path.dirname(NUMPY)), "scipy", "")
PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
# Packages above the public API are programs, as a user's are: converted, traced, shown in tracebacks.
PROGRAMS = ("nn", "optim", "metrics", "checkpoints", "summaries", "distributed")
PROGRAM_FOLDERS = tuple(os.path.join(PACKAGE, name, "") for name in PROGRAMS)

Variable = tuple[str, int, str]  # the file, the first line of the function that has it, its name


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """A place in a source file: `lineno` counts from 1, `col_offset` from 0, as in `ast`; `callers` are the calls that led there, the
    nearest first."""

    filename: str
    lineno: int
    col_offset: int = 0
    function: str = "<module>"
    callers: tuple[SourceSpan, ...] = field(default=(), compare=False, repr=False)

    def location(self) -> str:
        """`file.py:12`, the file without its folder."""
        return f"{os.path.basename(self.filename)}:{self.lineno}"

    def text(self) -> str:
        """The source line without its indentation, or an empty string where the source is not available."""
        return linecache.getline(self.filename, self.lineno).strip()


def called_from(inner: SourceSpan | None, call: SourceSpan | None) -> SourceSpan | None:
    """A place in a function, reached by a call from another place."""
    return replace(inner, callers=(*inner.callers, call, *call.callers)) if inner is not None and call is not None else inner or call


PASSED_OVER: dict[int, CodeType] = {}  # code of libraries that says nothing of where the user's program is, by its identity
OWN_FILES: set[str] = set()
OPERATORS = "ag__"  # the variable through which converted code reaches its operators


def is_machinery(filename: str) -> bool:
    """Whether a file is this package's, below its public API."""
    return filename.startswith(PACKAGE) and not filename.startswith(PROGRAM_FOLDERS)


def note_own_file(filename: str) -> None:
    """Somebody compiles a function of a library's: what its file raises is the program's, and its lines are shown."""
    if filename not in OWN_FILES:
        OWN_FILES.add(filename)
        is_library_file.cache_clear()
        PASSED_OVER.clear()


@functools.cache
def is_library_file(filename: str) -> bool:
    """Whether a file is this package's, NumPy's, SciPy's or the standard library's: no line of it is shown as the user's."""
    if filename in OWN_FILES:
        return False
    if is_machinery(filename) or filename.startswith((NUMPY, SCIPY)):
        return True
    return filename.startswith(STANDARD_LIBRARY) and not filename.startswith(INSTALLED)


def source_text(function: FunctionType) -> str:
    """The text of the file or cell that a function was written in; empty where it has none, as for functions made by `exec`.

    `<string>`, the file name that `exec` gives, also names the program of `python -c`: a text counts there only if it compiles to the
    function's code.
    """
    filename = function.__code__.co_filename
    linecache.checkcache(filename)
    text = "".join(linecache.getlines(filename, function.__globals__))
    if filename == "<string>" and not text and is_in_program_without_file(function):
        text = program_of_command_line()
    return "" if filename == "<string>" and text and function.__code__ not in codes_of(text) else text


def is_in_program_without_file(function: FunctionType) -> bool:
    """Whether a function belongs to the program itself, which no file holds."""
    return function.__globals__.get("__name__") == "__main__" and "__file__" not in function.__globals__


def program_of_command_line() -> str:
    """What stands after `python -c`, which `linecache` knows from Python 3.13 on; empty where there is none."""
    for option, text in itertools.pairwise(sys.orig_argv):
        if option.startswith("-") and not option.startswith("--") and option.endswith("c"):
            return text
    return ""


@functools.lru_cache(maxsize=4)
def codes_of(text: str) -> frozenset[CodeType]:
    """The code of every function in a program."""
    return frozenset(codes_in(compile(text, "<string>", "exec", dont_inherit=True)))


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """A code object and those inside it, from the outside in."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes_in(inner)
