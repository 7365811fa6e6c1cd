"""Puts graphs together for the tests of the backends, and compares compiled code with the eager rules."""

from __future__ import annotations

import copy
import gc
from typing import Any

import numpy as np

import autograph_jit.ops  # noqa: F401  (defines the operations)
from autograph_jit.backends.cpu.driver import CpuExecutable, compile_graph
from autograph_jit.backends.cpu.runtime_library import runtime
from autograph_jit.ir.builder import append
from autograph_jit.ir.dims import Size, atom
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.types import ArrayType, ScalarType, Type
from autograph_jit.ops.evaluate import evaluate
from autograph_jit.ops.registry import get
from autograph_jit.source import SourceSpan

N, M = atom("s0"), atom("s1")
F8, I8, B1, C16 = (ScalarType(np.dtype(name)) for name in ("f8", "i8", "?", "c16"))


def array(*dims: Size, dtype: str = "f8") -> ArrayType:
    return ArrayType(np.dtype(dtype), dims)


class Maker:
    """Appends to the current block; `unwind` is attached to every operation that may fail."""

    def __init__(self, name: str = "f") -> None:
        self.graph = Graph(name)
        self.block = self.graph.block
        self.unwind: list[Value] | None = None
        self.line = 0

    def param(self, type: Type, hint: str = "") -> Value:
        return self.block.add_argument(type, hint)

    def raw(self, name: str, *operands: Value, regions: list[Block] | None = None, **attributes: Any) -> Operation:
        self.line += 1
        operation = append(self.block, get(name), list(operands), attributes, regions, SourceSpan("program.py", self.line))
        if self.unwind is not None and operation.opdef.may_fail:
            operation.unwind = list(self.unwind)
        return operation

    def op(self, name: str, *operands: Value, **attributes: Any) -> Value:
        return self.raw(name, *operands, **attributes).result

    def do(self, name: str, *operands: Value, **attributes: Any) -> None:
        self.raw(name, *operands, **attributes)

    def const(self, value: Any, dtype: str = "f8") -> Value:
        return self.op("constant", value=np.dtype(dtype).type(value))

    def integer(self, value: int) -> Value:
        return self.const(value, "i8")

    def region(self, args: list[Type], build: Any) -> Block:
        """A block that `build(*args)` fills; it returns the yields, or None after a raise."""
        outer, block = self.block, Block(self.block)
        self.block = block
        yields = build(*(block.add_argument(type) for type in args))
        block.terminated = yields is None
        block.yields = list(yields or ())
        self.block = outer
        return block

    def cond(self, predicate: Value, then: Any, orelse: Any) -> list[Value]:
        regions = [self.region([], then), self.region([], orelse)]
        types = next(tuple(value.type for value in region.yields) for region in regions if not region.terminated)
        return self.raw("cond", predicate, regions=regions, results=types).results

    def loop(self, state: list[Value], test: Any, body: Any) -> list[Value]:
        types = [value.type for value in state]
        return self.raw("while_loop", *state, regions=[self.region(types, test), self.region(types, body)]).results

    def count(self, start: Value, stop: Value, step: Value, state: list[Value], body: Any, has_break: bool = False) -> list[Value]:
        region = self.region([I8, *(value.type for value in state)], body)
        attributes = {"has_break": True} if has_break else {}
        return self.raw("for_loop", start, stop, step, *state, regions=[region], **attributes).results

    def attempt(self, body: Any, handler: Any, state: list[Value], handler_args: list[Type]) -> list[Value]:
        saved, self.unwind = self.unwind, state
        region = self.region([], body)
        self.unwind = saved
        handling = self.region(handler_args, handler)
        types = next(tuple(value.type for value in block.yields) for block in (region, handling) if not block.terminated)
        return self.raw("try_", regions=[region, handling], results=types).results

    def done(self, *results: Value) -> Graph:
        self.graph.block.yields = list(results)
        return self.graph


def outcome(function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a call returned or raised."""
    try:
        return ("returned", function(*args))
    except Exception as error:
        return ("raised", type(error), str(error), getattr(error, "__autograph_span__", None))


def compare(graph: Graph, *args: Any, layouts: tuple[str, ...] | None = None, distinct: bool = False, kept: int = 0) -> CpuExecutable:
    """Compiled code returns, raises and writes what the eager rules do, and leaves no memory behind."""
    executable = compile_graph(graph, distinct, layouts)
    check(executable, graph, *args, kept=kept)
    return executable


def check(executable: CpuExecutable, graph: Graph, *args: Any, kept: int = 0) -> None:
    gc.collect()  # what earlier tests left in cycles is not to be freed in between
    live = runtime().live
    for_eager, for_compiled = copy.deepcopy(args), copy.deepcopy(args)
    expected = outcome(lambda *values: evaluate(graph, values), for_eager)
    found = outcome(executable, for_compiled)
    assert found[0] == expected[0], (found, expected)
    if expected[0] == "raised":
        assert found == expected
    else:
        assert len(found[1]) == len(expected[1])
        for mine, theirs in zip(found[1], expected[1]):
            assert_same(mine, theirs)
    for mine, theirs in zip(for_compiled, for_eager):
        assert_same(mine, theirs)
    del found
    assert runtime().live == live + kept


# Relative tolerances by dtype: a few units in the last place, for functions whose rounding NumPy does not promise either.
TOLERANCE = {"float32": 2e-6, "complex64": 2e-6, "float64": 1e-13, "complex128": 1e-13}


def assert_same(mine: Any, theirs: Any) -> None:
    if isinstance(theirs, np.ndarray | np.generic):
        assert type(mine) is type(theirs) and mine.dtype == theirs.dtype and mine.shape == theirs.shape, (mine, theirs)
        np.testing.assert_allclose(mine, theirs, rtol=TOLERANCE.get(theirs.dtype.name, 0), atol=0)
    elif isinstance(theirs, BaseException):
        assert type(mine) is type(theirs) and str(mine) == str(theirs)
    else:
        assert mine == theirs
