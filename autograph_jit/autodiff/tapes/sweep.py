"""The pullback of what a tape has recorded.

The cotangent of a Tensor is an array, its shadow; the shadow of a view is a view of the shadow, as in `autodiff.sweeps.reverse`. Without an
enclosing tape the rules run on plain arrays; under one they run on Tensors, which that tape records: so come second derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from autograph_jit.autodiff.custom import Pullback, Rule, contributions_of
from autograph_jit.autodiff.tapes.program_call import RecordedCall
from autograph_jit.autodiff.tapes.records import Record
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ir.derivative import NOT_DIFFERENTIABLE, ByOperand, Into, Unsupported
from autograph_jit.ir.opdef import Effect, OpDef
from autograph_jit.ops.dispatch import Boxed, bind, unboxed
from autograph_jit.tracing.values.trace import user_span

ARRAYS = (np.ndarray, np.generic)
replays: list[Callable[[Record, list[Any], bool], list[Any]]] = []


class TapeSweep:
    """The shadows of one pullback; `boxed` runs the rules on Tensors."""

    def __init__(self, records: list[Record], boxed: bool, sources: Sequence[int] = ()) -> None:
        self.records, self.boxed = records, boxed
        self.shadows: dict[int, Any] = {}
        self.touched: set[int] = set()
        self.roots: dict[int, int] = {}
        self.views: dict[int, Record] = {}
        views = [record for record in records if record.op.effect is Effect.VIEW]
        for record in views:
            self.relate(record, separate=False)
        if not self.views:
            return
        written = {id(box) for record in records for box in (*record.operands[: record.op.effect is Effect.WRITE], *record.changed)}
        frozen = {source for source in sources if source in self.views and self.root_of(source) not in map(self.root_of, written)}
        if frozen:  # a source that is a view of memory which nothing writes: only what is read through it counts
            self.roots, self.views = {}, {}
            for record in views:
                self.relate(record, separate=id(record.results[0]) in frozen)

    def relate(self, record: Record, separate: bool) -> None:
        """Note that one Tensor is a view of another, unless it has a shadow of its own."""
        result, source = record.results[0], record.operands[0]
        if not separate and np.may_share_memory(result.array, unboxed(source)) and record.op.name != "broadcast_to":
            self.views[id(result)] = record
            self.roots[id(result)] = self.root_of(id(source))

    def root_of(self, box: int) -> int:
        return self.roots.get(box, box)

    def root(self, box: Any) -> int:
        return self.root_of(id(box))

    def shadow(self, box: Any) -> Any:
        """The cotangent of a Tensor: zeros, or a view of another shadow."""
        if id(box) not in self.shadows:
            record = self.views.get(id(box))
            self.shadows[id(box)] = self.viewed(record) if record is not None else self.zeros_like(box)
        return self.shadows[id(box)]

    def viewed(self, record: Record) -> Any:
        """The view that a record made, of the shadow."""
        return run(record.op, (self.shadow(record.operands[0]), *record.operands[1:]), record.attributes)

    def zeros_like(self, box: Any) -> Any:
        """Zeros in the shape of a Tensor."""
        zeros = np.zeros(box.array.shape, box.array.dtype)
        return type(box).of(zeros) if self.boxed else zeros

    def add(self, box: Any, contribution: Any) -> None:
        """Add to the cotangent of an operand."""
        if contribution is None or not isinstance(box, Boxed):
            return
        target, key = box.array, id(box)
        if target.dtype.kind not in "fc":
            return
        self.touched.add(self.root_of(key))
        if isinstance(contribution, Into):
            contribution.update(self.shadow(box))
            return
        values = fitted(contribution if self.boxed else unboxed(contribution), target)
        if not self.boxed and key not in self.shadows and key not in self.views and is_like(values, target):
            self.shadows[key] = np.array(values)
        else:
            shadow = self.shadow(box)
            shadow[...] = shadow + values

    def contribute(self, record: Record, contributions: Any, first: int = 0) -> None:
        """Add to the cotangents of the operands from `first` on that were followed when the operation ran."""
        if isinstance(contributions, Unsupported):
            raise NotDifferentiable(f"`{record.op.name}` has no derivative here", user_span(), contributions.why, "use ag.custom_gradient")
        for operand, follows, contribution in zip(record.operands[first:], record.followed[first:], contributions):
            if follows:
                self.add(operand, contribution)

    def run(self, first: int = 0, last: int | None = None) -> None:
        """Every record, or those of a range, the last first."""
        for record in reversed(self.records[first:last]):
            if record.op.name == "host_call":
                self.reverse_call(record)
            elif record.op.effect is not Effect.WRITE:
                if self.is_touched(record.results) and id(record.results[0]) not in self.views:
                    self.reverse(record)
            elif record.op.name in ("assign", "store"):
                self.reverse_write(record)
            else:
                self.reverse_update(record)

    def is_touched(self, boxes: Iterable[Any]) -> bool:
        """Whether one of these Tensors has a cotangent."""
        return any(self.root_of(id(box)) in self.touched for box in boxes)

    def reverse_write(self, record: Record) -> None:
        """What was written gets the cotangent of where it went, which is cleared."""
        target, value, *index = record.operands
        if not isinstance(target, Boxed) or self.root(target) not in self.touched:
            return
        place = tuple(int(unboxed(item)) for item in index) if record.op.name == "store" else ...
        ct = self.shadow(target)[place] + 0
        self.shadow(target)[place] = 0
        self.contribute(record, (ct,), 1)

    def reverse_update(self, record: Record) -> None:
        """A write that has a rule of its own."""
        target = record.operands[0]
        if isinstance(target, Boxed) and self.root(target) in self.touched:
            operands = [None, *self.values(record)[1:]]
            found = rule_of(record.op)(self.shadow(target), None, *operands, **record.attributes)
            self.contribute(record, found if isinstance(found, Unsupported) else found[1:], 1)

    def reverse_call(self, record: Record) -> None:
        """A compiled program, or a NumPy function that no operation stands for, which is traced and differentiated now."""
        outputs = [*record.results, *record.changed]
        if not self.is_touched(outputs):
            return
        cts = [self.shadow(box) + 0 for box in outputs]
        for box in record.changed:
            self.shadow(box)[...] = 0
        call = record.attributes["fn"]
        if isinstance(call, RecordedCall):
            contributions = call.pull_back(record.saved, cts, self.boxed, len(record.operands))
        else:
            contributions = replays[0](record, cts, self.boxed)
        self.contribute(record, contributions)

    def reverse(self, record: Record) -> None:
        """The operation's own rule, or that of a load, a view with a shadow of its own."""
        cts = [self.shadow(result) for result in record.results]
        source = record.operands[0]
        if record.op.name == "reshape":
            self.add(source, np.reshape(cts[0], source.array.shape))
        elif record.op.name == "broadcast_to":
            self.add(source, cts[0])
        elif record.op.effect is Effect.VIEW:
            self.touched.add(self.root(source))
            shadow = self.viewed(record)
            shadow[...] = shadow + cts[0]
        elif record.op.name == "load":
            place = tuple(int(unboxed(item)) for item in record.operands[1:])
            self.touched.add(self.root(source))
            self.shadow(source)[place] = self.shadow(source)[place] + cts[0]
        elif record.op.name == "custom_result":
            self.reverse_custom(record, record.attributes["rule"], cts)
        elif record.op.vjp is not NOT_DIFFERENTIABLE:
            self.reverse_by_definition(record, cts)

    def reverse_by_definition(self, record: Record, cts: list[Any]) -> None:
        """The operation's own rule."""
        rule, operands, results = rule_of(record.op), record.saved, record.outcome
        if not self.boxed:
            operands, results = [unboxed(operand) for operand in operands], [unboxed(result) for result in results]
        ct, result = (cts[0], results[0]) if len(results) == 1 else (tuple(cts), tuple(results))
        if isinstance(rule, ByOperand):
            self.contribute(record, rule.contributions(record.followed, ct, result, operands))
        else:
            self.contribute(record, rule(ct, result, *operands, **record.attributes))

    def reverse_custom(self, record: Record, rule: Rule, cts: list[Any]) -> None:
        """The rule of the user's own, in the place of what the function did."""
        box, count = type(record.results[0]), record.attributes["count"]
        given = cts if self.boxed else [box.of(np.array(ct)) for ct in cts]
        if isinstance(rule.gradient, Pullback):
            found = rule.gradient.of(list(record.followed[count:]), record.saved[count:], given)
        else:
            found = rule.gradient(*given)
        self.contribute(record, contributions_of(rule, found, len(record.operands) - count, user_span()), count)

    def values(self, record: Record) -> list[Any]:
        """The operands as they were."""
        return list(record.saved) if self.boxed else [unboxed(operand) for operand in record.saved]

    def found(self, source: Any, unconnected: str) -> Any:
        """The gradient of a source, as a Tensor."""
        if isinstance(source, Boxed) and self.root(source) in self.touched:
            shadow = self.shadow(source)
            return shadow + 0 if self.boxed else type(source).of(np.array(shadow))
        if unconnected == "none":
            return None
        return type(source).of(np.zeros(source.array.shape, source.array.dtype)) if isinstance(source, Boxed) else np.zeros_like(source)


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


def is_like(values: Any, target: np.ndarray) -> bool:
    """Whether values are an array, or a number, of the shape and dtype of an array."""
    return isinstance(values, ARRAYS) and values.dtype == target.dtype and values.shape == target.shape


def fitted(contribution: Any, target: np.ndarray) -> Any:
    """A contribution in the shape of its operand, its real part where that is real."""
    values = unboxed(contribution)
    if is_like(values, target):
        return contribution
    if not isinstance(values, ARRAYS):  # a number of the user's
        contribution = values = np.asarray(values)
    extra = values.ndim - target.ndim
    if extra > 0:
        contribution = contribution.sum(axis=tuple(range(extra)))
    axes = tuple([axis for axis, size in enumerate(unboxed(contribution).shape) if target.shape[axis] == 1 and size != 1])
    if axes:
        contribution = contribution.sum(axis=axes, keepdims=True)
    return np.real(contribution) if target.dtype.kind != "c" and values.dtype.kind == "c" else contribution
