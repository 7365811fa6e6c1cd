"""Whether a program that takes long containers of Python apart would be slower than Python: the model, with its constants."""

from __future__ import annotations

from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Graph
from autograph_jit.ir.types import ScalarType

MANY_ITEMS = 64  # of containers; below, neither Python nor a compilation takes long
# Measured on one core, 2026-11-23: sums over lists of 64 to 5,000 floats, native and in Python.
SECONDS_PER_ITEM = 100e-9  # to read a number from a container of Python and hand it to compiled code
SECONDS_PER_OPERATION = 35e-9  # of an operation on numbers in Python; measured are 15 to 20, for sums and products


def may_choose_python(options: dict[str, Any]) -> bool:
    """Whether calls of a function with these options may run in Python although it could be compiled."""
    return options["fallback"] == "warn" and not options.get("recorded_in_python", False)


def refuse_slower(graph: Graph) -> None:
    """ConversionError where each call would read more numbers out of containers than its operations are worth.

    What has arrays, objects or loops in compiled code is never refused: how long these take is not known here.
    """
    operations = [operation for operation in graph.walk() if operation.name != "constant"]
    values = [*graph.block.args, *(result for operation in operations for result in operation.results)]
    items = len(graph.block.args)
    if items <= MANY_ITEMS or not all(isinstance(value.type, ScalarType) for value in values):
        return
    if any(operation.regions and operation.name != "cond" for operation in operations):
        return
    reading, computing = items * SECONDS_PER_ITEM, len(operations) * SECONDS_PER_OPERATION
    if reading > computing:
        why = (
            f"each call would read {items} numbers out of containers of Python, about {reading * 1e6:.0f} microseconds, "
            f"for {len(operations)} operations, which take Python about {computing * 1e6:.0f}"
        )
        span = next((operation.span for operation in operations if operation.span is not None), None)
        remedy = "pass an array instead of a list, tuple or dict of numbers"
        raise ConversionError("compiled code would be slower than Python", span, why, remedy)
