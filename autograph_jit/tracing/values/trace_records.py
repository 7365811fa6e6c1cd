"""What a trace keeps account of while it runs, one record for each matter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from types import CodeType, FrameType, FunctionType
from typing import Any

from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.in_c import InC
from autograph_jit.records import dataclass
from autograph_jit.tracing.values.clones import Clones

UNKNOWN = object()  # where a trace was started, before it is asked for
Decision = tuple[Any, ...]
ById = dict[int, Any]  # an object that lives as long as the trace, by its id


@dataclass(slots=True)
class Recorded:
    """What was recorded: how many size labels and operations, and how many at most; constants at hand; labels of host calls; decisions
    after which the trace went on, to find the next ones: it is given up when it has come to its end, or fails."""

    atoms: int = 0
    operations: int = 0
    most_operations: int | None = None
    constants: dict[tuple[Any, bytes], Value] = field(default_factory=dict)
    host_calls: list[str] = field(default_factory=list)
    foreseen: set[Decision] = field(default_factory=set)


@dataclass(slots=True)
class Calls:
    """The calls under way: of each code object how many, among how many regions, and how many branched; frames of converted functions,
    with the spans around; frames that trace regions, with the function that they are of and the spans around, and the same of the user's
    frame that was the innermost when somebody asked; instances in `__init__`; the consumers of generators; generators that wait, the
    classes of those that run, and what each class captures. `for_c`: where what is traced stands for a function that Python has in C, what
    it takes there; `rare`: it is what seldom comes to pass; `errors`: the classes of exceptions that Python's functions raise there, where
    these are known; `entered`: calls that no operation begins with yet; `natively`: how many of NumPy's functions are under way; what is
    known of the functions that were called, see `control.units`; the recursions under way that were called, each time."""

    depths: dict[CodeType, int] = field(default_factory=dict)
    levels: dict[CodeType, int] = field(default_factory=dict)
    branched: dict[CodeType, int] = field(default_factory=dict)
    frames: dict[FrameType, Any] = field(default_factory=dict)
    regions: dict[FrameType, tuple[str, Any]] = field(default_factory=dict)
    innermost: int = 0
    around_innermost: tuple[str, Any] = ("", ())
    around: Any = UNKNOWN
    constructing: list[tuple[Any, tuple[Any, ...]]] = field(default_factory=list)
    consumers: list[Any] = field(default_factory=list)
    suspended: list[Any] = field(default_factory=list)
    advancing: list[type] = field(default_factory=list)
    captured: list[tuple[type, Any, Any]] = field(default_factory=list)
    for_c: InC | None = None
    rare: bool = False
    errors: tuple[type[BaseException], ...] | None = None
    entered: int = 0
    natively: int = 0
    bodies: dict[CodeType, Any] = field(default_factory=dict)
    provisional: list[Any] = field(default_factory=list)


@dataclass(slots=True)
class Loops:
    """How often each site was reached; loops that Python could run instead; regions that were traced in vain; how many trips of the loops
    around are written out one by one, and the first trips of those that are short; how many loops became loops of the run; how often
    the loop under way asked for a checkpoint."""

    reached: dict[Any, int] = field(default_factory=dict)
    replaceable: list[Any] = field(default_factory=list)
    discarded: list[Any] = field(default_factory=list)
    unrolled: int = 1
    short: list[Any] = field(default_factory=list)
    staged: int = 0
    checkpoint: int | None = None


@dataclass(slots=True)
class Differentiation:
    """What sweeps made: copies of operations; shadows; residuals; lists and dicts in the place of arguments that hold what is
    differentiated; sizes that may have to be equal; decisions of memory budgets. `note_copy` is told of each copy; `directions`: what
    is traced is differentiated backwards, forwards."""

    clones: Clones = field(default_factory=Clones)
    shadows: set[Value] = field(default_factory=set)
    residuals: set[Value] = field(default_factory=set)
    arguments: ById = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)
    budgets: list[frozenset[Decision]] = field(default_factory=list)
    note_copy: Callable[[Operation, Operation], None] | None = None
    directions: frozenset[str] = frozenset()


@dataclass(slots=True)
class Handling:
    """Exceptions: the `try` statements under way; those of the run that may be compiled code's own; NumPy's modes for
    floating-point errors. `note_failing` is told of each operation that may fail outside of a `try`; `is_total`: what is traced has an
    answer for all that it is given."""

    tries: list[Any] = field(default_factory=list)
    beyond: set[int] = field(default_factory=set)
    float_errors: dict[str, str] | None = None
    note_failing: Callable[[Operation], None] | None = None
    is_total: bool = False


@dataclass(slots=True)
class SharedObjects:
    """Objects of the caller's that Python code has while the program runs, with their getters; what can be reached from the first `walked`
    of them, None where it is much; what cannot, and has to be so in each call."""

    roots: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    reachable: ById | None = None
    walked: int = 0
    apart: ById = field(default_factory=dict)


@dataclass(slots=True)
class LeftToPython:
    """Attributes and globals that the user's methods set, and read, which Python runs, by name: each with the method and where it runs.
    `of_objects`: attributes that Python reads from objects that only the run knows, each with the place where."""

    sets: dict[str, Any] = field(default_factory=dict)
    reads: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)
    variables_read: dict[str, Any] = field(default_factory=dict)
    of_objects: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Aliasing:
    """What may be one object: instances as objects of the run, or joined where paths meet, with those that each may be; keys of those
    being joined; what was given to Python (see `joining.given`); what Python may have changed; changes of lengths; tables of the classes
    whose instances are rows; lists and dicts, by identity, of which the type as an item is being found; what methods that Python runs
    have to do with; the objects of the run that were made of what Python was given, with the regions in which."""

    shared: SharedObjects = field(default_factory=SharedObjects)
    joined: ById = field(default_factory=dict)
    relatives: dict[int, list[Any]] = field(default_factory=dict)
    given: dict[int, tuple[Any, list[Any]]] = field(default_factory=dict)
    changed: set[type | None] = field(default_factory=set)
    length_changes: int = 0
    joining: list[Any] = field(default_factory=list)
    tables: dict[type, Any] = field(default_factory=dict)
    asked: list[int] = field(default_factory=list)
    left: LeftToPython = field(default_factory=LeftToPython)
    objects: dict[int, tuple[Any, Any, tuple[Any, ...]]] = field(default_factory=dict)


@dataclass(slots=True)
class Outside:
    """Containers of the caller's that were read, written, and joined where paths meet, and the copies that stand for these; containers of
    the library's that were made here, with key and depth; variables of functions around; what stands for a place since it was opened."""

    reads: ById = field(default_factory=dict)
    writes: ById = field(default_factory=dict)
    joined: ById = field(default_factory=dict)
    copies: ById = field(default_factory=dict)
    made: dict[int, tuple[Any, Any, int]] = field(default_factory=dict)
    cells: dict[Any, Any] = field(default_factory=dict)
    opened: dict[Any, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Definitions:
    """Captured variables that are in cells; functions that the program defines, how many regions are around each, and of their codes the
    codes around them; those that each trip of a loop makes, with the object of the run where Python is given one; the codes of functions
    that call one of a row, with its code; what Python is given in their place; functions found as names of a library's module; classes
    that were met, and those whose methods are replaced; dicts of instances, with the instance."""

    in_cells: frozenset[tuple[str, int, str]] = frozenset()
    functions: dict[int, FunctionType] = field(default_factory=dict)
    depths: dict[int, int] = field(default_factory=dict)
    by_the_run: dict[int, Any] = field(default_factory=dict)
    around: dict[CodeType, CodeType] = field(default_factory=dict)
    called_by_row: dict[CodeType, CodeType] = field(default_factory=dict)
    originals: dict[int, Any] = field(default_factory=dict)
    library_names: dict[int, Any] = field(default_factory=dict)
    classes: set[type] = field(default_factory=set)
    replaced: list[type] = field(default_factory=list)
    instance_dicts: dict[int, tuple[Any, Any]] = field(default_factory=dict)


@dataclass(slots=True)
class Sources:
    """The input that a number, by the id of its value, or a size, by its label, stems from; arrays' axes in memory order."""

    numbers: dict[int, Any] = field(default_factory=dict)
    sizes: dict[str, Any] = field(default_factory=dict)
    steps: dict[Value, tuple[int, ...]] = field(default_factory=dict)
