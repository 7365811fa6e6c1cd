"""Tables of functions that the program makes and keeps: a native list for each variable that functions of a code capture.

What stands in a row is what a variable holds when the function is made, so no statement may give it another value afterwards. A variable
of the compiled function itself, of which there is one in a call, is looked at when the function is called, whatever it holds then.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterator
from types import BuiltinFunctionType, CellType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any, NoReturn

import numpy as np

from autograph_jit.ir.graph import Value
from autograph_jit.ir.in_c import WHOLE
from autograph_jit.source import OPERATORS
from autograph_jit.tracing.aliasing.journal import stored_free_names
from autograph_jit.tracing.aliasing.references import InstanceReference
from autograph_jit.tracing.aliasing.row_classes import as_no_rows, may_be_rows
from autograph_jit.tracing.containers.instance_tables import InstanceTable
from autograph_jit.tracing.structures.cells import IN_CELLS, cell_class, is_cell
from autograph_jit.tracing.structures.function_rows import MADE, Outline, function_class, is_found_by_name, is_made_of_code
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import StagedScalar, Undefined, may_be_missing
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import ROOT, Restart, Trace, active, constant, in_c

NAMES = ("__name__", "__doc__")
FUNCTIONS = (FunctionType, BuiltinFunctionType)
NUMBERED = "#"  # the column of functions that capture nothing, which are told apart by their rows
LAZY = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
DEFAULT = "="  # before the name of a column of default values


class FunctionReference(InstanceReference):
    """The stand-in of a function that is a row."""

    __slots__ = ()
    __rebuilt_type__ = FunctionType
    __hash__ = InstanceReference.__hash__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return language.call(self.as_function(), args, kwargs)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in InstanceReference.__slots__:  # a library's function, as `functools.wraps`
            self.table.set_attribute(self, name, value)
        object.__setattr__(self, name, value)

    def as_function(self) -> Any:
        """The function, with what stands in the row in its variables."""
        return self.table.function_of(self)

    def __eq__(self, other: Any) -> Any:
        return self.is_row_of(other) if isinstance(other, FUNCTIONS) else super().__eq__(other)

    def __ne__(self, other: Any) -> Any:
        return not self.is_row_of(other) if isinstance(other, FUNCTIONS) else super().__ne__(other)

    def is_row_of(self, function: Any) -> bool:
        """Whether it is a function from outside."""
        return self.table.kind is function_class(function, active())


def call_of_row(row: Any, *args: Any, **kwargs: Any) -> Any:
    """A call of the function of a row."""
    return row.as_function()(*args, **kwargs)


def may_be_function(x: Any) -> bool:
    """Whether a value is a function, a row or none."""
    return isinstance(x, (*FUNCTIONS, FunctionReference))


class FunctionTable(InstanceTable):
    """What the functions of a code capture; of a function from outside there is one row, which nothing stands in."""

    def __init__(self, kind: type) -> None:
        super().__init__(kind)
        self.shared: dict[str, Any] = {}  # modules, classes and functions that are the same for all rows; cells of variables that are
        self.owners: dict[str, CodeType | None] = {}  # of those that change, or may hold something else in another call: whose they are
        self.like: FunctionType | None = None  # one of them
        self.is_awaited = False  # whether one was called before any was made
        self.of_row: FunctionType | None = None  # what calls the function of a row that it is given

    def reference(self, row: Value) -> InstanceReference:
        return FunctionReference(self, row)

    def known(self) -> InstanceReference:
        """The one row."""
        return self.reference(constant(np.int64(0)))

    def make(self, function: FunctionType, frame: FrameType) -> InstanceReference:
        """A new row: of a function that is made in a frame."""
        if self.like is not None and self.like.__globals__ is not function.__globals__ or vars(function):
            self.give_up()
        self.like = function
        fields: dict[str, Any] = {}
        changing = []
        for name, value, is_same in captured(function, frame):
            if not is_same and name not in self.shared and not isinstance(value, CellType):
                fields[name] = value
            elif not is_same or self.shared.setdefault(name, value) is not value:
                changing.append(name)
            if name in changing or is_same and may_differ_between_calls(value):
                self.owners[name] = owner_of_variable(name, function.__code__, frame)[0]
        if changing:
            self.put_in_cells(changing)
        row = self.add(fields or {NUMBERED: 0})
        constants = {name: value for name, value in self.shared.items() if not may_differ_between_calls(value)}
        self.kind.outline = Outline(hollow(function), self.names, constants, dict(self.owners))  # type: ignore[attr-defined]
        if self.is_awaited:
            raise Restart((MADE, self.kind), *(("dynamic", column.key, column.kind) for column in self.columns.values()))
        return row

    def is_unknown(self) -> bool:
        """Whether nothing is known yet of functions of the code, of which none was made so far: a loop calls what a later trip makes. Then
        the trace goes on without what comes after the call, and begins again where one is made."""
        outline = self.kind.outline  # type: ignore[attr-defined]
        if self.like is not None or not is_made_of_code(self.kind):
            return False
        if outline is None or not all(map(self.has, outline.columns)):
            self.is_awaited = True
            return True
        self.like, self.shared, self.owners = outline.like, dict(outline.constants), dict(outline.owners)
        names = [*outline.like.__code__.co_freevars, *(name for name, _ in all_defaults_of(outline.like))]
        if missing := [name for name in names if name not in self.columns and name not in self.shared]:
            self.put_in_cells(missing)
        return False

    def put_in_cells(self, names: list[str]) -> NoReturn:
        """Trace again with captured variables in cells, where any was not yet; otherwise without rows."""
        trace, owners = active(), [(self.owners.get(name), name) for name in names]
        found = [(owner.co_filename, owner.co_firstlineno, name) for owner, name in owners if owner is not None]
        again = [each for each in found if (IN_CELLS, each) not in trace.decisions and may_be_rows(trace, cell_class(each))]
        if again:
            raise Restart(*((IN_CELLS, each) for each in again), *(("rows", cell_class(each)) for each in again))
        self.give_up()

    def function_of(self, x: FunctionReference) -> Any:
        """The function of a row."""
        if not is_made_of_code(self.kind):
            return self.kind.stands_for  # type: ignore[attr-defined]
        like, trace = self.like, active()
        is_in_unit = any(region.kind == "function" for region in trace.regions)
        if like is None:
            self.give_up()
        if is_in_unit and (differing := self.differing_between_calls()):
            self.put_in_cells(differing)
        with in_c(WHOLE):
            held = {name: column.native.get(StagedScalar(x.value, True)) for name, column in self.columns.items()}
        values = {**self.shared, **held}
        found = [values[name] for name in like.__code__.co_freevars]
        cells = tuple(x if isinstance(x, CellType) else CellType(x) for x in found)
        defaults = tuple(values[name] for name, _ in defaults_of(like)) or None
        made = FunctionType(like.__code__, like.__globals__, like.__name__, defaults, cells)
        made.__kwdefaults__ = {name: values[DEFAULT + name] for name in like.__kwdefaults__ or ()} or None
        trace.definitions.functions[id(made)] = made
        return made

    def differing_between_calls(self) -> list[str]:
        """The names of what is the same for all rows, but may hold other values when a function of the graph is called again."""
        return [name for name, value in self.shared.items() if may_differ_between_calls(value)]

    def called_by_row(self) -> FunctionType | None:
        """What calls the function of a row, which is its first argument: one function for all of the code, so that a recursion that goes
        by rows is one. It reads what the functions of the code read. None of generators, and where there is no such function."""
        like = self.like
        if self.of_row is None and like is not None and not like.__code__.co_flags & LAZY:
            code = like.__code__
            form = call_of_row.__code__.replace(
                co_consts=(*call_of_row.__code__.co_consts, code),
                co_name=code.co_name,
                co_qualname=code.co_qualname,
                co_filename=code.co_filename,
                co_firstlineno=code.co_firstlineno,
            )
            self.of_row = FunctionType(form, like.__globals__, like.__name__)
            active().definitions.called_by_row[form] = code
        return self.of_row

    def attribute(self, x: InstanceReference, name: str) -> Any:
        if name not in NAMES or self.like is None:
            self.give_up()
        return getattr(self.like, name)

    def set_attribute(self, x: InstanceReference, name: str, value: Any) -> None:
        self.give_up()

    def add_to(self, template: Template, builders: Any) -> NoReturn:
        self.give_up()

    def rebuild(self, template: Template, x: InstanceReference) -> Rebuild:
        """A function from outside leaves as it is."""
        return self.give_up() if is_made_of_code(self.kind) else template.of(self.kind.stands_for)  # type: ignore[attr-defined]


def function_made(trace: Trace, function: FunctionType, frame: FrameType) -> Any:
    """A function that the program has just made in a frame: as a new row where there is a table of such."""
    trace.definitions.depths[id(function)] = len(trace.regions)
    around = frame_around(function.__code__, frame)
    if around is not None:
        trace.definitions.around[function.__code__] = around.f_code
    kind = function_class(function, trace) if trace.aliasing.tables else None
    table = None if kind is None else trace.aliasing.tables.get(kind)
    return function if table is None else table.make(function, frame)


def captured(function: FunctionType, frame: FrameType) -> Iterator[tuple[str, Any, bool]]:
    """The names and values of what a function captures, and of its defaults, and whether they are the same for all functions of its code:
    a cell stands for the variable itself."""
    code = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or ()):
        value = content_of_cell(cell)
        if is_shared(name, value, frame):
            yield name, value, True
        elif isinstance(value, InstanceReference) and is_cell(value.instance_class):
            yield name, value, False
        elif isinstance(value, Undefined) or may_be_missing(value) or not is_bound_once(name, code, frame):
            yield name, cell, is_of_root(name, code, frame)
        else:
            yield name, value, False
    for name, value in all_defaults_of(function):
        yield name, value, is_shared(name, value, frame)


def content_of_cell(cell: CellType) -> Any:
    """What a variable holds; Undefined where it holds nothing."""
    try:
        return cell.cell_contents
    except ValueError:
        return Undefined("")


def defaults_of(function: FunctionType) -> list[tuple[str, Any]]:
    """The default values of parameters by position, under the names of their columns."""
    given = function.__defaults__ or ()
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return [(DEFAULT + name, value) for name, value in zip(names[len(names) - len(given) :], given)]


def all_defaults_of(function: FunctionType) -> list[tuple[str, Any]]:
    """The same with those of parameters by keyword."""
    return [*defaults_of(function), *((DEFAULT + name, value) for name, value in (function.__kwdefaults__ or {}).items())]


def hollow(function: FunctionType) -> FunctionType:
    """A function like this one, of which the variables and default values hold nothing."""
    code, defaults = function.__code__, (None,) * len(function.__defaults__ or ()) or None
    made = FunctionType(code, function.__globals__, function.__name__, defaults, tuple(CellType() for _ in code.co_freevars))
    made.__kwdefaults__, made.__doc__ = dict.fromkeys(function.__kwdefaults__ or ()) or None, function.__doc__
    return made


def expect_made(trace: Trace) -> None:
    """At the end of a trace: where functions were called of which none was made, it begins again without rows for them."""
    awaited = [table.kind for table in trace.aliasing.tables.values() if isinstance(table, FunctionTable) and table.is_awaited]
    if awaited:
        raise Restart(*map(as_no_rows, awaited))


def is_shared(name: str, value: Any, frame: FrameType) -> bool:
    """Whether a value is to be the same for all functions of a code, or else none of them is a row: the operators, modules, classes and
    functions from outside, and functions that the program makes once."""
    is_outside = isinstance(value, ModuleType) or isinstance(value, type) and id(value) not in active().created
    return name == OPERATORS or is_outside or is_found_by_name(value) or is_made_once(value, frame, set())


def is_made_once(x: Any, frame: FrameType, seen: set[int]) -> bool:
    """Whether a function is made but once in a call, and so is what its variables hold."""
    definitions = active().definitions
    if not isinstance(x, FunctionType) or definitions.functions.get(id(x)) is not x or definitions.depths.get(id(x)) != 0:
        return False
    if id(x) in seen:
        return True
    seen.add(id(x))
    for name, cell in zip(x.__code__.co_freevars, x.__closure__ or ()):
        value = content_of_cell(cell)
        is_known = is_bound_once(name, x.__code__, frame) and (not isinstance(value, FunctionType) or is_made_once(value, frame, seen))
        if name != OPERATORS and not is_found_by_name(value) and not is_known:
            return False
    return True


def may_differ_between_calls(x: Any) -> bool:
    """Whether what is the same for all rows may hold other values when a function of the graph is called again."""
    return isinstance(x, CellType) or isinstance(x, FunctionType) and not is_found_by_name(x)


def is_bound_once(name: str, code: CodeType, frame: FrameType | None) -> bool:
    """Whether a variable that a code captures, made in a frame, gets its value but once in each call of the function that has it: a
    parameter, or the target of one statement that no loop is around. Loops and branches of converted code are functions inside it."""
    owner, _ = owner_of_variable(name, code, frame)
    if owner is None or any(isinstance(inner, CodeType) and name in stored_free_names(inner) for inner in owner.co_consts):
        return False
    steps = list(dis.get_instructions(owner))
    stores = sum(step.opname in ("STORE_DEREF", "DELETE_DEREF") and step.argval == name for step in steps)
    count = owner.co_argcount + owner.co_kwonlyargcount + sum(bool(owner.co_flags & flag) for flag in (0x04, 0x08))
    if name in owner.co_varnames[:count]:
        return stores == 0
    return stores == 1 and not any("JUMP_BACKWARD" in step.opname for step in steps)


def is_of_root(name: str, code: CodeType, frame: FrameType) -> bool:
    """Whether a variable is one of the compiled function itself."""
    _, found = owner_of_variable(name, code, frame)
    return found is not None and found.f_back is not None and found.f_back.f_code.co_name == ROOT


def owner_of_variable(name: str, code: CodeType, frame: FrameType | None) -> tuple[CodeType | None, FrameType | None]:
    """The code of the function that has a variable, which stands around a code, and its call, where that is under way."""
    while True:
        found = frame_around(code, frame)
        around = active().definitions.around.get(code) if found is None else found.f_code
        if around is None or name in around.co_cellvars:
            return around, found
        code, frame = around, frame if found is None else found.f_back


def frame_around(code: CodeType, frame: FrameType | None) -> FrameType | None:
    """The innermost call under way of the function that a code stands in."""
    while frame is not None and all(inner is not code for inner in frame.f_code.co_consts):
        frame = frame.f_back
    return frame
