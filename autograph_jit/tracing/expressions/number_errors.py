"""What Python says where a number is used as something that it is not: the texts name its type, which the path may decide."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from autograph_jit.tracing.sequences.operand_texts import text_with_stand_ins
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar
from autograph_jit.tracing.values.alternatives import in_each_kind

NO_INDICES = (str, bytes, type(None), type(Ellipsis), tuple, list, dict, set)


@in_each_kind
def iterator_of_number(x: StagedScalar) -> Any:
    """`iter(x)`."""
    raise TypeError(f"'{x.type_name}' object is not iterable")


@in_each_kind
def refuse_change(x: StagedScalar, change: Callable[..., Any], *args: Any) -> None:
    """Numbers do not change: what Python says of the attempt."""
    raise TypeError(text_with_stand_ins(change, x, *args))


@in_each_kind
def refuse_attribute(x: Any, change: Callable[..., Any], *args: Any) -> None:
    """What Python says of the attempt to set or delete an attribute of a number, or of a list or dict."""
    raise AttributeError(text_with_stand_ins(change, x, *args))


@in_each_kind
def parts_of_number(x: StagedScalar) -> Any:
    """`a, b = x`: the error that names the type."""
    raise TypeError(f"cannot unpack non-iterable {x.type_name} object")


@in_each_kind
def expect_index(key: Any, items: Any) -> None:
    """An array, a text, None or a number that is no integer is no index: what Python says of it."""
    if not isinstance(key, StagedScalar) or key.scalar_dtype.kind not in ("biu" if key.weak else "iu"):
        raise TypeError(text_with_stand_ins(operator.getitem, items, key))


@in_each_kind
def contains_number(x: StagedScalar) -> Any:
    """`item in x`: the error that names the type."""
    raise TypeError(text_with_stand_ins(operator.contains, x, 0))


@in_each_kind
def items_of_number(x: StagedScalar) -> Any:
    """`[*x]`: the error that names the type."""
    raise TypeError(f"Value after * must be an iterable, not {x.type_name}")


@in_each_kind
def refuse_call(x: Any) -> None:
    """The error of a call of a number or an array."""
    raise TypeError(f"'{'numpy.ndarray' if isinstance(x, StagedArray) else x.type_name}' object is not callable")
