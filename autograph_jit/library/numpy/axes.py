"""Axes: counted from the front, and chosen by the data, which takes a branch for each axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.values.abstract import StagedScalar, check
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import constant, emit


class UnknownAxis(ConversionError):
    """An axis that only the run knows is asked for, of an array of this rank."""

    def __init__(self, axis: StagedScalar, rank: int, error: ConversionError) -> None:
        super().__init__(error.what, error.span, error.why, error.remedy)
        self.axis, self.rank = axis, rank


def normalize_axis(axis: Any, rank: int, prefix: str | None = None) -> int:
    """One axis counted from the front; NumPy's AxisError, with the name of the argument where there are several."""
    try:
        number = axis.__index__()
    except ConversionError as error:
        if isinstance(axis, StagedScalar):
            raise UnknownAxis(axis, rank, error) from None
        raise
    if not -rank <= number < rank:
        raise np.exceptions.AxisError(number, rank, prefix)
    return number % rank


def on_each_axis(unknown: UnknownAxis, call: Callable[[tuple[Any, ...], dict[str, Any]], Any], args: Any, kwargs: Any) -> Any:
    """The call with each axis in the place of the one that only the run knows; the axis found there decides."""
    axis, rank = unknown.axis, unknown.rank
    if not any(value is axis for value in (*args, *kwargs.values())) or rank == 0:
        raise unknown
    above = emit("greater_equal", axis.value, constant(axis.scalar_dtype.type(-rank))).result
    below = emit("less", axis.value, constant(axis.scalar_dtype.type(rank))).result
    text = f"axis {{0}} is out of bounds for array of dimension {rank}"
    check(emit("logical_and", above, below).result, np.exceptions.AxisError, text, axis.value)

    def with_axis(number: int) -> Any:
        found = tuple(number if arg is axis else arg for arg in args)
        return call(found, {name: number if value is axis else value for name, value in kwargs.items()})

    def from_axis(number: int) -> Any:
        if number == rank - 1:
            return with_axis(number)
        is_it: Any = np.logical_or(np.equal(axis, number), np.equal(axis, number - rank))
        return language.if_exp(is_it, lambda: with_axis(number), lambda: from_axis(number + 1))

    return from_axis(0)
