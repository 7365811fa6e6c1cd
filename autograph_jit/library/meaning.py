"""Python's operations on abstract values, from the modules that define them, as `language.Language` names them."""

from __future__ import annotations

from typing import Any

from autograph_jit.library.numpy import attributes, protocol
from autograph_jit.library.numpy.attributes import set_array_attribute as set_attribute
from autograph_jit.library.numpy.protocol import call_numpy, numpy
from autograph_jit.library.numpy.protocol import call_ufunc as ufunc
from autograph_jit.library.python.iteration import collected, iterate_object
from autograph_jit.library.python.iterators import for_iterator
from autograph_jit.library.python.types import unbox_index
from autograph_jit.tracing.containers.tuples import TracedTuple
from autograph_jit.tracing.control.branches import if_exp, not_
from autograph_jit.tracing.control.loops import for_each
from autograph_jit.tracing.expressions import access, operators, tagged
from autograph_jit.tracing.expressions.calls import call, call_function
from autograph_jit.tracing.expressions.comparison import compare
from autograph_jit.tracing.expressions.number_errors import iterator_of_number
from autograph_jit.tracing.expressions.operators import binary, inplace
from autograph_jit.tracing.objects import opaque as objects
from autograph_jit.tracing.structures.demands import demand
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar

__all__ = [  # fmt: skip
    "attribute",
    "binary",
    "call",
    "call_function",
    "call_numpy",
    "collected",
    "compare",
    "demand",
    "for_each",
    "for_iterator",
    "getitem",
    "if_exp",
    "inplace",
    "integer_of",
    "iterate",
    "numpy",
    "set_attribute",
    "setitem",
    "ufunc",
    "unary",
]


def unary(symbol: str, x: Any) -> Any:
    """`symbol x`."""
    return not_(x) if symbol == "not" else operators.unary(symbol, x)


def attribute(x: Any, name: str) -> Any:
    """`x.name`."""
    if isinstance(x, StagedArray):
        return attributes.array_attribute(x, name)
    return attributes.scalar_attribute(x, name) if isinstance(x, StagedScalar) else objects.object_attribute(x, name)


def getitem(x: Any, key: Any) -> Any:
    """`x[key]`."""
    if isinstance(x, StagedArray):
        return tagged.by_kinds_in(key, lambda key: protocol.getitem(x, key))
    if isinstance(x, TracedTuple):
        return x.item(key)
    return objects.object_getitem(x, key) if isinstance(x, StagedObject) else access.getitem(x, key)


def setitem(x: Any, key: Any, value: Any) -> None:
    """`x[key] = value`."""
    if isinstance(x, StagedObject):
        objects.object_setitem(x, key, value)
    else:
        tagged.by_kinds_in(key, lambda key: protocol.setitem(x, key, value))


def iterate(x: Any) -> Any:
    """What goes through the items of `x`."""
    if isinstance(x, StagedArray):
        return protocol.iterate(x)
    return iterate_object(x) if isinstance(x, StagedObject) else iterator_of_number(x)


def integer_of(x: Any) -> StagedScalar:
    """The integer that `x` is as an index."""
    return unbox_index(x) if isinstance(x, StagedObject) else tagged.integer_of(x)
