"""`GradientTape` in compiled code: what the with statement traces is differentiated by the transform that `ag.grad` uses."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from autograph_jit.autodiff.sweeps.accumulate import zero, zeros
from autograph_jit.autodiff.tapes.recorded_paths import LOOPS, Dependence, RecordedPath, elsewhere, is_repeated, read_by
from autograph_jit.autodiff.tapes.segments import enclosing, mark, position_after
from autograph_jit.autodiff.tapes.tape import GradientTape, no_target, output_weights, refuse_second_call, require_unconnected, unwatchable
from autograph_jit.autodiff.transform import as_number
from autograph_jit.autodiff.trees import leaves_of, map_tree
from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ops.dispatch import Boxed
from autograph_jit.tracing.aliasing.journal import AttributePlace, write
from autograph_jit.tracing.control.loops import for_stmt
from autograph_jit.tracing.expressions.calls import BUILTINS
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar, content_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import dtype_of, is_array, lift_array, lift_number, shape_of
from autograph_jit.tracing.values.trace import active, detached, user_span


class StagedTape:
    """The tape while a function is traced: remembers where its with statement begins and ends, and what it watches from where on.
    `conditions` names the places that tell whether the run came by a call of `watch` in a branch."""

    __transparent__ = True

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self.persistent, self.watches_variables = persistent, watch_accessed_variables
        self.block: Block | None = None
        self.depth = 0
        self.start: Operation | None = None
        self.end: Operation | None = None
        self.watched: dict[Value, list[Operation]] = {}
        self.conditions: dict[Value, list[str]] = {}
        self.uses: list[Block] = []
        self.dependences: list[Dependence] = []

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
        if self.dependences and self.end is not self.start:
            recorded = self.path().segments[0].recorded
            for dependence in self.dependences:
                dependence.check(recorded)

    def path(self, own_loop: bool = False) -> RecordedPath:
        """What is recorded up to here."""
        if self.block is None or self.start is None:
            raise elsewhere()
        return RecordedPath(active(), self.block, self.start, self.end, self.depth, own_loop)

    def note_use(self, path: RecordedPath) -> None:
        """A second gradient on one path of a tape that is not persistent is an error."""
        block = active().block
        again = any(enclosing(block, used) or enclosing(used, block) for used in self.uses)
        if not self.persistent and (again or is_repeated(path.regions)):
            raise refuse_second_call()
        self.uses.append(block)

    def watch(self, *tensors: Any) -> None:
        """Follow these from now on."""
        path = self.path()
        if is_repeated(path.regions):
            raise watch_in_loop()
        for leaf in leaves_of(tensors):
            staged = stand_in(leaf)
            if staged is None or dtype_of(staged).kind not in "fc":
                raise unwatchable(str(dtype_of(staged)) if staged is not None else type(leaf).__name__)
            if staged.value in self.watched and staged.value not in self.conditions:
                continue
            if not path.regions:
                self.conditions.pop(staged.value, None)
            else:
                self.watch_on_condition(staged.value)
            self.watched.setdefault(staged.value, []).append(mark())

    def watch_on_condition(self, value: Value) -> None:
        """Note in a place of the tape that the path through this branch was taken; the branch carries it out."""
        names = self.conditions.setdefault(value, [])
        names.append(f"watched_{len(self.watched)}_{len(names)}")
        setattr(self, names[-1], False)
        write(AttributePlace(self, names[-1]), True)

    def is_watched(self, value: Value) -> Any:
        """Whether a value was watched: True, or a bool of the run where that stands in a branch."""
        flags = [getattr(self, name) for name in self.conditions.get(value, [])]
        if not flags or any(flag is True for flag in flags):
            return True
        return functools.reduce(lambda x, y: language.numpy(np.logical_or, (x, y), {}), [flag for flag in flags if flag is not False])

    def reset(self) -> None:
        """As `GradientTape.reset`, where the with statement stands or after it."""
        if self.block is None or active().block is not self.block:
            raise ConversionError(
                "reset is called in a branch or loop of the with statement of the tape",
                user_span(),
                "what the tape has recorded would depend on the run",
                "use a with statement for each part of the program",
            )
        self.start, self.watched, self.conditions, self.uses = mark(), {}, {}, []
        self.end = None if self.end is None else self.start

    def stop_recording(self) -> None:
        """Not in compiled code: what is left out of a with statement is said of the values."""
        raise ConversionError(
            "stop_recording of a tape in compiled code",
            user_span(),
            "the tape differentiates the whole with statement",
            "use ag.stop_gradient(x) of what shall be a constant",
        )

    def watched_variables(self) -> list[Any]:
        """The trainable Variables used so far, in order of first use."""
        return list(self.variables(self.path()).values())

    def variables(self, path: RecordedPath) -> dict[Value, Any]:
        """The trainable Variables that were used."""
        if not self.watches_variables:
            return {}
        inputs = active().inputs
        variables = [inputs.variables[value][0] for value in read_by(path.operations) if value in inputs.variables]
        return {x.value: x for x in variables if x.dtype.kind in "fc" and inputs.variable_attribute(x.value, "trainable")}

    def followed(self, path: RecordedPath) -> dict[Value, list[Operation]]:
        """What the tape follows, each with the marks from which on."""
        return {value: [] for value in self.variables(path)} | self.watched

    def gradient(self, target: Any, sources: Any, output_gradients: Any = None, unconnected_gradients: str = "none") -> Any:
        """As `GradientTape.gradient`."""
        require_unconnected(unconnected_gradients)
        path = self.path()
        self.note_use(path)
        targets = [stand_in(self.number(leaf)) for leaf in leaves_of(target)]
        cts = [1.0 if ct is None else ct for ct in output_weights(targets, output_gradients)]
        pairs = [(leaf.value, weight(ct, leaf)) for leaf, ct in zip(targets, cts, strict=True) if leaf is not None]
        values = [leaf.value for leaf in map(stand_in, leaves_of(sources)) if leaf is not None]
        refuse_carried(path, [value for value, _ in pairs], values)
        path = self.path()  # making the cotangents has recorded operations
        followed = self.followed(path)
        wanted = path.wanted([value for value, _ in pairs], values, followed)
        dependence = path.dependence([value for value, _ in pairs], followed)
        if dependence is not None:
            self.dependences.append(dependence)
            if dependence.values and any(value in followed and value not in wanted for value in values):
                raise dependence.refusal(dependence.values[0])  # by the trips before alone, None would be taken for no dependence
        found = self.masked(path.pull_back(pairs, wanted, followed)) if wanted else {}
        return map_tree(sources, lambda leaf: result_for(leaf, found, unconnected_gradients))

    def number(self, target: Any) -> Any:
        """A target that Python computes, as the number that it must be: what is recorded ends with the number."""
        if not isinstance(target, StagedObject):
            return target
        if self.end is None:
            return as_number(target)
        made = Block()
        with detached(active(), made):
            found = as_number(target)
        assert self.block is not None
        place = position_after(self.block, self.end) - 1
        if target.value.owner not in self.block.operations[:place]:
            raise no_target("the target of the tape is computed after its with statement", "an object of the run")
        self.block.operations[place:place] = self.block.adopt(made.operations)
        return found

    def masked(self, found: dict[Value, Any]) -> dict[Value, Any]:
        """Gradients, zero where the run did not come by the call of `watch`."""
        return {value: chosen(self.is_watched(value), ct) for value, ct in found.items()}

    def jacobian(self, target: Any, sources: Any, unconnected_gradients: str = "none") -> Any:
        """As `GradientTape.jacobian`: one pullback for each element of the target, in a loop."""
        staged = stand_in(self.number(target))
        if isinstance(target, (tuple, list, dict)) or target is None:
            raise no_target("the Jacobian of a tape is taken of one Tensor", type(target).__name__)
        if not isinstance(staged, StagedArray) or staged.ndim == 0:
            return self.gradient(target, sources, None, unconnected_gradients)
        require_unconnected(unconnected_gradients)
        path = self.path()
        self.note_use(path)
        leaves = {leaf.value: leaf for leaf in map(stand_in, leaves_of(sources)) if leaf is not None}
        refuse_carried(path, [staged.value], list(leaves))
        followed = self.followed(path)
        wanted = path.wanted([staged.value], leaves, followed)
        dependence = path.dependence([staged.value], followed)
        if dependence is not None:
            self.dependences.append(dependence)
        rows = {value: rows_for(staged, leaves[value]) for value in wanted}
        count = staged.size

        def body(index: Any) -> None:
            seed = language.numpy(np.zeros, (count,), {"dtype": staged.dtype})
            seed[index] = 1.0
            ct = language.numpy(np.reshape, (seed, staged.shape), {})
            found = self.path(own_loop=True).pull_back([(staged.value, ct)], wanted, followed)
            for value, gradient in self.masked(found).items():
                rows[value][index] = flat(gradient)

        if wanted:
            for_stmt(language.call(range, (count,), None), None, body, lambda: (), lambda state: None, ())
        return map_tree(sources, lambda leaf: jacobian_of(staged, leaf, rows, unconnected_gradients))


def stand_in(leaf: Any) -> Any:
    """The stand-in of a number or array that the run computes; None for what the trace knows."""
    leaf = content_of(leaf)
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


def chosen(flag: Any, gradient: Any) -> Any:
    """A gradient where a flag is set, else zero."""
    if flag is True:
        return gradient
    found = language.numpy(np.where, (flag, gradient, dtype_of(gradient).type(0)), {})
    return found if isinstance(gradient, StagedArray) else StagedScalar(lift_number(found), gradient.weak)


def rows_for(target: StagedArray, source: Any) -> Any:
    """Memory for a Jacobian, the axes of target and source flattened."""
    width = source.size if isinstance(source, StagedArray) else 1
    return language.numpy(np.zeros, ((target.size, width),), {"dtype": dtype_of(source)})


def flat(gradient: Any) -> Any:
    """A gradient as one row."""
    return language.numpy(np.reshape, (gradient, (-1,)), {}) if isinstance(gradient, StagedArray) else gradient


def jacobian_of(target: StagedArray, leaf: Any, rows: dict[Value, Any], unconnected: str) -> Any:
    """The Jacobian by one source, None or zeros where there is none."""
    staged = stand_in(leaf)
    shape = target.shape
    if isinstance(staged, StagedArray):
        shape += staged.shape
    if staged is not None and staged.value in rows:
        return language.numpy(np.reshape, (rows[staged.value], shape), {})
    if unconnected == "none":
        return None
    return language.numpy(np.zeros, (shape,), {"dtype": dtype_of(staged) if staged is not None else float})


def refuse_carried(path: RecordedPath, targets: list[Value], sources: list[Value]) -> None:
    """A variable that a loop around the call changes is another one in every trip, and the first may be one that the tape knows."""
    loops = [block for block, region in zip(path.inner, path.regions) if region.kind in LOOPS]
    if len(path.segments) == 1 and any(value.owner in loops for value in (*targets, *sources)):
        raise ConversionError(
            "gradient after the with statement of the tape is given a variable that a loop changes",
            user_span(),
            "what the loop assigns is not recorded, so only its first trip could have a gradient",
            "keep targets and sources as they are, or put the with statement into the loop",
        )


def watch_in_loop() -> ConversionError:
    """The error for a call of `watch` that runs several times."""
    return ConversionError(
        "watch is called in a loop inside the with statement of the tape",
        user_span(),
        "only from its second trip on would the loop be recorded",
        "call watch before the loop, or put the with statement into the loop",
    )


METHODS = ("watch", "watched_variables", "gradient", "jacobian", "reset", "stop_recording")
for _method in (getattr(StagedTape, name) for name in METHODS):
    BUILTINS[_method] = _method
BUILTINS[GradientTape] = StagedTape
