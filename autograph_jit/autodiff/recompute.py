"""`record` and `checkpoint`: a call that is made again from other numbers, and one whose values the reverse sweep computes again.

A call that is traced leaves operations, one on Tensors leaves records of a tape; to make it again they run once more. So Python runs once:
what it draws is drawn once, what it writes to Variables and to other memory from outside is written once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from autograph_jit.autodiff.custom import CustomGradient, Pullback, is_float, is_staged_float, lifted_leaf, like
from autograph_jit.autodiff.repetition import Repetition
from autograph_jit.autodiff.tapes.program_call import RecordedCall
from autograph_jit.autodiff.tapes.records import Record, kept
from autograph_jit.autodiff.tapes.staged import StagedTape
from autograph_jit.autodiff.tapes.tape import GradientTape
from autograph_jit.autodiff.transform import Traced
from autograph_jit.autodiff.trees import leaves_of, map_tree
from autograph_jit.errors import NotDifferentiable, SettingError
from autograph_jit.ir.opdef import Effect
from autograph_jit.ops.dispatch import EAGER, OBSERVERS, Boxed, bind, current_interpreter, interpreting, is_recorded
from autograph_jit.tensor.tensor import asarray
from autograph_jit.tracing.expressions.calls import BUILTINS, call
from autograph_jit.tracing.values.lift import wrap
from autograph_jit.tracing.values.trace import active, current, emit, user_span


def record(function: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, Callable[..., Any]]:
    """`function(*args, **kwargs)`, and a function that makes the call again from other positional arguments of the same types.

    Made again, a call draws nothing and writes to nothing that it has not made: random draws are those of the first time. It is for rules
    of `ag.custom_gradient` that compute values again instead of keeping them. Floats and arrays of floats count as arguments, also in
    tuples, lists and dicts; anything else is as it was. Where no tape and no transform follows the call, it is the function.

    >>> value, again = record(lambda x: x * x, 3.0)
    >>> value, again(4.0)
    (9.0, 16.0)
    """
    if current() is not None:
        return TracedCall.of(function, args, kwargs)
    if not is_recorded():
        return function(*args, **kwargs), functools.partial(function, **kwargs)
    return TapedCall.of(function, args, kwargs)


class Again:
    """A call that can be made again. `sources` are the floats from outside that it read, `arguments` those that it was given."""

    sources: list[Any]
    arguments: list[Any]
    obstacle: str | None = None

    def __call__(self, *args: Any) -> Any:
        """The result for other arguments."""
        given = [self.fresh(leaf) for leaf in leaves_of(args) if is_argument(leaf)]
        if self.obstacle is not None or len(given) != len(self.arguments):
            raise NotDifferentiable(
                "this call cannot be made again",
                user_span(),
                self.obstacle or f"it is given {len(given)} floats or arrays of floats, the first time {len(self.arguments)}",
                "give it what it was given, and leave to Python what it cannot do twice",
            )
        return self.at(self.arguments, given)

    def fresh(self, leaf: Any) -> Any:
        """A leaf for which nothing stands that was computed before."""
        raise NotImplementedError

    def at(self, old: Iterable[Any], new: Iterable[Any]) -> Any:
        """The result with these in the place of those."""
        raise NotImplementedError

    def keep(self) -> None:
        """Let the values be kept that the derivative reads: the call is not made again."""


class TracedCall(Again):
    """A call in compiled code."""

    def __init__(self, repetition: Repetition, result: Any, arguments: list[Any]) -> None:
        self.repetition, self.result, self.arguments, self.obstacle = repetition, result, arguments, repetition.obstacle
        read = dict.fromkeys([*(leaf.value for leaf in arguments), *repetition.sources])
        self.sources = [wrap(value) for value in read]

    @classmethod
    def of(cls, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, TracedCall]:
        """The result of a call, and the call."""
        lifted, block = map_tree(args, lifted_leaf), active().block
        before = len(block.operations)
        result = map_tree(call(function, lifted, kwargs), lifted_leaf)
        repetition = Repetition(block, before, [leaf.value for leaf in leaves_of(result) if is_staged_float(leaf)])
        return result, cls(repetition, result, [leaf for leaf in leaves_of(lifted) if is_staged_float(leaf)])

    def fresh(self, leaf: Any) -> Any:
        """A leaf for which nothing stands that was computed before."""
        lifted = lifted_leaf(leaf)
        return like(lifted, emit("recomputed", lifted.value).result)

    def at(self, old: Iterable[Any], new: Iterable[Any]) -> Any:
        """The result with these in the place of those."""
        values = self.repetition.emit({before.value: leaf.value for before, leaf in zip(old, new)})
        return map_tree(self.result, lambda leaf: like(leaf, values(leaf.value)) if is_staged_float(leaf) else leaf)


class SourceSlot(int):
    """The place of a Tensor that is made again, in the order in which they are."""


class TapedCall(Again):
    """A call on Tensors, under tapes: what a tape of its own has recorded."""

    def __init__(self, tape: GradientTape, result: Any, arguments: list[Any]) -> None:
        self.arguments = arguments
        needed = {id(leaf): leaf for leaf in leaves_of(result) if isinstance(leaf, Boxed)}
        records = []
        for item in reversed(tape.records):
            if any(id(box) in needed for box in item.results):
                needed.update({id(box): box for box in item.operands if isinstance(box, Boxed)})
                records.append(item)
        self.obstacle = next(filter(None, (obstacle(item, needed.values()) for item in tape.records)), None)
        self.tape = tape if self.obstacle is not None else None  # which has all values
        made = {id(box) for item in records for box in item.results}
        read = [box for item in records for box, follows in zip(item.operands, item.followed) if follows and id(box) not in made]
        self.sources = list({id(box): box for box in (*arguments, *read)}.values())
        places = {id(box): SourceSlot(number) for number, box in enumerate(self.sources)}
        self.steps: list[tuple[Any, list[Any], dict[str, Any]]] = []
        for item in reversed(records):
            self.steps.append((item.op, [places.get(id(box), kept) for box, kept in zip(item.operands, item.saved)], item.attributes))
            places |= {id(box): SourceSlot(len(places) + number) for number, box in enumerate(item.results)}
        self.found = map_tree(result, lambda leaf: places.get(id(leaf), leaf))
        OBSERVERS[self] = None

    @classmethod
    def of(cls, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, TapedCall]:
        """The result of a call, and the call."""
        args = map_tree(args, lambda leaf: asarray(leaf) if is_float(leaf) and not isinstance(leaf, Boxed) else leaf)
        arguments = [leaf for leaf in leaves_of(args) if is_float(leaf)]
        tapes = tapes_at_work()
        with interpreting(EAGER), GradientTape() as tape:
            for outer in tapes:
                tape.tracked |= outer.tracked
            tape.watch(*arguments)
            result = function(*args, **kwargs)
        OBSERVERS.discard(tape)
        return result, cls(tape, result, arguments)

    def fresh(self, leaf: Any) -> Any:
        """A leaf as a Tensor: only what Python computes stands for it."""
        return leaf if isinstance(leaf, Boxed) else asarray(leaf)

    def at(self, old: Iterable[Any], new: Iterable[Any]) -> Any:
        """The result with these in the place of those."""
        exchanged = {id(before): box for before, box in zip(old, new)}
        boxes = [exchanged.get(id(source), source) for source in self.sources]
        for op, operands, attributes in self.steps:
            given = [boxes[item] if isinstance(item, SourceSlot) else item for item in operands]
            made = bind(op, *given, **attributes)
            boxes += [leaf for leaf in leaves_of(made) if isinstance(leaf, Boxed) and not any(leaf is box for box in given)]
        return map_tree(self.found, lambda leaf: boxes[leaf] if isinstance(leaf, SourceSlot) else leaf)

    def before_write(self, array: np.ndarray) -> None:
        """Copy what was read of memory that is about to be written; the sources are given as they were."""
        for _, operands, _ in self.steps:
            operands[:] = kept(operands, array, lambda box: type(box).of(np.array(box.array)))

    def keep(self) -> None:
        """Hand over to the tapes around what was recorded."""
        assert self.tape is not None
        for tape in tapes_at_work():
            if not tape.stopped:
                tape.records += self.tape.records
                tape.tracked.update(self.tape.tracked)
                tape.bases.update(self.tape.bases)
                tape.written.update(self.tape.written)


def obstacle(item: Record, needed: Iterable[Boxed]) -> str | None:
    """Why a call with this record in it cannot be made again, `needed` being what its result depends on."""
    if isinstance(item.attributes.get("fn"), RecordedCall):
        return "it calls a compiled function"
    written = [*item.operands[: item.op.effect is Effect.WRITE], *item.changed]
    if any(np.may_share_memory(target.array, box.array) for target in written if isinstance(target, Boxed) for box in needed):
        return f"it writes to a Tensor that its result depends on ({item.op.name})"
    return None


def tapes_at_work() -> list[GradientTape]:
    """The tapes that record what is done with Tensors now."""
    found, interpreter = [], current_interpreter.get()
    while isinstance(interpreter, GradientTape):
        found.append(interpreter)
        interpreter = interpreter.inner
    return found


def is_argument(leaf: Any) -> bool:
    """Whether a leaf of the arguments is a float or an array of floats."""
    return is_staged_float(leaf) or (is_float(leaf) if isinstance(leaf, (Boxed, np.ndarray, np.generic, float, complex)) else False)


class Recomputation(Pullback):
    """The rule of a call that is made again."""

    def __init__(self, again: Again) -> None:
        self.again = again

    def of(self, wanted: list[bool], sources: Sequence[Any], cts: Sequence[Any]) -> list[Any]:
        """The cotangents of the sources that are wanted, None for the others."""
        with StagedTape() if current() is not None else GradientTape() as tape:
            given = [self.again.fresh(source) for source in sources]
            followed = [source for source, is_wanted in zip(given, wanted) if is_wanted]
            tape.watch(*followed)
            results = [leaf for leaf in leaves_of(self.again.at(self.again.sources, given)) if is_argument(leaf)]
        found = iter(tape.gradient(results, followed, list(cts)))
        return [next(found) if is_wanted else None for is_wanted in wanted]


class Checkpoint:
    """A function whose values are computed again where a derivative reads them."""

    def __init__(self, function: Callable[..., Any]) -> None:
        if not callable(function):
            raise SettingError(f"ag.checkpoint takes a function, not {function!r}")
        functools.update_wrapper(self, function, updated=())
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if current() is None and not is_recorded():
            return self.function(*args, **kwargs)
        value, again = record(self.function, *args, **kwargs)
        assert isinstance(again, Again)
        if again.obstacle is not None:
            again.keep()
            return value

        return CustomGradient(Traced(lambda *sources: (value, Recomputation(again))))(*again.sources)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)


def checkpoint(function: Callable[..., Any]) -> Any:
    """`function`, of which a derivative keeps the arguments alone and computes again what else it reads: less memory for one more run.

    Captured arrays and Variables have derivatives as without it. Random draws are drawn once and kept; Variables and other memory from
    outside are written once. A call whose operations cannot run twice, such as one with draws in a loop, is kept as it would be without.

    >>> import autograph_jit as ag
    >>> ag.grad(checkpoint(lambda x: x * x * x))(2.0)
    12.0
    """
    return Checkpoint(function)


BUILTINS[record], BUILTINS[checkpoint] = record, checkpoint
