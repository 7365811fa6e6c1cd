"""Derivatives of NumPy functions by equivalents: functions that say the same in terms of others, traced where a derivative is wanted.

The value is NumPy's own; the equivalent computes it again in a reverse sweep, and differentiating that gives every mode and order.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph_jit.autodiff.custom import is_staged_float
from autograph_jit.autodiff.equivalents.functions import EQUIVALENTS, FOLDED, UFUNC_METHODS, vectorized
from autograph_jit.autodiff.forward_mode.pushforward import is_covered, push_forward
from autograph_jit.autodiff.sweeps.accumulate import or_zero
from autograph_jit.autodiff.sweeps.classes import Classes
from autograph_jit.autodiff.sweeps.pullback import Primal, forward_and_reverse
from autograph_jit.autodiff.trees import leaves_of
from autograph_jit.errors import NotDifferentiable
from autograph_jit.records import dataclass
from autograph_jit.tracing.expressions import calls
from autograph_jit.tracing.hosting import host_derivatives
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.values.abstract import StagedArray
from autograph_jit.tracing.values.lift import is_array, is_number, lift_array
from autograph_jit.tracing.values.trace import user_span


@dataclass(frozen=True, slots=True, eq=False)
class EquivalentDerivative:
    """`arguments` makes (args, kwargs) of the function of the operands' stand-ins."""

    equivalent: Callable[..., Any]
    arguments: Rebuild
    label: str

    def primal(self, operands: Sequence[Any], backwards: bool) -> tuple[Primal, list[int]]:
        """The equivalent as a function of the operands that are floats, and their positions."""
        places = [index for index, operand in enumerate(operands) if is_staged_float(operand)]

        def run(leaves: list[Any]) -> list[Any]:
            values = list(operands)
            for place, leaf in zip(places, leaves):
                values[place] = leaf
            args, kwargs = self.arguments(values)
            found = leaves_of(self.equivalent(*args, **kwargs))
            return [lift_array(leaf) if is_array(leaf) else leaf for leaf in found if is_array(leaf) or is_number(leaf)]

        return Primal([operands[place] for place in places], run, backwards), places

    def __call__(self, cts: Sequence[Any], results: Sequence[Any], operands: Sequence[Any]) -> list[Any]:
        """A contribution for each operand."""
        primal, places = self.primal(operands, True)
        found = self.expect_as_many(primal.result, results)
        pairs = [(leaf.value, ct) for leaf, ct in zip(found, cts) if ct is not None and is_staged_float(leaf)]
        contributions: list[Any] = [None] * len(operands)
        if pairs:
            _, gradients = forward_and_reverse(primal, [value for value, _ in pairs], lambda _: [ct for _, ct in pairs])
            for place, gradient in zip(places, gradients):
                contributions[place] = gradient
        return contributions

    def jvp(self, tangents: Sequence[Any], results: Sequence[Any], operands: Sequence[Any]) -> Any:
        """The tangents of the results, one or a tuple of them; None where all tangents are None."""
        if all(tangent is None for tangent in tangents):
            return None
        primal, places = self.primal(operands, False)
        found = self.expect_as_many(primal.result, results)
        if not is_covered(primal.block, Classes(primal.block, primal.block.args)):
            raise NotDifferentiable(f"{self.label} has no forward derivative here", user_span(), "", "use ag.grad or ag.vjp")
        along = [or_zero_like(tangents[place], operands[place]) for place in places]
        outputs = [leaf.value for leaf in found if is_staged_float(leaf)]
        pushed = iter(push_forward(primal.block, primal.given, along, outputs)[1])
        result = [next(pushed) if is_staged_float(leaf) else None for leaf in found]
        return result[0] if len(results) == 1 else tuple(result)

    def expect_as_many(self, found: list[Any], results: Sequence[Any]) -> list[Any]:
        """The equivalent gives as many numbers and arrays as the function."""
        if len(found) != len(results):
            raise NotDifferentiable(
                f"{self.label} has no derivative with these options", user_span(), "no rule covers them", "use ag.custom_gradient"
            )
        return found


def or_zero_like(tangent: Any, operand: Any) -> Any:
    """A tangent as a graph value, zeros where there is none."""
    if tangent is not None:
        return tangent.value
    zero = calls.call(np.zeros_like, (operand,), None) if isinstance(operand, StagedArray) else or_zero(None, operand.value)
    return zero.value


def equivalent_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any] | None:
    """What a call can be traced as; None for functions and options that no equivalent knows."""
    owner = getattr(function, "__self__", None)
    if isinstance(function, np.vectorize):
        found: Any = vectorized(function)
    elif isinstance(owner, np.ufunc):
        found = UFUNC_METHODS[function.__name__](owner) if function.__name__ in UFUNC_METHODS and owner in FOLDED else None
    else:
        found = EQUIVALENTS.get(function) if getattr(function, "__hash__", None) else None
    if found is None:
        return None
    try:
        inspect.signature(found).bind(*args, **kwargs)
    except TypeError:
        return None
    return found


def derivative_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], arguments: Rebuild, label: str) -> Any:
    """The derivative of a call by an equivalent; None where there is none."""
    found = equivalent_of(function, args, kwargs)
    return None if found is None else EquivalentDerivative(found, arguments, label)


host_derivatives.by_equivalents.append(derivative_of)
