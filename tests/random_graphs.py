"""Random graphs over two vectors, a scalar and an integer: arithmetic, views, writes, branches, loops, checks and handlers."""

import numpy as np

import autograph_jit.ops  # noqa: F401
from autograph_jit.ir.builder import append
from autograph_jit.ir.dims import atom
from autograph_jit.ir.graph import Block, Graph
from autograph_jit.ir.opdef import ErrorSpec
from autograph_jit.ir.types import F64, I64, OBJECT, ArrayType
from autograph_jit.ops.registry import get
from autograph_jit.source import SourceSpan

N = atom("s0")
VECTOR = ArrayType(np.dtype(float), (N,))
BINARY = ("add", "subtract", "multiply", "maximum", "divide")
UNARY = ("negative", "absolute", "sin", "square")


class GraphWriter:
    """Appends random operations to a block; `scope` holds the values that the block may use, by kind."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.graph = Graph(f"random_{seed}")
        self.line = 0
        self.handlers = []

    def write(self, size=14):
        block = self.graph.block
        scope = {
            "vector": [block.add_argument(VECTOR, "x"), block.add_argument(VECTOR, "y")],
            "scalar": [block.add_argument(F64, "a")],
            "int": [block.add_argument(I64, "n")],
            "bool": [],
            "list": [],
        }
        self.fill(block, scope, size, 2)
        block.yields = [self.pick(scope, kind) for kind in ("scalar", "vector", "int", "scalar", "vector") if scope[kind]]
        return self.graph

    def pick(self, scope, kind):
        values = scope[kind]
        return values[self.random.integers(len(values))]

    def op(self, block, name, *operands, regions=(), **attributes):
        self.line += 1
        operation = append(block, get(name), list(operands), attributes, list(regions), SourceSpan("random.py", self.line))
        if self.handlers and operation.can_fail:
            operation.unwind = [self.handlers[-1]]
        return operation

    def int(self, block, number):
        return self.op(block, "constant", value=np.int64(number)).result

    def fill(self, block, scope, size, depth):
        choices = list(self.STEPS)
        for _ in range(size):
            step = choices[self.random.integers(len(choices))]
            if depth == 0 and step in self.REGION_STEPS:
                continue
            getattr(self, f"write_{step}")(block, scope, depth)

    def inner(self, scope):
        return {kind: list(values) for kind, values in scope.items()}

    def write_constant(self, block, scope, depth):
        scope["scalar"].append(self.op(block, "constant", value=np.float64(self.random.integers(-2, 3))).result)
        scope["int"].append(self.int(block, self.random.integers(-2, 4)))

    def write_arithmetic(self, block, scope, depth):
        kinds = [("scalar", "scalar"), ("scalar", "vector"), ("vector", "vector")][self.random.integers(3)]
        operands = [self.pick(scope, kind) for kind in kinds]
        result = self.op(block, self.random.choice(BINARY), *operands).result
        scope["vector" if "vector" in kinds else "scalar"].append(result)

    def write_unary(self, block, scope, depth):
        kind = self.random.choice(["scalar", "vector"])
        scope[kind].append(self.op(block, self.random.choice(UNARY), self.pick(scope, kind)).result)

    def write_integer(self, block, scope, depth):
        name = self.random.choice(["add", "subtract", "multiply", "floor_divide", "pyint_add", "remainder"])
        scope["int"].append(self.op(block, name, self.pick(scope, "int"), self.pick(scope, "int")).result)

    def write_comparison(self, block, scope, depth):
        scope["bool"].append(self.op(block, "less", self.pick(scope, "scalar"), self.pick(scope, "scalar")).result)

    def write_load(self, block, scope, depth):
        scope["scalar"].append(self.op(block, "load", self.pick(scope, "vector"), self.pick(scope, "int")).result)

    def write_store(self, block, scope, depth):
        self.op(block, "store", self.pick(scope, "vector"), self.pick(scope, "scalar"), self.pick(scope, "int"))

    def write_assign(self, block, scope, depth):
        self.op(block, "assign", self.pick(scope, "vector"), self.pick(scope, self.random.choice(["vector", "scalar"])))

    def write_reverse(self, block, scope, depth):
        step = self.int(block, -1)
        scope["vector"].append(
            self.op(block, "basic_index", self.pick(scope, "vector"), step, items=(("slice", False, False, True),), dims=(N,)).result
        )

    def write_copy(self, block, scope, depth):
        scope["vector"].append(self.op(block, "copy", self.pick(scope, "vector")).result)

    def write_full(self, block, scope, depth):
        length = self.op(block, "dim", self.pick(scope, "vector"), axis=0).result
        scope["vector"].append(self.op(block, "full", self.pick(scope, "scalar"), length, dims=(N,)).result)

    def write_reduce(self, block, scope, depth):
        scope["scalar"].append(
            self.op(block, "reduce", self.pick(scope, "vector"), op=self.random.choice(["sum", "max"]), axes=(0,), keepdims=False).result
        )

    def write_list(self, block, scope, depth):
        items = self.op(block, "list_new", elem=F64).result
        self.op(block, "list_push", items, self.pick(scope, "scalar"))
        scope["list"].append(items)

    def write_push(self, block, scope, depth):
        if scope["list"]:
            self.op(block, "list_push", self.pick(scope, "list"), self.pick(scope, "scalar"))
            scope["scalar"].append(self.op(block, "list_get", self.pick(scope, "list"), self.pick(scope, "int")).result)
            scope["int"].append(self.op(block, "list_len", self.pick(scope, "list")).result)

    def write_check(self, block, scope, depth):
        if scope["bool"]:
            self.op(block, "check", self.pick(scope, "bool"), self.pick(scope, "int"), error=ErrorSpec(ValueError, "refused {}"))

    def write_cond(self, block, scope, depth):
        if not scope["bool"]:
            return
        regions = []
        for _ in range(2):
            region = Block(block)
            inner = self.inner(scope)
            self.fill(region, inner, 5, depth - 1)
            region.yields = [self.pick(inner, "scalar"), self.pick(inner, "vector")]
            regions.append(region)
        operation = self.op(block, "cond", self.pick(scope, "bool"), regions=regions, results=(F64, VECTOR))
        scope["scalar"].append(operation.results[0])
        scope["vector"].append(operation.results[1])

    def write_for(self, block, scope, depth):
        start, stop, step = self.int(block, 0), self.int(block, self.random.integers(0, 4)), self.int(block, 1)
        body = Block(block)
        inner = self.inner(scope)
        inner["int"].append(body.add_argument(I64, "i"))
        inner["scalar"].append(body.add_argument(F64, "s"))
        inner["vector"].append(body.add_argument(VECTOR, "v"))
        inner["scalar"].append(body.add_argument(F64, "unused"))
        self.fill(body, inner, 7, depth - 1)
        has_break = bool(inner["bool"]) and self.random.random() < 0.5
        body.yields = [self.pick(inner, "bool")] if has_break else []
        body.yields += [self.pick(inner, "scalar"), self.pick(inner, "vector"), self.pick(inner, "scalar")]
        state = [self.pick(scope, "scalar"), self.pick(scope, "vector"), self.pick(scope, "scalar")]
        operation = self.op(block, "for_loop", start, stop, step, *state, regions=[body], has_break=has_break)
        scope["scalar"].append(operation.results[0])
        scope["vector"].append(operation.results[1])

    def write_while(self, block, scope, depth):
        zero, one = self.int(block, 0), self.int(block, 1)
        test, body = Block(block), Block(block)
        count, value, spare = test.add_argument(I64), test.add_argument(F64), test.add_argument(F64)
        limit = self.int(test, self.random.integers(0, 4))
        test.yields = [self.op(test, "less", count, limit).result, count, value, spare]
        inner = self.inner(scope)
        trip = body.add_argument(I64)
        inner["scalar"] += [body.add_argument(F64), body.add_argument(F64)]
        self.fill(body, inner, 6, depth - 1)
        body.yields = [self.op(body, "add", trip, one).result, self.pick(inner, "scalar"), self.pick(inner, "scalar")]
        operation = self.op(block, "while_loop", zero, self.pick(scope, "scalar"), self.pick(scope, "scalar"), regions=[test, body])
        scope["scalar"].append(operation.results[1])

    def write_try(self, block, scope, depth):
        body, handler = Block(block), Block(block)
        self.handlers.append(self.pick(scope, "scalar"))
        inner = self.inner(scope)
        self.fill(body, inner, 6, depth - 1)
        body.yields = [self.pick(inner, "scalar")]
        self.handlers.pop()
        handler.add_argument(OBJECT, "error")
        handler.yields = [handler.add_argument(F64, "then")]
        scope["scalar"].append(self.op(block, "try_", regions=[body, handler], results=(F64,)).results[0])

    STEPS = (
        "constant",
        "arithmetic",
        "arithmetic",
        "unary",
        "integer",
        "comparison",
        "load",
        "load",
        "store",
        "assign",
        "reverse",
        "copy",
        "full",
        "reduce",
        "list",
        "push",
        "check",
        "cond",
        "for",
        "while",
        "try",
    )
    REGION_STEPS = ("cond", "for", "while", "try")


def random_graph(seed, size=14):
    """The graph of this seed."""
    return GraphWriter(seed).write(size)


def random_arguments(seed):
    """Arguments for a random graph; the two vectors overlap for every third seed."""
    random = np.random.default_rng(seed)
    memory = random.normal(size=7)
    x, y = (memory[:4], memory[1:5]) if seed % 3 == 0 else (memory[:3], memory[3:6])
    return memory, [x, y, np.float64(random.normal()), np.int64(random.integers(-1, 3))]
