"""Graph values that stand for what is not there: of a value that may be absent, of the types that one of several things has not."""

from __future__ import annotations

import numpy as np

from autograph_jit.ir.graph import Value
from autograph_jit.ir.types import TEXT_REFERENCES, ArrayType, ListType, ScalarType, Type
from autograph_jit.tracing.hosting.host_calls import object_constant
from autograph_jit.tracing.texts.references import reference_of
from autograph_jit.tracing.values.trace import constant, emit
from autograph_jit.tracing.values.types import TEXT_KINDS, ValueType


def placeholder(x: ValueType) -> list[Value]:
    """Graph values of the right types that stand for an absent value."""
    return [placeholder_value(type_) for type_ in x.parts]


def placeholder_value(type_: Type) -> Value:
    """A value of a type, never read."""
    if type_ in TEXT_REFERENCES:
        kind = TEXT_KINDS[TEXT_REFERENCES.index(type_)]  # type: ignore[arg-type]
        return reference_of("" if issubclass(kind, str) else b"", kind)
    if isinstance(type_, ScalarType):
        return constant(type_.dtype.type(0))
    if isinstance(type_, ArrayType):
        sizes = (constant(np.int64(size if isinstance(size, int) else 0)) for size in type_.dims)
        return emit("empty", *sizes, dtype=type_.dtype, dims=type_.dims, checked=True).result
    if isinstance(type_, ListType):
        return emit("list_new", elem=type_.elem).result
    return object_constant(None).value
