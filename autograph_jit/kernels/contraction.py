"""Sums of cotangents round once with the products that they add: a fused multiply-add, which processors do in the time of either.

Before: t = multiply(ct, w); s = add(old, t)               After: s = fma(ct, w, old)

Only sums whose operation is marked (`Operation.contract`) are contracted, those of a reverse sweep: the program's own numbers are rounded
as plain Python rounds them. The product itself stays where others read it. A product of the chain rule that is zero because its
cotangent is adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.scalar import Expr, const, eq, fma, select
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.records import dataclass

FUSED_SIZES = (4, 8)  # bytes of the floats that processors multiply and add in one instruction


@dataclass(frozen=True, slots=True)
class Product:
    """`sign * x * y`, zero where `x` is if it is a product of the chain rule."""

    x: Value
    y: Value
    is_chained: bool
    is_negative: bool

    def added_to(self, other: Expr, expression_of: Callable[[Value], Expr], is_subtracted: bool) -> Expr:
        """`other + product`, or `other - product`."""
        x, y = expression_of(self.x), expression_of(self.y)
        total = fma(-x if self.is_negative != is_subtracted else x, y, other)
        return select(eq(x, const(0, x.dtype)), other, total) if self.is_chained else total


def contracted(operation: Operation, is_at_hand: Callable[[Operation], bool], expression_of: Callable[[Value], Expr]) -> Expr | None:
    """The expression of a sum with a product in it, None where there is none; products are looked for in operations `is_at_hand`."""
    if not operation.contract or operation.name not in ("add", "subtract") or not is_fused(operation.result):
        return None
    first, second = operation.operands
    product = product_of(second, is_at_hand)
    if product is not None:
        return product.added_to(expression_of(first), expression_of, is_subtracted=operation.name == "subtract")
    product = product_of(first, is_at_hand)
    if product is None:
        return None
    other = expression_of(second)
    return product.added_to(-other if operation.name == "subtract" else other, expression_of, is_subtracted=False)


def is_fused(value: Value) -> bool:
    """Whether numbers are of a dtype that processors multiply and add in one instruction."""
    assert isinstance(value.type, ScalarType | ArrayType)
    return value.type.dtype.kind == "f" and value.type.dtype.itemsize in FUSED_SIZES


def product_of(value: Value, is_at_hand: Callable[[Operation], bool]) -> Product | None:
    """A value as a product of two others."""
    value, is_negative = without_sign(value, is_at_hand)
    operation = value.owner
    if not isinstance(operation, Operation) or operation.name not in ("multiply", "chain_product") or not is_at_hand(operation):
        return None
    (x, first), (y, second) = (without_sign(factor, is_at_hand) for factor in operation.operands)
    return Product(x, y, operation.name == "chain_product", (is_negative + first + second) % 2 == 1)


def without_sign(value: Value, is_at_hand: Callable[[Operation], bool]) -> tuple[Value, bool]:
    """What a value is, or is the negative of; whether it is the negative."""
    is_negative = False
    while isinstance(value.owner, Operation) and value.owner.name == "negative" and is_at_hand(value.owner):
        value, is_negative = value.owner.operands[0], not is_negative
    return value, is_negative
