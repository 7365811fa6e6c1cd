"""What a tape in compiled code has recorded up to a place of the program: a segment of the block of its with statement, and of each block
around the place that stands in it.

A place in a loop inside the with statement sees one trip and what comes before the loop. What goes from trip to trip is not known before
the loop is traced, so it is looked at when the with statement ends: a gradient that it would have gone through is refused then.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograph_jit.autodiff.sweeps.classes import is_differentiable
from autograph_jit.autodiff.tapes.segments import Connections, Segment, block_of_operations, enclosing, is_watchable, position_after
from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.types import ArrayType
from autograph_jit.records import dataclass
from autograph_jit.source import SourceSpan
from autograph_jit.tracing.structures.demands import Region
from autograph_jit.tracing.values.trace import Trace, user_span

LOOPS = ("for", "while")
Watched = dict[Value, list[Operation]]


class RecordedPath:
    """The segments from the with statement, `start` to `end`, to the place that is traced now, the outermost first. `own_loop` marks the
    innermost loop as one of the tape's own, which writes nothing."""

    def __init__(self, trace: Trace, block: Block, start: Operation, end: Operation | None, depth: int, own_loop: bool = False) -> None:
        self.trace, self.block = trace, block
        regions = trace.regions[depth:]
        self.inner = list(reversed(enclosing(trace.block, block)[:-1]))
        if (trace.block is not block and not self.inner) or len(self.inner) != len(regions):
            raise elsewhere()
        self.regions = regions
        users = regions[:-1] if own_loop else regions
        first, last = position_after(block, start), len(block.operations) if end is None else position_after(block, end)
        self.segments = [Segment(trace, block, first, last, is_repeated(regions), is_repeated(users))]
        if end is None:
            for index, inner in enumerate(self.inner[: len(users)]):
                rest = regions[index + 1 :], users[index + 1 :]
                self.segments.append(Segment(trace, inner, 0, len(inner.operations), *map(is_repeated, rest)))
        self.operations = [operation for segment in self.segments for operation in segment.recorded]
        self.defined = {value for segment in self.segments for value in segment.defined}

    def connections(self, inputs: Iterable[Value]) -> Connections:
        """What depends on the inputs."""
        return Connections(block_of_operations(self.operations), list(inputs))

    def wanted(self, targets: Iterable[Value], sources: Iterable[Value], followed: Watched) -> list[Value]:
        """The sources that the tape follows and that a target depends on."""
        tracked = self.connections(followed)
        known = [value for value in sources if value in followed or (value in self.defined and tracked.is_active(value))]
        ends = list(targets)
        return [value for value in known if any(self.connections([value]).is_active(end) for end in ends)]

    def pull_back(self, targets: list[tuple[Value, Any]], wanted: list[Value], followed: Watched) -> dict[Value, Any]:
        """The cotangents of the wanted sources, through one segment after the other, the innermost first."""
        found: dict[Value, Any] = {}
        tracked = self.connections(followed)
        for segment in reversed(self.segments[1:]):
            passed = [
                value
                for value in read_by(segment.recorded)
                if value not in segment.defined and is_watchable(value) and (value in followed or tracked.is_active(value))
            ]
            own = [value for value in wanted if value in segment.defined]
            cts = segment.pull_back(targets, {value: [] for value in (*passed, *own)})
            found |= {value: cts[value] for value in own if value in cts}
            rest = [(value, ct) for value, ct in targets if value not in segment.defined and value not in passed]
            targets = [*rest, *((value, cts[value]) for value in passed)]
        outermost = {value: followed.get(value, []) for value in wanted if value not in found}
        return found | (self.segments[0].pull_back(targets, outermost) if outermost else {})

    def dependence(self, targets: list[Value], followed: Watched) -> Dependence | None:
        """What the targets depend on that loops around this place may change, None outside of loops."""
        if len(self.segments) == 1:
            return None
        loops = [block for block, region in zip(self.inner, self.regions) if region.kind in LOOPS]
        if not loops:
            return None
        inside = [operation for segment in self.segments[1:] for operation in segment.recorded]
        arguments = [argument for block in loops for argument in block.args if is_differentiable(argument)]
        arrays = [value for value in read_by(inside) if isinstance(value.type, ArrayType) and is_differentiable(value)]
        local = {value for segment in self.segments[1:] for value in segment.defined}
        candidates = dict.fromkeys([*arguments, *(value for value in arrays if value not in local)])
        reaching = [value for value in candidates if any(self.connections([value]).is_active(target) for target in targets)]
        return Dependence(loops[0], reaching, list(followed), user_span())


@dataclass(frozen=True, slots=True)
class Dependence:
    """A gradient in a loop inside the with statement: the outermost such loop, and what the targets read that trips may change."""

    loop: Block
    values: list[Value]
    followed: list[Value]
    span: SourceSpan | None

    def check(self, recorded: list[Operation]) -> None:
        """Refuse the gradient where something that the tape follows goes from trip to trip into its targets."""
        owner = next((operation for operation in walk_block(block_of_operations(recorded)) if self.loop in operation.regions), None)
        if owner is None:  # traced again since then
            return
        connections = Connections(block_of_operations(recorded), self.followed)
        inside = Connections(block_of_operations([owner]), [])
        for value in self.values:
            is_changed = not isinstance(value.type, ArrayType) or inside.is_written(value) or isinstance(value.owner, Block)
            if is_changed and value not in self.followed and connections.is_active(value) or inside.is_written(value):
                raise self.refusal(value)

    def refusal(self, value: Value) -> ConversionError:
        """The error for a variable that goes from trip to trip into the targets."""
        return ConversionError(
            "gradient is called in a loop inside the with statement of the tape, and depends on the trips before",
            self.span,
            f"{value.hint or 'a variable'} goes from trip to trip: the sweep would have to run back through them in every trip",
            "call gradient after the loop, put the with statement into the loop, or write the loop out with ag.unroll",
        )


def is_repeated(regions: list[Region]) -> bool:
    """Whether a loop is among these regions."""
    return any(region.kind in LOOPS for region in regions)


def read_by(operations: list[Operation]) -> list[Value]:
    """The values that operations and their regions read, in order of first use."""
    whole = block_of_operations(operations)
    read = dict.fromkeys(operand for operation in walk_block(whole) for operand in operation.operands)
    read.update(dict.fromkeys(value for operation in walk_block(whole) for region in operation.regions for value in region.yields))
    return list(read)


def elsewhere() -> ConversionError:
    """The error for a tape that is used outside of the block of its with statement."""
    return ConversionError(
        "a tape is used in another function call or loop than its with statement",
        user_span(),
        "in compiled code it records one part of a program, with the branches and loops inside it",
        "move the with statement next to the call",
    )
