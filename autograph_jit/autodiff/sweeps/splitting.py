"""Splits a traced program into two: a forward sweep that also gives what it saves, and a reverse sweep that takes this and cotangents.

Both are programs like any other, so they are compiled, and can be split in their turn: so come derivatives of higher order under nested
tapes. The forward sweep does what the program did, once; the reverse sweep reads only what it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from autograph_jit.autodiff.sweeps.classes import Classes, is_differentiable, is_object
from autograph_jit.autodiff.sweeps.counters import add_counters
from autograph_jit.autodiff.sweeps.lists import keep_lengths
from autograph_jit.autodiff.sweeps.pullback import Primal, Swept, prepare, sweep_through
from autograph_jit.autodiff.tapes.program_call import Split
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ir.copying import copy_operation
from autograph_jit.ir.graph import Block, Graph, Operation, Value, resolve, walk_block
from autograph_jit.ir.types import ArrayType, ListType
from autograph_jit.tracing.objects.operator_methods import restore_operators
from autograph_jit.tracing.structures.getters import Getter
from autograph_jit.tracing.values.lift import wrap
from autograph_jit.tracing.values.trace import Restart, Trace, active, detached, emit, tracing, user_span

Source = Callable[[Sequence[Any], Sequence[Any], Any], Any]
TEXTS = ("str", "f-string", "repr", "format", "dumps")


class GraphPart:
    """A program as a graph, with the trace that it belongs to, which knows what rules of the user's have captured; `make_run` gives what
    runs a graph."""

    def __init__(self, graph: Graph, trace: Trace, make_run: Callable[[Graph], Callable[[Sequence[Any]], Sequence[Any]]]) -> None:
        self.graph, self.trace, self.make_run = graph, trace, make_run
        with tracing(trace):
            self.written = written_parameters(graph)
        self.splits: dict[Any, Split] = {}
        self.runner: Callable[[Sequence[Any]], Sequence[Any]] | None = None

    def run(self, leaves: Sequence[Any]) -> Sequence[Any]:
        """The results, compiled at the first call."""
        if self.runner is None:
            self.runner = self.make_run(self.graph)
        return self.runner(leaves)

    def split(self, inputs: tuple[int, ...], boxed: frozenset[int]) -> Split:
        """The sweeps for a derivative by these parameters, made once. What rules read from outside joins the guards of the program."""
        made = self.splits.get((inputs, boxed))
        if made is not None:
            return made
        with tracing(self.trace):
            try:
                made = split_graph(self, inputs, boxed)
            except Restart as restart:
                raise NotDifferentiable(
                    "this call has no derivative under a tape",
                    user_span(),
                    f"a rule needs a decision that the program was traced without: {restart.decisions}",
                    "use ag.grad, or the tape in a compiled function",
                ) from None
            finally:
                restore_operators(self.trace)
        self.splits[inputs, boxed] = made
        return made

    def part(self, graph: Graph) -> GraphPart:
        """Another program of the same trace."""
        return GraphPart(graph, self.trace, self.make_run)


class CopiedProgram(Primal):
    """A program as a function of some of its parameters; the others are `leaves`."""

    def __init__(self, graph: Graph, leaves: list[Value], inputs: Sequence[int]) -> None:
        self.block, self.given = Block(active().block), [leaves[index] for index in inputs]
        values: dict[Value, Value] = {}
        for index, argument in enumerate(graph.block.args):
            values[argument] = self.block.add_argument(argument.type, argument.hint) if index in inputs else leaves[index]
        for operation in graph.block.operations:
            self.block.operations.append(copy_operation(operation, self.block, values))
        active().differentiation.clones.update(values)
        active().differentiation.residuals.update(copy for value, copy in values.items() if value in active().differentiation.residuals)
        self.block.yields = [values[value] for value in graph.block.yields]
        renamed = prepare(self.block)
        active().differentiation.clones.update(renamed)
        self.results = [resolve(value, renamed) for value in self.block.yields]
        add_counters(self.block)
        keep_lengths(self.block)


def written_parameters(graph: Graph) -> tuple[int, ...]:
    """The array parameters whose memory the program may write."""
    classes = Classes(graph.block, [])
    return tuple(index for index, arg in enumerate(graph.block.args) if isinstance(arg.type, ArrayType) and classes.is_written(arg))


def split_graph(part: GraphPart, inputs: tuple[int, ...], boxed: frozenset[int]) -> Split:
    """The sweeps, each a graph of its own."""
    trace, graph = part.trace, part.graph
    forward, reverse = Graph(graph.name), Graph(f"reverse_{graph.name}")
    before = trace.graph, trace.block, trace.recorded.operations
    trace.graph, trace.block, trace.recorded.operations = forward, forward.block, 0
    try:
        leaves = [forward.block.add_argument(arg.type, arg.hint) for arg in graph.block.args]
        primal = CopiedProgram(graph, leaves, inputs)
        classes = Classes(primal.block, primal.block.args)
        missing = tuple(index for index, leaf in enumerate(leaves) if index not in inputs and classes.is_active(leaf))
        if missing:
            refuse_plain_memory(missing, boxed)
            return split_graph(part, tuple(sorted({*inputs, *missing})), boxed)
        refuse_containers(primal, classes, leaves)
        outputs = [index for index, value in enumerate(primal.results) if classes.is_active(value)]
        changed = [index for index, arg in zip(inputs, primal.block.args) if classes.is_written(arg) and is_differentiable(arg)]
        targets = [*(primal.results[index] for index in outputs), *(primal.block.args[inputs.index(index)] for index in changed)]
        cts = [wrap(reverse.block.add_argument(value.type, "ct")) for value in targets]
        swept = sweep_through(primal, targets, lambda _: cts)
        del forward.block.args[len(leaves) :]  # what rules have read from outside goes to the reverse sweep alone
        results = [swept.values.get(value, value) for value in primal.results]
        sources = join_sweeps(trace, swept, forward, reverse, leaves, results, dict(trace.inputs.parameters))
    finally:
        trace.graph, trace.block, trace.recorded.operations = before
    return Split(part.part(forward), part.part(reverse), inputs, tuple(outputs), tuple(changed), tuple(sources))


def join_sweeps(
    trace: Trace, swept: Swept, forward: Graph, reverse: Graph, leaves: list[Value], results: list[Value], given: dict[Value, Getter]
) -> list[Source]:
    """Fill both graphs; what the reverse sweep reads becomes its parameters. Lists pass from one to the other as arrays."""
    forward.block.operations = forward.block.adopt([*swept.header.operations, *swept.forward.operations])
    forward.block.yields = list(results)
    reverse.block.yields = list(swept.cotangents)
    own = defined_in(swept.backward.operations) | set(reverse.block.args)
    outside = [value for value in read_by(swept.backward.operations, reverse.block.yields) if value not in own]
    names: dict[Value, Value] = {}
    sources: list[Source] = []
    unpacked = Block()
    for value in outside:
        passed = value
        if isinstance(value.type, ListType):
            with detached(trace, forward.block):
                passed = emit("list_to_array", value, dims=(trace.fresh_atom("d", "saved"),)).result
        names[value] = parameter = reverse.block.add_argument(passed.type, value.hint)
        sources.append(source_of(passed, forward, leaves, given))
        if isinstance(value.type, ListType):
            with detached(trace, unpacked):
                names[value] = emit("list_new", elem=value.type.elem).result
                emit("list_extend", names[value], parameter)
    rename_outer_values(swept.backward.operations, names)
    reverse.block.yields = [names.get(value, value) for value in reverse.block.yields]
    reverse.block.operations = reverse.block.adopt([*unpacked.operations, *swept.backward.operations])
    return sources


def source_of(value: Value, forward: Graph, leaves: list[Value], given: dict[Value, Getter]) -> Source:
    """Where a value that the reverse sweep reads is found: among the operands, outside, or among the results, to which it is added."""
    if value in leaves:
        position = leaves.index(value)
        return lambda operands, results, arguments: operands[position]
    if value in given:
        getter = given[value]
        return lambda operands, results, arguments: getter(arguments)
    if value not in forward.block.yields:
        forward.block.yields.append(value)
    place = forward.block.yields.index(value)
    return lambda operands, results, arguments: results[place]


def defined_in(operations: list[Operation]) -> set[Value]:
    """The results of operations, and all that their regions define."""
    block = Block()
    block.operations = operations
    inner = list(walk_block(block))
    return {result for operation in inner for result in operation.results} | {
        argument for operation in inner for region in operation.regions for argument in region.args
    }


def read_by(operations: list[Operation], yields: Iterable[Value]) -> list[Value]:
    """The values that operations and their regions read, in order of first use."""
    block = Block()
    block.operations = operations
    read: dict[Value, None] = {}
    for operation in walk_block(block):
        read.update(dict.fromkeys([*operation.operands, *operation.unwind]))
        for region in operation.regions:
            read.update(dict.fromkeys(region.yields))
    read.update(dict.fromkeys(yields))
    return list(read)


def rename_outer_values(operations: list[Operation], names: dict[Value, Value]) -> None:
    """Put other values in the place of those that come from outside."""
    block = Block()
    block.operations = operations
    for operation in walk_block(block):
        operation.operands = [names.get(value, value) for value in operation.operands]
        operation.unwind = [names.get(value, value) for value in operation.unwind]
        for region in operation.regions:
            region.yields = [names.get(value, value) for value in region.yields]


def refuse_plain_memory(missing: tuple[int, ...], boxed: frozenset[int]) -> None:
    """What a tape follows may not be written to an array that it cannot follow."""
    if not boxed.issuperset(missing):
        raise NotDifferentiable(
            "what a tape records is written to a plain array of the caller's",
            user_span(),
            "what is computed from the array afterwards would count as a constant",
            "make it a Tensor, with ag.asarray",
        )


def refuse_containers(primal: CopiedProgram, classes: Classes, leaves: list[Value]) -> None:
    """A container that outlives the call may not hold what a tape follows: the tape would not know it again."""
    for value in (*leaves, *primal.results):
        owner = value.owner
        is_text = isinstance(owner, Operation) and owner.attributes.get("label") in TEXTS
        if is_object(value) and classes.carries(value) and not is_text:
            raise NotDifferentiable(
                "what a tape records goes into a Python object that outlives the call",
                owner.span if isinstance(owner, Operation) else user_span(),
                f"{value.hint or 'the object'} exists at run time only, and the tape does not see in compiled code what it holds",
                "return arrays and numbers, or use ag.grad or the tape in a compiled function",
            )
