"""Recursion of local functions that the data ends: what such a function captures becomes arguments of a function compiled on its own.

The functions that it reaches through its variables go with it, as a shape: their code, and which variables they share. What the variables
hold are leaves, which the run gives. Variables that the functions assign come back with the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import CellType, CodeType, FunctionType
from typing import Any

from autograph_jit.originals import original_code, with_code
from autograph_jit.records import dataclass
from autograph_jit.source import OPERATORS
from autograph_jit.tracing.aliasing.journal import CellPlace, stored_free_names, write
from autograph_jit.tracing.aliasing.row_classes import class_key
from autograph_jit.tracing.containers.outside import expect_known
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.structures.demands import keep_at_run_time
from autograph_jit.tracing.structures.templates import made_here_in
from autograph_jit.tracing.values.abstract import Maybe, Undefined
from autograph_jit.tracing.values.trace import Restart, Trace, active, current
from autograph_jit.tracing.values.types import PYTHON_OBJECT

MAX_FUNCTIONS = 16


@dataclass(frozen=True, slots=True)
class LocalFunction:
    """A function of the shape: its code, its module's names by their identity, its variables by their number, the leaf of its defaults
    and attributes."""

    code: CodeType
    names: int
    cells: tuple[int, ...]
    defaults: int


@dataclass(frozen=True, slots=True)
class Shape:
    """The functions, the first of which is called; of every variable the function in it, or the leaf; those that are assigned."""

    functions: tuple[LocalFunction, ...]
    contents: tuple[tuple[str, int], ...]
    assigned: tuple[int, ...]


class Capture:
    """What a local function reaches: its shape, the leaves, the cells of its variables."""

    def __init__(self, function: FunctionType) -> None:
        self.functions: list[FunctionType] = []
        self.described: list[LocalFunction] = []
        self.cells: list[CellType] = []
        self.names: list[str] = []
        self.contents: dict[int, tuple[str, int]] = {}
        self.leaves: list[Any] = []
        self.add(function)
        stored = set().union(*(stored_free_names(found.__code__) for found in self.functions))
        assigned = tuple(number for number, name in enumerate(self.names) if name in stored and self.contents[number][0] == "leaf")
        self.shape = Shape(tuple(self.described), tuple(self.contents[number] for number in range(len(self.cells))), assigned)

    def add(self, function: FunctionType) -> int:
        """The number of a function; its variables, and the functions in them, are added."""
        known = next((number for number, other in enumerate(self.functions) if other is function), None)
        if known is not None:
            return known
        number = len(self.functions)
        self.functions.append(function)
        self.described.append(LocalFunction(function.__code__, id(function.__globals__), (), 0))
        cells = tuple(map(self.variable, function.__closure__ or (), function.__code__.co_freevars))
        defaults = self.leaf((function.__defaults__, function.__kwdefaults__, attributes_of(function)))
        self.described[number] = LocalFunction(function.__code__, id(function.__globals__), cells, defaults)
        return number

    def variable(self, cell: CellType, name: str) -> int:
        """The number of a variable."""
        known = next((number for number, other in enumerate(self.cells) if other is cell), None)
        if known is not None:
            return known
        number = len(self.cells)
        self.cells.append(cell)
        self.names.append(name)
        self.contents[number] = ("empty", 0)
        try:
            content = cell.cell_contents
        except ValueError:
            return number
        if name != OPERATORS and is_local(content) and len(self.functions) < MAX_FUNCTIONS:
            self.contents[number] = ("function", self.add(content))
        else:
            self.contents[number] = ("leaf", self.leaf(content))
        return number

    def leaf(self, content: Any) -> int:
        """The number of a leaf."""
        self.leaves.append(content)
        return len(self.leaves) - 1


def is_local(x: Any) -> bool:
    """Whether a function was defined by the traced program, and captures variables."""
    return isinstance(x, FunctionType) and x.__closure__ is not None and id(x) in active().definitions.functions


def rebuilt(
    shape: Shape, names: dict[int, dict[str, Any]], leaves: Sequence[Any], as_written: bool = False
) -> tuple[FunctionType, list[CellType]]:
    """The functions of a shape with these leaves in their variables: the first one, and the cells. For Python they are as the user has
    written them."""
    cells = [CellType() for _ in shape.contents]
    functions = []
    for described in shape.functions:
        defaults, named, attributes = leaves[described.defaults]
        code = (original_code(described.code) if as_written else None) or described.code
        by_name = dict(zip(described.code.co_freevars, described.cells))
        closure = tuple(cells[by_name[name]] for name in code.co_freevars)
        made = FunctionType(code, names[described.names], code.co_name, defaults, closure)
        made.__kwdefaults__ = named
        made.__dict__.update(attributes or {})
        functions.append(made)
    for cell, (kind, number) in zip(cells, shape.contents):
        if kind == "function":
            cell.cell_contents = functions[number]
        elif kind == "leaf" and not (as_written and isinstance(leaves[number], Undefined)):
            cell.cell_contents = leaves[number]
    return functions[0], cells


def attributes_of(function: FunctionType) -> dict[str, Any] | None:
    """The attributes that the traced program has given a function, as Python code shall find them (`event.terminal = True`)."""
    trace = current()
    given = {name: value for name, value in function.__dict__.items() if not name.startswith("__")}
    if trace is None or not given:
        return None
    if id(function) in trace.definitions.functions or any(
        place.owner is function for journal in trace.journals for place, _ in journal.before.values()
    ):
        return given
    return None


def with_attributes(function: FunctionType, attributes: dict[str, Any]) -> FunctionType:
    """A function like this one, with these attributes."""
    made = with_code(function, function.__code__)
    made.__dict__.update(attributes)
    return made


def expect_objects(trace: Trace, x: Any) -> None:
    """What a recursive call may change must be an object of the run: trace again where the trace still keeps it."""
    if isinstance(x, Maybe):
        expect_objects(trace, x.content)
    elif isinstance(x, Dynamic):
        if x.dynamic is None or getattr(x, "is_native", False):
            x.restructure(PYTHON_OBJECT)
    elif isinstance(x, tuple):
        for item in x:
            expect_objects(trace, item)
    elif id(x) in trace.outside.made:
        _, key, depth = trace.outside.made[id(x)]
        expect_known(x, key)
        keep_at_run_time(trace, key, depth, PYTHON_OBJECT)
    elif (made := made_here_in(x)) is not None:
        raise Restart(class_key(type(made)))


def take_back(captured: Capture, contents: Sequence[Any]) -> None:
    """The variables that a recursive call has assigned."""
    for number, content in zip(captured.shape.assigned, contents):
        write(CellPlace(captured.cells[number], captured.names[number]), content)
