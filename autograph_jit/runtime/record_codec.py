"""Records of this package as text, and back: what a program needs for its calls, with references to the objects that a process has.

A value is written by what it is: constants, containers in records, frozen records of this package, functions of it with the variables that
they capture. An object of the user's is written by the number that a `StableText` gives it, an object of a library by its name. What is
none of these, among it each object that changes and that the text has not met, is `Unstorable`. Nothing that is read is evaluated.

    (1, f64)    ["dtype", "<f8"]  ["tuple", 1, [0]]        a list is the number of an object before
"""

from __future__ import annotations

import enum
import functools
import importlib
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import fields
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NoReturn

import numpy as np

from autograph_jit.backends.cpu.threading.sharing_form import SharingForm
from autograph_jit.errors import GraphNeeded
from autograph_jit.ir.types import TEXT_DTYPES
from autograph_jit.runtime.stable_texts import StableText, is_of_library
from autograph_jit.source import PACKAGE
from autograph_jit.tracing.aliasing.journal import AttributePlace, CellPlace, EntryPlace
from autograph_jit.tracing.structures.guards import Guard, Itself

OWN = "autograph_jit."
INLINE = (type(None), bool, int, float, str)
MOST_BITS = 1024
SLOTTED = (Guard, Itself, AttributePlace, EntryPlace, CellPlace)
FOUND = {"found", "value", "expected", "item", "owner", "constant", "constants"}  # fields of records that may hold an object of the user's
OWN_VARIABLES = {"attributes", "choices"}  # of functions of this package, with containers that they alone know


class Unstorable(Exception):
    """A value that no other process can be told."""


class Writer:
    """Writes values as `nodes`, each made of constants and of nodes before."""

    def __init__(self, text: StableText) -> None:
        self.text = text
        self.nodes: list[list[Any]] = []
        self.places: dict[int, int] = {}
        self.kept: list[Any] = []  # so that no other object has the identity of one
        self.under_way: set[int] = set()
        functions = [(number, f) for number, f in enumerate(text.objects) if type(f) is FunctionType]
        self.dictionaries = {id(f.__globals__): number for number, f in functions}
        self.codes = {id(f.__code__): number for number, f in functions}
        self.cells = {id(cell): [number, k] for number, f in functions for k, cell in enumerate(f.__closure__ or ())}

    def write(self, x: Any, is_own: bool = False) -> Any:
        """A constant, or a reference to the node of a value; of a container that `is_own` nobody else knows the identity."""
        if type(x) in INLINE and (type(x) is not int or x.bit_length() <= MOST_BITS):
            return x
        place = self.places.get(id(x))
        if place is None:
            if id(x) in self.under_way:
                raise Unstorable(f"{type(x).__name__} in itself")
            self.under_way.add(id(x))
            node = self.node(x, type(x), is_own)
            place = self.places[id(x)] = len(self.nodes)
            self.kept.append(x)
            self.nodes.append(node)
        return [place]

    def node(self, x: Any, kind: type, is_own: bool) -> list[Any]:
        """The node of a value: how it is read, and of what."""
        if id(x) in self.text.seen:
            return ["met", self.text.seen[id(x)]]
        if kind is tuple:
            return ["tuple", *(self.write(item, is_own) for item in x)]
        if kind in (list, dict) and is_own:
            return [kind.__name__, *([self.write(item, is_own) for item in x] if kind is list else self.pairs(x))]
        if kind in (complex, bytes):
            return [kind.__name__, *((x.real, x.imag) if kind is complex else (x.decode("latin1"),))]
        if kind is frozenset and all(type(item) in INLINE for item in x):
            return ["frozenset", *sorted(x, key=repr)]
        if kind is re.Pattern and isinstance(x.pattern, str):
            return ["pattern", x.pattern, x.flags]
        if isinstance(x, np.dtype) and not x.hasobject and np.dtype(x.str) == x:
            return ["dtype", x.str]
        if isinstance(x, np.dtype) and x in TEXT_DTYPES:
            return ["text", *(x.names or ())]
        if isinstance(x, np.generic) and not x.dtype.hasobject and np.dtype(x.dtype.str) == x.dtype:
            return ["scalar", x.dtype.str, x.tobytes().decode("latin1")]
        if isinstance(x, FunctionType):
            return self.function(x)
        if kind is MethodType:
            return ["method", self.write(x.__func__), self.write(x.__self__)]
        if kind is functools.partial:
            return ["partial", self.write(x.func), self.write(x.args), *self.pairs(x.keywords)]
        if isinstance(x, enum.Enum) and kind.__module__.startswith(OWN):
            return ["member", self.write(kind), x.name]
        if kind in SLOTTED or (kind.__module__.startswith(OWN) and kind.__dict__.get("__is_frozen__")):
            return ["record", self.write(kind), *(self.write(getattr(x, name), name not in FOUND) for name in record_fields(kind))]
        if isinstance(x, SharingForm):
            return ["form"]
        if id(x) in self.dictionaries:
            return ["globals", self.dictionaries[id(x)]]
        if id(x) in self.codes:
            return ["code", self.codes[id(x)]]
        if kind is CellType and id(x) in self.cells:
            return ["cell", *self.cells[id(x)]]
        return ["name", *library_name(x)]

    def pairs(self, x: dict[Any, Any]) -> Iterable[Any]:
        return (self.write(part) for item in x.items() for part in item)

    def function(self, x: FunctionType) -> list[Any]:
        """A function of this package by its name, or by the place of its code and what it captures; one that reads a variable of a
        function that was met."""
        module = str(x.__globals__.get("__name__"))
        own = getattr(sys.modules.get(module), "__dict__", None) if module.startswith(OWN) else None
        if x.__code__.co_filename.startswith(PACKAGE) and x.__globals__ is own:
            if not x.__closure__ and x.__code__.co_code in READS:
                return ["reads own", module, x.__code__.co_names[0]]
            if x.__closure__ and x.__code__.co_code in READS:  # of a function that the trace has made
                return ["reads value", self.write(captured_by(x.__closure__[0]))]
            if found_at(module, x.__code__.co_qualname) is x:
                return ["name", module, x.__code__.co_qualname]
            path = paths_of(module).get(x.__code__)
            if path is None:
                raise Unstorable(f"code of {x.__qualname__}")
            cells = zip(x.__code__.co_freevars, x.__closure__ or ())
            captured = [self.write(captured_by(cell), name in OWN_VARIABLES) for name, cell in cells]
            defaults = self.write((x.__defaults__ or (), tuple((x.__kwdefaults__ or {}).items())))
            return ["function", module, path, defaults, *captured]
        if id(x.__globals__) in self.dictionaries and x.__code__.co_code in READS:
            if not x.__closure__:
                return ["reads global", self.dictionaries[id(x.__globals__)], x.__code__.co_names[0]]
            if id(x.__closure__[0]) in self.cells:
                return ["reads cell", *self.cells[id(x.__closure__[0])]]
        return ["name", *library_name(x)]


def captured_by(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        raise Unstorable("an empty variable") from None


def library_name(x: Any) -> tuple[str, str]:
    """Module and name of an object that a library or this package holds under its name."""
    module, name = "", ""
    if isinstance(x, ModuleType):
        module = x.__name__
    elif is_of_library(type(x).__module__):  # no code of the user's is asked
        module, name = getattr(x, "__module__", None) or "", getattr(x, "__qualname__", None) or getattr(x, "__name__", None) or ""
        if isinstance(x, BuiltinFunctionType | np.ufunc) and not module:
            module = "numpy" if isinstance(x, np.ufunc) else ""
        if x is Ellipsis or x is NotImplemented:
            module, name = "builtins", repr(x)
    if not is_of_library(module) or found_at(module, name) is not x:
        raise Unstorable(f"{type(x).__name__} {name}")
    return module, name


def found_at(module: str, name: str) -> Any:
    """What a module holds under a name with dots; None where there is nothing."""
    found: Any = sys.modules.get(module)
    for part in name.split(".") if name else ():
        found = getattr(found, part, None)
    return found


def record_fields(kind: type) -> tuple[str, ...]:
    """The fields of a record."""
    if kind in SLOTTED:
        return tuple(name for base in kind.__mro__ for name in vars(base).get("__slots__", ()))
    return tuple(field.name for field in fields(kind))  # type: ignore[arg-type, attr-defined]


@functools.cache
def paths_of(module: str) -> dict[CodeType, list[int]]:
    """Where the code of each function of a module stands: positions among the constants of the code around it, from the module's on."""
    found: dict[CodeType, list[int]] = {}

    def enter(code: CodeType, path: list[int]) -> None:
        found.setdefault(code, path)
        for position, constant in enumerate(code.co_consts):
            if isinstance(constant, CodeType):
                enter(constant, [*path, position])

    loader: Any = importlib.import_module(module).__loader__
    enter(loader.get_code(module), [])
    return found


@functools.cache
def code_by_place(module: str) -> dict[tuple[Any, ...], CodeType]:
    """Code by the place where it stands."""
    return {tuple(path): code for code, path in paths_of(module).items()}


def ask_for_graph() -> NoReturn:
    """The form for large arguments is made of the graph."""
    raise GraphNeeded("the form of a program for large arguments")


def reader_of(x: Any) -> FunctionType:
    """A function that reads a captured variable."""
    return lambda: x  # type: ignore[return-value]


def reader_of_global(variables: dict[str, Any], name: str) -> FunctionType:
    """A function that reads a variable of a module."""
    return FunctionType((lambda: OWN).__code__.replace(co_names=(name,)), variables)


READS = ((lambda: OWN).__code__.co_code, reader_of(0).__code__.co_code)


class Reader:
    """Reads nodes back, with the objects that a text has met in this process."""

    def __init__(self, text: StableText, nodes: list[list[Any]]) -> None:
        self.text, self.made = text, list[Any]()
        for tag, *parts in nodes:
            self.made.append(READERS[tag](self, *parts))

    def read(self, x: Any) -> Any:
        """A constant, or what was read before."""
        return self.made[x[0]] if type(x) is list else x

    def read_all(self, parts: Iterable[Any]) -> list[Any]:
        return [self.made[x[0]] if type(x) is list else x for x in parts]

    def dict(self, *parts: Any) -> dict[Any, Any]:
        found = self.read_all(parts)
        return dict(zip(found[::2], found[1::2]))

    def record(self, kind: Any, *parts: Any) -> Any:
        cls = self.read(kind)
        made = object.__new__(cls)
        for name, part in zip(record_fields(cls), parts, strict=True):
            setattr(made, name, self.read(part))
        return made

    def function(self, module: str, path: list[Any], defaults: Any, *captured: Any) -> FunctionType:
        code = code_by_place(module)[tuple(path)]
        positional, named = self.read(defaults)
        cells = tuple(map(CellType, self.read_all(captured)))
        made = FunctionType(code, vars(importlib.import_module(module)), code.co_name, positional, cells or None)
        made.__kwdefaults__ = dict(named) or None
        return made

    def reads_cell(self, place: int, position: int) -> FunctionType:
        function = self.text.objects[place]
        code = reader_of(0).__code__
        return FunctionType(code, function.__globals__, closure=(function.__closure__[position],))

    def name(self, module: str, name: str) -> Any:
        importlib.import_module(module)
        return found_at(module, name)


READERS: dict[str, Callable[..., Any]] = {
    "met": lambda reader, place: reader.text.objects[place],
    "tuple": lambda reader, *parts: tuple(reader.read_all(parts)),
    "list": lambda reader, *parts: reader.read_all(parts),
    "dict": Reader.dict,
    "complex": lambda reader, *parts: complex(*parts),
    "bytes": lambda reader, text: text.encode("latin1"),
    "frozenset": lambda reader, *parts: frozenset(parts),
    "dtype": lambda reader, text: np.dtype(text),
    "scalar": lambda reader, dtype, text: np.frombuffer(text.encode("latin1"), dtype)[0],
    "function": Reader.function,
    "method": lambda reader, *parts: MethodType(*reader.read_all(parts)),
    "partial": lambda reader, function, given, *named: functools.partial(reader.read(function), *reader.read(given), **reader.dict(*named)),
    "member": lambda reader, kind, name: reader.read(kind)[name],
    "record": Reader.record,
    "globals": lambda reader, place: reader.text.objects[place].__globals__,
    "code": lambda reader, place: reader.text.objects[place].__code__,
    "cell": lambda reader, place, position: reader.text.objects[place].__closure__[position],
    "reads global": lambda reader, place, name: reader_of_global(reader.text.objects[place].__globals__, name),
    "reads own": lambda reader, module, name: reader_of_global(vars(importlib.import_module(module)), name),
    "reads value": lambda reader, value: reader_of(reader.read(value)),
    "reads cell": Reader.reads_cell,
    "name": Reader.name,
    "text": lambda reader, name: np.dtype([(name, np.int64)]),
    "pattern": lambda reader, text, flags: re.compile(text, flags),
    "form": lambda reader: SharingForm(ask_for_graph),
}
