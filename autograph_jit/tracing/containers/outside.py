"""Lists, dicts, sets and deques of the caller's world: what a program changes is the caller's own object, read and written when it runs.

A container that is only read is known while tracing. One that the program changes anywhere is traced again as an object of the run: every
read and write of it calls Python, in the order of the program, so that a caller sees each change at once, exceptions or not.
"""

from __future__ import annotations

from array import array
from collections import ChainMap, UserDict, UserList, deque
from collections.abc import Callable, Iterable
from ctypes import Array, Structure, Union, c_int
from threading import local
from types import FunctionType
from typing import Any
from weakref import CallableProxyType, ProxyType, WeakKeyDictionary, WeakSet, WeakValueDictionary

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.aliasing.families import decisions_for
from autograph_jit.tracing.aliasing.row_classes import is_row_too
from autograph_jit.tracing.aliasing.shared_objects import few_reachable
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.entries import is_of_run
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.hosting.purity import is_mutable
from autograph_jit.tracing.plain.packages import package_of
from autograph_jit.tracing.sequences.dynamic import Dynamic, common_kind, decided, is_place_in_loop, is_place_of_run, kind_of
from autograph_jit.tracing.structures.guards import SMALL_SIZE
from autograph_jit.tracing.structures.made_containers import expect_original
from autograph_jit.tracing.structures.templates import fields_of
from autograph_jit.tracing.texts.constants import TEXT_TYPES
from autograph_jit.tracing.texts.text import known_text
from autograph_jit.tracing.values.abstract import StagedObject, is_staged
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.trace import Restart, Trace, active, current, user_span
from autograph_jit.tracing.values.types import PYTHON_OBJECT

CHANGEABLE = (list, dict, set, deque, array, bytearray)
MAX_TYPED_ENTRIES = 16
MOST_OPERATIONS = 1000  # of the other trips of a loop that is written out
MOST_FOR_LETTERS = 5000  # the same of a loop over a constant text
MANY_ITEMS = 64  # of a list whose items are known: a loop over more of them is not written out
LETTERS = "letters"  # the decision that the letters of a constant text are those of the run
OPEN_CONTAINERS = ("open containers",)  # the decision that lists and dicts among the arguments are not known by their items
WEAK = (WeakSet, WeakKeyDictionary, WeakValueDictionary, ProxyType, CallableProxyType)
CHANGING: tuple[Any, ...] = (*WEAK, memoryview, Array, Structure, Union, c_int.__base__, local)  # a local has attributes for each thread
WRAPPERS = (UserList, UserDict, ChainMap)


class OutsideDict(TracedDict):
    """A dict of the caller's. Entries of its first call that hold numbers are known to be numbers of their types, under guard."""

    @acts_for_program
    def note_kind(self, key: Any, value: Any) -> None:
        if is_of_run(key):
            self.kinds.clear()
        elif key in self.kinds and self.kinds[key] != kind_of(value):
            self.kinds[key] = PYTHON_OBJECT


def is_container(x: Any) -> bool:
    """Whether a value is a real container, not one of the trace's."""
    return isinstance(x, CHANGEABLE) and not isinstance(x, Dynamic)


def defaults_of(function: Any) -> list[Any]:
    """The containers that are defaults of a function, or stand in tuples that are."""
    if not isinstance(function, FunctionType):
        return []
    found = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    for value in found:
        found += value if isinstance(value, tuple) else ()
    return [value for value in found if is_container(value)]


def forms_of_defaults(function: Any, args: tuple[Any, ...], given: Iterable[str]) -> dict[str, Any]:
    """The defaults that a call takes and that are containers which the program changes, by the names of their parameters."""
    inputs = active().inputs
    if inputs is None or not isinstance(function, FunctionType) or not defaults_of(function):
        return {}
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    taken = {**dict(zip(names[::-1], defaults[::-1])), **(function.__kwdefaults__ or {})}
    left = taken.keys() - set(names[: max(len(args), code.co_posonlyargcount)]) - set(given)
    forms = {name: inputs.found_inside(taken[name]) for name in sorted(left) if isinstance(taken[name], (*CHANGEABLE, tuple))}
    return {name: form for name, form in forms.items() if form is not taken[name]}


def is_changed(trace: Trace, container: Any) -> bool:
    """Whether an earlier trace found that the program changes this container."""
    return ("outside", id(container)) in trace.decisions


def belongs_to_run(trace: Trace, x: Any) -> bool:
    """Whether a value from outside is an object of the run: one that the program changes or gives away, or that changes by itself."""
    if isinstance(x, CHANGING):
        return package_of(type(x).__module__) != "autograph_jit"  # a `Scope` is known to the trace
    if type(x).__module__ == "decimal":  # what a Decimal gives depends on the context of the moment
        return True
    if is_mutable(x):
        return True
    if isinstance(x, WRAPPERS) and trace.inputs is not None and trace.inputs.is_reached(x):  # their methods write to what they hold
        return True
    is_chosen = is_changed(trace, x) or is_row_too(trace, x)
    return is_chosen and not isinstance(x, Dynamic) and (is_container(x) or fields_of(x) is not None)


def is_open(trace: Trace, x: Any) -> bool:
    """Whether nothing is known of what this argument holds, so that one program is for lists of any length."""
    return type(x) in (list, dict) and OPEN_CONTAINERS in trace.decisions


def of_the_run(trace: Trace, container: Any, staged: StagedObject, guard: Callable[[Any, Any], None]) -> Any:
    """The stand-in of a container that the program changes; `guard(key, value)` makes sure that an entry keeps its type."""
    if type(container) is list:
        items = TracedList()
        items.dynamic, items.key, items.depth = staged, ("outside", id(container)), 0
        return items
    if type(container) is not dict:
        return staged
    entries = OutsideDict()
    entries.dynamic, entries.key, entries.depth = staged, ("outside", id(container)), 0
    for key, value in list(container.items())[: 0 if is_open(trace, container) else MAX_TYPED_ENTRIES]:
        kind = kind_of(value)
        if kind.number is not None and isinstance(key, (str, int)):
            guard(key, value)
            entries.kinds[key] = kind
    return entries


def belongs_outside(trace: Trace, container: Any) -> bool:
    """Whether a container was not made by the traced program."""
    return is_container(container) and id(container) not in trace.outside.made


def is_unknown(container: Any) -> bool:
    """Whether Python code made a container while the program was traced: nobody's but the traced program's."""
    trace = current()
    if trace is None or trace.inputs is None or not belongs_outside(trace, container):
        return False
    if trace.inputs.is_reached(container) or id(container) in trace.differentiation.arguments:
        return False
    known = few_reachable(*(x for x, *_ in trace.inputs.origins.values())) or {}
    if id(container) in known and not is_changed(trace, container):
        raise Restart(("outside", id(container)))  # one of the caller's that was reached by a way that nobody saw
    return True


def expect_known(container: Any, key: Any) -> None:
    """Refuse to change a container of which the trace does not know where it was made, where the change depends on the run."""
    if key is None:
        kind = type(container).__name__
        raise ConversionError(
            f"a {kind} that Python code made while the function was traced is changed in a branch or loop, or by what only the run knows",
            user_span(),
            "it would be one object for all calls",
            f"make one of the program's own: `{kind}(...)` of it",
        )


def note_read(container: Any) -> None:
    """The trace looks into a container."""
    trace = current()
    if trace is not None and belongs_outside(trace, container):
        trace.outside.reads[id(container)] = container
        refuse_both(trace, container)


def note_write(container: Any) -> None:
    """The program changes a container: where it is the caller's, trace again with it as an object of the run."""
    trace = current()
    if trace is None or not belongs_outside(trace, container):
        return
    expect_original(container)
    if id(container) in trace.differentiation.arguments:
        raise ConversionError(
            f"this {type(container).__name__} is an argument that is differentiated, and is changed",
            user_span(),
            "the function has one of its own under differentiation, and the caller's would stay as it is",
            "change a copy of it, or leave it out of argnums",
        )
    if trace.inputs is not None and trace.inputs.is_reached(container) and not is_changed(trace, container):
        raise Restart(trace.inputs.decision_to_change(container))
    trace.outside.writes[id(container)] = container
    refuse_both(trace, container)


def contents_of(x: Any) -> Any:
    """A container of the caller's, by its items as the trace knows them: about to be looked through."""
    trace = current()
    if trace is None or trace.inputs is None or type(x) not in (list, tuple, dict):
        return x
    return trace.inputs.contents(form_of(x))


def of_many(x: Any) -> Any:
    """A list, tuple or text about to be looked through item by item: one of the run, where its items are known, of one type, and many."""
    trace = current()
    if trace is not None and type(x) in TEXT_TYPES:
        return known_text(x) if len(x) > MANY_ITEMS or (LETTERS, x) in trace.decisions else x
    if trace is None or trace.inputs is None or len(x if type(x) in (list, tuple) else known_items(x)) <= MANY_ITEMS:
        return x
    if not isinstance(x, TracedList):
        found = None if belongs_to_run(trace, x) or id(x) in trace.outside.made else trace.inputs.as_data(x)
        return x if found is None else found.items if type(x) is tuple else found
    is_own = x.key is not None and x.key[0] != "argument"  # of which the policy for arguments has decided
    kind = common_kind(list.copy(x)) if is_own and decided(trace, x.key) is None else None
    if kind is not None and kind.is_native:
        if not x.may_foresee(kind):
            raise Restart(*decisions_for(x, kind))
        x.foresee(kind)
    return x


def expect_light(x: Any, operations: int) -> None:
    """A loop over a list is written out, with so many operations for each item: where these are many, an argument becomes data, and where
    they are very many, the letters of a text."""
    trace = active()
    if type(x) in TEXT_TYPES and operations * (len(x) - 1) > MOST_FOR_LETTERS:
        raise Restart((LETTERS, x))
    is_argument = isinstance(x, TracedList) and x.dynamic is None and x.key is not None and x.key[0] == "argument"
    if is_argument and operations * (list.__len__(x) - 1) > MOST_OPERATIONS and decided(trace, x.key) is None:
        kind = common_kind(list.copy(x))
        if kind is not None and kind.is_native:
            raise Restart(("dynamic", x.key, kind))


def known_items(x: Any) -> list[Any]:
    """The items of a list of converted code, where the trace knows them."""
    return list.copy(x) if isinstance(x, TracedList) and x.dynamic is None else []


@acts_for_program
def items_of_any(x: Any) -> list[Any]:
    """The items of what Python goes through, in a list; its own error where it cannot."""
    return list(x)


def looked_through(x: Any) -> Any:
    """A container of the caller's by its items as the trace knows them, or as data where they are many."""
    return contents_of(of_many(x))


def sequence_of_run(x: list[Any] | tuple[Any, ...], key: Any) -> Any:
    """A list or tuple of the caller's as one of the run, where only that knows the place that is looked at. None where items are few, or
    the place is that of a loop that could be written out, and they hold no others: a choice of lists would be Python's, one of tuples makes
    them in each trip."""
    trace = active()
    if type(x) not in (list, tuple) or id(x) in trace.outside.made or trace.inputs is None:
        return None
    if type(key) is int:
        found = trace.inputs.reads.get(("as data", id(x)))  # a row is one list, however it was found
        return found if found is not None and any(isinstance(item, CHANGEABLE) for item in x) else None
    is_place = is_place_of_run(key)
    if not x or not (is_place or is_place_in_loop(key)):
        return None
    if is_place and (isinstance(key, slice) or len(x) > SMALL_SIZE):
        return trace.inputs.as_data(x)
    holds_rows = any(isinstance(item, (tuple, *CHANGEABLE)) for item in x) and trace.inputs.decision_to_read_in(x) is None
    return trace.inputs.as_data(x) if holds_rows else None


def form_of(x: Any) -> Any:
    """A container of the caller's as what it is in this trace: an object of the run, where the program changes it."""
    trace = current()
    return trace.inputs.found_inside(x) if trace is not None and belongs_to_run(trace, x) else x


def note_lookup(container: Any, key: Any) -> None:
    """`container[key]` may be a change: it makes an entry of a defaultdict, or gives a container inside that the trace does not know."""
    if not is_container(container):
        return
    inside = container.values() if isinstance(container, dict) else container
    if getattr(container, "default_factory", None) is not None or (is_staged(key) and any(map(is_container, inside))):
        note_write(container)


def refuse_both(trace: Trace, container: Any) -> None:
    """What nobody can tell from a container that Python code made while tracing."""
    if id(container) in trace.outside.reads and id(container) in trace.outside.writes:
        raise ConversionError(
            f"this {type(container).__name__} from outside the function is both changed and read",
            user_span(),
            "what is read of it is known while the function is traced, what is written happens when it runs",
            "pass it as an argument, or keep it out of the compiled function",
        )
