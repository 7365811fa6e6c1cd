"""`choice`, `shuffle` and `permutation` of NumPy's generators: loops over draws, converted and staged as the user's loops are."""

from __future__ import annotations

from inspect import Parameter
from typing import Any

import numpy as np

from autograph_jit.library.numpy.draws import Source, complaint, is_size, special
from autograph_jit.tracing.arrays.array_like import as_array
from autograph_jit.tracing.arrays.register import FUNCTIONS, refuse
from autograph_jit.tracing.expressions.register import builtin, convert_on_call
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, check
from autograph_jit.tracing.values.lift import index_value, scalar, wrap
from autograph_jit.tracing.values.trace import constant, emit

GENERATOR, RANDOM_STATE = np.random.Generator, np.random.RandomState
UNIFORM_INTEGERS = {GENERATOR: "integers", RANDOM_STATE: "randint"}
REQUIRED = Parameter.empty
SUM_TOLERANCE = float(np.sqrt(np.finfo(np.float64).eps))
# Probabilities of two items that NumPy refuses, in the order in which it looks.
WRONG_PROBABILITIES = ((0.5, np.nan), (-0.5, 1.5), (0.5, 0.4))


def int_up_to(generator: Any, last: int) -> int:
    """An int from 0 to `last`, as NumPy shuffles."""
    return generator.randint(last + 1)


@builtin(int_up_to)
def staged_int_up_to(generator: StagedObject, last: Any) -> Any:
    """The same of a generator of the run."""
    return scalar(Source(generator).draw("randint", (constant(np.int64(0)), index_value(last))), True)


@special((GENERATOR, "choice"), a=REQUIRED, size=None, replace=True, p=None, axis=0, shuffle=True)
@special((RANDOM_STATE, "choice"), a=REQUIRED, size=None, replace=True, p=None)
def choice(source: Source, kind: type, given: dict[str, Any]) -> Any:
    """Items of a vector, or ints below a number, each drawn from all of them."""
    a, size, p = given["a"], given["size"], given["p"]
    refuse(given["replace"] is not True, given.get("axis", 0) != 0)
    items = None if is_size(a) else vector(a)
    count = index_value(a) if items is None else emit("dim", items.value, axis=0).result
    check(emit("less", constant(np.int64(0)), count).result, *complaint(kind, "choice", (0 if items is None else (),)))
    if p is not None:
        places = weighted_places(source, kind, vector(p), count, size)
    else:
        bounds = constant(np.int64(0)), emit("subtract", count, constant(np.int64(1))).result
        distribution = UNIFORM_INTEGERS[kind]
        places = wrap(source.draw(distribution, bounds), weak=True) if size is None else source.draw_many(distribution, bounds, size)
    return places if items is None else convert_on_call(item_at)(items, places)


def vector(x: Any) -> StagedArray:
    """A vector of numbers; anything else is NumPy's business."""
    refuse(isinstance(x, (StagedObject, str)))
    found = as_array(x)
    refuse(found.ndim != 1)
    return found


def item_at(items: Any, place: Any) -> Any:
    """One item, or an array of items."""
    return items[place]


def weighted_places(source: Source, kind: type, p: StagedArray, count: Any, size: Any) -> Any:
    """Places that are drawn with these probabilities."""
    refuse(p.dtype != np.float64)
    same = emit("equal", emit("dim", p.value, axis=0).result, count).result
    check(same, *complaint(kind, "choice", (2,), p=(0.2, 0.3, 0.5)))
    texts = tuple(complaint(kind, "choice", (2,), p=wrong)[1] for wrong in WRONG_PROBABILITIES)
    total = convert_on_call(sum_of_probabilities)(p, texts)
    if size is None:
        return convert_on_call(place_of)(p, total, wrap(source.draw("random", ()), weak=True))
    return convert_on_call(places_of)(p, source.draw_many("random", (), size))


def sum_of_probabilities(p: Any, texts: Any) -> Any:
    """The sum from the first one to the last one, with NumPy's errors."""
    total = 0.0
    has_negative = False
    for k in range(len(p)):
        total += p[k]
        if p[k] < 0.0:
            has_negative = True
    if total != total:
        raise ValueError(texts[0])
    if has_negative:
        raise ValueError(texts[1])
    if abs(total - 1.0) > SUM_TOLERANCE:
        raise ValueError(texts[2])
    return total


def place_of(p: Any, total: Any, u: Any) -> Any:
    """Where the sum of the probabilities goes beyond `u`."""
    reached = 0.0
    for k in range(len(p)):
        reached += p[k]
        if u < reached / total:
            return k
    return len(p)


def places_of(p: Any, u: Any) -> Any:
    """The same of many."""
    reached = np.cumsum(p)
    return np.searchsorted(reached / reached[-1], u, side="right")


@special((GENERATOR, "shuffle"), x=REQUIRED, axis=0)
@special((RANDOM_STATE, "shuffle"), x=REQUIRED)
def shuffle(source: Source, kind: type, given: dict[str, Any]) -> None:
    """The items of an array or list in another order."""
    x = given["x"]
    refuse(not isinstance(x, (list, StagedArray, np.ndarray)), given.get("axis", 0) != 0)
    x = x if isinstance(x, list) else as_array(x)
    refuse(isinstance(x, StagedArray) and x.ndim == 0)
    convert_on_call(exchange)(source.generator, x, 1 if isinstance(x, list) else x.ndim)


def exchange(generator: Any, x: Any, rank: Any) -> None:
    """Each item from the last one on with one that stands no later."""
    for i in range(len(x) - 1, 0, -1):
        j = int_up_to(generator, i)
        if rank == 1:
            x[i], x[j] = x[j], x[i]
        elif i != j:
            item = x[i].copy()
            x[i] = x[j]
            x[j] = item


@special((GENERATOR, "permutation"), x=REQUIRED, axis=0)
@special((RANDOM_STATE, "permutation"), x=REQUIRED)
def permutation(source: Source, kind: type, given: dict[str, Any]) -> Any:
    """A shuffled copy; a shuffled range of an int."""
    x = given["x"]
    refuse(isinstance(x, (StagedObject, str)), given.get("axis", 0) != 0)
    if is_size(x):
        return shuffled_range(source, x)
    x = as_array(x)
    refuse(x.ndim == 0)
    return convert_on_call(item_at)(x, shuffled_range(source, wrap(emit("dim", x.value, axis=0).result, weak=True)))


def shuffled_range(source: Source, count: Any) -> StagedArray:
    """The ints below a number in another order."""
    places = FUNCTIONS[np.arange](count)
    convert_on_call(exchange)(source.generator, places, 1)
    return places
