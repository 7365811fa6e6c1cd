"""The reverse of a segment: it runs again from the state at its start, as a function of what it reads, and is pulled back at once.

The arrays that it writes are copied first: what was kept of them may be wanted again.
"""

from __future__ import annotations

from typing import Any

from autograph_jit.autodiff.sweeps.classes import Classes, written_by
from autograph_jit.autodiff.sweeps.pullback import Primal, forward_and_reverse
from autograph_jit.autodiff.sweeps.regions import result_cotangents
from autograph_jit.autodiff.sweeps.reverse import Sweep, rule
from autograph_jit.autodiff.sweeps.structural import refuse_ambiguous
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ir.copying import Visible, copy_operation
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.types import ArrayType
from autograph_jit.tracing.values.lift import wrap
from autograph_jit.tracing.values.trace import active, emit


class Rerun(Primal):
    """A segment as a function of what it reads; `given` is where the reverse sweep has that."""

    def __init__(self, sweep: Sweep, operation: Operation, written: set[Value]) -> None:
        self.block, self.given = Block(active().block), []
        self.sources: list[Value] = []
        values = Visible()
        for value in read_by(operation):
            found = sweep.phantoms.value(value, operation).value
            if sweep.classes.is_active(value) or value in written:
                values[value] = self.block.add_argument(value.type, value.hint)
                self.given.append(emit("copy", found).result if value in written else found)
                self.sources.append(value)
            else:
                values[value] = found
        copy = copy_operation(operation, self.block, values)
        copy.attributes = {name: value for name, value in copy.attributes.items() if name != "segment"}
        self.block.operations.append(copy)
        self.results = copy.results
        active().differentiation.clones.update(values)


def read_by(operation: Operation) -> list[Value]:
    """The values from outside that a loop and its body read, in order of first use."""
    made: set[Value] = set()
    read: dict[Value, None] = dict.fromkeys(operation.operands)
    for region in operation.regions:
        collect(region, made, read)
    return [value for value in read if value not in made]


def collect(block: Block, made: set[Value], read: dict[Value, None]) -> None:
    made.update(block.args)
    for inner in block.operations:
        read.update(dict.fromkeys(inner.operands))
        read.update(dict.fromkeys(inner.unwind))
        for region in inner.regions:
            collect(region, made, read)
        made.update(inner.results)
    read.update(dict.fromkeys(block.yields))


def arrays_written(classes: Classes, operation: Operation) -> set[Value]:
    """The arrays from outside that a loop may write; the reverse sweep runs it again on copies, so each must have one name."""
    read = read_by(operation)
    found = {
        root
        for region in operation.regions
        for inner in walk_block(region)
        for target in written_by(inner)
        if (root := classes.direct_root(target)) in read
    }
    if any(classes.root(x) is classes.root(y) for x in found for y in read if x is not y):
        raise NotDifferentiable(
            "this loop cannot be checkpointed",
            operation.span,
            "it writes to an array that it reaches under two names",
            "leave checkpoint out, or use one name: a slice inside the loop instead of a view made before it",
        )
    return {value for value in read if isinstance(value.type, ArrayType) and classes.is_written(value)}


@rule("segment")
def reverse_segment(sweep: Sweep, operation: Operation) -> None:
    """Pull back a segment: cotangents of its results and of the arrays that it writes go in, those of what it reads come out."""
    cts = result_cotangents(sweep, operation)
    for region in operation.regions:
        for inner in walk_block(region):
            for target in filter(sweep.classes.is_active, inner.written):
                refuse_ambiguous(sweep, target, inner, operation)
    written = arrays_written(sweep.classes, operation)
    segment = Rerun(sweep, operation, written)
    pairs: list[tuple[Value, Any]] = [(result, ct) for result, ct in zip(segment.results, cts, strict=True) if ct is not None]
    outside = [source for source in segment.sources if source in written and source not in operation.operands]
    replaced = [source for source in outside if sweep.classes.is_active(source)]
    arguments = dict(zip(segment.sources, segment.block.args))
    pairs += [(arguments[source], wrap(emit("copy", sweep.shadow(source).value).result)) for source in replaced]
    _, found = forward_and_reverse(segment, [value for value, _ in pairs], lambda _: [ct for _, ct in pairs])
    for source, ct in zip(segment.sources, found):
        if source in replaced:
            emit("assign", sweep.shadow(source).value, ct.value)
        elif sweep.classes.is_active(source):
            sweep.add(source, ct)
