"""Comparisons in converted code: `==`, `<`, `is`, `in` and chains of them."""

from __future__ import annotations

import dataclasses
import enum
import functools
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.types import BOOL, I64
from autograph_jit.tracing.aliasing.escapes import expect_no_copy, expect_not_given
from autograph_jit.tracing.aliasing.identities import expect_distinct
from autograph_jit.tracing.aliasing.instances import expect_own
from autograph_jit.tracing.aliasing.references import InstanceReference, is_same_instance
from autograph_jit.tracing.containers.buffers import ViewedArray
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_lists import STRONG, WEAK, as_array, holds_whole_numbers
from autograph_jit.tracing.containers.outside import looked_through, note_read
from autograph_jit.tracing.containers.repeated import is_numpys
from autograph_jit.tracing.containers.tables import MAX_BRANCHES
from autograph_jit.tracing.containers.text_arrays import TextArray
from autograph_jit.tracing.containers.text_keys import table_for_key
from autograph_jit.tracing.containers.unchanging import Unchanging
from autograph_jit.tracing.control.branches import and_, or_
from autograph_jit.tracing.expressions.access import getattr_
from autograph_jit.tracing.expressions.array_identity import same_array
from autograph_jit.tracing.expressions.number_errors import contains_number
from autograph_jit.tracing.expressions.text_methods import contains_text
from autograph_jit.tracing.expressions.value_identity import expect_no_value, same_value
from autograph_jit.tracing.hosting.host_calls import host, host_bool, host_object, is_none
from autograph_jit.tracing.objects.callers_objects import guard_operator, is_open
from autograph_jit.tracing.sequences.cursors import Cursor
from autograph_jit.tracing.sequences.dynamic import Dynamic, Rowed, kind_of
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.sequences.operand_texts import text_with_stand_ins
from autograph_jit.tracing.sequences.ranges import StagedRange
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.structures.guards import is_constant
from autograph_jit.tracing.structures.made_containers import expect_original, library_base
from autograph_jit.tracing.structures.templates import contains_staged
from autograph_jit.tracing.texts import searching, splitting
from autograph_jit.tracing.texts.constants import expect_data
from autograph_jit.tracing.texts.text import Text
from autograph_jit.tracing.values.abstract import (
    Maybe,
    OfTheRun,
    Staged,
    StagedArray,
    StagedObject,
    StagedScalar,
    TaggedScalar,
    content_of,
    may_be_missing,
    may_be_none,
)
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.checks import settle
from autograph_jit.tracing.values.conditions import numbers_left
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.key_kinds import as_key_kind, is_key_kind
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import lift_array
from autograph_jit.tracing.values.trace import current, emit
from autograph_jit.tracing.values.types import ValueType

ORDERINGS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
SYMBOLS = {relation: symbol for symbol, relation in ORDERINGS.items()}
EQUAL_BY_FIELD = sys.version_info >= (3, 13)  # whether dataclasses compare field by field
LISTED = (list, range, StagedRange)  # with numbers and arrays of NumPy's they are compared item by item
PLAIN_NUMBERS = (bool, int, float, complex)
PLAIN_VALUES = (*PLAIN_NUMBERS, str, bytes, type(None))
WITHOUT_ORDER = (str, bytes, type(None), dict, list, tuple, set, type, types.FunctionType)  # beside numbers
MOST_COMPARED = 16  # items of a list, one by one
SAMENESS = {"is": True, "==": True, "is not": False, "!=": False}  # of classes
NAMES = {"==": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}


def compare(symbol: str, x: Any, y: Any) -> Any:
    """`x symbol y`."""
    if symbol in ORDERINGS and may_be_tuples(x) and may_be_tuples(y):
        equal = language.call(equal_trees, (x, y), None) if symbol in ("==", "!=") else None
        if equal is None:
            return language.call(order_trees, (ORDERINGS[symbol], x, y), None)
        return equal if symbol == "==" else language.unary("not", equal)
    return in_each_case(symbol, x, y)


def may_be_tuples(x: Any) -> bool:
    """Whether a value may be one of the tuples that are rows, and hold such."""
    if not isinstance(x, Chosen):
        return False
    left = numbers_left(x.selector, len(x.alternatives))
    return any(getattr(type(x.alternatives[place]), "__rebuilt_type__", None) is tuple for place in left)


def equal_trees(x: Any, y: Any) -> Any:
    """`x == y` of two such values, which comes back to this function where they are tuples."""
    return relation_in_cases(operator.eq, x, y)


def order_trees(relation: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """The same of an ordering."""
    return relation_in_cases(relation, x, y)


def relation_in_cases(relation: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """`relation(x, y)` by cases."""
    return in_each_case(SYMBOLS[relation], x, y)


@acts_for_program
def in_each_case(symbol: str, x: Any, y: Any) -> Any:
    """`x symbol y`, by cases where the run decides what they are."""
    may_differ = symbol in ("==", "!=") and x is not None and y is not None  # where one of them is None
    if isinstance(x, Chosen) and (found := compare_members(symbol, x, y)) is not None:
        return found
    if isinstance(x, Chosen) or may_differ and may_be_none(x):
        return distribute(x, lambda option: compare(symbol, option, y))
    if isinstance(y, Chosen) or may_differ and may_be_none(y):
        return distribute(y, lambda option: compare(symbol, x, option))
    if symbol == "is":
        return is_same(x, y)
    if symbol == "is not":
        return language.unary("not", is_same(x, y))
    if symbol == "in":
        return contains(x, y)
    if symbol == "not in":
        return language.unary("not", contains(x, y))
    if current() is not None:
        if symbol in ("==", "!=") and any(isinstance(v, Dynamic) and is_no_container(w) for v, w in ((x, y), (y, x))):
            return symbol == "!="
        if symbol in ("==", "!=") and any(isinstance(v, (str, bytes, Text)) and is_numpys_number(w) for v, w in ((x, y), (y, x))):
            return np.bool_(symbol == "!=")
        if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
            x, y = (lift_array(v) if isinstance(v, np.ndarray) and v.dtype.kind in "biufc" else v for v in (x, y))
        if symbol in ("==", "!=") and (isinstance(x, LISTED) and is_numpys(y) or isinstance(y, StagedRange) and is_numpys(x)):
            return language.binary(symbol, *(language.numpy(np.asarray, (v,), {}) if isinstance(v, StagedRange) else v for v in (y, x)))
        if isinstance(x, (tuple, list)) and isinstance(y, (tuple, list)) and (contains_staged(x) or contains_staged(y)):
            return compare_sequences(symbol, x, y)
        if not isinstance(x, (OfTheRun, Dynamic)) and type(x).__module__ != "builtins":
            result = compare_objects(symbol, x, y)
            if result is not NotImplemented:
                return result
        if isinstance(y, StagedObject) and type(x) in PLAIN_VALUES or type(x) in PLAIN_NUMBERS and is_plain(y):
            return language.binary(symbol, x, y)  # Python would turn the operator around, and errors say so
        if symbol not in ("==", "!=") and isinstance(x, WITHOUT_ORDER) and isinstance(y, StagedScalar) and y.weak:
            raise TypeError(text_with_stand_ins(ORDERINGS[symbol], x, y))
    return ORDERINGS[symbol](x, y)


def is_numpys_number(x: Any) -> bool:
    """Whether a value is a number of the run that NumPy compares."""
    return type(x) is StagedScalar and is_numpys(x)


def is_plain(x: Any) -> bool:
    """Whether a value is a text of the run, or a number of Python's."""
    return isinstance(x, Text) or isinstance(x, StagedScalar) and x.weak


def is_no_container(x: Any) -> bool:
    """Whether a value is a number of Python's, a text or None, which no list, dict or set equals."""
    return isinstance(x, PLAIN_VALUES) and not isinstance(x, np.generic) or is_plain(x)


def compare_objects(symbol: str, x: Any, y: Any) -> Any:
    """Compare by the method of the class of `x`, where Python code or `dataclass` made it."""
    for name in (NAMES[symbol], *(["__eq__"] if symbol == "!=" else [])):
        guard_operator(x.__class__ if isinstance(x, InstanceReference) else type(x), name)
    method = getattr(type(x), NAMES[symbol], None)
    if isinstance(method, types.FunctionType):
        if dataclasses.is_dataclass(x) and method.__code__.co_filename == "<string>":
            return compare_records(symbol, x, y)
        return language.call(method, (x, y), None)
    if symbol == "!=" and isinstance(type(x).__eq__, types.FunctionType):
        result = compare_objects("==", x, y)
        return result if result is NotImplemented else language.unary("not", result)
    return NotImplemented


def compare_records(symbol: str, x: Any, y: Any) -> Any:
    """Compare two dataclass instances field by field: as tuples, in which one object equals itself, but for `==` since Python 3.13."""
    if type(x) is not type(y):
        return NotImplemented
    if symbol == "==" and x is y:
        return True
    first, second = (tuple(getattr_(record, field.name) for field in dataclasses.fields(x) if field.compare) for record in (x, y))
    if symbol == "==" and first and EQUAL_BY_FIELD:
        return and_(*(functools.partial(compare, "==", *pair) for pair in zip(first, second)))
    return compare(symbol, first, second)


def compare_sequences(symbol: str, x: Any, y: Any) -> Any:
    """Compare two tuples or lists that hold staged values, item by item."""
    is_ordered = symbol not in ("==", "!=")
    if isinstance(x, list) != isinstance(y, list):
        if is_ordered:
            raise TypeError(text_with_stand_ins(ORDERINGS[symbol], x, y))
        return symbol == "!="
    if any(isinstance(v, Dynamic) and v.dynamic is not None for v in (x, y)):
        return compare_at_run_time(symbol, x, y)
    if is_ordered:
        return order_sequences(symbol, x, y)
    equal = len(x) == len(y)
    result = and_(*(item_equality(a, b) for a, b in zip(x, y))) if equal and len(x) else equal
    return result if symbol == "==" else language.unary("not", result)


def compare_at_run_time(symbol: str, x: Any, y: Any) -> Any:
    """Compare two sequences, one of them a list of the run: where two items decide the order, the result is what they give."""
    if symbol in ("==", "!=") and (equal := equality_to_known(x, y) or equality_to_known(y, x)) is not None:
        return equal() if symbol == "==" else language.unary("not", equal())
    x, y = in_kind_of(x, y), in_kind_of(y, x)
    if are_comparable(x, y):
        note_read(x)
        note_read(y)
        if symbol not in ("==", "!="):
            return language.call(splitting.lists_in_order, (x, y, ORDERINGS[symbol]), None)
        equal = native_equality(x, y)
        return equal if symbol == "==" else language.unary("not", equal)
    label = f"compare {symbol}"
    kinds = {kind for v in (x, y) for kind in item_kinds(v)}
    if symbol in ("==", "!=") or all(kind.number is not None and kind.number[1] for kind in kinds):
        return host_bool(ORDERINGS[symbol], x, y, label=label)
    if any(not kind.is_native for kind in kinds):
        return host_object(ORDERINGS[symbol], x, y, label=label)

    def typed_truth(*sequences: Any) -> tuple[bool, int]:
        found = ORDERINGS[symbol](*sequences)
        return bool(found), STRONG if isinstance(found, np.bool_) else WEAK

    truth, tag = host(typed_truth, (x, y), types=(BOOL, I64), label=label)
    return TaggedScalar(truth.value, tag.value, ((np.dtype(bool), True), (np.dtype(bool), False)))


def equality_to_known(x: Any, other: Any) -> Callable[[], Any] | None:
    """Whether a list of a few known items equals one of the run, of which none may be a nan, item by item; None for other lists."""
    if not isinstance(x, TracedList) or x.dynamic is not None or list.__len__(x) > MOST_COMPARED:
        return None
    if not isinstance(other, TracedList) or not other.is_searchable:
        return None
    note_read(x)
    tests = (lambda place=place, item=item: item_equality(other[place], item)() for place, item in enumerate(list.copy(x)))
    return lambda: and_(lambda: language.compare("==", other.length(), list.__len__(x)), *tests)


def in_kind_of(x: Any, other: Any) -> Any:
    """A list of known items as one of the run, where it is compared with one of that kind."""
    is_alike = isinstance(x, TracedList) and x.dynamic is None and isinstance(other, TracedList) and other.is_searchable
    return x.natively(other.kind, False) if is_alike and x.item_kind in (None, other.kind) else x


def are_comparable(x: Any, y: Any) -> bool:
    """Whether two values are lists of the run that hold items of one kind, none of which may be a nan."""
    return all(isinstance(v, TracedList) and v.is_searchable for v in (x, y)) and bool(x.kind == y.kind)


def native_equality(x: Any, y: Any) -> Any:
    """Whether two such lists hold the same."""
    if not holds_whole_numbers(x.kind):
        return language.call(splitting.are_same, (x, y), None)
    return language.call(searching.equals, tuple(as_array(v.native.parts[0]) for v in (x, y)), None)


def item_kinds(x: Any) -> set[ValueType]:
    """The kinds of a sequence's items."""
    return {x.kind} if isinstance(x, TracedList) and x.dynamic is not None else set(map(kind_of, tuple(x)))


def item_equality(a: Any, b: Any) -> Callable[[], Any]:
    """Identity or equality of two items, as containers compare them."""
    return lambda: True if a is b else language.call(bool, (compare("==", a, b),), None)


def order_sequences(symbol: str, x: Any, y: Any) -> Any:
    """Lexicographic order: the first items that differ decide."""
    if not len(x) or not len(y):
        return ORDERINGS[symbol](len(x), len(y))
    return language.if_exp(item_equality(x[0], y[0])(), lambda: order_sequences(symbol, x[1:], y[1:]), lambda: compare(symbol, x[0], y[0]))


def compare_members(symbol: str, x: Chosen, y: Any) -> Any:
    """`x symbol y` of one of several classes, or members of an enumeration, that Python's own rule compares; None of anything else."""
    kind: Any = type(x.alternatives[0])
    is_known = issubclass(kind, (type, enum.Enum)) and all(type(option) is kind for option in x.alternatives)
    if not is_known or isinstance(getattr(kind, NAMES.get(symbol, "__eq__"), None), types.FunctionType):
        return None
    if isinstance(y, Chosen):
        is_alike = symbol in SAMENESS and x.alternatives == y.alternatives
        return StagedScalar(emit("equal" if SAMENESS[symbol] else "not_equal", x.selector, y.selector).result, True) if is_alike else None
    if contains_staged(y) or isinstance(y, Dynamic) and y.dynamic is not None:
        return None
    answers = [compare(symbol, option, y) for option in x.alternatives]
    return x.is_among(answers) if all(isinstance(answer, bool) for answer in answers) else None


def compare_chain(first: Any, *links: tuple[str, Callable[[], Any]]) -> Any:
    """`a < b < c`: each operand is evaluated at most once, and no further than the first false link."""
    (symbol, thunk), rest = links[0], links[1:]
    second = thunk()
    result = compare(symbol, first, second)
    return result if not rest else and_(lambda: result, lambda: compare_chain(second, *rest))


def is_same(x: Any, y: Any) -> Any:
    """`x is y`."""
    same = same_value(x, y, is_same) if current() is not None else None
    if same is not None or x is y:
        return x is y if same is None else same
    if x is None or y is None:
        other = y if x is None else x
        return is_none(other) if isinstance(other, (Maybe, StagedObject)) else False
    if isinstance(x, InstanceReference) and isinstance(y, InstanceReference):
        return is_same_instance(x, y)
    if isinstance(x, (Maybe, Chosen)) or isinstance(y, (Maybe, Chosen)):
        x, other = (content_of(each) if may_be_missing(each) else each for each in (x, y))
        return distribute(x, lambda case: distribute(other, lambda another: is_same(case, another)))
    if isinstance(x, StagedObject) or isinstance(y, StagedObject):
        expect_no_value(x, y)
        expect_no_copy(x)
        expect_no_copy(y)
        return host_bool(operator.is_, x, y, label="is")
    if type(x) is type(y):
        for each in (x, y):
            expect_own(each)
            expect_original(each)
        expect_not_given(x)
    if isinstance(x, Dynamic) and isinstance(y, Dynamic) and x.is_native and y.is_native:
        if x.__class__ is not y.__class__:
            return False
        for each in (x, y):
            each.expect_only_read()
        return StagedScalar(emit("list_is_same", x.dynamic, y.dynamic).result, True) if x.family or y.family else False
    if isinstance(x, StagedArray) and isinstance(y, StagedArray):
        return same_array(x, y)
    expect_distinct(x, y)
    return False


@acts_for_program
def contains(item: Any, container: Any) -> Any:
    """`item in container`."""
    if current() is None:
        return item in container
    container = settle(content_of(container))
    if isinstance(container, Chosen):
        return compare("in", item, container)
    table = table_for_key(container, item)
    container = container.items if isinstance(container, Unchanging) else looked_through(container) if table is None else table
    note_read(container)
    expect_data(container)
    if type(container) is frozenset and not container and is_key_kind(as_key_kind(kind_of(item))):
        return False
    if isinstance(container, Text) or isinstance(container, (str, bytes)) and contains_staged(item):
        return contains_text(container, item)
    if isinstance(container, np.ndarray):
        container = lift_array(container)
    if isinstance(container, TextArray):
        return container.contains(item)
    if isinstance(container, StagedArray):
        return language.call(bool, (language.numpy(np.any, (compare("==", container, item),), {}),), None)
    if isinstance(container, StagedObject):
        return host_bool(operator.contains, container, item, label="in")
    if isinstance(container, Rowed) and container.is_native or isinstance(container, Dynamic) and isinstance(container, dict):
        return container.contains(item)  # type: ignore[union-attr]
    if isinstance(container, Dynamic) and container.dynamic is not None:
        return container.contains(item)  # type: ignore[attr-defined]
    method = getattr(type(container), "__contains__", None)
    is_own = isinstance(method, types.FunctionType) and library_base(type(container)) is not None
    if isinstance(container, (list, tuple)) and not is_own and (contains_staged(item) or contains_staged(container)):
        return or_(*(item_equality(item, other) for other in list(container)), lambda: False)
    if isinstance(container, (StagedRange, ViewedArray)):
        return container.contains(item)
    if isinstance(container, Cursor):
        return language.call(any, (language.call(map, (lambda other: item_equality(item, other)(), container), None),), None)
    if isinstance(container, Indexed) or isinstance(container, range) and isinstance(item, Staged):
        return or_(*(item_equality(item, other) for other in container), lambda: False)
    if isinstance(container, StagedScalar):
        return contains_number(container)
    if isinstance(method, types.FunctionType):
        return language.call(bool, (language.call(method, (container, item), None),), None)
    if type(container) is dict and isinstance(item, Text) and len(container) <= MAX_BRANCHES and all(map(is_constant, container)):
        return contains(item, tuple(container))
    if contains_staged(item) or is_open((item, container)):
        return host_bool(lambda x, where: x in where, item, container, label="in")
    return item in container


def compared(symbol: str, items: TracedList, other: Any) -> Any:
    """`items symbol other`, where the method of a list is called by its name."""
    is_known = items.dynamic is None and not (isinstance(other, TracedList) and other.dynamic is not None)
    if is_known or not isinstance(other, list):
        return getattr(list, NAMES[symbol])(items, other)
    return compare(symbol, items, other)


for _symbol in ("!=", "<", "<=", ">", ">="):
    setattr(TracedList, NAMES[_symbol], lambda items, other, symbol=_symbol: compared(symbol, items, other))
