"""A text of what a function is made of, sources and values: the same in every process as long as all of it is the same.

It begins at a function or at the arguments of a call, and follows constants, containers, functions with their globals and captured
variables, the user's modules, classes and plain instances. What it has no words for (an instance of a library's class, a function without
a file, a variable that is looked up by a computed name) makes it unstable: then nothing may be concluded from it.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterable
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph_jit.runtime.inspection import Inspected
from autograph_jit.source import source_text
from autograph_jit.tracing.plain.calls import NEVER_CONVERTED

STARTED = time.time()  # a file that was written later may not be what the process has read
MOST_PARTS, MOST_BITS = 50_000, 64
CONSTANT = (type(None), bool, float, complex, str, bytes, type(Ellipsis))
OF_LIBRARIES = (BuiltinFunctionType, np.ufunc, type(np.sum))
DESCRIPTORS = (MemberDescriptorType, GetSetDescriptorType)
HOLDERS: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    range: lambda x: (x.start, x.stop, x.step),
    slice: lambda x: (x.start, x.stop, x.step),
    MethodType: lambda x: (x.__func__, x.__self__),
    functools.partial: lambda x: (x.func, x.args, x.keywords),
    staticmethod: lambda x: (x.__func__,),
    classmethod: lambda x: (x.__func__,),
    property: lambda x: (x.fget, x.fset, x.fdel),
    functools._lru_cache_wrapper: lambda x: (x.__wrapped__,),
}
OF_EVERY_CLASS = {"__dict__", "__weakref__", "__doc__", "__module__", "__qualname__", "__firstlineno__", "__static_attributes__"}
OWN, WRAPPED = "__autograph_", "__wrapped__"  # attributes of functions that no program reads
ANNOTATIONS = "__annot"
READS_GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"}
IMPORTS = {"IMPORT_NAME"}
MODULES = ("import_module", "modules")
COMPUTED = {"globals", "locals", "vars", "__dict__", "getattr", "attrgetter", "eval", "exec", "open", "__import__", *MODULES}


class StableText:
    """The digest of the text so far, and whether `is_stable`; `codes` are the functions whose code stands in it, by file and name."""

    def __init__(self) -> None:
        self.text = hashlib.sha256()
        self.is_stable = True
        self.codes: set[tuple[str, str]] = set()
        self.seen: dict[int, tuple[int, Any]] = {}
        self.files: dict[str, bool] = {}
        self.modules: list[ModuleType] = []
        self.names: set[str] = set()
        self.parts = 0

    @property
    def digest(self) -> str:
        return self.text.hexdigest()

    def say(self, *words: object) -> None:
        self.text.update(repr(words).encode("utf-8", "backslashreplace") + b"\n")
        self.parts += 1
        self.expect(self.parts <= MOST_PARTS)

    def expect(self, holds: bool) -> None:
        self.is_stable = self.is_stable and holds

    def add(self, x: Any) -> None:
        """One value. What a module holds is said at the end, by `add_modules`."""
        kind = type(x)
        if not self.is_stable:
            return
        if kind is int:
            self.say("int", hex(x))
        elif kind in CONSTANT:
            self.say(kind.__name__, x)
        elif isinstance(x, np.generic | np.dtype) and kind.__module__ in ("numpy", "numpy.dtypes"):
            self.expect(not (x if isinstance(x, np.dtype) else x.dtype).hasobject)
            self.say(kind.__name__, repr(x))
        elif id(x) in self.seen:
            self.say("again", self.seen[id(x)][0])
        else:
            self.seen[id(x)] = len(self.seen), x  # kept, so that no other object has its identity
            self.follow(x, kind)

    def add_all(self, items: Iterable[Any]) -> None:
        for item in items:
            self.add(item)

    def follow(self, x: Any, kind: type) -> None:
        """A value that others are part of, met for the first time."""
        if kind in (list, tuple, dict):
            self.say(kind.__name__, len(x))
            self.add_all((part for item in x.items() for part in item) if kind is dict else x)
        elif kind in (set, frozenset):
            self.expect(all(type(item) in CONSTANT or (type(item) is int and item.bit_length() <= MOST_BITS) for item in x))
            self.say(kind.__name__, sorted(map(repr, x)) if self.is_stable else ())
        elif kind is np.ndarray:
            self.expect(not x.dtype.hasobject)
            self.say("array", x.dtype.str, x.shape, x.flags.writeable, x.flags.c_contiguous)
        elif isinstance(x, ModuleType):
            self.say("module", x.__name__, version_of(x.__name__))
            self.modules.append(x)
        elif kind is type:
            self.add_class(x)
        elif kind is FunctionType:
            self.add_function(x)
        elif kind in OF_LIBRARIES:
            self.say("of a library", getattr(x, "__module__", None), x.__name__)
            self.expect(isinstance(getattr(x, "__self__", None), ModuleType | type | None))
        elif kind in HOLDERS:
            self.say(kind.__name__)
            self.add_all(HOLDERS[kind](x))
        elif kind in DESCRIPTORS:
            self.say(kind.__name__, x.__qualname__)
        elif isinstance(x, Inspected):  # compiled: it becomes a part of the program
            self.say("compiled", kind.__name__)
            self.add_all((x.function, x.options))
        elif is_plain_instance(x):
            self.say("instance")
            self.add_all((kind, attributes_of(x)))
        else:
            self.expect(False)

    def add_modules(self) -> None:
        """Of all modules that were met what stands under the names that any of the functions uses."""
        said: set[tuple[str, str]] = set()
        while self.is_stable:
            found = [(module, name) for module in self.modules for name in sorted(self.names & vars(module).keys())]
            new = [(module, name) for module, name in found if (module.__name__, name) not in said]
            for module, name in new:
                said.add((module.__name__, name))
                self.say("name", module.__name__, name)
                self.add_name(module, vars(module)[name])
            if not new:
                break

    def add_name(self, module: ModuleType, x: Any) -> None:
        """What a module holds under a name: of a library's classes and functions their kind."""
        if not is_of_library(module.__name__):
            self.expect("__getattr__" not in vars(module))
            self.add(x)
        elif callable(x) and type(x) is not FunctionType:
            self.say(type(x).__name__)
        else:
            self.add(x)

    def add_class(self, cls: type) -> None:
        """A class: of a library its name, of the user's all that it consists of."""
        self.say("class", cls.__module__, cls.__qualname__, version_of(cls.__module__))
        if not is_of_library(cls.__module__):
            self.add_all(cls.__bases__)
            for name, value in sorted(vars(cls).items()):
                if name not in OF_EVERY_CLASS and not name.startswith(ANNOTATIONS):
                    self.say("name", name)
                    self.add(value)

    def add_function(self, function: FunctionType, is_converted: bool = False) -> None:
        """A function: of a library its name and what it captures, which may be the user's; of the user's, and where it was converted, its
        file, its code and what it refers to."""
        self.say("function", function.__module__, function.__qualname__, version_of(function.__module__))
        for cell in function.__closure__ or ():
            self.add_cell(cell)
        if is_of_library(function.__globals__.get("__name__")) and not is_converted:
            return
        self.add_file(function)
        self.add_code(function.__code__)
        self.add_all((function.__defaults__, function.__kwdefaults__))
        for name in sorted(globals_of(function.__code__) & function.__globals__.keys()):
            self.say("global", name)
            self.add(function.__globals__[name])
        for name, value in sorted(vars(function).items()):
            if not name.startswith(OWN) and name != WRAPPED:
                self.say("attribute", name)
                self.add(value)

    def add_file(self, function: FunctionType) -> None:
        """The text of a function's file, if the process has surely read it as it is now."""
        path = function.__code__.co_filename
        if path not in self.files:
            text = source_text(function)
            self.files[path] = bool(text) and is_older(path)
            self.say("file", path, text)
        self.expect(self.files[path])

    def add_code(self, code: CodeType) -> None:
        """The code of a function and of those in it."""
        self.codes.add((code.co_filename, code.co_qualname))
        self.say("code", code.co_qualname, code.co_firstlineno, code.co_code, code.co_names, code.co_varnames, code.co_flags)
        self.names |= {*code.co_names, *code.co_freevars}
        self.expect(self.names.isdisjoint(COMPUTED) and all(map(is_of_library, named_by(code, IMPORTS))))
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self.add_code(constant)
            else:
                self.add(constant)

    def add_cell(self, cell: CellType) -> None:
        """A captured variable, which may have no value yet."""
        try:
            content = cell.cell_contents
        except ValueError:
            self.say("empty")
        else:
            self.add(content)


def is_plain_instance(x: Any) -> bool:
    """Whether an object is what its class, a user's, and its attributes say: no slots, nothing of a library's class."""
    bases = type(x).__mro__[:-1]
    own = all(type(base) is type and "__slots__" not in vars(base) and not is_of_library(base.__module__) for base in bases)
    return own and type(attributes_of(x)) is dict


def attributes_of(x: Any) -> Any:
    """The attributes that an instance has itself, without running code of its class."""
    return object.__getattribute__(x, "__dict__")


def is_of_library(module: object) -> bool:
    """Whether a name is that of a module that is never converted."""
    return module in NEVER_CONVERTED


def version_of(module: object) -> str:
    """The version of the package that a module belongs to, where it tells."""
    package = sys.modules.get(str(module).partition(".")[0])
    return str(getattr(package, "__dict__", {}).get("__version__", ""))


def is_older(path: str) -> bool:
    """Whether a file has not been written since the process started."""
    try:
        return os.stat(path).st_mtime < STARTED
    except OSError:
        return False


def named_by(code: CodeType, instructions: set[str]) -> set[str]:
    """What these instructions of a function name."""
    return {str(found.argval) for found in dis.get_instructions(code) if found.opname in instructions}


def globals_of(code: CodeType) -> set[str]:
    """The names of globals that a function and those in it use."""
    return named_by(code, READS_GLOBAL).union(*(globals_of(constant) for constant in code.co_consts if isinstance(constant, CodeType)))
