"""`GradientTape` in compiled code: what the with statement traces is differentiated by the transform that `ag.grad` uses."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.autodiff.accumulate import zero, zeros
from autograph_jit.autodiff.segments import Segment, enclosing, mark, position_after, segment_between
from autograph_jit.autodiff.tape import GradientTape, refuse_second_call, require_unconnected, unwatchable
from autograph_jit.autodiff.trees import leaves_of, map_tree
from autograph_jit.errors import ConversionError, NotDifferentiable
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ops.dispatch import Boxed
from autograph_jit.staging.calls import BUILTINS
from autograph_jit.staging.lift import dtype_of, is_array, lift_array, lift_number, shape_of
from autograph_jit.staging.trace import active, user_span
from autograph_jit.staging.values import Maybe, Protocol, StagedArray, StagedScalar

MAX_ROWS = 64


class StagedTape:
    """The tape while a function is traced: remembers where its with statement begins and ends, and what it watches from where on."""

    __transparent__ = True

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self.persistent, self.watches_variables = persistent, watch_accessed_variables
        self.block: Block | None = None
        self.depth = 0
        self.start: Operation | None = None
        self.end: Operation | None = None
        self.watched: dict[Value, Operation] = {}
        self.uses: list[Block] = []

    @property
    def used(self) -> bool:
        """Whether `gradient` was called."""
        return bool(self.uses)

    def __enter__(self) -> StagedTape:
        if self.block is not None:
            raise ConversionError(
                "a tape is used by two with statements", user_span(), "it records one part of a program", "make a tape for each"
            )
        self.block, self.start, self.depth = active().block, mark(), len(active().regions)
        return self

    def __exit__(self, *exception: Any) -> None:
        self.end = mark() if active().block is self.block else self.start

    def here(self, what: str) -> Segment:
        """What is recorded. The block that is traced now is that of the with statement, or after it a branch in that block."""
        block, trace = self.block, active()
        if block is not None and self.start is not None:
            branches = all(region.kind == "if" for region in trace.regions[self.depth :])
            if trace.block is block or (self.end is not None and branches and enclosing(trace.block, block)):
                return segment_between(block, self.start, self.end)
        raise ConversionError(
            f"{what} is called in another branch or loop than the with statement of the tape",
            user_span(),
            "a tape in compiled code records one straight part of a program, with the branches and loops inside it",
            "move the call next to the with statement, or the with statement next to the call",
        )

    def note_use(self) -> None:
        """A second gradient on one path of a tape that is not persistent is an error."""
        block = active().block
        if not self.persistent and any(enclosing(block, used) or enclosing(used, block) for used in self.uses):
            raise refuse_second_call()
        self.uses.append(block)

    def watch(self, *tensors: Any) -> None:
        """Follow these from now on."""
        self.here("watch")
        for leaf in leaves_of(tensors):
            staged = stand_in(leaf)
            if staged is None or dtype_of(staged).kind not in "fc":
                raise unwatchable(str(dtype_of(staged)) if staged is not None else type(leaf).__name__)
            self.watched.setdefault(staged.value, mark())

    def watched_variables(self) -> list[Any]:
        """The trainable Variables used so far, in order of first use."""
        return list(self.variables(self.here("watched_variables")).values())

    def variables(self, segment: Segment) -> dict[Value, Any]:
        """The trainable Variables that a segment uses."""
        if not self.watches_variables:
            return {}
        inputs = active().inputs
        used = dict.fromkeys(operand for operation in walk_block(segment.whole(segment.recorded)) for operand in operation.operands)
        variables = [inputs.variables[value][0] for value in used if value in inputs.variables]
        return {x.value: x for x in variables if x.dtype.kind in "fc" and inputs.variable_attribute(x.value, "trainable")}

    def gradient(self, target: Any, sources: Any, output_gradients: Any = None, unconnected_gradients: str = "none") -> Any:
        """As `GradientTape.gradient`."""
        require_unconnected(unconnected_gradients)
        self.here("gradient")
        self.note_use()
        targets = [stand_in(leaf) for leaf in leaves_of(target)]
        cts = leaves_of(output_gradients) if output_gradients is not None else [1.0] * len(targets)
        pairs = [(leaf.value, weight(ct, leaf)) for leaf, ct in zip(targets, cts, strict=True) if leaf is not None]
        wanted = {leaf.value for leaf in map(stand_in, leaves_of(sources)) if leaf is not None}
        found = self.found(self.here("gradient"), pairs, wanted)
        return map_tree(sources, lambda leaf: result_for(leaf, found, unconnected_gradients))

    def found(self, segment: Segment, targets: list[tuple[Value, Any]], sources: set[Value]) -> dict[Value, Any]:
        """The gradients of those sources that the tape follows and that the targets depend on."""
        assert self.start is not None and self.block is not None
        beginnings = {value: position_after(self.block, place) for value, place in self.watched.items()}
        followed = dict.fromkeys(self.variables(segment), segment.start)
        followed |= {value: max(beginning, segment.start) for value, beginning in beginnings.items()}
        tracked = segment.connections(list(followed))
        ends = [value for value, _ in targets]
        wanted: dict[Value, int] = {}
        for value in sources:
            if value in followed or (value in segment.defined and tracked.is_active(value)):
                reached = segment.connections([value])
                if any(reached.is_active(end) for end in ends):
                    wanted[value] = followed.get(value, segment.start)
        return segment.pull_back(targets, wanted) if wanted else {}

    def jacobian(self, target: Any, sources: Any, unconnected_gradients: str = "none") -> Any:
        """As `GradientTape.jacobian`: one pullback for each element of the target, whose size the trace must know."""
        staged = stand_in(target)
        if not isinstance(staged, StagedArray):
            return self.gradient(target, sources, None, unconnected_gradients)
        shape = tuple(size for size in staged.type.dims if isinstance(size, int))
        count = int(np.prod(shape))
        if len(shape) < staged.ndim or count > MAX_ROWS:
            raise NotDifferentiable(
                "the Jacobian of an array of this size is not taken by a tape in compiled code",
                user_span(),
                f"each element has a reverse sweep of its own, written out: {MAX_ROWS} at most, and the size must be known",
                "use ag.jacobian, which runs them in a loop",
            )
        persistent, self.persistent = self.persistent, True
        seeds = np.eye(count, dtype=staged.dtype).reshape(count, *shape)
        rows = [self.gradient(target, sources, lift_array(seed), unconnected_gradients) for seed in seeds]
        self.persistent = persistent
        found = iter(list(zip(*(leaves_with_none(row) for row in rows))))
        return map_tree(sources, lambda leaf: stacked(next(found), shape))


def stand_in(leaf: Any) -> Any:
    """The stand-in of a number or array that the run computes; None for what the trace knows."""
    if isinstance(leaf, Maybe):
        leaf = Protocol.content_of(leaf)
    if isinstance(leaf, Boxed):
        leaf = active().inputs.found_inside(leaf)
    if is_array(leaf):
        return lift_array(leaf)
    return leaf if isinstance(leaf, StagedScalar) else None


def weight(ct: Any, target: Any) -> Any:
    """A cotangent; a number as a stand-in for the cotangent of a number."""
    if is_array(ct):
        return lift_array(ct)
    return StagedScalar(lift_number(ct, dtype_of(target)), False) if isinstance(target, StagedScalar) else ct


def result_for(leaf: Any, found: dict[Value, Any], unconnected: str) -> Any:
    """The gradient of one source, None or zeros where there is none."""
    staged = stand_in(leaf)
    if staged is not None and staged.value in found:
        gradient = found[staged.value]
        return gradient if isinstance(gradient, StagedArray) else StagedScalar(gradient.value, staged.weak)
    if unconnected == "none":
        return None
    if isinstance(staged, StagedArray):
        return zeros(staged.type.dims, shape_of(staged), staged.dtype)
    return zero(staged.value) if staged is not None else 0.0


def leaves_with_none(tree: Any) -> list[Any]:
    """The leaves in order, None among them."""
    if isinstance(tree, (tuple, list)):
        return [leaf for item in tree for leaf in leaves_with_none(item)]
    if isinstance(tree, dict):
        return [leaf for item in tree.values() for leaf in leaves_with_none(item)]
    return [tree]


def stacked(rows: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    """The gradients of the elements of an array as one array."""
    if any(row is None for row in rows):
        return None
    whole = Protocol.function(np.stack, (list(rows),), {})
    return Protocol.function(np.reshape, (whole, shape + tuple(Protocol.array_attribute(whole, "shape")[1:])), {})


for _method in (StagedTape.watch, StagedTape.watched_variables, StagedTape.gradient, StagedTape.jacobian):
    BUILTINS[_method] = _method
BUILTINS[GradientTape] = StagedTape
