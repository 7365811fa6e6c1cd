"""A builder of LLVM code that makes no instruction whose result it has: constants fold, and what was computed before is used again.

    %4 = select i1 true, i64 %2, i64 1      ->  %2
    %6 = mul nsw i64 %2, %3, twice          ->  once

Sizes, strides and checks are computed anew wherever they are needed. LLVM would find that out; it takes longer to make, print, read and
compare an instruction than not to make it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
I1 = ir.IntType(1)


class FoldingBuilder(ir.IRBuilder):  # type: ignore[misc]
    """An IRBuilder that folds integer instructions and shares equal ones of a block and of those that surely follow it."""

    def __init__(self, block: ir.Block) -> None:
        super().__init__(block)
        self.known: dict[ir.Block, dict[Any, ir.Value]] = {}  # by block, the results of what was computed there

    def follow(self, block: ir.Block, earlier: ir.Block) -> None:
        """What is known at the end of a block is known in another one, which control reaches only through it."""
        self.known[block] = self.known.setdefault(earlier, {})

    def once(self, make: Callable[..., ir.Value], kind: str, operands: tuple[ir.Value, ...], *rest: Any) -> ir.Value:
        """The result of an instruction without effects; one in the middle of a block may stand in front of what is known there."""
        if self._anchor != len(self._block.instructions):
            return make(*operands, *rest)
        key = (kind, *map(identity, operands), *map(str, rest))
        known = self.known.setdefault(self._block, {})
        if key not in known:
            known[key] = make(*operands, *rest)
        return known[key]

    def add(self, lhs: ir.Value, rhs: ir.Value, name: str = "", flags: Any = ()) -> ir.Value:
        return self.once(super().add, "add", (lhs, rhs), name, flags)

    def sub(self, lhs: ir.Value, rhs: ir.Value, name: str = "", flags: Any = ()) -> ir.Value:
        return self.once(super().sub, "sub", (lhs, rhs), name, flags)

    def mul(self, lhs: ir.Value, rhs: ir.Value, name: str = "", flags: Any = ()) -> ir.Value:
        return self.once(super().mul, "mul", (lhs, rhs), name, flags)

    def and_(self, lhs: ir.Value, rhs: ir.Value, name: str = "", flags: Any = ()) -> ir.Value:
        for known, other in ((lhs, rhs), (rhs, lhs)):
            if is_truth(known):
                return other if known.constant else known
        return self.once(super().and_, "and", (lhs, rhs), name, flags)

    def or_(self, lhs: ir.Value, rhs: ir.Value, name: str = "", flags: Any = ()) -> ir.Value:
        for known, other in ((lhs, rhs), (rhs, lhs)):
            if is_truth(known):
                return known if known.constant else other
        return self.once(super().or_, "or", (lhs, rhs), name, flags)

    def not_(self, value: ir.Value, name: str = "") -> ir.Value:
        return I1(1 - value.constant) if is_truth(value) else self.once(super().not_, "not", (value,), name)

    def icmp_signed(self, cmpop: str, lhs: ir.Value, rhs: ir.Value, name: str = "") -> ir.Value:
        if is_integer(lhs) and is_integer(rhs):
            return I1(int(COMPARISONS[cmpop](lhs.constant, rhs.constant)))
        compare = super().icmp_signed
        return self.once(lambda x, y: compare(cmpop, x, y, name), f"icmp {cmpop}", (lhs, rhs))

    def select(self, cond: ir.Value, lhs: ir.Value, rhs: ir.Value, name: str = "", flags: Any = ()) -> ir.Value:
        if is_truth(cond):
            return lhs if cond.constant else rhs
        return self.once(super().select, "select", (cond, lhs, rhs), name, flags)

    def extract_value(self, agg: ir.Value, idx: Any, name: str = "") -> ir.Value:
        return self.once(super().extract_value, "extract", (agg,), idx, name)

    def smul_with_overflow(self, lhs: ir.Value, rhs: ir.Value, name: str = "") -> ir.Value:
        return self.once(super().smul_with_overflow, "smul", (lhs, rhs), name)

    def gep(self, ptr: ir.Value, indices: Any, inbounds: bool = False, name: str = "", source_etype: Any = None) -> ir.Value:
        if source_etype is None or len(indices) != 1:
            return super().gep(ptr, indices, inbounds, name, source_etype)
        if is_integer(indices[0]) and indices[0].constant == 0:
            return ptr
        address = super().gep
        kind = f"gep {inbounds} {source_etype}"
        return self.once(lambda base, index: address(base, [index], inbounds, name, source_etype), kind, (ptr, *indices))

    @contextmanager
    def if_then(self, pred: ir.Value, likely: bool | None = None) -> Iterator[ir.Block]:
        before = self._block
        with super().if_then(pred, likely) as end:
            yield end
        self.follow(end, before)

    @contextmanager
    def if_else(self, pred: ir.Value, likely: bool | None = None) -> Iterator[Any]:
        before = self._block
        with super().if_else(pred, likely) as ways:
            yield ways
        self.follow(self._block, before)


def is_integer(value: ir.Value) -> bool:
    """Whether a value is a literal integer."""
    return isinstance(value, ir.Constant) and isinstance(value.constant, int)


def is_truth(value: ir.Value) -> bool:
    """Whether a value is a literal truth value."""
    return is_integer(value) and value.type == I1


def identity(value: ir.Value) -> Any:
    """What two values have in common if they are the same: literals are equal, instructions identical."""
    return (str(value.type), value.constant) if is_integer(value) else id(value)
