"""The reverse of a call: a call of the function's reverse function, made once for what is differentiated.

Before: %y: f64 = call(%x, %n) {callee = $f, ...}
After:  %y: f64, %kept: f64[d0] = call(%x, %n) {callee = $forward_of_f, ...}
        %ct_x: f64 = call(%ct_y, %kept, %x) {callee = $reverse_of_f, ...}         in the reverse sweep

The forward function returns, beside its results, what its reverse sweep reads. Where that may not leave it (a list; an array of a call in a
loop; anything of a recursive function) the reverse function does again what the function did.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autograph_jit.autodiff.sweeps.accumulate import add_into, repeats, zero
from autograph_jit.autodiff.sweeps.classes import Classes
from autograph_jit.autodiff.sweeps.pullback import Primal, forward_and_reverse, sweep_through
from autograph_jit.autodiff.sweeps.reverse import SPLITTING, Sweep, cotangent, rule
from autograph_jit.ir.copying import Visible, copy_operation
from autograph_jit.ir.dims import atom
from autograph_jit.ir.function import Function
from autograph_jit.ir.graph import Block, Graph, Operation, Value, walk_block
from autograph_jit.ir.renamed_sizes import Sizes
from autograph_jit.ir.types import ArrayType, ScalarType, Type
from autograph_jit.records import dataclass
from autograph_jit.tracing.control.units import capture
from autograph_jit.tracing.functions.own_memory import own_results
from autograph_jit.tracing.values.lift import wrap
from autograph_jit.tracing.values.trace import active, detached, emit

LOOPS = ("for_loop", "while_loop")


@dataclass(frozen=True, slots=True)
class SplitFunction:
    """A function in two: `forward` returns the function's results, then what is kept; `reverse` takes the cotangents of `results` and what
    `reads` tells, operands, results and kept values of the forward call, and gives the cotangents of the operands at `sources`."""

    forward: Function
    reverse: Function
    sources: tuple[int, ...]
    results: tuple[int, ...]
    reads: tuple[tuple[str, int], ...]


def split_calls(block: Block, classes: Classes) -> dict[Operation, SplitFunction]:
    """Let the calls that are differentiated call forward functions; the functions in two by these calls."""
    splits = {}
    inside = {each for loop in walk_block(block) if loop.name in LOOPS for region in loop.regions for each in walk_block(region)}
    for operation in list(walk_block(block)):
        sources, results = active_places(operation, classes)
        if operation.name != "call" or not sources or not results:
            continue
        found = split_of(operation.attributes["callee"], sources, results)
        if found is None or not all(may_be_kept(value.type, operation in inside) for value in kept_values(found, operation)):
            continue
        sizes = Sizes(operation.attributes["callee"].graph.block.args, operation.operands)
        for value in kept_values(found, operation):
            operation.results.append(Value(sizes.type(value.type), operation, len(operation.results)))
        types = tuple(result.type for result in operation.results)
        operation.attributes = {"callee": found.forward, "label": found.forward.name, "results": types}
        splits[operation] = found
    return splits


SPLITTING.append(split_calls)


def active_places(operation: Operation, classes: Classes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The operands and the results of an operation that carry derivatives."""
    sources = tuple(index for index, operand in enumerate(operation.operands) if classes.is_active(operand))
    return sources, tuple(index for index, result in enumerate(operation.results) if classes.is_active(result))


def kept_values(split: SplitFunction, operation: Operation) -> list[Value]:
    """What a forward function returns beside the results of a call."""
    return split.forward.graph.block.yields[len(operation.attributes["callee"].graph.block.yields) :]


def may_be_kept(type_: Type, in_loop: bool) -> bool:
    """Whether a value can leave a function to be kept: a loop keeps a number for each trip."""
    return isinstance(type_, ScalarType) or isinstance(type_, ArrayType) and not in_loop


def split_of(callee: Function, sources: tuple[int, ...], results: tuple[int, ...]) -> SplitFunction | None:
    """The two parts of a function; None for one that calls itself."""
    if callee.is_open or callee.is_recursive:
        return None
    key = ("split", sources, results)
    if key not in callee.derivatives:
        callee.derivatives[key] = traced_split(callee, sources, results)
    return callee.derivatives[key]


def traced_split(callee: Function, sources: tuple[int, ...], results: tuple[int, ...]) -> SplitFunction:
    """Differentiate the graph of a function, and take the sweeps apart."""
    body, forward, reverse = callee.graph.block, Graph(f"forward_of_{callee.name}"), Graph(f"reverse_of_{callee.name}")
    operands = [forward.block.add_argument(value.type, value.hint) for value in body.args]
    cts = [wrap(reverse.block.add_argument(body.yields[index].type, "ct")) for index in results]
    with function_of(forward):
        primal, made = primal_of(callee, operands, sources)
        swept = sweep_through(primal, [made[index] for index in results], lambda _: cts)
        forward.block.operations += forward.block.adopt([*swept.header.operations, *swept.forward.operations])
        forward.block.yields = [swept.values.get(value, value) for value in made]
    with function_of(reverse):
        reverse.block.operations += reverse.block.adopt(swept.backward.operations)
        reverse.block.yields = list(swept.cotangents)
        own_results(reverse)
    reads: list[tuple[str, int]] = []
    for value in capture(reverse, []):
        if value in operands:
            reads.append(("operand", operands.index(value)))
        else:
            if value not in forward.block.yields:
                forward.block.yields.append(value)
            reads.append(("result", forward.block.yields.index(value)))
    with function_of(forward):
        own_results(forward)
    return SplitFunction(Function(forward), Function(reverse), sources, results, tuple(reads))


def primal_of(callee: Function, operands: list[Value], sources: tuple[int, ...]) -> tuple[Primal, list[Value]]:
    """The graph of a function as one to be differentiated by some operands; its results."""
    body = callee.graph.block

    def run(leaves: list[Any]) -> list[Any]:
        values, block = Visible(zip(body.args, operands)), active().block
        values.update((body.args[index], leaf.value) for index, leaf in zip(sources, leaves))
        for operation in body.operations:
            block.operations.append(copy_operation(operation, block, values))
        return [wrap(values[value]) for value in body.yields]

    primal = Primal([wrap(operands[index]) for index in sources], run)
    return primal, [leaf.value for leaf in primal.result]


@rule("call")
def reverse_call(sweep: Sweep, operation: Operation) -> None:
    """Call the reverse function with the cotangents of the results."""
    split: SplitFunction | None = sweep.classes.splits.get(operation)
    sources, results = (split.sources, split.results) if split is not None else active_places(operation, sweep.classes)
    found = [cotangent(sweep, operation.results[index]) for index in results]
    if not sources or all(ct is None for ct in found):
        return
    cts = [(zero_cotangent(sweep, operation.results[index]) if ct is None else ct).value for index, ct in zip(results, found)]
    if split is None:
        reverse = reverse_function(operation.attributes["callee"], sources, results)
        read = operation.operands
    else:
        reverse = split.reverse
        read = [(operation.operands if kind == "operand" else operation.results)[index] for kind, index in split.reads]
    arguments = [*cts, *(sweep.phantoms.value(value, operation).value for value in read)]
    add_cotangents(sweep, operation, reverse, arguments, [operation.operands[index] for index in sources])


def add_cotangents(sweep: Sweep, operation: Operation, reverse: Function, arguments: list[Value], targets: list[Value]) -> None:
    """Call a reverse function; one array is added to where it has memory already, the others are contributions."""
    memory = [(place, total) for place, value in enumerate(targets) if (total := memory_of(sweep, value)) is not None]
    if memory:
        place, total = memory[0]
        adding = adding_function(reverse, targets, place)
        del targets[place]
        name, callee, arguments = "call_writing", adding, [total, *arguments]
    else:
        name, callee = "call", reverse
    made = emit(name, *arguments, callee=callee, label=callee.name, results=tuple(value.type for value in targets))
    made.span = operation.span
    for target, contribution in zip(targets, made.results):
        if sweep.is_value(target) and target not in sweep.values:
            sweep.values[target] = wrap(contribution)
            sweep.accumulators.add(contribution)
        else:
            sweep.add(target, wrap(contribution))


def memory_of(sweep: Sweep, value: Value) -> Value | None:
    """The array that the cotangent of an array is added to in place, where there is one."""
    if not isinstance(value.type, ArrayType):
        return None
    if sweep.is_value(value):
        known = sweep.values.get(value)
        return known.value if known is not None and known.value in sweep.accumulators else None
    shadow = sweep.shadow(value).value
    return None if repeats(shadow) else shadow


def zero_cotangent(sweep: Sweep, value: Value) -> Any:
    """The cotangent of a result that nothing depends on."""
    return sweep.fresh_shadow(value) if isinstance(value.type, ArrayType) else zero(value)


def reverse_function(callee: Function, sources: tuple[int, ...], results: tuple[int, ...]) -> Function:
    """The function of the cotangents of these results and of the operands that gives the cotangents of operands."""
    key = ("reverse", sources, results)
    if key not in callee.derivatives:
        graph, body = Graph(f"reverse_of_{callee.name}"), callee.graph.block
        callee.derivatives[key] = Function(graph, is_open=True)  # it calls itself where the function does
        cts = [wrap(graph.block.add_argument(body.yields[index].type, "ct")) for index in results]
        operands = [graph.block.add_argument(value.type, value.hint) for value in body.args]
        with function_of(graph):
            primal, made = primal_of(callee, operands, sources)
            _, found = forward_and_reverse(primal, [made[index] for index in results], lambda _: cts)
            graph.block.yields = [ct.value for ct in found]
            own_results(graph)
        callee.derivatives[key].close(graph)
    return callee.derivatives[key]


def adding_function(reverse: Function, targets: list[Value], place: int) -> Function:
    """As a reverse function, but the result at a place is added to an array, the first argument."""
    key = ("adding", place)
    if key not in reverse.derivatives:
        graph = Graph(f"{reverse.name}_added")
        types = tuple(own_sizes(value.type, index) for index, value in enumerate(targets))
        total = graph.block.add_argument(types[place], "total")
        arguments = [graph.block.add_argument(value.type, value.hint) for value in reverse.graph.block.args]
        with function_of(graph):
            made = emit("call", *arguments, callee=reverse, label=reverse.name, results=types)
            add_into(wrap(total), wrap(made.results[place]))
            graph.block.yields = [result for index, result in enumerate(made.results) if index != place]
        reverse.derivatives[key] = Function(graph)
    return reverse.derivatives[key]


def own_sizes(type_: Type, index: int) -> Type:
    """A type with labels of its own for sizes that are not known."""
    if not isinstance(type_, ArrayType):
        return type_
    sizes = enumerate(type_.dims)
    return ArrayType(type_.dtype, tuple(size if isinstance(size, int) else atom(f"d:t{index}.{axis}") for axis, size in sizes))


@contextmanager
def function_of(graph: Graph) -> Iterator[None]:
    """Record a function of its own: what fails in it leaves by the call."""
    trace = active()
    noted, trace.handling.note_failing = trace.handling.note_failing, None
    tries, trace.handling.tries = trace.handling.tries, []
    try:
        with detached(trace, graph.block):
            yield
    finally:
        trace.handling.note_failing, trace.handling.tries = noted, tries
    graph.block.parent = None
