"""Budget checks of gradients (`budget`) that a program must not fail: after it has changed something, a call cannot run again."""

from __future__ import annotations

from autograph_jit.autodiff.checkpointing.budget import is_budget_check
from autograph_jit.ir.graph import Block, Graph, Operation, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.transforms.aliases import OUTSIDE, Aliases, is_host


def drop_late_checks(graph: Graph) -> None:
    """Remove the checks that a run may reach after it has changed something outside, and those that the program itself would catch."""
    aliases = Aliases(graph)
    visit(graph.block, aliases, False)


def visit(block: Block, aliases: Aliases, acted: bool) -> bool:
    """Visit a block that is entered after an act, or not; whether there is one at its end."""
    for operation in list(block.operations):
        inside = acted or operation.name == "try_" or (operation.name.endswith("_loop") and has_acts(operation, aliases))
        for region in operation.regions:
            visit(region, aliases, inside)
        if acted and is_budget_check(operation):
            block.operations.remove(operation)
        acted = acted or is_act(operation, aliases) or has_acts(operation, aliases)
    return acted


def has_acts(operation: Operation, aliases: Aliases) -> bool:
    return any(is_act(inner, aliases) for region in operation.regions for inner in walk_block(region))


def is_act(operation: Operation, aliases: Aliases) -> bool:
    """Whether an operation changes what exists outside the run."""
    if operation.opdef.effect is not Effect.WRITE:
        return is_host(operation)
    roots = aliases.writes(operation)
    return OUTSIDE in roots or not aliases.parameters.isdisjoint(roots)
