"""What a call takes compiled and in Python, by operations: the one model by which calls are left to Python, with its constants.

All constants are measured once and committed, so that every run decides alike (docs/decisions.md says how).
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from autograph_jit.backends.cpu.host import is_ready
from autograph_jit.backends.cpu.python_operators import Gives, operator_for
from autograph_jit.errors import SlowerThanPython
from autograph_jit.ir.function import CALLS, Function
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.in_c import InC
from autograph_jit.ir.types import ArrayType, ObjectType, ScalarType
from autograph_jit.ops.direct_calls import NEXT_LEVEL, READS_INSTANCES, direct_call
from autograph_jit.ops.exceptions_raised import answers_at, asks_more, classes_asked_for, classes_raised, questions_of, takes
from autograph_jit.ops.texts import BYTE, CODE_POINT
from autograph_jit.records import dataclass
from autograph_jit.runtime.lines_in_python import LinesInPython
from autograph_jit.runtime.trips import (
    ASSUMED_TRIPS,
    FEW_TRIPS,
    ONCE,
    Runs,
    assumed_runs,
    regions_of,
    runs_in,
    trips_of,
    usual_sides,
)  # fmt: skip
from autograph_jit.source import SourceSpan
from autograph_jit.tracing.values.trace import current
from autograph_jit.transforms.tallies import LOOPS
from autograph_jit.weak import WeakKeys

MANY_ITEMS = 64  # of containers; below, neither Python nor a compilation takes long
FEW_CALLS = 10_000  # within which a program has to repay its compilation, where that is asked
LONG_COMPILATION = 1.5  # seconds; a compilation that takes less need not be repaid
SLOWER, SLOWER_SECONDS = 1.1, 0.3e-6  # where compiled code takes more than both beyond Python's time, it is slower


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of a call compiled and in Python, and of the compilation."""

    compiled: float = 0.0
    python: float = 0.0
    compilation: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.compiled + other.compiled, self.python + other.python, self.compilation + other.compilation)

    def times(self, trips: float) -> Cost:
        """So many times in a call, compiled once."""
        return Cost(self.compiled * trips, self.python * trips, self.compilation)

    @property
    def is_slower(self) -> bool:
        """Whether compiled code takes longer than Python."""
        return self.compiled > SLOWER * self.python and self.compiled - self.python > SLOWER_SECONDS

    @property
    def is_repaid(self) -> bool:
        """Whether few calls make up for the compilation."""
        return (self.python - self.compiled) * FEW_CALLS >= self.compilation

    @property
    def is_long(self) -> bool:
        """Whether the compilation takes so long that it has to be repaid."""
        return self.compilation > LONG_COMPILATION

    @property
    def is_refused(self) -> bool:
        """Whether calls are better left to Python."""
        return self.is_slower or (self.is_long and not self.is_repaid)

    def describe(self) -> str:
        """The figures in words."""
        each = f"a call would take about {in_words(self.compiled)} compiled and {in_words(self.python)} in Python"
        return f"{each}, the compilation about {in_words(self.compilation)}"


def in_words(seconds: float) -> str:
    """A time with a unit that suits it."""
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "microseconds")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds * 1e9:.3g} ns"


NOTHING = Cost()
ENTERED = Cost(0.11e-6, 0.06e-6)  # a call that native code lets in
CALLING = Cost(0.36e-6, 0.06e-6)  # any other one: what is behind the entrances finds its program
CHECKED = Cost(40e-9)  # there, a guard of what is not read
FOLLOWED = Cost(0.0, 8e-9, 0.15e-3)  # a call or trip that the trace followed, whose work may be done for good
AMONG_MANY = Cost(1.8e-6)  # one of more arrays than the entrances compare
CONTENT = Cost(300e-9)  # one item of a collection that has to hold what it held
CAUGHT = Cost(5e-6, 0.2e-6)  # an exception that a handler catches
TOLD = Cost(10e-9, 0.2e-6)  # the same where the handler asks for its class alone, which the place that fails knows
RAISED = Cost(10e-6, 0.5e-6)  # an exception that leaves, with the user's lines
INSTANCE = Cost(0.3e-6, 0.15e-6)  # an instance in a result
REBUILT = Cost(1.2e-6)  # a result that no code can be written for
REBUILT_PART = Cost(0.25e-6)  # a value in it, or in what is written back
WRITTEN_BACK = Cost(1.2e-6)  # what is left in a container or an instance of the caller's
ATTRIBUTE_STORED = Cost(30e-9)  # an attribute of an argument, by code of the program's own
READING = Cost(45e-9, 0.0, 1e-3)  # an item of a list or an attribute: found, checked, handed to compiled code
KEY = Cost(0.2e-6, 0.0, 1e-3)  # the same of an entry of a dict
COLUMNS = Cost(0.6e-6)  # the columns of a list of tuples, of keys or of values: one pass makes lists of them
ITEM_READ = Cost(4e-9)  # a number in a list of the caller's: its type checked, its value read in
ONE_OF_READ = Cost(6e-9)  # beyond that, where items are of one of several types: in each column
ROW_READ = Cost(0.1e-6)  # a list in a list or dict of the caller's, beyond its items
ROW_LISTED = Cost(0.6e-6)  # a set in it: twice what is measured, for it is read although the call may not come to it
KEY_READ = Cost(20e-9)  # a key of a dict or set of the caller's, which gets a place in a table, memory to be fetched
ITEM_WRITTEN_BACK = Cost(15e-9)  # its value put back
INSTANCES_READ = Cost(20e-6)  # lists of instances of the caller's are looked at
FETCHED = Cost(2e-6)  # an array of the values of an attribute, beyond what each takes
INSTANCE_READ = Cost(30e-9)  # one of the instances, or dicts, that are the items of one list: its class, its row
ATTRIBUTE_READ = Cost(12e-9)  # a number in it: its type checked, its value read in
INSTANCE_FOUND, ATTRIBUTE_FETCHED = Cost(75e-9), Cost(65e-9)  # the same where Python code finds them
INSTANCE_LINKED, REFERENCE_LINKED = Cost(0.2e-6), Cost(0.35e-6)  # the same where each is found by the one before: a linked list, a tree
INSTANCES_LISTED = Cost(0.8e-6)  # a list of instances that is an attribute: Python code finds their rows
ATTRIBUTE_WRITTEN = Cost(30e-9)  # its value put back
REFERENCE_WRITTEN = Cost(0.1e-6)  # the same of an attribute that refers to an instance
KEYS_COMPARED = Cost(0.1e-6)  # all its keys are as they were
TEXT_READ = Cost(35e-9)  # the same of a text: found among those of the call, or copied
MADE, MADE_ITEM = Cost(0.8e-6), Cost(40e-9)  # a dict that leaves, an item of it
LIST_MADE = Cost(0.3e-6)  # a list that leaves whose items are tuples, or letters
ORDERED_SET, SET_ITEM = Cost(2.2e-6), Cost(120e-9)  # the same of a set, which is made in the order that it has
POOL = Cost(0.4e-6)  # the memory of texts in lists, dicts and sets
TEXT_LEAVES = Cost(8e-9)  # a str is made of it, or found
ITEM_LEAVES = Cost(10e-9)  # a number in a list that leaves
ITEM_REBUILT = Cost(0.035e-6)  # the same, where Python code makes the item: a tuple, a number of NumPy's
ROW_LEAVES = Cost(0.2e-6)  # an object of a row of a table, beyond what it holds
ROW_WRITTEN = Cost(60e-9)  # one of the lists in a list, beyond its items
ROW_REBUILT = Cost(0.25e-6)  # the same of each column, where lists of several are made of tuples by Python code
CALLED = Cost(3e-9, 60e-9, 0.3e-3)  # a function of the program's own
INLINED = Cost(0.0, 35e-9)  # the same where its operations stand in the place of the call
NUMBER = Cost(1e-9, 12e-9, 0.25e-3)  # an operation on numbers
ELEMENT = Cost(1e-9, 60e-9, 0.7e-3)  # an element of an array is read or written
ITEM = Cost(1e-9, 20e-9, 0.7e-3)  # the same of a list of numbers
ARRAY = Cost(0.1e-6, 1e-6, 2e-3)  # an operation on arrays, beyond what each element takes
VIEW = Cost(5e-9, 1e-6, 2e-3)  # a part of an array, which stays where it is
LARGE = Cost(2e-6, 5e-6)  # what it takes more where its arrays have some thousand elements, which are gone through together with others
ON_TENSORS = Cost(0.0, 1.5e-6)  # what it takes more in Python where they are Tensors
PUSHED = Cost(1e-9, 13e-9, 0.7e-3)  # something is appended to it
LIST = Cost(20e-9, 50e-9, 5e-3)  # a list of numbers is made, or changed as a whole
LEAVING = Cost(2.5e-6, 0.0, 5e-3)  # rows leave, beside what each takes
DRAW = Cost(4e-9, 0.25e-6, 0.5e-3)  # a random number
ENTERED_TEXT = Cost(60e-9, 15e-9, 2e-3)  # a text is looked up among those of the call, to stand in a list, dict or set
ENTERED_LETTER = Cost(4e-9, 0.0, 2e-3)  # the same of a letter, which has its place
TEXT = Cost(60e-9, 0.0, 2e-3)  # a str is read into compiled code, or made of what it computed
TEXT_PART = Cost(5e-9, 45e-9, 3e-3)  # a slice or copy of a text, or a text of one letter
LETTER = Cost(1e-9, 25e-9, 0.25e-3)  # a letter of a text is read
JOINED = Cost(25e-9, 40e-9, 3e-3)  # texts are put one behind the other
APPENDED = Cost(15e-9, 40e-9, 2e-3)  # something is put behind a text
KEYS = Cost(6e-9, 30e-9, 1e-3)  # a dict or set of compiled code is asked for a key, given one or gives one up
RENUMBERED = Cost(0.5e-6)  # the gaps that removed keys have left are closed, of a table of a few dozen keys
TEXT_KEYS = Cost(9e-9, 33e-9, 1e-3)  # the same of keys with texts, whose hashes Python has with them
PLACED = Cost(1e-9, 0.0, 0.5e-3)  # a part of an entry goes to its place in a list, which Python does as it finds the key
INDEXED = Cost(0.1e-6, 0.0, 2e-3)  # keys get places in a table
ORDERED = Cost(0.1e-6, 50e-9, 2e-3)  # its keys are gone through, or numbered anew; where they are many, what follows takes longer
ADOPTED = Cost(60e-9, 40e-9, 2e-3)  # a new set is given those of another one, beyond the lists that hold them
ROOM = Cost(5e-9, 0.0, 1e-3)  # slots for more keys at once
OPERATOR = Cost(65e-9, 30e-9, 5e-3)  # an operator of Python on objects, by its C interface
CALL = Cost(250e-9, 60e-9, 5e-3)  # a function of Python, called with objects and constants
LEVEL = Cost(1.5e-6, 60e-9, 1e-3)  # a level of a recursion over objects that goes on in Python, in a function compiled by itself
WRITTEN = Cost(0.24e-6, 0.13e-6, 5e-3)  # an f-string that Python writes
ADAPTED = Cost(0.9e-6, 0.1e-6, 5e-3)  # a function of Python whose arguments are put together and whose result is taken apart
REBUILT_GIVEN = Cost(2.5e-6, 0.1e-6, 5e-3)  # the same where they are none of Python's before: what may be None, a set, arguments by name
OF_ITEMS = Cost(3e-6, 0.1e-6, 5e-3)  # the same with an array for a result, which is made of Python's items
LIBRARY = Cost(13e-6, 10e-6, 5e-3)  # the same, given arrays: work of a library, which takes either as long
LIBRARY_RESULT = Cost(2.5e-6)  # each further result of it, taken out of a tuple and looked at
ENTERING = 3e-6  # seconds, until a loop that Python runs has its variables, and has given them back
OBJECT = Cost(50e-9, 0.0, 2e-3)  # an object that the program keeps, fetched
BY_NAME = {
    **dict.fromkeys(("constant", "array_constant", "dim", "stride", "cast", "check", "list_identity", "list_is_same", "list_len"), NOTHING),
    **dict.fromkeys(("host_calls", "ask_to_leave"), NOTHING),
    "draw": DRAW,
    "bit_generator": NOTHING,
    **dict.fromkeys(("load", "store"), ELEMENT),
    **dict.fromkeys(("list_get", "list_set", "list_pop", "list_insert", "list_take"), ITEM),
    "list_push": PUSHED,
    **dict.fromkeys(("list_new", "list_copy", "list_clear", "list_shift", "list_extend"), LIST),
    "list_to_array": Cost(2e-9, 50e-9, 5e-3),
    "basic_index": VIEW,
    **dict.fromkeys(("text_codes", "text_of_codes", "text_of_object", "text_object"), TEXT),
    "text_append": APPENDED,
    "text_reference": ENTERED_TEXT,
    **dict.fromkeys(("text_letters", "text_is_same", "text_order"), NOTHING),
    **dict.fromkeys(("list_of_object", "text_join", "text_prefixes"), LIST),
    "nested_objects": LEAVING,
    **dict.fromkeys(("table_find", "table_insert", "table_remove", "table_pop", "table_first"), KEYS),
    **dict.fromkeys(("table_order", "table_common"), ORDERED),
    "table_adopt": ADOPTED,
    "table_reserve": ROOM,
    **dict.fromkeys(("table_index", "table_of_set"), INDEXED),
    "table_renumber": RENUMBERED,
    **dict.fromkeys(("list_put", "table_len", "list_keep"), PLACED),
}
PARTS_OF_TEXTS = dict.fromkeys(("basic_index", "copy", "full", "empty"), TEXT_PART) | {"load": LETTER, "concat": JOINED}
OF_BYTES = ("text_codes", "text_append")
# What functions of these do with an array that they are given is little.
BUILT_IN = ("builtins", "_operator", "collections", "_collections", "autograph_jit")
REMEDY = 'pass arrays or numbers instead of containers and objects of Python; fallback="error" compiles it in any case'
OF_FUNCTIONS: WeakKeys[Function, Cost] = WeakKeys()


def cost_of(operation: Operation) -> Cost:
    """One operation, without those of its regions, and the calls in Python that begin with it."""
    return kind_of(operation) if not operation.calls else kind_of(operation) + INLINED.times(operation.calls)


def kind_of(operation: Operation) -> Cost:
    """The operation alone, by its kind."""
    if operation.name == "host_call":
        return cost_of_host_call(operation)
    if operation.name in CALLS:
        return in_share(CALLED, operation.for_c, is_call=True) + cost_of_function(operation.attributes["callee"])
    if operation.regions:
        return NOTHING if operation.name != "try_" else TOLD if is_told(operation) else CAUGHT
    if "t" in operation.attributes.get("form", ""):
        found = TEXT_KEYS
    elif operation.name == "text_reference" and isinstance(operation.operands[0].type, ScalarType):
        found = ENTERED_LETTER
    elif operation.name in PARTS_OF_TEXTS and is_text(operation.results[0] if operation.name != "load" else operation.operands[0]):
        found = PARTS_OF_TEXTS[operation.name]
    elif operation.name in BY_NAME:
        found = BY_NAME[operation.name]
    else:
        found = ARRAY if has_arrays(chain(operation.operands, operation.results)) else NUMBER
    is_object = found in (ENTERED_TEXT, ENTERED_LETTER)  # which Python makes in C, too
    return found if is_object else in_share(found, operation.for_c)


def in_share(found: Cost, share: InC | None, is_call: bool = False) -> Cost:
    """What an operation takes that stands for a part of what Python has in C, which calls nothing by itself."""
    if share is None:
        return found
    return Cost(share.compiled * found.compiled, share.python * found.python * (not is_call), found.compilation)


def is_told(operation: Operation) -> bool:
    """Whether nothing that fails in a `try_` has to make an exception for its handler."""
    body, handler = operation.regions
    questions = questions_of(handler, handler.args[0], is_last=current() is None)
    if questions is None:
        return False
    tests, asks = questions[0], asks_more(handler)
    classes = [classes_asked_for(test) for test in tests]
    return all(answers_at(x, tests, asks) is not None or is_for_none(x, classes) for x in failing_in(body))


def is_for_none(operation: Operation, classes: list[Any]) -> bool:
    """Whether an operation raises nothing that handlers for these classes take."""
    return all(takes(each, kind or Exception) is False for each in classes for kind in classes_raised(operation))


def failing_in(block: Block) -> Iterator[Operation]:
    """What may fail in a block, but for contents that seldom come; of what leads to a `raise`, that alone, and nothing of one that raises
    again what a handler has."""
    for operation in block.operations if not block.terminated else block.operations[-1:]:
        if operation.name == "raise_" and any(isinstance(x.owner, Block) for x in operation.operands) or operation.attributes.get("rare"):
            continue
        if operation.can_fail or operation.name == "raise_":
            yield operation
        for region in operation.regions:
            yield from failing_in(region)


def cost_of_function(callee: Function) -> Cost:
    """A call of a function of the graph, compiled once for all its calls; one that calls itself does so as often as a loop runs, one that
    branches out more often."""
    found = NOTHING if callee.is_open else OF_FUNCTIONS.get(callee)
    if found is None:
        OF_FUNCTIONS[callee] = NOTHING  # of the calls that it makes of itself
        found = OF_FUNCTIONS[callee] = replace(cost_of_block(callee.graph.block), compilation=0.0).times(assumed_calls(callee))
    return found


def assumed_calls(callee: Function) -> float:
    """How often a function runs that is called once."""
    return ASSUMED_TRIPS * max(1, most_calls(callee.graph.block, callee)) if callee.is_recursive else ONCE


def most_calls(block: Block, callee: Function) -> int:
    """How often a path through a block calls a function at most; a loop goes through its body twice."""
    total = 0
    for operation in block.operations:
        if operation.name in CALLS:
            total += operation.attributes["callee"] is callee
        elif operation.regions:
            inside = [most_calls(region, callee) for region in operation.regions]
            total += 2 * sum(inside) if operation.name in LOOPS else max(inside)
    return total


def is_text(value: Value) -> bool:
    """Whether an array is a text: a vector of code points, or of bytes that were read from a bytes object."""
    if not isinstance(value.type, ArrayType) or value.type.rank != 1 or value.type.dtype not in (CODE_POINT, BYTE):
        return False
    owner = value.owner
    while value.type.dtype == BYTE and isinstance(owner, Operation) and owner.name in PARTS_OF_TEXTS and owner.operands:
        owner = owner.operands[0].owner
    return value.type.dtype == CODE_POINT or (isinstance(owner, Operation) and owner.name in OF_BYTES)


def has_arrays(values: Iterable[Value]) -> bool:
    """Whether one of these is an array."""
    return any(isinstance(value.type, ArrayType) for value in values)


def cost_of_host_call(operation: Operation) -> Cost:
    """A call of Python, by its kind."""
    if not operation.operands and operation.attributes.get("pure"):
        return OBJECT
    if "python_seconds" in operation.attributes:
        seconds = operation.attributes["python_seconds"]
        if not seconds:  # it runs where what was counted says so
            return NOTHING
        return Cost(seconds + ENTERING, seconds, ADAPTED.compilation)
    if operation.attributes["label"] == READS_INSTANCES:
        return FETCHED
    if "routine" in operation.attributes:
        return ARRAY
    if operation.attributes["label"].startswith(NEXT_LEVEL) and any(isinstance(x.type, ObjectType) for x in operation.operands):
        return LEVEL.times(FEW_TRIPS)
    direct, rebuilds_for = direct_call(operation.attributes["fn"]), getattr(operation.attributes["fn"], "rebuilds_for", None)
    function = rebuilds_for if direct is None else direct.function
    if has_arrays(operation.operands) and (function is None or not is_built_in(function)):
        return LIBRARY + LIBRARY_RESULT.times(max(0, len(operation.results) - 1))
    if direct is not None and is_ready(operation, direct.arguments):
        if operation.attributes["label"] == "f-string":
            return WRITTEN
        is_operator = any(operator_for(direct.function, len(direct.arguments), gives) for gives in Gives)
        return OPERATOR if is_operator else CALL
    if has_arrays(operation.results):
        return OF_ITEMS if hasattr(builtins, operation.attributes["label"]) else LIBRARY
    return ADAPTED if rebuilds_for is None else REBUILT_GIVEN


def is_built_in(function: Callable[..., Any]) -> bool:
    """Whether a function is one of Python's own, or stands for one."""
    owner = getattr(function, "__objclass__", function)
    return str(getattr(owner, "__module__", "")).partition(".")[0] in BUILT_IN


def cost_of_runs(operation: Operation, times: float) -> Cost:
    """An operation that runs so often; an object is fetched once."""
    once = cost_of(operation)
    return once if once is OBJECT else once.times(times)


def cost_of_block(block: Block, runs: Runs = assumed_runs, around: float = ONCE) -> Cost:
    """A block that runs `around` times in a call. Python takes for a line at least what its instructions do, of which operations may be
    left that are less, or none."""
    total, lines = NOTHING, LinesInPython()
    for operation, times in runs_in(block, around, runs):
        found = cost_of_runs(operation, times)
        lines.note(operation, found.python, times, runs)
        total += found
    return replace(total, python=total.python + sum(seconds for _, seconds in lines.missing()))


def cost_at_worst(block: Block) -> Cost:
    """A block that runs once, if of each branch the side runs that Python gains the most by, and loops of unknown length run at all only
    where Python gains by them."""
    total = NOTHING
    for operation in block.operations:
        if operation.name == "cond":
            sides = [max(map(cost_at_worst, usual_sides(operation)), key=gain_of_python, default=NOTHING)]
        else:
            sides = [cost_at_worst(region) for region in regions_of(operation) if not region.terminated]
        inside, trips = sum(sides, NOTHING), ONCE
        if operation.name.endswith("_loop"):
            trips = trips_of(operation, ASSUMED_TRIPS if gain_of_python(inside) > 0 else 0.0)
        total += inside.times(trips) if operation.name == "try_" else cost_of(operation) + inside.times(trips)
    return total


def gain_of_python(cost: Cost) -> float:
    """Seconds by which compiled code is slower."""
    return cost.compiled - SLOWER * cost.python


def refuse(cost: Cost, span: SourceSpan | None, what: str = "", gains_little: bool = False) -> None:
    """SlowerThanPython where calls are better left to Python: where they are slower, or it is not known well enough that they are not."""
    if not cost.is_refused and not gains_little:
        return
    reason = "to compile this would take longer than it is worth" if cost.is_refused else "compiled code would hardly be faster than Python"
    reason = "compiled code would be slower than Python" if cost.is_slower else reason
    raise SlowerThanPython(reason, span, f"{what}{cost.describe()}", REMEDY)
