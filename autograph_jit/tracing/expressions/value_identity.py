"""`is` between numbers, texts, tuples and frozensets of the run: whether Python has one object or two for equal values, only Python knows.

Small ints and truth values are one object each, and numbers of different types are two. Two other equal values are one object where they
are the same variable's, or one argument's that was passed twice, which neither the types nor the values tell: such a call runs in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.aliasing.references import NestedReference
from autograph_jit.tracing.containers.function_tables import FunctionReference, may_be_function
from autograph_jit.tracing.containers.unchanging import Unchanging
from autograph_jit.tracing.sequences.dynamic import class_of_text
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.structures.templates import contains_staged
from autograph_jit.tracing.texts.constants import has_one_source
from autograph_jit.tracing.values.abstract import Staged, StagedObject, StagedScalar
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.own_marks import is_marked
from autograph_jit.tracing.values.trace import user_span

SMALL_INTS = range(-5, 257)  # CPython's
ONE_OBJECT_EACH = frozenset((bool, np.bool_))


def types_of(x: Any) -> frozenset[type]:
    """The types that a number or text may have; of anything else none."""
    if isinstance(x, StagedScalar):
        return frozenset(x.python_types)
    if type(x) in (bool, int, float, complex) or isinstance(x, np.generic):
        return frozenset((type(x),))
    kind = None if isinstance(x, StagedObject) else class_of_text(x)
    return frozenset() if kind is None else frozenset((kind,))


def is_stand_in(x: Any) -> bool:
    """Whether only the run knows a number or text."""
    return isinstance(x, Staged) or is_marked(x, "kind_of_text")


def same_value(x: Any, y: Any, is_same: Callable[[Any, Any], Any]) -> Any:
    """`x is y` of two numbers or texts, or of a function that is a row; None where one of them is anything else."""
    for row, other in ((x, y), (y, x)):
        if isinstance(row, FunctionReference):
            return row == other if may_be_function(other) else None
        if isinstance(row, Chosen) and any(isinstance(option, FunctionReference) for option in row.alternatives):
            return distribute(row, lambda case, other=other: is_same(case, other))  # type: ignore[misc]
    given = [each for each in (x, y) if isinstance(each, Unchanging)]
    are_objects = bool(given) and all(isinstance(each, (given[0].python_type, StagedObject)) for each in (x, y))
    are_tuples, rows = is_tuple(x) and is_tuple(y), [each.value for each in (x, y) if isinstance(each, NestedReference)]
    if are_tuples and (rows or contains_staged(x) or contains_staged(y) or hold_the_same(x, y)) or are_objects:
        if are_tuples and len(rows) == 2 and rows[0] is rows[1]:
            return True
        if x is not y:
            refuse_identity(frozenset((given[0].python_type if given else tuple,)))
    first, second = types_of(x), types_of(y)
    if not first or not second:
        return None
    if x is y and (is_stand_in(x) or (isinstance(x, (str, bytes)) and has_one_source(x))):
        return True
    if not first & second:
        return False
    if first == second and first <= ONE_OBJECT_EACH:
        return language.call(bool, (language.compare("==", x, y),), None)
    for constant, other in ((x, y), (y, x)):
        if type(constant) is int and constant in SMALL_INTS and types_of(other) == {int}:
            return language.compare("==", other, constant)
    if not is_stand_in(x) and not is_stand_in(y) and x != y and (x == x or y == y):
        return False
    refuse_identity(first & second)


def is_tuple(x: Any) -> bool:
    """Whether a value is a tuple, or a row that is one: a tuple that is put into two lists has a row for each."""
    return isinstance(x, tuple) or isinstance(x, NestedReference) and getattr(type(x), "__rebuilt_type__", None) is tuple


def hold_the_same(x: Any, y: Any) -> bool:
    """Whether two tuples of constants may be one that paths have taken apart and put together again: their items are the same objects."""
    return x is y or (
        isinstance(x, tuple) and isinstance(y, tuple) and len(x) == len(y) and type(x) is type(y) and all(map(hold_the_same, x, y))
    )


def expect_no_value(x: Any, y: Any) -> None:
    """An object of the run is compared with a tuple or frozenset by identity: the program has that by its items, Python another one."""
    for known, other in ((x, y), (y, x)):
        is_value = isinstance(known, (tuple, frozenset)) and known and isinstance(other, StagedObject)
        if is_value and issubclass(type(known), other.python_type or object):
            refuse_identity(frozenset((type(known),)))


def refuse_identity(kinds: frozenset[type]) -> NoReturn:
    """ConversionError: only Python knows."""
    names = " or ".join(sorted(kind.__name__ for kind in kinds))
    why = "Python may have one object for two equal values, or two"
    raise ConversionError(f"`is` between values of type {names}", user_span(), why, "compare them with ==")
