"""What recursions, and ways along linked instances, take where counts or the instances of a call tell how long they are."""

from __future__ import annotations

from collections.abc import Container, Sequence

from autograph_jit.ir.function import CALLS, Function, functions_of
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.runtime.costs import NOTHING, Cost, cost_of_block, cost_of_function
from autograph_jit.runtime.trips import ASSUMED_TRIPS, ONCE, Runs, assumed_runs, runs_in

LENGTHS = ("list_len", "dim", "table_len")


class LinkedRuns:
    """How often regions run in a call whose instances lead to one another: `while` loops as often as there are instances, loops through
    the lists among the arguments as often as these are long, and once through a list that an instance holds: of a tree, all together have
    as many items as there are instances."""

    def __init__(self, count: float, longest: int, parameters: Sequence[Value]) -> None:
        self.count, self.longest, self.parameters = count, longest, parameters

    def __call__(self, operation: Operation, region: Block, around: float) -> float:
        bound = operation.operands[1].owner if operation.name == "for_loop" else None
        trips = self.count if operation.name == "while_loop" else ASSUMED_TRIPS
        if isinstance(bound, Operation) and bound.name in LENGTHS:
            trips = self.longest if bound.operands[0] in self.parameters else ONCE
        return assumed_runs(operation, region, around, trips)


def calls_of_recursions(graph: Graph, runs: Runs, count: float) -> dict[Function, float]:
    """How often the functions that call themselves run, if each call that the program begins goes once through so many instances."""
    recursive = [callee for callee in functions_of(graph) if callee.is_recursive]
    begun = sum(times for each, times in runs_in(graph.block, runs=runs) if each.attributes.get("callee") in recursive)
    return dict.fromkeys(recursive, max(begun, ONCE) * count / max(len(recursive), 1))


def cost_of_recursions(graph: Graph, runs: Runs, calls: dict[Function, float]) -> Cost:
    """What functions that call themselves take by these numbers of calls, beyond what the model assumes of each of their calls."""
    total = cost_of_calls(graph.block, runs, ONCE, calls).times(-1)
    for callee, count in calls.items():
        body = callee.graph.block
        total += cost_of_block(body, runs, count) + cost_of_calls(body, runs, count, calls).times(-1)
    return total


def cost_of_calls(block: Block, runs: Runs, around: float, callees: Container[Function]) -> Cost:
    """What the model assumes of the calls of these functions in a block that runs `around` times."""
    found = (times_of for times_of in runs_in(block, around, runs) if times_of[0].name in CALLS)
    called = ((each.attributes["callee"], times) for each, times in found)
    return sum((cost_of_function(callee).times(times) for callee, times in called if callee in callees), NOTHING)
