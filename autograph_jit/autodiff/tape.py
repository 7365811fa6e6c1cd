"""`GradientTape`: records the operations on Tensors while they run, and pulls cotangents back through them.

The cotangent of a Tensor is an array, its shadow; the shadow of a view is a view of the shadow, as in `autodiff.reverse`. Without an
enclosing tape the rules run on plain arrays; under one they run on Tensors, which that tape records: so come second derivatives.
"""

from __future__ import annotations

from contextvars import Token
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph_jit.autodiff.trees import leaves_of, map_tree
from autograph_jit.errors import ConversionError, NotDifferentiable
from autograph_jit.ir.derivative import NOT_DIFFERENTIABLE, Into, Unsupported
from autograph_jit.ir.opdef import Effect, OpDef
from autograph_jit.ops import registry
from autograph_jit.ops.dispatch import Boxed, Interpreter, bind, current_interpreter, unboxed
from autograph_jit.staging.trace import user_span

UNCONNECTED = ("none", "zero")


@dataclass(slots=True)
class Record:
    """One operation that ran: its operands, as they were unless `saved` replaces them, and its results."""

    op: OpDef
    operands: tuple[Any, ...]
    saved: list[Any]
    results: list[Any]
    attributes: dict[str, Any]


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
        self.used = False
        self.inner: Interpreter = current_interpreter.get()
        self.token: Token[Interpreter] | None = None

    def __enter__(self) -> GradientTape:
        self.inner = current_interpreter.get()
        self.token = current_interpreter.set(self)
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

    def watched_variables(self) -> list[Any]:
        """The trainable Variables used so far, in order of first use."""
        return [box for box in self.tracked.values() if getattr(box, "trainable", False)]

    def bind(self, op: OpDef, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
        """Run the operation, and record it where a derivative may flow."""
        for operand in operands:
            if self.watches_variables and getattr(operand, "trainable", False) and operand.array.dtype.kind in "fc":
                self.tracked.setdefault(id(operand), operand)
        recorded = any(id(operand) in self.tracked for operand in operands)
        if op.effect is Effect.WRITE:
            self.keep_overwritten(operands[0])
        result = self.inner.bind(op, operands, attributes)
        if recorded and op.name == "host_call":
            refuse_host_call(result, attributes)
        elif recorded or (op.effect is Effect.VIEW and isinstance(operands[0], Boxed)):
            results = [] if op.effect is Effect.WRITE else list(result) if isinstance(result, tuple) else [result]
            self.records.append(Record(op, operands, list(operands), results, attributes))
            if op.effect is Effect.VIEW:
                self.bases[id(results[0])] = self.bases.get(id(operands[0]), operands[0])
            if recorded:
                self.track(results if results else self.family(operands[0]))
        return result

    def track(self, boxes: list[Any]) -> None:
        """A derivative may flow through these."""
        self.tracked.update({id(box): box for box in boxes if isinstance(box, Boxed) and box.array.dtype.kind in "fc"})

    def family(self, target: Any) -> list[Any]:
        """A written Tensor, what it is a view of, and the other views of that."""
        base = self.bases.get(id(target), target)
        views = [record.results[0] for record in self.records if record.op.effect is Effect.VIEW]
        return [target, base, *(view for view in views if self.bases[id(view)] is base)]

    def keep_overwritten(self, target: Any) -> None:
        """Copy the recorded operands that share the memory which is about to be written."""
        for record in self.records:
            if record.op.effect is Effect.VIEW:
                continue
            for index, box in enumerate(record.saved):
                if isinstance(box, Boxed) and box is record.operands[index] and np.may_share_memory(box.array, unboxed(target)):
                    record.saved[index] = self.inner.bind(registry.get("copy"), (box,), {})

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
        cts = leaves_of(output_gradients) if output_gradients is not None else [None] * len(targets)
        with suspended(self), np.errstate(all="ignore"):
            sweep = Sweep(self.records, current_interpreter.get() is not self.inner or isinstance(self.inner, GradientTape))
            for box, ct in zip(targets, cts, strict=True):
                sweep.add(box, np.ones(box.shape, box.dtype) if ct is None else ct)
            sweep.run()
            found = map_tree(sources, lambda source: sweep.found(source, unconnected_gradients))
        if not self.persistent:
            self.records = []
        return found

    def jacobian(self, target: Any, source: Any, unconnected_gradients: str = "none") -> Any:
        """The array d target / d source, of shape target.shape + source.shape: one pullback for each element of the target."""
        persistent, self.persistent = self.persistent, True
        rows = []
        try:
            for index in range(target.size):
                ct = np.zeros(target.size, target.dtype)
                ct[index] = 1
                rows.append(self.gradient(target, source, ct.reshape(target.shape), unconnected_gradients))
        finally:
            self.persistent = persistent
        if any(row is None for row in rows):
            return None
        return np.reshape(np.concatenate([np.reshape(row, (1, -1)) for row in rows]), target.shape + source.shape)


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


class suspended:  # noqa: N801 used as a function in a with statement
    """Lets the interpreter around a tape run operations, if the tape is at work."""

    def __init__(self, tape: GradientTape) -> None:
        self.tape = tape
        self.token: Token[Interpreter] | None = None

    def __enter__(self) -> None:
        if current_interpreter.get() is self.tape:
            self.token = current_interpreter.set(self.tape.inner)

    def __exit__(self, *exception: Any) -> None:
        if self.token is not None:
            current_interpreter.reset(self.token)


def refuse_host_call(result: Any, attributes: dict[str, Any]) -> None:
    """A NumPy function that no operation stands for leaves no record: its floats would be taken for constants."""
    if not any(isinstance(leaf, (np.ndarray, np.generic)) and leaf.dtype.kind in "fc" for leaf in leaves_of(result)):
        return
    raise NotDifferentiable(
        f"a tape does not record {attributes.get('label', 'this call')}",
        user_span(),
        "Tensors call it in Python, as it is",
        "use ag.grad, which knows more functions, or ag.stop_gradient on its arguments",
    )


class Sweep:
    """The shadows of one pullback; `boxed` runs the rules on Tensors."""

    def __init__(self, records: list[Record], boxed: bool) -> None:
        self.records, self.boxed = records, boxed
        self.shadows: dict[int, Any] = {}
        self.touched: set[int] = set()
        self.roots: dict[int, int] = {}
        self.views: dict[int, Record] = {}
        for record in records:
            if record.op.name == "broadcast_to":  # its elements share a cotangent: they are added up
                continue
            if record.op.effect is Effect.VIEW and np.may_share_memory(record.results[0].array, unboxed(record.operands[0])):
                self.views[id(record.results[0])] = record
                source = id(record.operands[0])
                self.roots[id(record.results[0])] = self.roots.get(source, source)

    def root(self, box: Any) -> int:
        return self.roots.get(id(box), id(box))

    def shadow(self, box: Any) -> Any:
        """The cotangent of a Tensor: zeros, or a view of another shadow."""
        if id(box) not in self.shadows:
            record = self.views.get(id(box))
            if record is not None:
                self.shadows[id(box)] = run(record.op, (self.shadow(record.operands[0]), *record.operands[1:]), record.attributes)
            else:
                zeros = np.zeros(box.array.shape, box.array.dtype)
                self.shadows[id(box)] = type(box).of(zeros) if self.boxed else zeros
        return self.shadows[id(box)]

    def add(self, box: Any, contribution: Any) -> None:
        """Add to the cotangent of an operand."""
        if contribution is None or not isinstance(box, Boxed) or box.array.dtype.kind not in "fc":
            return
        self.touched.add(self.root(box))
        shadow = self.shadow(box)
        if isinstance(contribution, Into):
            contribution.update(shadow)
        else:
            shadow[...] = shadow + fitted(contribution if self.boxed else unboxed(contribution), box.array)

    def run(self, first: int = 0, last: int | None = None) -> None:
        """Every record, or those of a range, the last first."""
        for record in reversed(self.records[first:last]):
            if record.op.name in ("assign", "store"):
                self.reverse_write(record)
            elif record.op.effect is Effect.WRITE:
                self.reverse_update(record)
            elif any(self.root(result) in self.touched for result in record.results) and id(record.results[0]) not in self.views:
                self.reverse(record)

    def reverse_write(self, record: Record) -> None:
        """What was written gets the cotangent of where it went, which is cleared."""
        target, value, *index = record.operands
        if not isinstance(target, Boxed) or self.root(target) not in self.touched:
            return
        place = tuple(int(unboxed(item)) for item in index) if record.op.name == "store" else ...
        ct = self.shadow(target)[place] + 0
        self.shadow(target)[place] = 0
        self.add(value, ct)

    def reverse_update(self, record: Record) -> None:
        """A write that has a rule of its own."""
        target = record.operands[0]
        if isinstance(target, Boxed) and self.root(target) in self.touched:
            operands = [None, *self.values(record)[1:]]
            self.give(record, rule_of(record.op)(self.shadow(target), None, *operands, **record.attributes), 1)

    def reverse(self, record: Record) -> None:
        """The operation's own rule, or that of a copy, a load, a view that had to copy."""
        cts = [self.shadow(result) for result in record.results]
        source = record.operands[0]
        if record.op.name == "broadcast_to":
            self.add(source, cts[0])
            return
        if record.op.name in ("copy", "reshape"):
            self.add(source, np.reshape(cts[0], source.array.shape))
            return
        if record.op.name == "load":
            place = tuple(int(unboxed(item)) for item in record.operands[1:])
            self.touched.add(self.root(source))
            self.shadow(source)[place] = self.shadow(source)[place] + cts[0]
            return
        if record.op.vjp is NOT_DIFFERENTIABLE:
            return
        results = record.results if self.boxed else [unboxed(result) for result in record.results]
        single = len(results) == 1
        found = rule_of(record.op)(
            cts[0] if single else tuple(cts), results[0] if single else tuple(results), *self.values(record), **record.attributes
        )
        self.give(record, found, 0)

    def values(self, record: Record) -> list[Any]:
        """The operands as they were."""
        return record.saved if self.boxed else [unboxed(operand) for operand in record.saved]

    def give(self, record: Record, contributions: Any, first: int) -> None:
        if isinstance(contributions, Unsupported):
            raise NotDifferentiable(f"`{record.op.name}` has no derivative here", user_span(), contributions.why, "use ag.custom_gradient")
        for operand, contribution in list(zip(record.operands, contributions))[first:]:
            self.add(operand, contribution)

    def found(self, source: Any, unconnected: str) -> Any:
        """The gradient of a source, as a Tensor."""
        if self.root(source) in self.touched:
            shadow = self.shadow(source)
            return shadow if self.boxed else type(source).of(np.array(shadow))
        return type(source).of(np.zeros(source.array.shape, source.array.dtype)) if unconnected == "zero" else None


def run(op: OpDef, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """An operation on arrays, or bound where an operand is a Tensor."""
    if isinstance(operands[0], Boxed):
        return bind(op, *operands, **attributes)
    return op.eager(*(unboxed(operand) for operand in operands), **attributes)


def rule_of(op: OpDef) -> Any:
    """The derivative rule of an operation; an error where it has none."""
    if callable(op.vjp):
        return op.vjp
    raise NotDifferentiable(
        f"a tape does not differentiate `{op.name}`",
        user_span(),
        op.vjp.why if isinstance(op.vjp, Unsupported) else op.vjp.value,
        "use ag.grad, or ag.stop_gradient",
    )


def fitted(contribution: Any, target: np.ndarray) -> Any:
    """A contribution in the shape of its operand, its real part where that is real."""
    extra = np.ndim(contribution) - target.ndim
    if extra > 0:
        contribution = np.sum(contribution, axis=tuple(range(extra)))
    axes = tuple(axis for axis, size in enumerate(np.shape(contribution)) if target.shape[axis] == 1 and size != 1)
    if axes:
        contribution = np.sum(contribution, axis=axes, keepdims=True)
    return np.real(contribution) if target.dtype.kind != "c" and np.asarray(unboxed(contribution)).dtype.kind == "c" else contribution
