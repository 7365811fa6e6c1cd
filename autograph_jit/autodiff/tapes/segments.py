"""The pullback of a part of the block that is being traced, which a tape has recorded.

The recorded operations stay where they are and keep their values: they get copies and pushes of what the reverse sweep reads, and the
reverse sweep is appended to the block. So what was computed from them before remains valid, and may be recorded by other tapes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.autodiff.containers import set_up_tape
from autograph_jit.autodiff.sweeps.accumulate import add_into
from autograph_jit.autodiff.sweeps.classes import Classes, is_differentiable, is_reference, written_by
from autograph_jit.autodiff.sweeps.counters import add_counters
from autograph_jit.autodiff.sweeps.disjoint import check_disjoint
from autograph_jit.autodiff.sweeps.first_use import start_with_first_sum
from autograph_jit.autodiff.sweeps.forward import at_hand, copy_region, keep_values, prune, replace
from autograph_jit.autodiff.sweeps.lasting import base_of
from autograph_jit.autodiff.sweeps.phantoms import Phantoms, Request
from autograph_jit.autodiff.sweeps.pullback import input_cotangent, outer_references, phantoms_of, prepare, root_requests
from autograph_jit.autodiff.sweeps.reverse import RULES, STRUCTURAL_SHADOWS, Sweep, by_definition, default_shadow
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ir.derivative import NOT_DIFFERENTIABLE
from autograph_jit.ir.graph import Block, Operation, Value, resolve, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType, ListType, ScalarType
from autograph_jit.tracing.values.lift import wrap
from autograph_jit.tracing.values.trace import Trace, detached, emit, user_span


class Segment:
    """Operations `start` to `end` of a block; those after them were not recorded. The block that is traced now is this one, or stands in
    branches and loops inside it: `repeated` tells whether in loops, `kept` whether the rest of a loop may write what the sweep reads."""

    def __init__(self, trace: Trace, block: Block, start: int, end: int, repeated: bool = False, kept: bool = False) -> None:
        self.trace, self.block, self.start, self.repeated, self.kept = trace, block, start, repeated, kept
        operations = block.operations
        self.recorded, self.tail = operations[start:end], operations[end:]
        self.inner = [operation for inner in enclosing(trace.block, block)[:-1] for operation in inner.operations]
        self.defined = {result for operation in self.recorded for result in operation.results}

    def pull_back(self, targets: list[tuple[Value, Any]], sources: dict[Value, list[Operation]]) -> dict[Value, Any]:
        """The cotangents of the sources, given those of the targets. A source from outside comes with the marks from which on it counts;
        none where it counts from the start."""
        primal = Block()
        primal.operations = list(self.recorded)
        inside = {value for value in sources if value in self.defined}
        arguments = {value: primal.add_argument(value.type, value.hint) for value in sources if value not in inside}
        for value, argument in arguments.items():
            self.rename_source(value, argument, sources[value])
        refuse_unknown_views(primal, arguments)
        renamed = prepare(primal)
        restore(self.trace, renamed, primal, self.defined)
        self.trace.differentiation.clones.update({value: new for value, new in renamed.items() if value not in self.defined})
        add_counters(primal)
        check_disjoint(primal)
        classes = self.classes(primal, [*arguments.values(), *inside], [arguments.get(value, value) for value, _ in targets])
        header, forward, backward = Block(), Block(), Block()
        phantoms = phantoms_of(primal, classes, header)
        if self.kept:
            phantoms.written = lambda value: True
        with detached(self.trace, header):
            set_up_tape(classes, primal, phantoms)
        with detached(self.trace, backward):
            sweep = SegmentSweep(primal, classes, phantoms)
            sweep.sources = inside
            sweep.begin()
            for value, ct in targets:
                sweep.add(arguments.get(value, value), ct)
            sweep.run()
            found = {value: input_cotangent(sweep, argument) for value, argument in arguments.items()} | sweep.taken
        prune(backward, {ct.value for ct in found.values()})
        values: dict[Value, Value] = {argument: value for value, argument in arguments.items()}
        substitution = self.instrument(phantoms, primal, forward, root_requests(phantoms, backward), values)
        replace(backward, substitution | values)
        start_with_first_sum(backward)
        if self.repeated:
            copy_lists(self.trace, header, backward)
        self.block.operations[:] = self.block.operations[: self.start] + header.operations + forward.operations + self.tail
        self.trace.block.operations += backward.operations
        for block in (self.block, self.trace.block):
            block.adopt(block.operations)
        return {value: wrap(substitution.get(ct.value, values.get(ct.value, ct.value))) for value, ct in found.items()}

    def rename_source(self, value: Value, argument: Value, marks: list[Operation]) -> None:
        """Put an argument in the place of a value from its marks on, which may stand in branches."""
        if not marks:
            rename(self.recorded, value, argument)
        for mark in marks:
            place = mark
            while place.block is not self.block:
                inner = place.block
                assert inner is not None and inner.parent is not None
                rename(inner.operations[position_after(inner, place) :], value, argument)
                inner.yields = [argument if item is value else item for item in inner.yields]
                place = next(operation for operation in inner.parent.operations if inner in operation.regions)
            rename(self.recorded[max(position_after(self.block, place) - self.start, 0) :], value, argument)

    def classes(self, primal: Block, inputs: list[Value], outputs: list[Value]) -> Classes:
        """The alias classes of the segment; what was not recorded counts as far as it writes memory."""
        whole = block_of_operations([*primal.operations, *self.tail, *self.inner])
        whole.args = primal.args
        classes = Classes(whole, inputs, outputs)
        classes.block = primal
        for root in kept_lists(primal, classes):
            classes.active.discard(root)
        return classes

    def instrument(
        self, phantoms: Phantoms, primal: Block, forward: Block, wanted: list[Request], values: dict[Value, Value]
    ) -> dict[Value, Value]:
        """Keep what the reverse sweep wants of the recorded operations, which are changed in place; returns where it is found."""
        values.update({result: result for operation in primal.operations for result in operation.results})
        nested: dict[Value, Value] = dict(values)
        copies: dict[Value, Value] = {}
        timed: dict[Operation, list[Request]] = {}
        for request in wanted:
            if request.at is not None:
                timed.setdefault(request.at, []).append(request)
        with detached(self.trace, forward):
            for operation in primal.operations:
                requests = timed.get(operation, [])
                phantoms.residuals.allocate(operation, lambda value: values.get(value, value))
                keep_values(phantoms, [request for request in requests if request.value not in operation.results], values, copies)
                operation.operands = [values.get(operand, operand) for operand in operation.operands]
                if operation in phantoms.recorded:
                    operation = take_place(phantoms.recorded[operation](operation.operands), operation, forward)
                operation.unwind = [values.get(value, value) for value in operation.unwind]
                operation.regions = [copy_region(phantoms, region, forward, nested) for region in operation.regions]
                for region in operation.regions:
                    region.parent = self.block
                forward.operations.append(operation)
                keep_values(phantoms, [request for request in requests if request.value in operation.results], values, copies)
            substitution = {request.phantom: at_hand(request, values, copies) for request in wanted} | phantoms.residuals.made
        self.trace.differentiation.clones.update({value: copy for value, copy in nested.items() if value not in values})
        return substitution


class SegmentSweep(Sweep):
    """The sweep of a segment: the cotangents of sources that the segment itself defines are taken where it defines them."""

    sources: set[Value]

    def begin(self) -> None:
        """Shadows of the arguments, of memory from outside, and of what the segment makes."""
        self.taken: dict[Value, Any] = {}
        for arg in self.block.args:
            if isinstance(arg.type, ArrayType) and self.classes.is_active(arg) and not self.is_value(arg):
                self.shadows[arg] = self.fresh_shadow(arg)
        for value in outer_references(self.block, self.phantoms):
            if self.classes.is_active(value):
                self.shadows[value] = self.fresh_shadow(value)
        self.make_shadows()

    def make_shadows(self) -> None:
        """A source that is a view of memory which nothing writes has a shadow of its own: only what is read through it counts."""
        for value in self.sources:
            if value not in self.shadows and self.is_separate(value):
                self.shadows[value] = self.fresh_shadow(value)
        super().make_shadows()

    def is_separate(self, value: Value) -> bool:
        """Whether a value is a view that can have a shadow of its own."""
        owner = value.owner
        is_view = isinstance(owner, Operation) and owner.opdef.effect is Effect.VIEW
        return is_view and self.classes.is_active(value) and not self.classes.is_written(value)

    def run(self) -> None:
        """Sweep the segment, taking the cotangents of its sources on the way."""
        for operation in reversed(self.block.operations):
            for result in operation.results:
                if result in self.sources:
                    self.take_source(operation, result)
            RULES.get(operation.name, by_definition)(self, operation)

    def is_read(self, value: Value) -> bool:
        """The targets of a tape are not among the operations that it recorded."""
        return True

    def take_source(self, operation: Operation, value: Value) -> None:
        """Keep a copy of the cotangent of a source, which is complete by now."""
        if not is_reference(value):
            if value in self.scalars:
                self.taken[value] = self.scalars[value]
        elif value in self.values:
            self.taken[value] = self.values[value]
        elif self.has_shadow(value):
            self.taken[value] = wrap(emit("copy", self.shadow(value).value).result)
            if self.is_separate(value) and self.has_shadow(operation.operands[0]):
                add_into(STRUCTURAL_SHADOWS.get(operation.name, default_shadow)(self, operation, value), self.taken[value])


class Connections(Classes):
    """Dependence through operations that have a derivative."""

    def spread_through(self, operation: Operation) -> None:
        if operation.opdef.vjp is not NOT_DIFFERENTIABLE and operation.name != "stop_gradient":
            super().spread_through(operation)


def kept_lists(primal: Block, classes: Classes) -> set[Value]:
    """Lists that the segment only appends to, and that it made: what an earlier reverse sweep keeps, which has no part in this one."""
    lists = {operand for operation in walk_block(primal) for operand in operation.operands if isinstance(operand.type, ListType)}
    appended = {operation.operands[0] for operation in walk_block(primal) if operation.name in ("list_push", "list_extend")}
    read = {
        classes.root(operand)
        for operation in walk_block(primal)
        for operand in operation.operands[1 if operation.name in ("list_push", "list_extend") else 0 :]
        if isinstance(operand.type, ListType)
    }
    return {classes.root(value) for value in lists & appended} - read


def block_of_operations(operations: list[Operation]) -> Block:
    """A block for analysis."""
    block = Block()
    block.operations = operations
    return block


def copy_lists(trace: Trace, header: Block, backward: Block) -> None:
    """Have a reverse sweep that runs several times empty copies of the lists of saved values."""
    copies = Block()
    with detached(trace, copies):
        for operation in header.operations:
            for saved in operation.results:
                if isinstance(saved.type, ListType):
                    rename(backward.operations, saved, emit("list_copy", saved).result)
    backward.operations[:0] = copies.operations


def rename(operations: list[Operation], value: Value, new: Value) -> None:
    """Put one value in the place of another, in operations and their regions."""
    for operation in walk_block(block_of_operations(operations)):
        operation.operands = [new if operand is value else operand for operand in operation.operands]
        operation.unwind = [new if operand is value else operand for operand in operation.unwind]
        for region in operation.regions:
            region.yields = [new if operand is value else operand for operand in region.yields]


def refuse_unknown_views(primal: Block, arguments: dict[Value, Value]) -> None:
    """Writes that reach a source through a view made before the tape, or that such a view shows."""
    given = {argument: value for value, argument in arguments.items()}
    bases: dict[Value, set[Value]] = {}
    written: set[Value] = set()
    for operation in walk_block(primal):
        for operand in operation.operands:
            if isinstance(operand.type, ArrayType):
                bases.setdefault(base_of(given.get(base_of(operand), base_of(operand))), set()).add(base_of(operand))
        written.update(base_of(target) for target in written_by(operation) if isinstance(target.type, ArrayType))
    for names in bases.values():
        if len(names) > 1 and names & written and any(name in given for name in names):
            raise NotDifferentiable(
                "an array that a tape watches is written while another view of it, made before the tape, is in use",
                user_span(),
                "the tape knows the views that it sees being made",
                "make the view inside the with statement",
            )


def restore(trace: Trace, renamed: dict[Value, Value], primal: Block, defined: set[Value]) -> None:
    """Define again the values whose operations were replaced: other names of what stands for them now."""
    for value in [value for value in renamed if value in defined]:
        new = resolve(value, renamed)
        scratch = Block()
        with detached(trace, scratch):
            other_name(new)
        (named,) = scratch.operations
        named.results = [value]
        value.owner, value.index = named, 0
        places = [place for place, operation in enumerate(primal.operations) if new in operation.results]
        primal.operations.insert(places[0] + 1 if places else 0, named)


def other_name(value: Value) -> None:
    """Record an operation that gives a value as it is."""
    if isinstance(value.type, ArrayType):
        emit("transpose", value, perm=tuple(range(value.type.rank)))
    elif isinstance(value.type, ScalarType):
        emit("cast", value, dtype=value.type.dtype)
    else:
        raise NotDifferentiable(
            "the gradient of a tape over a container that an exception may leave behind is not supported",
            user_span(),
            "the operations that made it are replaced, and it has one name",
            "use ag.grad, or make the container outside the try statement",
        )


def take_place(made: Operation, old: Operation, block: Block) -> Operation:
    """An operation that was just recorded, with the results of the one that it replaces, at no place of a block yet."""
    block.operations.remove(made)
    made.unwind = old.unwind
    made.results = old.results
    for result in made.results:
        result.owner = made
    return made


def mark() -> Operation:
    """A place in the current block: an operation without meaning that stays where it is."""
    return emit("constant", value=np.int64(0))


def position_after(block: Block, place: Operation) -> int:
    """The position behind a mark."""
    return next(index for index, operation in enumerate(block.operations) if operation is place) + 1


def is_watchable(value: Value) -> bool:
    """Whether a value may carry a derivative."""
    return is_differentiable(value) and not isinstance(value.type, ListType)


def enclosing(block: Block | None, outer: Block) -> list[Block]:
    """A block and those around it, up to `outer`; empty where that is not among them."""
    found: list[Block] = []
    while block is not None:
        found.append(block)
        if block is outer:
            return found
        block = block.parent
    return []
