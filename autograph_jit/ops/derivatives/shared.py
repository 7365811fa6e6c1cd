"""What the rules of operations share: the product of the chain rule, and elementwise rules made of partial derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.derivative import ByOperand, Derivative
from autograph_jit.ops import registry
from autograph_jit.ops.dispatch import Boxed

Partial = Callable[..., Any] | int | None
REAL_VALUES = (np.ndarray, np.generic, int, float, complex)


class Dispatched:
    """A registered operation as a function of arrays and numbers. Given stand-ins, it goes where NumPy's functions on them go:
    to `__array_function__`, which finds the name of the operation in `operation`."""

    def __init__(self, operation: str) -> None:
        self.operation = operation
        self.__name__ = operation

    def __call__(self, *operands: Any, **attributes: Any) -> Any:
        for operand in operands:
            if isinstance(operand, Boxed) or not isinstance(operand, REAL_VALUES):
                stand_in: Any = operand
                return stand_in.__array_function__(self, (type(operand),), operands, attributes)
        return registry.get(self.operation).eager(*operands, **attributes)


chain_product = Dispatched("chain_product")


def is_complex(x: Any) -> bool:
    """Whether the dtype of a value is complex."""
    return bool(np.iscomplexobj(x))


def conjugated(x: Any) -> Any:
    """The complex conjugate; real values as they are."""
    return np.conjugate(x) if is_complex(x) else x


def chain(ct: Any, partial: Any) -> Any:
    """A cotangent times a partial derivative: zero where the cotangent is zero, though the partial derivative be infinite or NaN there.

    So the branch that `where` did not take gives zero, as long as it is singular and does not overflow:
    the gradient of `where(x > 0, x * log(x), 0)` at 0 is 0. The product has the derivatives of an ordinary one.
    """
    if type(partial) in (int, float):
        return ct * partial
    return chain_product(ct, conjugated(partial))


def contribution_of(partial: Partial, product: Callable[[Any, Any], Any]) -> Callable[..., Any] | None:
    """The rule for what one operand gets."""
    if partial is None:
        return None
    if isinstance(partial, int):
        return (lambda ct, *values: ct) if partial == 1 else (lambda ct, *values: -ct)
    return lambda ct, *values: product(ct, partial(*values))


def plain_product(ct: Any, partial: Any) -> Any:
    """A cotangent times the conjugate of a partial derivative."""
    return ct * conjugated(partial)


def filled(tangent: Any, result: Any) -> Any:
    """A tangent in memory of its own and in the shape of the result."""
    if np.ndim(result) == 0 and np.ndim(tangent) == 0:
        return tangent
    return np.copy(np.broadcast_to(tangent, np.shape(result)))


def total_of_terms(terms: list[Any]) -> Any:
    """The sum; None of nothing."""
    return sum(terms[1:], terms[0]) if terms else None


def elementwise(*partials: Partial, regular: bool = False) -> Derivative:
    """The rules of an elementwise operation of its partial derivatives, one for each operand: a function of the result and the operands,
    1 or -1, or None where the derivative is zero. `regular` partial derivatives are finite wherever the result is."""
    product = plain_product if regular else chain
    vjp = ByOperand(tuple(contribution_of(partial, product) for partial in partials))

    def jvp(tangents: tuple[Any, ...], result: Any, *operands: Any) -> Any:
        terms = []
        is_sum = len(partials) > 1 and None not in partials and not any(tangent is None for tangent in tangents)
        for tangent, partial in zip(tangents, partials, strict=True):
            if tangent is None or partial is None:
                continue
            if isinstance(partial, int):
                term = tangent if is_sum else filled(tangent, result)
                terms.append(term if partial == 1 else -term)
            else:
                terms.append(tangent * partial(result, *operands))
        return total_of_terms(terms)

    return Derivative(vjp, jvp)


def derivative_of_linear(vjp: Callable[..., Any], jvp: Callable[..., Any]) -> Derivative:
    """The rules of a function of one operand that is linear over the reals: `vjp(ct, x)` and `jvp(t, x)`."""
    return Derivative(
        lambda ct, result, x, **attributes: (vjp(ct, x),),
        lambda tangents, result, x, **attributes: None if tangents[0] is None else jvp(tangents[0], x),
    )


def positions(x: Any, axis: int) -> Any:
    """The position along an axis of every element, in the shape of x. (np.arange of a size that only the run knows would not dispatch.)"""
    return np.cumsum(np.ones_like(x, dtype=np.int64), axis=axis) - 1


def tangent_or_zero(tangent: Any, operand: Any) -> Any:
    """Zeros for a tangent that is None."""
    return np.zeros_like(operand) if tangent is None else tangent


def derivative_of_choice(condition: Callable[..., Any]) -> Derivative:
    """The rules of an operation that takes its first operand where `condition` of both holds, else the second."""

    def vjp(ct: Any, result: Any, x: Any, y: Any) -> tuple[Any, Any]:
        first = condition(x, y)
        return np.where(first, ct, 0), np.where(first, 0, ct)

    def jvp(tangents: tuple[Any, Any], result: Any, x: Any, y: Any) -> Any:
        if tangents[0] is None and tangents[1] is None:
            return None
        return np.where(condition(x, y), tangent_or_zero(tangents[0], x), tangent_or_zero(tangents[1], y))

    return Derivative(vjp, jvp)


def chain_product_vjp(ct: Any, result: Any, first: Any, partial: Any) -> tuple[Any, Any]:
    """By the partial derivative it is zero where the inner cotangent is, though the outer one be infinite there."""
    return chain(ct, partial), chain_product(conjugated(first), ct)


def chain_product_jvp(tangents: tuple[Any, Any], result: Any, first: Any, partial: Any) -> Any:
    """The product rule, in which what is zero stays zero."""
    along_first, along_partial = tangents
    terms = [] if along_first is None else [chain_product(along_first, partial)]
    if along_partial is not None:
        terms.append(chain_product(first, along_partial))
    return total_of_terms(terms)


CHAIN_PRODUCT = Derivative(chain_product_vjp, chain_product_jvp)
