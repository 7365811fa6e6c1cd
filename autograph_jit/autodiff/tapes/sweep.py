"""The pullback of what a tape has recorded.

The cotangent of a Tensor is an array, its shadow; the shadow of a view is a view of the shadow, as in `autodiff.sweeps.reverse`. Without an
enclosing tape the rules run on plain arrays; under one they run on Tensors, which that tape records: so come second derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph_jit.autodiff.custom import Pullbacks, Rule, contributions_of
from autograph_jit.autodiff.tapes.program_call import RecordedCall
from autograph_jit.autodiff.tapes.records import Record
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ir.derivative import NOT_DIFFERENTIABLE, Into, Unsupported
from autograph_jit.ir.opdef import Effect, OpDef
from autograph_jit.ops.dispatch import Boxed, bind, unboxed
from autograph_jit.staging.trace import user_span

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
        written = {id(box) for record in records for box in (*record.operands[: record.op.effect is Effect.WRITE], *record.changed)}
        for record in views:
            self.relate(record, separate=False)
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
        if contribution is None or not isinstance(box, Boxed) or box.array.dtype.kind not in "fc":
            return
        self.touched.add(self.root(box))
        shadow = self.shadow(box)
        if isinstance(contribution, Into):
            contribution.update(shadow)
        else:
            shadow[...] = shadow + fitted(contribution if self.boxed else unboxed(contribution), box.array)

    def contribute(self, record: Record, operand: Any, contribution: Any) -> None:
        """Add to the cotangent of an operand, if it was followed when the operation ran."""
        if id(operand) in record.followed:
            self.add(operand, contribution)

    def run(self, first: int = 0, last: int | None = None) -> None:
        """Every record, or those of a range, the last first."""
        for record in reversed(self.records[first:last]):
            if record.op.name == "host_call":
                self.reverse_call(record)
            elif record.op.name in ("assign", "store"):
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
        self.contribute(record, value, ct)

    def reverse_update(self, record: Record) -> None:
        """A write that has a rule of its own."""
        target = record.operands[0]
        if isinstance(target, Boxed) and self.root(target) in self.touched:
            operands = [None, *self.values(record)[1:]]
            self.give(record, rule_of(record.op)(self.shadow(target), None, *operands, **record.attributes), 1)

    def reverse_call(self, record: Record) -> None:
        """A compiled program, or a NumPy function that no operation stands for, which is traced and differentiated now."""
        outputs = [*record.results, *record.changed]
        if not any(self.root(box) in self.touched for box in outputs):
            return
        cts = [self.shadow(box) + 0 for box in outputs]
        for box in record.changed:
            self.shadow(box)[...] = 0
        call = record.attributes["fn"]
        if isinstance(call, RecordedCall):
            contributions = call.pull_back(record.saved, cts, self.boxed, len(record.operands))
        else:
            contributions = replays[0](record, cts, self.boxed)
        for operand, contribution in zip(record.operands, contributions):
            self.contribute(record, operand, contribution)

    def reverse(self, record: Record) -> None:
        """The operation's own rule, or that of a copy, a load, a view with a shadow of its own."""
        cts = [self.shadow(result) for result in record.results]
        source = record.operands[0]
        if record.op.name in ("copy", "reshape"):
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
            self.reverse_custom(record, record.attributes["rule"], cts[0])
        elif record.op.vjp is not NOT_DIFFERENTIABLE:
            self.reverse_by_definition(record, cts)

    def reverse_by_definition(self, record: Record, cts: list[Any]) -> None:
        """The operation's own rule."""
        results = record.outcome if self.boxed else [unboxed(result) for result in record.outcome]
        single = len(results) == 1
        found = rule_of(record.op)(
            cts[0] if single else tuple(cts), results[0] if single else tuple(results), *self.values(record), **record.attributes
        )
        self.give(record, found, 0)

    def reverse_custom(self, record: Record, rule: Rule, ct: Any) -> None:
        """The rule of the user's own, in the place of what the function did."""
        box = type(record.results[0])
        cts = [box.of(np.zeros(np.shape(unboxed(result)), unboxed(result).dtype)) for result in rule.results]
        cts[rule.position] = ct if self.boxed else box.of(np.array(ct))
        sources = record.operands[1:]
        if isinstance(rule.gradient, Pullbacks):
            found = rule.gradient.of([id(source) in record.followed for source in sources], cts)
        else:
            found = rule.gradient(*cts)
        for source, contribution in zip(sources, contributions_of(rule, found, len(sources), user_span())):
            self.contribute(record, source, contribution)

    def values(self, record: Record) -> list[Any]:
        """The operands as they were."""
        return record.saved if self.boxed else [unboxed(operand) for operand in record.saved]

    def give(self, record: Record, contributions: Any, first: int) -> None:
        if isinstance(contributions, Unsupported):
            raise NotDifferentiable(f"`{record.op.name}` has no derivative here", user_span(), contributions.why, "use ag.custom_gradient")
        for operand, contribution in list(zip(record.operands, contributions))[first:]:
            self.contribute(record, operand, contribution)

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


def fitted(contribution: Any, target: np.ndarray) -> Any:
    """A contribution in the shape of its operand, its real part where that is real."""
    extra = np.ndim(contribution) - target.ndim
    if extra > 0:
        contribution = np.sum(contribution, axis=tuple(range(extra)))
    axes = tuple(axis for axis, size in enumerate(np.shape(contribution)) if target.shape[axis] == 1 and size != 1)
    if axes:
        contribution = np.sum(contribution, axis=axes, keepdims=True)
    return np.real(contribution) if target.dtype.kind != "c" and np.asarray(unboxed(contribution)).dtype.kind == "c" else contribution
