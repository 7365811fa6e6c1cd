"""The values that region operations carry: one slot for each state variable of a loop and for each result of a branch."""

from __future__ import annotations

from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.records import dataclass


@dataclass(frozen=True, slots=True)
class Slot:
    """One carried variable: `values` stand for it, `sources` flow into it, `places` are the lists that hold it and where in each."""

    values: tuple[Value, ...]
    sources: tuple[Value, ...]
    places: tuple[tuple[list[Value], int], ...]

    def remove(self) -> None:
        """Take the variable out of every list."""
        for values, index in self.places:
            del values[index]


def carried_slots(operation: Operation) -> list[Slot]:
    """The state variables of a loop, the last one first, so that they can be removed one after another."""
    if operation.name == "while_loop":
        return [while_slot(operation, index) for index in reversed(range(len(operation.results)))]
    if operation.name == "for_loop":
        return [for_slot(operation, index) for index in reversed(range(len(operation.results)))]
    return []


def while_slot(operation: Operation, index: int) -> Slot:
    """One state variable of a while loop."""
    test, body = operation.regions
    values = (operation.results[index], test.args[index], body.args[index])
    places: list[tuple[list[Value], int]] = [
        (operation.operands, index),
        (operation.results, index),
        (test.args, index),
        (body.args, index),
    ]
    places.append((test.yields, index + 1))
    sources = [operation.operands[index], test.yields[index + 1]]
    if not body.terminated:
        sources.append(body.yields[index])
        places.append((body.yields, index))
    return Slot(values, tuple(sources), tuple(places))


def for_slot(operation: Operation, index: int) -> Slot:
    """One state variable of a counted loop."""
    (body,) = operation.regions
    first_yield = 1 if operation.attributes.get("has_break") else 0
    values = (operation.results[index], body.args[index + 1])
    places: list[tuple[list[Value], int]] = [(operation.operands, index + 3), (operation.results, index), (body.args, index + 1)]
    sources = [operation.operands[index + 3]]
    if not body.terminated:
        sources.append(body.yields[index + first_yield])
        places.append((body.yields, index + first_yield))
    return Slot(values, tuple(sources), tuple(places))


def result_slots(operation: Operation) -> list[Slot]:
    """The results of a branch or of a handler, the last one first."""
    if operation.name not in ("cond", "try_"):
        return []
    slots = []
    for index in reversed(range(len(operation.results))):
        regions = [region for region in operation.regions if not region.terminated]
        sources = tuple(region.yields[index] for region in regions)
        places: tuple[tuple[list[Value], int], ...] = ((operation.results, index), *((region.yields, index) for region in regions))
        slots.append(Slot((operation.results[index],), sources, places))
    return slots


def handler_of(operation: Operation, region: Block, handler: Block | None) -> Block | None:
    """The handler that failing operations in this region leave for."""
    return operation.regions[1] if operation.name == "try_" and region is operation.regions[0] else handler
