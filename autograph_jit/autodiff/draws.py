"""Random numbers on the path of a derivative: those that jump where their parameters change are refused.

Draws are constants of differentiation, which the reverse sweep finds again as the forward sweep drew them. A float that depends on
parameters moves with them while the stream stays the same (its definition says how); a whole number does not.
"""

from __future__ import annotations

from autograph_jit.autodiff import implicit_draws
from autograph_jit.autodiff.sweeps.classes import Classes, is_differentiable
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ir.graph import Block, walk_block
from autograph_jit.ir.opdef import Effect

INSTALLED = (implicit_draws,)


def refuse_jumps(classes: Classes, block: Block) -> None:
    """NotDifferentiable where a whole number is drawn from a distribution whose parameters carry a derivative."""
    for operation in walk_block(block):
        if operation.opdef.effect is not Effect.DRAW or is_differentiable(operation.result):
            continue
        if any(map(classes.is_active, operation.operands)):
            raise NotDifferentiable(
                f"the parameters of `{operation.attributes['distribution']}` have no derivative by the numbers that are drawn",
                operation.span,
                "these numbers are whole, and jump where the parameters change",
                "put ag.stop_gradient around the parameters, or draw from a distribution of floats",
            )
