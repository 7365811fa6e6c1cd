"""The form of a program whose nests threads can share, compiled for the first call with large arguments; other calls pay nothing for it."""

from __future__ import annotations

import enum
import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core.compiler_lock import global_compiler_lock

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.runtime_module import I64, PTR
from autograph_jit.ir.dims import Dim
from autograph_jit.ir.graph import Block, Graph, Operation
from autograph_jit.ir.opdef import Pointwise
from autograph_jit.ir.types import I64 as I64_TYPE
from autograph_jit.ir.types import ArrayType, Type
from autograph_jit.kernels.escape import is_small

MOST_SHAPES = 4  # that a call multiplies the sizes of
WORTH_SHARING = 1 << 15  # elements of all array arguments together: with fewer hardly a nest is worth threads


class Sharing(enum.Enum):
    """Whether threads take part in a program's large nests: never, in another form of it for large arguments, in this form."""

    NEVER = enum.auto()
    WHEN_LARGE = enum.auto()
    NOW = enum.auto()


def is_large(graph: Graph, leaves: Sequence[Any]) -> bool:
    """Whether a call with these leaves goes to the sharing form."""
    work, axes = sum(leaf.size for leaf in leaves if isinstance(leaf, np.ndarray)), axes_of_numbers(graph)
    for leaf, param in zip(leaves, graph.block.args):
        if axes and param.type == I64_TYPE:
            work += min(abs(int(leaf)), WORTH_SHARING) ** axes
    sizes = {name: size for leaf, param in zip(leaves, graph.block.args) for name, size in sizes_of(param.type, leaf)}
    return work + sum(math.prod(sizes.get(name, 0) for name in names) for names in shapes_of_several(graph)) >= WORTH_SHARING


def sizes_of(type: Type, leaf: Any) -> list[tuple[str, int]]:
    """The symbols that are sizes of an argument, as numbers."""
    if not isinstance(type, ArrayType):
        return []
    return [(str(dim), size) for dim, size in zip(type.dims, np.shape(leaf)) if isinstance(dim, Dim)]


def work_of_arguments(e: Emitter, graph: Graph) -> ir.Value:
    """The same in compiled code: the elements of array parameters, and what ints may be the sizes of."""
    work, axes = e.integer(0), axes_of_numbers(graph)
    for param in graph.block.args:
        if isinstance(param.type, ArrayType):
            work = e.add(work, e.product(e.get(param).shape))
        elif axes and param.type == I64_TYPE:
            number = e.get(param)
            size = e.minimum(e.maximum(number, e.sub(I64(0), number)), I64(WORTH_SHARING))
            work = e.add(work, e.product((size,) * axes))
    for names in shapes_of_several(graph):
        work = e.add(work, e.product(tuple(e.atoms[name] for name in names)))
    return work


def shapes_of_several(graph: Graph) -> list[tuple[str, ...]]:
    """The shapes that arrays have whose sizes are those of several arguments, as outer products have; only a few."""
    arguments = [atoms_of(param.type) for param in graph.block.args if isinstance(param.type, ArrayType)]
    known = {str(dim) for param in graph.block.args if isinstance(param.type, ArrayType) for dim in param.type.dims}
    made: dict[tuple[str, ...], None] = {}
    for operation in graph.walk():
        for result in operation.results:
            if isinstance(result.type, ArrayType) and result.type.rank > 1:
                found = atoms_of(result.type)
                if known.issuperset(found) and not any(found <= other for other in arguments):
                    made[tuple(sorted(found.elements()))] = None
    return list(made)[:MOST_SHAPES]


def axes_of_numbers(graph: Graph) -> int:
    """How many axes, up to two, the arrays have that are made with other sizes than those of parameters; 0 where there are none."""
    known = {name for param in graph.block.args if isinstance(param.type, ArrayType) for name in atoms_of(param.type)}
    results = (result.type for operation in graph.walk() for result in operation.results)
    return max((min(type.rank, 2) for type in results if isinstance(type, ArrayType) and not known.issuperset(atoms_of(type))), default=0)


def atoms_of(type: ArrayType) -> Counter[str]:
    """The symbols in the sizes of an array, as often as they occur."""
    return Counter(name for dim in type.dims if isinstance(dim, Dim) for name, _ in dim.terms)


def has_nests(block: Block, depth: int = 0) -> bool:
    """Whether a program has nests that can be worth sharing: one that loops over elements has not."""
    for operation in block.operations:
        inside = depth + (operation.name in ("for_loop", "while_loop"))
        if is_shareable(operation, depth) or any(has_nests(region, inside) for region in operation.regions):
            return True
    return False


def is_shareable(operation: Operation, depth: int) -> bool:
    """Whether an operation is a nest that may be large; in the inner of two loops, rows are not."""
    if operation.name in ("assign", "reduce"):
        array = operation.operands[0]
    elif isinstance(operation.opdef.kernel, Pointwise):
        array = operation.results[0]
    else:
        return False
    return isinstance(array.type, ArrayType) and not is_small(array) and (depth < 2 or array.type.rank > 1)


class SharingForm:
    """Stands for the sharing form in the program that has it; compiled when it is called."""

    def __init__(self, compile_form: Callable[[], Any]) -> None:
        self.compile_form: Callable[[], Any] | None = compile_form
        self.entry: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        if self.entry is None:
            with global_compiler_lock:
                if self.compile_form is not None:
                    self.entry, self.compile_form = self.compile_form().entry, None
        assert self.entry is not None
        return self.entry(*arguments)


def switch_forms(e: Emitter, work: ir.Value, form: SharingForm) -> None:
    """Leave the call to the sharing form where the arguments are large; holds the lock of the interpreter."""
    e.constants.append(form)
    position = len(e.constants)
    with e.b.if_then(e.compare(">=", work, I64(WORTH_SHARING)), likely=False):
        callee = e.call("PyTuple_GetItem", e.b.load(e.environment, typ=PTR), I64(position))
        result = e.call("PyObject_Call", callee, e.function.args[1], PTR(None))
        e.call("ag_release_all", e.frame)
        e.b.ret(result)
