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
import re
import sys
import time
from collections.abc import Callable, Iterable
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph_jit.runtime.inspection import MadeOfFunction
from autograph_jit.source import source_text
from autograph_jit.tracing.plain.calls import NEVER_CONVERTED, NOT_CONVERTED
from autograph_jit.tracing.plain.packages import package_of

STARTED = time.time()  # a file that was written later may not be what the process has read
MOST_PARTS, MOST_BITS = 50_000, 64
CONSTANT = (type(None), bool, float, complex, str, bytes, type(Ellipsis))
OF_LIBRARIES = (BuiltinFunctionType, np.ufunc, type(np.sum))
FOLLOWED = (*CONSTANT, int, list, tuple, dict, set, frozenset, np.ndarray, ModuleType)
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
HASHED = (str, bytes, type(None), complex)  # complex for parts that are nan
ORDERED, VIEWS = {"set", "frozenset", "hash", "id"}, {"keys", "items"}  # what goes by hashes or addresses; what may be combined to a set
SETS = {dis.opmap[name] for name in ("BUILD_SET", "SET_ADD", "SET_UPDATE")}
SIGNS: list[str] = [sign.rstrip("=") for _, sign in dis._nb_ops]  # type: ignore[attr-defined]
COMBINE, OF_SETS = dis.opmap["BINARY_OP"], {number for number, sign in enumerate(SIGNS) if sign in ("&", "|", "^", "-")}
# Packages whose functions give the same in each process.
OF_ALL_PROCESSES = {
    *("autograph_jit", "numpy", "scipy", "builtins", "math", "cmath", "operator", "functools", "itertools", "collections", "random"),
    *("array", "bisect", "heapq", "fractions", "numbers", "statistics", "string", "re", "copy", "typing", "types", "dataclasses", "abc"),
    *("enum", "contextlib", "__future__", "_operator", "_functools", "_collections", "_bisect", "_heapq", "_random", "_collections_abc"),
}  # fmt: skip
IMPORTS = {"IMPORT_NAME"}
MODULES = ("import_module", "modules")
COMPUTED = {"globals", "locals", "vars", "__dict__", "getattr", "attrgetter", "eval", "exec", "open", "__import__", *MODULES}


class StableText:
    """The digest of the text so far, and whether `is_stable`; `codes` are the functions whose code stands in it, by file and name. Where
    what they find while they are traced stays found, nothing may ask `of_process` what is another in each."""

    def __init__(self, of_process: bool = True) -> None:
        self.text, self.of_process = hashlib.sha256(), of_process
        self.is_stable = True
        self.codes: set[tuple[str, str]] = set()
        self.seen: dict[int, int] = {}
        self.objects: list[Any] = []
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
            self.say("again", self.seen[id(x)])
        else:
            self.meet(x)
            self.follow(x, kind)

    def meet(self, x: Any) -> None:
        """An object has its number, in every process the same; it is kept, so that no other object has its identity."""
        self.seen[id(x)] = len(self.objects)
        self.objects.append(x)

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
            if any(type(item) in HASHED for item in x):
                self.say_order()
            self.say(kind.__name__, sorted(map(repr, x)) if self.is_stable else ())
        elif kind is np.ndarray:
            self.expect(not x.dtype.hasobject)
            self.say("array", x.dtype.str, x.shape, x.flags.writeable, x.flags.c_contiguous)
        elif isinstance(x, ModuleType):
            self.say_origin("module", x.__name__, x.__name__)
            self.modules.append(x)
        elif kind is type:
            self.add_class(x)
        elif kind is FunctionType:
            self.add_function(x)
        elif kind in OF_LIBRARIES:
            self.say_origin("of a library", getattr(x, "__module__", None), x.__name__)
            self.expect(isinstance(getattr(x, "__self__", None), ModuleType | type | None))
        elif kind in HOLDERS:
            self.say(kind.__name__)
            self.add_all(HOLDERS[kind](x))
        elif kind is re.Pattern:
            self.say("pattern", repr(x.pattern), x.flags)
        elif kind in DESCRIPTORS:
            self.say(kind.__name__, x.__qualname__)
        elif isinstance(x, MadeOfFunction):  # compiled, or a gradient: it becomes a part of the program
            self.say("compiled", kind.__name__)
            self.add_all((x.function, x.options))
        elif is_plain_instance(x):
            self.say("instance")
            self.add_all((kind, attributes_of(x)))
        else:
            self.expect(False)

    def say_origin(self, kind: str, module: object, name: str) -> None:
        """A module, or what one defines."""
        self.say(kind, module, name, version_of(module))
        self.expect(self.of_process or not is_of_library(module) or package_of(module) in OF_ALL_PROCESSES)

    def say_order(self) -> None:
        """How sets are gone through in this process."""
        self.say("order", hash("order"), hash(None))

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
        """What a module holds under a name: of a library's classes, functions and instances their kind."""
        if not is_of_library(module.__name__):
            self.expect("__getattr__" not in vars(module))
            self.add(x)
        elif type(x) is not FunctionType and (callable(x) or is_of_library(type(x).__module__) and type(x) not in FOLLOWED):
            self.say(type(x).__name__)
        else:
            self.add(x)

    def add_class(self, cls: type) -> None:
        """A class: of a library its name, of the user's all that it consists of."""
        self.say_origin("class", cls.__module__, cls.__qualname__)
        if not is_of_library(cls.__module__):
            self.add_all(cls.__bases__)
            for name, value in sorted(vars(cls).items()):
                if name not in OF_EVERY_CLASS and not name.startswith(ANNOTATIONS):
                    self.say("name", name)
                    self.add(value)

    def add_root(self, function: FunctionType) -> None:
        """A function that is converted, whatever module it is of."""
        if id(function) not in self.seen:
            self.meet(function)
        self.add_function(function, is_converted=True)

    def add_function(self, function: FunctionType, is_converted: bool = False) -> None:
        """A function: of a library its name and what it captures, which may be the user's; of the user's, and where it was converted, its
        file, its code and what it refers to."""
        self.say_origin("function", function.__module__, function.__qualname__)
        self.say(NOT_CONVERTED in function.__dict__)
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
        if depends_on_order(code):
            self.say_order()
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


def depends_on_order(code: CodeType) -> bool:
    """Whether a function may go through a set, of which each process has its own order, or ask for a hash."""
    instructions = set(zip(code.co_code[::2], code.co_code[1::2]))
    combines = any(instruction == COMBINE and operator in OF_SETS for instruction, operator in instructions)
    names = {*code.co_names}
    return not names.isdisjoint(ORDERED) or not SETS.isdisjoint(code.co_code[::2]) or combines and not names.isdisjoint(VIEWS)


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
