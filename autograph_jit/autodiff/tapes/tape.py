"""`GradientTape`: records the operations on Tensors while they run, and pulls cotangents back through them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from contextvars import Token
from typing import Any

import numpy as np

from autograph_jit.autodiff.tapes.program_call import ProgramCall, RecordedCall
from autograph_jit.autodiff.tapes.records import Record
from autograph_jit.autodiff.tapes.sweep import TapeSweep
from autograph_jit.autodiff.trees import leaves_of, map_tree
from autograph_jit.errors import ConversionError, NotDifferentiable
from autograph_jit.interrupts import keeping_interrupts
from autograph_jit.ir.derivative import NOT_DIFFERENTIABLE
from autograph_jit.ir.opdef import Effect, OpDef
from autograph_jit.ops import registry
from autograph_jit.ops.dispatch import EAGER, OBSERVERS, Boxed, Interpreter, current_interpreter, unboxed
from autograph_jit.tensor.boxes import NumpyCall
from autograph_jit.tracing.values.trace import user_span

UNCONNECTED = ("none", "zero")
CONVERSIONS = {
    "array": ("np.array([...]) of Tensors", "use ag.asarray or np.stack; x.numpy() or ag.stop_gradient(x) for a constant"),
    "number": (
        "math.sin, complex(x, y) or in a plain array",
        "use np.sin and its like, x + 1j * y, and Tensors for arrays that are written; x.item() for a constant",
    ),
}


class GradientTape:
    """Records what is done with watched Tensors inside a with statement.

    persistent                `gradient` may be called more than once
    watch_accessed_variables  trainable Variables are watched by themselves
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self.persistent, self.watches_variables = persistent, watch_accessed_variables
        self.records: list[Record] = []
        self.tracked: dict[int, Boxed] = {}
        self.bases: dict[int, Any] = {}
        self.written: dict[int, Boxed] = {}
        self.used, self.stopped = False, False
        self.inner: Interpreter = current_interpreter.get()
        self.token: Token[Interpreter] | None = None

    def __enter__(self) -> GradientTape:
        self.inner = current_interpreter.get()
        self.token = current_interpreter.set(self)
        OBSERVERS[self] = None
        return self

    def __exit__(self, *exception: Any) -> None:
        assert self.token is not None
        current_interpreter.reset(self.token)

    def watch(self, *tensors: Any) -> None:
        """Record what is done with these Tensors from now on; lists, tuples and dicts of them item by item."""
        for leaf in leaves_of(tensors):
            if not isinstance(leaf, Boxed) or leaf.array.dtype.kind not in "fc":
                raise unwatchable(str(leaf.array.dtype) if isinstance(leaf, Boxed) else type(leaf).__name__)
            self.tracked[id(leaf)] = leaf

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """What is computed inside the with statement is a constant for this tape; what is written there, too."""
        before, self.stopped = self.stopped, True
        try:
            yield
        finally:
            self.stopped = before

    def reset(self) -> None:
        """Forget everything, as a new tape would: what was recorded, and what is watched."""
        self.records, self.used = [], False
        for known in (self.tracked, self.bases, self.written):
            known.clear()

    def watched_variables(self) -> list[Any]:
        """The trainable Variables used so far, in order of first use."""
        return [box for box in self.tracked.values() if getattr(box, "trainable", False)]

    def bind(self, op: OpDef, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
        """Run the operation, and record it where a derivative may flow."""
        if op.effect is Effect.PURE:
            result = self.inner.bind(op, operands, attributes)
            self.keep(op, operands, attributes, result)
            return result
        if isinstance(attributes.get("fn"), ProgramCall):
            return self.bind_program(op, operands, attributes)
        followed = self.meet(operands)
        if self.stopped and op.effect is Effect.WRITE:
            followed[0] = id(self.bases.get(id(operands[0]), operands[0])) in self.tracked
        if op.name == "host_call":
            return self.bind_call(op, operands, attributes, followed)
        if op.effect is Effect.WRITE and isinstance(operands[0], Boxed):
            self.note_write(operands[0])
        result = self.inner.bind(op, operands, attributes)
        recorded = op.vjp is not NOT_DIFFERENTIABLE and True in followed
        if recorded or (op.effect is Effect.VIEW and isinstance(operands[0], Boxed)):
            results = () if op.effect is Effect.WRITE else result if isinstance(result, tuple) else (result,)
            self.records.append(Record(op, operands, attributes, results, followed, operands, results))
            if op.effect is Effect.VIEW:
                self.bases[id(result)] = self.bases.get(id(operands[0]), operands[0])
            if recorded and not self.stopped:
                self.track(results if results else self.family(operands[0]))
        return result

    def record(self, op: OpDef, operands: tuple[Any, ...], attributes: dict[str, Any], result: Any) -> None:
        """Keep an operation that ran, where a derivative may flow; the tapes around this one, too."""
        if self.inner is not EAGER:
            self.inner.record(op, operands, attributes, result)
        self.keep(op, operands, attributes, result)

    def keep(self, op: OpDef, operands: tuple[Any, ...], attributes: dict[str, Any], result: Any) -> None:
        """Append the record of a pure operation, where a derivative may flow."""
        tracked = self.tracked
        if self.stopped or self.written:
            followed = self.meet(operands)
        else:
            followed = [id(operand) in tracked or (isinstance(operand, Boxed) and self.watches(operand)) for operand in operands]
        if True in followed and op.vjp is not NOT_DIFFERENTIABLE:
            results = result if type(result) is tuple else (result,)
            self.records.append(Record(op, operands, attributes, results, followed, operands, results))
            for box in results:
                if box.array.dtype.kind in "fc":
                    tracked[id(box)] = box

    def watches(self, box: Boxed) -> bool:
        """Whether a Tensor that is met is a trainable Variable, which is watched from now on."""
        if not (box.trainable and self.watches_variables and box.array.dtype.kind in "fc"):
            return False
        self.tracked[id(box)] = box
        return True

    def meet(self, operands: tuple[Any, ...]) -> list[bool]:
        """Which operands are followed. Trainable Variables are watched; a Tensor that shows written memory must be known."""
        followed = []
        for operand in operands:
            is_box = isinstance(operand, Boxed)
            followed.append(not self.stopped and is_box and (id(operand) in self.tracked or self.watches(operand)))
            if is_box:
                self.expect_known(operand)
        return followed

    def followed(self, operands: tuple[Any, ...]) -> tuple[int, ...]:
        """The positions of the operands through which a derivative may flow."""
        return tuple(index for index, follows in enumerate(self.meet(operands)) if follows)

    def bind_program(self, op: OpDef, operands: tuple[Any, ...], attributes: dict[str, Any]) -> list[Any]:
        """Run a compiled program; where a derivative may flow, its forward sweep, which also gives what the reverse sweep reads."""
        call: ProgramCall = attributes["fn"]
        inputs = self.followed(operands)
        written = [operands[index] for index in call.part.written if isinstance(operands[index], Boxed)]
        for box in written:
            self.note_write(box)
            self.refuse_write_in_call(box)
        if not inputs or call.part.graph.block.terminated:
            return self.inner.bind(op, operands, attributes)
        split = call.split(inputs, frozenset(index for index, operand in enumerate(operands) if isinstance(operand, Boxed)))
        results = self.inner.bind(op, operands, {**attributes, "fn": call.of(split.forward)})
        saved = [source(operands, results, call.arguments) for source in split.sources]
        outputs, changed = [results[index] for index in split.outputs], [operands[index] for index in split.changed]
        followed = [index in inputs for index in range(len(operands))]
        recorded = {**attributes, "fn": RecordedCall(call, split)}
        self.records.append(Record(op, operands, recorded, outputs, followed, saved, outputs, changed))
        for box in changed:
            self.track(self.family(box))
        self.track(outputs)
        return results[: len(call.part.graph.block.yields)]

    def bind_call(self, op: OpDef, operands: tuple[Any, ...], attributes: dict[str, Any], followed: list[bool]) -> Any:
        """Run a NumPy function that no operation stands for; what comes back, and what it wrote, is recorded as one operation."""
        call = attributes["fn"]
        writes = isinstance(call, NumpyCall) and call.may_write
        before = [np.array(box.array) for box in operands] if writes else []
        result = self.inner.bind(op, operands, attributes)
        pairs = {id(box): (box, old) for box, old in zip(operands, before)}.values()
        changed = [box for box, old in pairs if not np.array_equal(box.array, old, equal_nan=old.dtype.kind in "fc")]
        for box in changed:
            self.refuse_write_in_call(box)
        results = [
            leaf
            for leaf in leaves_of(result)
            if isinstance(leaf, Boxed) and leaf.array.dtype.kind in "fc" and not any(leaf is box for box in operands)
        ]
        if True in followed:
            refuse_objects(attributes["label"], result)
        if True in followed and (results or changed):
            saved = [self.inner.bind(registry.get("copy"), (box,), {}) if writes else box for box in operands]
            for box, copy, old in zip(operands, saved, before):
                if copy is not box:
                    copy.array[...] = old
            self.records.append(Record(op, operands, attributes, results, followed, saved, results, changed))
            for box in changed:
                self.note_write(box)
                self.track(self.family(box))
            self.track(results)
        return result

    def refuse_write_in_call(self, box: Boxed) -> None:
        """While the tape does not record, it sees what operations write, but not what calls do."""
        if self.stopped and id(box) in self.tracked:
            raise NotDifferentiable(
                "a call writes a Tensor that a tape follows while the tape does not record",
                user_span(),
                "what was written before would count as if it were there still",
                "write after stop_recording, by item assignment, or to a copy",
            )

    def track(self, boxes: Iterable[Any]) -> None:
        """A derivative may flow through these."""
        self.tracked.update({id(box): box for box in boxes if isinstance(box, Boxed) and box.array.dtype.kind in "fc"})

    def family(self, target: Any) -> list[Any]:
        """A written Tensor, what it is a view of, and the other views of that."""
        base = self.bases.get(id(target), target)
        views = [record.results[0] for record in self.records if record.op.effect is Effect.VIEW]
        return [target, base, *(view for view in views if self.bases[id(view)] is base)]

    def note_write(self, target: Boxed) -> None:
        """The memory of a Tensor is written: nothing that the tape follows may share it in a way that the tape has not seen."""
        family = {id(box) for box in self.family(target)}
        for box in list(self.tracked.values()):
            if id(box) not in family and np.may_share_memory(box.array, target.array):
                raise unknown_view()
        self.written[id(target)] = target

    def expect_known(self, operand: Any) -> None:
        """A Tensor that shows memory written under the tape must be one that the tape knows."""
        if not self.written or not isinstance(operand, Boxed) or id(operand) in self.tracked or id(operand) in self.bases:
            return
        for target in self.written.values():
            if operand is not target and id(target) in self.tracked and np.may_share_memory(operand.array, target.array):
                raise unknown_view()

    def refuse_conversion(self, box: Boxed, becomes: str) -> None:
        """A Tensor that becomes a plain array or number leaves the tape without a trace."""
        if self.is_recorded(box):
            example, remedy = CONVERSIONS[becomes]
            raise NotDifferentiable(
                f"a Tensor that a tape records becomes a plain {becomes} here",
                user_span(),
                f"what is computed from the {becomes}, by {example} for example, would count as a constant",
                remedy,
            )

    def follows(self, box: Boxed) -> bool:
        """Whether this tape, or one around it, records what is done with a Tensor."""
        return id(box) in self.tracked or (isinstance(self.inner, GradientTape) and self.inner.follows(box))

    def is_recorded(self, box: Boxed) -> bool:
        """Whether this tape, or one around it, would record what is done with a Tensor now: a Variable that was not used before, too."""
        is_known = id(box) in self.tracked or (self.watches_variables and getattr(box, "trainable", False) and box.array.dtype.kind in "fc")
        return (is_known and not self.stopped) or (isinstance(self.inner, GradientTape) and self.inner.is_recorded(box))

    def before_write(self, array: np.ndarray) -> None:
        """Copy what the records have saved of the memory which is about to be written."""
        for record in self.records:
            if record.op.effect is not Effect.VIEW:
                record.keep(array, lambda box: self.inner.bind(registry.get("copy"), (box,), {}))

    @keeping_interrupts()
    def gradient(self, target: Any, sources: Any, output_gradients: Any = None, unconnected_gradients: str = "none") -> Any:
        """d sum(target) / d source for each source, in the structure of `sources`.

        output_gradients       cotangents of the targets instead of ones
        unconnected_gradients  "none": None for a source that no target depends on; "zero": zeros
        """
        require_unconnected(unconnected_gradients)
        if self.used and not self.persistent:
            raise refuse_second_call()
        self.used = True
        targets = leaves_of(target)
        cts = output_weights(targets, output_gradients)
        with suspended(self), np.errstate(all="ignore"):
            boxed = isinstance(current_interpreter.get(), GradientTape)
            sweep = TapeSweep(list(self.records), boxed, [id(source) for source in leaves_of(sources)])
            for box, ct in zip(targets, cts):
                if isinstance(box, Boxed):
                    expect_shape(box, ct)
                    sweep.add(box, np.ones(box.array.shape, box.array.dtype) if ct is None else ct)
            sweep.run()
            found = map_tree(sources, lambda source: sweep.found(source, unconnected_gradients))
        if not self.persistent:
            self.records = []
            OBSERVERS.discard(self)
        return found

    def jacobian(self, target: Any, sources: Any, unconnected_gradients: str = "none") -> Any:
        """The array d target / d source, of shape target.shape + source.shape, for each source: one pullback for each element of the
        target."""
        box: Any = target
        if not isinstance(box, Boxed):
            raise no_target("the Jacobian of a tape is taken of one Tensor", type(target).__name__)
        persistent, self.persistent = self.persistent, True
        rows = []
        try:
            for index in range(target.size):
                ct = np.zeros(target.size, target.dtype)
                ct[index] = 1
                gradients = self.gradient(target, leaves_of(sources), ct.reshape(target.shape), unconnected_gradients)
                rows.append(gradients)
        finally:
            self.persistent = persistent
        columns = iter(list(zip(*rows)))
        return map_tree(sources, lambda source: stacked(next(columns), target.shape + source.shape))


def refuse_objects(label: str, result: Any) -> None:
    """An array of Python objects holds numbers that the tape does not see."""
    if any(isinstance(leaf, Boxed) and leaf.array.dtype.kind == "O" for leaf in leaves_of(result)):
        raise NotDifferentiable(
            f"{label} gives an array of Python objects for a Tensor that a tape records",
            user_span(),
            "what is computed from the objects would count as a constant",
            "use functions that give floats, np.vectorize in compiled code or a loop; x.numpy() for a constant",
        )


def stacked(rows: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    """The gradients of the elements of an array as one array; None where there are none."""
    if any(row is None for row in rows):
        return None
    return np.reshape(np.concatenate([np.reshape(row, (1, -1)) for row in rows]), shape)


def output_weights(targets: list[Any], output_gradients: Any) -> list[Any]:
    """A weight for each target, None for ones."""
    if not targets:
        raise no_target("gradient is given no target", "None")
    if output_gradients is None:
        return [None] * len(targets)
    weights = leaves_of(output_gradients)
    if len(weights) != len(targets):
        raise NotDifferentiable(
            f"{len(weights)} output_gradients for {len(targets)} targets",
            user_span(),
            "each target has one",
            "give them in the structure of the target",
        )
    return weights


def expect_shape(target: Boxed, weight: Any) -> None:
    """The weights of a target have its shape, or are one number."""
    shape = np.shape(unboxed(weight)) if weight is not None else ()
    if shape not in ((), target.array.shape):
        raise NotDifferentiable(
            f"output_gradients of shape {shape} for a target of shape {target.array.shape}",
            user_span(),
            "there is one number for each number of the target",
            "give an array in the shape of the target",
        )


def no_target(what: str, found: str) -> NotDifferentiable:
    """The error for what is no target."""
    return NotDifferentiable(what, user_span(), f"found {found}", "give a Tensor that was computed inside the with statement of the tape")


def require_unconnected(unconnected_gradients: str) -> None:
    """ValueError for an unknown way to answer for sources without a gradient."""
    if unconnected_gradients not in UNCONNECTED:
        raise ValueError(f'unconnected_gradients must be "none" or "zero", not {unconnected_gradients!r}')


def refuse_second_call() -> ConversionError:
    """The error of a second gradient of a tape that is not persistent."""
    return ConversionError(
        "gradient was already called on this tape",
        user_span(),
        "a tape that is not persistent gives its records up after one call",
        "use ag.GradientTape(persistent=True), or take all gradients in one call",
    )


def unwatchable(found: str) -> NotDifferentiable:
    """The error for what a tape cannot watch."""
    return NotDifferentiable(
        f"a tape watches Tensors of floats, not {found}",
        user_span(),
        "nothing else is recorded, or has a derivative",
        "make one with ag.asarray(x, dtype=float)",
    )


def unknown_view() -> NotDifferentiable:
    """The error for memory that is written and shown by a view which the tape has not seen being made."""
    return NotDifferentiable(
        "a Tensor is written while another view of it, made before the tape or by NumPy itself, is in use",
        user_span(),
        "the tape knows the views that it sees being made by slices, reshape and transpose",
        "make the view inside the with statement, or copy it",
    )


class suspended:  # noqa: N801 used as a function in a with statement
    """Lets the interpreter around a tape run operations, if the tape is at work and keeps no record of its own gradients."""

    def __init__(self, tape: GradientTape) -> None:
        self.tape = tape
        self.token: Token[Interpreter] | None = None

    def __enter__(self) -> None:
        if current_interpreter.get() is self.tape and not self.tape.persistent:
            self.token = current_interpreter.set(self.tape.inner)

    def __exit__(self, *exception: Any) -> None:
        if self.token is not None:
            current_interpreter.reset(self.token)
