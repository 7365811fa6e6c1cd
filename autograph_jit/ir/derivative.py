"""The words in which operations state their derivatives: a rule, or why there is none.

Conventions, L being the real number that is differentiated:

    vjp(ct, result, *operands, **attributes) -> one contribution for each operand
    jvp(tangents, result, *operands, **attributes) -> the tangent of the result; tangents one for each operand, None for zero

The cotangent `ct` of a complex value z is dL/dRe(z) + i dL/dIm(z): a step against it goes downhill, and a holomorphic f contributes
conj(f'(x)) * ct. `ct`, `result` and tangents of operations with several results are tuples. A contribution is None (no derivative),
a value of the operand's shape or of the broadcast shape of all operands, or `Into`. A rule that does not cover its attributes gives
`Unsupported` instead.

An operation that writes memory (effect WRITE) has no result: `ct` and `tangents[0]` are the memory of the cotangent and of the tangent of
operand 0. Its rule turns `ct` from the cotangent after the write into that before it, in place, and contributes to the other operands;
its jvp writes `tangents[0]` as the operation writes operand 0.

Rules consist of operators and NumPy functions alone, so that they run on arrays and on stand-ins, and have derivatives themselves.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any

from autograph_jit.records import dataclass


class Absent(enum.Enum):
    """Why an operation states no rule."""

    NOT_DIFFERENTIABLE = "the result has no derivative, or a derivative of zero: integers, bools, steps, fresh memory"
    STRUCTURAL = "the engine knows the operation: views, single elements, assignments, lists, control flow, calls of Python"


NOT_DIFFERENTIABLE = Absent.NOT_DIFFERENTIABLE
STRUCTURAL = Absent.STRUCTURAL


@dataclass(frozen=True, slots=True)
class Unsupported:
    """There is a derivative, but no rule for it: differentiation through the operation is an error that says `why`."""

    why: str


def unsupported(why: str) -> Unsupported:
    """The statement of an operation whose derivative is missing."""
    return Unsupported(why)


@dataclass(frozen=True, slots=True)
class Into:
    """A contribution that `update(shadow)` adds in place to the cotangent array of the operand: none of full size is made."""

    update: Callable[[Any], None]


@dataclass(frozen=True, slots=True)
class ByOperand:
    """A rule that finds the contribution to each operand by itself, `terms[i](ct, result, *operands)` to operand i; None: it gets none."""

    terms: tuple[Callable[..., Any] | None, ...]

    def __call__(self, ct: Any, result: Any, *operands: Any) -> tuple[Any, ...]:
        """All contributions."""
        return self.contributions([True] * len(self.terms), ct, result, operands)

    def contributions(self, wanted: Sequence[bool], ct: Any, result: Any, operands: Sequence[Any]) -> tuple[Any, ...]:
        """Those that are wanted, None for the others."""
        return tuple([term(ct, result, *operands) if wants and term is not None else None for term, wants in zip(self.terms, wanted)])


Rule = Callable[..., Any] | Absent | Unsupported


@dataclass(frozen=True, slots=True)
class Derivative:
    """The two rules of an operation."""

    vjp: Rule
    jvp: Rule


FLAT = Derivative(NOT_DIFFERENTIABLE, NOT_DIFFERENTIABLE)
BY_STRUCTURE = Derivative(STRUCTURAL, STRUCTURAL)
