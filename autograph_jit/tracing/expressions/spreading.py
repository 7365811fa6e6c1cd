"""`*items` and `**items` in displays and calls: what of them the trace knows, and what stays together until the run."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.tracing.containers.dicts import Spread, TracedDict
from autograph_jit.tracing.containers.lists import Rest, TracedList
from autograph_jit.tracing.containers.outside import contents_of
from autograph_jit.tracing.expressions.number_errors import items_of_number
from autograph_jit.tracing.plain import operators as plain
from autograph_jit.tracing.plain.calls import MISFIT, Misfit
from autograph_jit.tracing.sequences.dynamic import Dynamic, Rowed
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.sequences.operand_texts import text_with_stand_ins
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.values.abstract import OfTheRun, Staged, StagedArray, StagedObject, StagedScalar, content_of, may_be_missing
from autograph_jit.tracing.values.callers_iterators import expect_not_callers
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import lift_array
from autograph_jit.tracing.values.trace import current


def spread(items: Any) -> Any:
    """The items of `*items` in a display or a call."""
    if current() is not None:
        items = content_of(items) if may_be_missing(items) else items
        expect_not_callers(items)
        items = lift_array(items) if isinstance(items, np.ndarray) else contents_of(language.collected(items))
    if isinstance(items, StagedScalar):
        return items_of_number(items)
    if isinstance(items, Rowed) and items.is_native:
        return items.listed()
    return language.iterate(items) if isinstance(items, StagedObject) else items


def spread_arguments(items: Any) -> Any:
    """The items of `*items` as all the positional arguments of a call, which names the function where there are none to be had."""
    if isinstance(items, StagedScalar) or isinstance(items, StagedArray) and items.ndim == 0:
        return (Misfit(items),)
    return spread_items(items) if isinstance(items, (OfTheRun, Chosen, Dynamic)) else plain.spread_arguments(spread_items(items))


def spread_mapping(items: Any) -> Any:
    """The entries of `**items` in a dict display; those of a run-time dict stay together."""
    if current() is None:
        return items
    items = contents_of(content_of(items, TypeError, "'NoneType' object is not a mapping"))
    if isinstance(items, TracedDict) and items.settled():
        return dict(dict.items(items))
    if isinstance(items, (TracedDict, StagedObject)):
        return {Spread(): items.handed if isinstance(items, TracedDict) and items.dynamic is not None else items}
    if isinstance(items, (Staged, np.ndarray)):
        raise TypeError(text_with_stand_ins(lambda x: {**x}, items))
    return items


def spread_keywords(items: Any) -> Any:
    """The entries of `**items` in a call; the call names the function where there are none to be had."""
    if current() is None:
        return plain.spread_keywords(items)
    if isinstance(items, (StagedScalar, StagedArray)):
        return {MISFIT: Misfit(items)}
    spread = spread_mapping(items)
    inner = next((value for key, value in spread.items() if isinstance(key, Spread)), None) if isinstance(spread, dict) else None
    return spread if inner is None else {MISFIT: inner}


def spread_items(items: Any) -> Any:
    """The items of `*items` in a list display or a call; those of a run-time list stay together."""
    items = spread(items)
    if isinstance(items, Indexed) and not isinstance(items.length(), int):
        items = language.call(list, (items,), None)
    return (Rest(items),) if isinstance(items, TracedList) and items.dynamic is not None else items
