"""Of which classes instances can be rows of tables of compiled code, and which are made by Python when the program runs."""

from __future__ import annotations

from abc import ABC, ABCMeta
from types import FunctionType, MemberDescriptorType
from typing import Any, Generic

from autograph_jit.source import Variable
from autograph_jit.tracing.aliasing.families import PYTHON_LISTS
from autograph_jit.tracing.plain.calls import NEVER_CONVERTED
from autograph_jit.tracing.structures.cells import IN_CELLS, cell_class, is_cell
from autograph_jit.tracing.structures.dict_rows import is_dict_row
from autograph_jit.tracing.structures.function_rows import is_function_row
from autograph_jit.tracing.structures.generator_rows import is_generator_row
from autograph_jit.tracing.structures.templates import is_made_by_object
from autograph_jit.tracing.values.nesting import is_nested
from autograph_jit.tracing.values.trace import Trace, active

PLAIN_BASES = (object, ABC, Generic)
FORBIDDEN = (
    *("__new__", "__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__del__", "__hash__"),
    *("__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__class__", "__dict__"),
)


def class_key(kind: type) -> tuple[str, str, str]:
    """The decision that a class's instances are made at run time; a class that every trace defines anew keeps its key."""
    return "objects", kind.__module__, kind.__qualname__


def as_no_rows(kind: type) -> tuple[str, type]:
    """The decision that instances of a class are no rows."""
    return "apart", kind


def as_row_too(x: Any) -> tuple[str, int]:
    """The decision that an instance of the caller's, found by itself, is the row that it is in a list of the caller's."""
    return "as row", id(x)


def is_row_too(trace: Trace, x: Any) -> bool:
    """Whether an instance of the caller's, found by itself, is a row."""
    return as_row_too(x) in trace.decisions and may_be_rows(trace, type(x))


def by_reference(kind: type) -> tuple[Any, ...]:
    """The decision that instances of a class are one object under all names: rows of a table, or else Python's."""
    trace = active()
    is_new = ("rows", kind) not in trace.decisions
    return ("rows", kind) if is_new and may_be_rows(trace, kind) else class_key(kind)


def may_be_rows(trace: Trace, kind: type) -> bool:
    """Whether instances of a class can be rows of a table: nothing but the class's own methods and attributes that are simply stored."""
    if not trace.decisions.isdisjoint((class_key(kind), as_no_rows(kind), PYTHON_LISTS)):
        return False
    if is_dict_row(kind) or is_nested(kind) or is_function_row(kind) or is_cell(kind) or is_generator_row(kind):
        return True
    if id(kind) in trace.created or type(kind) not in (type, ABCMeta):
        return False
    return is_made_by_object(kind) and not any(computes_attributes(base) for base in kind.__mro__ if base not in PLAIN_BASES)


def variables_in_cells(trace: Trace) -> frozenset[Variable]:
    """The variables that are in cells: those that earlier traces asked for, but where no table can hold what they hold."""
    taken = [decision[1] for decision in trace.decisions if decision[0] == IN_CELLS]
    return frozenset(variable for variable in taken if may_be_rows(trace, cell_class(variable)))


def computes_attributes(kind: type) -> bool:
    """Whether a class says itself how its attributes are read or set, or what becomes of its instances."""
    if kind.__module__ in NEVER_CONVERTED:
        return True
    entries = [(name, value) for name, value in vars(kind).items() if not is_usual(name, value) and not is_of_dataclass(kind, value)]
    return any(name in FORBIDDEN or is_setter(value) for name, value in entries)


def is_of_dataclass(kind: type, value: Any) -> bool:
    """Whether an entry of a class is a method that `dataclass` has given it: what a frozen one raises, its hash, how it is pickled."""
    if not isinstance(value, FunctionType) or "__dataclass_fields__" not in vars(kind):
        return False
    return value.__code__.co_filename == "<string>" or value.__module__ == "dataclasses"


def is_frozen(kind: type) -> bool:
    """Whether attributes of the instances of a class cannot be assigned."""
    params = getattr(kind, "__dataclass_params__", None)
    return params is not None and bool(params.frozen)


def is_usual(name: str, value: Any) -> bool:
    """Whether an entry of a class is one that Python makes: slots, the dict of instances; that it has no hash."""
    return isinstance(value, MemberDescriptorType) or name in ("__dict__", "__weakref__") or name == "__hash__" and value is None


def is_setter(value: Any) -> bool:
    """Whether an entry of a class computes what is set or kept under its name, but a property of functions that get and set."""
    if isinstance(value, property):
        return not isinstance(value.fset, FunctionType | None) or value.fdel is not None
    if isinstance(value, (FunctionType, staticmethod, classmethod)):
        return False
    return any(hasattr(type(value), name) for name in ("__set__", "__delete__", "__set_name__"))
