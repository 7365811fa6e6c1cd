"""The pullback of a recorded call of a NumPy function: the call is traced on its arguments, differentiated and compiled.

Calls of one function with arguments of one structure share a program.
"""

from __future__ import annotations

import itertools
import types
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.autodiff.forward_mode import directional
from autograph_jit.autodiff.tapes import sweep as tape_sweep
from autograph_jit.autodiff.tapes.records import Record
from autograph_jit.autodiff.transform import Traced
from autograph_jit.autodiff.trees import leaves_of
from autograph_jit.errors import ConversionError, NotDifferentiable
from autograph_jit.ops.dispatch import Boxed, unboxed
from autograph_jit.tensor.boxes import NumpyCall
from autograph_jit.tracing.expressions.access import getattr_
from autograph_jit.tracing.expressions.calls import call
from autograph_jit.tracing.values.lift import dtype_of, is_array, is_number
from autograph_jit.tracing.values.trace import user_span

MAX_KEPT = 256
KEPT: OrderedDict[Any, CallPullback] = OrderedDict()
compile_staged: list[Callable[[Callable[..., Any]], Callable[..., Any]]] = []


class CallPullback:
    """(cotangents, values of the boxes that are floats, of the others, plain arrays) to the gradients by the floats.

    `firsts` says for each place of a box in the call where the same box stands first: an array that is operand and `out` is one array.
    """

    def __init__(self, numpy_call: NumpyCall, floats: list[bool], changed: list[int], firsts: list[int], count: int) -> None:
        self.numpy_call, self.floats, self.changed, self.firsts, self.count = numpy_call, floats, changed, firsts, count
        self.sources = sorted(set(firsts))  # a box that stands in several places is given once
        self.__name__ = f"pullback of {getattr(numpy_call.function, '__name__', 'a call')}"
        self.compiled = compile_staged[0](self.staged)

    def staged(self, cts: list[Any], floats: list[Any], others: list[Any], arrays: list[Any]) -> Any:
        """The pullback on stand-ins."""
        return directional.vjp(Traced(self.replay), (list(floats), list(others), list(arrays)), (0,), list(cts))[1][0]

    def replay(self, floats: list[Any], others: list[Any], arrays: list[Any]) -> list[Any]:
        """The call again: the floats of its result, then what it wrote. Among the results, an argument that comes back counts where NumPy
        gave it another name, as a view of all of it."""
        numbers = iter(floats), iter(others)
        given = {place: next(numbers[0] if self.floats[place] else numbers[1]) for place in self.sources}
        copies = {place: call(np.copy, (value,), None) for place, value in given.items()}
        values = [copies[first] for first in self.firsts]
        args, kwargs = self.numpy_call.with_values(iter(values), iter(arrays or self.numpy_call.arrays))
        function, args = method_of(self.numpy_call.function, args)
        result = call(function, args, kwargs)
        found = [leaf for leaf in leaves_of(result) if (is_array(leaf) or is_number(leaf)) and dtype_of(leaf).kind in "fc"]
        fresh = [leaf for leaf in found if not any(leaf is value for value in values)]
        if len(found) < self.count:
            raise NotDifferentiable(
                f"{getattr(self.numpy_call.function, '__name__', 'a call')} has no derivative here",
                user_span(),
                "the type of its result depends on the data",
                "give it complex numbers, with astype(complex), or use ag.custom_gradient",
            )
        return [*(fresh if len(fresh) == self.count else found), *(values[position] for position in self.changed)]


def method_of(function: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """A method of ndarrays, called on its class, as one of the stand-in."""
    if isinstance(function, types.MethodDescriptorType) and args and is_array(args[0]):
        return getattr_(args[0], function.__name__), args[1:]
    return function, args


def replayed_pullback(record: Record, cts: list[Any], boxed: bool) -> list[Any]:
    """The contributions to the operands of a recorded call, None for those that are no floats."""
    pullback = pullback_of(record)
    values = record.saved if boxed else [unboxed(value) for value in record.saved]
    floats = [values[place] for place in pullback.sources if pullback.floats[place]]
    others = [values[place] for place in pullback.sources if not pullback.floats[place]]
    arrays = record.attributes["fn"].arrays
    try:
        found = iter(pullback.compiled(cts, floats, others, arrays))
    except ConversionError:
        if not arrays:
            raise
        found = iter(new_pullback(record).compiled(cts, floats, others, []))  # some stand where a constant is needed, as axes do
    return [next(found) if is_float and place in pullback.sources else None for place, is_float in enumerate(pullback.floats)]


def pullback_of(record: Record) -> CallPullback:
    """The pullback of a call, made once for each function and structure of its arguments."""
    numpy_call: NumpyCall = record.attributes["fn"]
    places = len(record.operands), len(numpy_call.arrays)
    shape = numpy_call.with_values(*(itertools.repeat(kind, count) for kind, count in zip((Boxed, np.ndarray), places)))
    made = new_pullback(record)
    try:
        key = (numpy_call.function, repr(frozen(shape)), tuple(made.floats), tuple(made.changed), tuple(made.firsts), made.count)
        hash(key)
    except TypeError:
        return made
    if key not in KEPT:
        KEPT[key] = made
        if len(KEPT) > MAX_KEPT:
            KEPT.popitem(last=False)
    return KEPT[key]


def new_pullback(record: Record) -> CallPullback:
    """The pullback of one call, whose plain arrays it may take as constants."""
    floats = [box.array.dtype.kind in "fc" for box in record.operands]
    firsts = [next(place for place, other in enumerate(record.operands) if other is box) for box in record.operands]
    changed = [place for place in sorted(set(firsts)) if any(record.operands[place] is other for other in record.changed)]
    return CallPullback(record.attributes["fn"], floats, changed, firsts, len(record.results))


def frozen(x: Any) -> Any:
    """A structure of constants that its text describes in full; TypeError for anything else."""
    if isinstance(x, (list, tuple)):
        return type(x)(frozen(item) for item in x)
    if isinstance(x, dict):
        return {key: frozen(value) for key, value in x.items()}
    if x is None or x is Ellipsis or isinstance(x, (bool, int, float, complex, str, slice, np.generic, np.dtype, type)):
        return x
    raise TypeError(f"{type(x).__name__} is no constant")


tape_sweep.replays.append(replayed_pullback)
