"""Interprets a graph by the eager rules of its operations: the meaning of a graph, and the oracle of every pass and backend.

An exception leaves with the attribute `__autograph_span__`: the span of the operation that failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import TEXT_REFERENCES, ArrayType, ListType, ScalarType, Type
from autograph_jit.ops.sizes import Bindings, bind_sizes
from autograph_jit.source import called_from

NUMBERS = (np.number, np.bool_)  # of NumPy: its texts stay what they are


def evaluate(graph: Graph, args: Sequence[Any], check_sizes: bool = False) -> tuple[Any, ...]:
    """Run the graph: ndarrays (written in place), NumPy scalars, objects and lists in and out.

    check_sizes: raise GraphError where an array does not have the symbolic sizes that its type claims; a test of what made the graph.
    """
    if len(args) != len(graph.block.args):
        raise GraphError(f"{graph.name} takes {len(graph.block.args)} arguments, not {len(args)}")
    with np.errstate(all="ignore"):
        return Interpreter({} if check_sizes else None).run_block(graph.block, args)


def conform(value: Any, type: Type) -> Any:
    """The value as the type says: NumPy scalars of the dtype, arrays checked for rank and known sizes."""
    if isinstance(type, ScalarType):
        return value if getattr(value, "dtype", None) is type.dtype or type in TEXT_REFERENCES else type.dtype.type(value)
    if isinstance(type, ArrayType):
        return conform_array(value, type)
    return value


def conform_array(value: Any, type: ArrayType) -> np.ndarray:
    """An array that fits the type; only an empty vector may still change its dtype (of an empty list)."""
    if not isinstance(value, np.ndarray):
        raise GraphError(f"expected an array {type}, got {value!r}")
    if value.dtype != type.dtype and value.shape == (0,):
        value = value.astype(type.dtype)
    fits = value.ndim == type.rank and all(not isinstance(size, int) or size == found for size, found in zip(type.dims, value.shape))
    if value.dtype != type.dtype or not fits:
        raise GraphError(f"expected an array {type}, got {value.dtype}{list(value.shape)}")
    return value


def python_numbers(items: list[Any]) -> list[Any]:
    """A copy of a list of the run, and of the lists in it, with Python's numbers."""
    return [python_numbers(item) if type(item) is list else item.item() if isinstance(item, NUMBERS) else item for item in items]


def make_python_numbers(lists: Iterable[Any], seen: set[int] | None = None) -> None:
    """Give lists that leave a run, and the lists in them, Python's numbers; each stays the list that it is."""
    seen = set() if seen is None else seen
    for items in lists:
        if type(items) is list and id(items) not in seen:
            seen.add(id(items))
            items[:] = [item.item() if isinstance(item, NUMBERS) else item for item in items]
            make_python_numbers(items, seen)


class Interpreter:
    """The values of one run, the operation that failed last, and the sizes that atoms stand for (None: not checked)."""

    def __init__(self, sizes: Bindings | None) -> None:
        self.values: dict[Value, Any] = {}
        self.failed: Operation | None = None
        self.sizes = sizes

    def run_block(self, block: Block, args: Sequence[Any]) -> tuple[Any, ...]:
        """Run the operations; the values that the block yields."""
        outer_sizes = self.sizes
        if outer_sizes is not None:
            self.sizes = dict(outer_sizes)
        for param, arg in zip(block.args, args, strict=True):
            self.set(param, arg)
        for operation in block.operations:
            results = self.run_operation(operation)
            if len(results) != len(operation.results):
                raise GraphError(f"{operation.name} gave {len(results)} results, not {len(operation.results)}")
            for result, value in zip(operation.results, results):
                self.set(result, value)
        self.sizes = outer_sizes
        return tuple(self.values[value] for value in block.yields)

    def set(self, target: Value, value: Any) -> None:
        """Give a value of the graph its content, as its type says."""
        value = self.values[target] = conform(value, target.type)
        if self.sizes is not None and isinstance(target.type, ArrayType):
            bind_sizes(value, target.type, self.sizes)

    def run_operation(self, operation: Operation) -> tuple[Any, ...]:
        """The results of one operation."""
        operands = [self.values[operand] for operand in operation.operands]
        if operation.opdef.effect is Effect.HOST:
            operands = [python_numbers(x) if isinstance(part.type, ListType) else x for x, part in zip(operands, operation.operands)]
        rule = REGION_RULES.get(operation.name)
        if rule is not None:
            return rule(self, operation, operands)
        try:
            results = operation.opdef.eager(*operands, **operation.attributes)
        except BaseException as error:
            self.note_failure(operation, error)
            raise
        return results if isinstance(results, tuple) else (results,)

    def note_failure(self, operation: Operation, error: BaseException) -> None:
        """Remember where the exception comes from; one raised again keeps its first place."""
        self.failed = operation
        if getattr(error, "__autograph_span__", None) is None and hasattr(error, "__dict__"):
            error.__autograph_span__ = operation.span  # type: ignore[attr-defined]

    def run_call(self, operation: Operation, operands: list[Any]) -> tuple[Any, ...]:
        """Run the function, whose values and sizes are its own."""
        try:
            return Interpreter(None if self.sizes is None else {}).run_block(operation.attributes["callee"].graph.block, operands)
        except GraphError:
            raise
        except BaseException as error:
            self.failed = operation
            if hasattr(error, "__dict__"):
                error.__autograph_span__ = called_from(error.__dict__.get("__autograph_span__"), operation.span)  # type: ignore[attr-defined]
            raise

    def run_cond(self, operation: Operation, operands: list[Any]) -> tuple[Any, ...]:
        """Run one of two regions."""
        return self.run_block(operation.regions[0 if operands[0] else 1], ())

    def run_while_loop(self, operation: Operation, operands: list[Any]) -> tuple[Any, ...]:
        """Test, then body, until the test fails; the state that the test yields is the body's."""
        test, body = operation.regions
        state: Sequence[Any] = operands
        while True:
            go_on, *state = self.run_block(test, state)
            if not go_on:
                return tuple(state)
            state = self.run_block(body, state)

    def run_for_loop(self, operation: Operation, operands: list[Any]) -> tuple[Any, ...]:
        """Run the body for each index until one says to stop."""
        (body,) = operation.regions
        start, stop, step, *state = operands
        for index in range(int(start), int(stop), int(step)):
            state = list(self.run_block(body, [np.int64(index), *state]))
            if operation.attributes.get("has_break") and not state.pop(0):
                break
        return tuple(state)

    def run_try(self, operation: Operation, operands: list[Any]) -> tuple[Any, ...]:
        """Run the body; on an exception the handler, with the failing operation's unwind values."""
        body, handler = operation.regions
        sizes, self.failed = self.sizes, None
        try:
            return self.run_block(body, ())
        except GraphError:
            raise
        except BaseException as error:
            if self.failed is None:
                raise
            state = [self.values[value] for value in self.failed.unwind]
            self.failed, self.sizes = None, sizes
            return self.run_block(handler, [error, *state])


REGION_RULES = {
    "call": Interpreter.run_call,
    "call_writing": Interpreter.run_call,
    "cond": Interpreter.run_cond,
    "while_loop": Interpreter.run_while_loop,
    "for_loop": Interpreter.run_for_loop,
    "try_": Interpreter.run_try,
}
