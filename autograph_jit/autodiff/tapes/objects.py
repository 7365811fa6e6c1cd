"""Derivatives through Python objects: compiled code records its calls of Python where a container holds numbers with a derivative.

Such a call runs as it stands, on boxed numbers and arrays, under a `GradientTape`; the boxes stay in the lists, dicts and objects that the
calls fill. The reverse sweep takes the calls back in reverse order: each gives the cotangents of what it took from compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import BuiltinMethodType
from typing import Any

import numpy as np

from autograph_jit.autodiff.tapes.sweep import TapeSweep
from autograph_jit.autodiff.tapes.tape import GradientTape
from autograph_jit.autodiff.trees import leaves_of
from autograph_jit.errors import AutographJitError, NotDifferentiable
from autograph_jit.ir.opdef import Effect
from autograph_jit.ops.dispatch import EAGER, Boxed, bind, current_interpreter, unboxed
from autograph_jit.records import dataclass
from autograph_jit.tensor.recorded import Recorded, lost_in_text, unseen_loss
from autograph_jit.tracing.values.trace import user_span

BOXES = ("Recorded", "'Tensor' object")  # as Python's own messages name what stands for a number with a derivative


@dataclass(frozen=True, slots=True)
class Call:
    """One recorded call: its records on the tape, the boxes that it took and those that it gave back (None: without a derivative)."""

    first: int
    last: int
    inputs: list[Boxed]
    outputs: list[Boxed | None]


class ObjectTape:
    """The calls of one run, in order."""

    def __init__(self) -> None:
        self.tape = GradientTape(persistent=True)
        self.calls: list[Call] = []
        self.left = 0
        self.has_texts = False  # whether a number was written into one
        self.sweep: TapeSweep | None = None

    def forward(
        self, function: Callable[..., Any], active: Sequence[bool], leaving: Sequence[bool], values: Sequence[Any]
    ) -> tuple[Any, ...]:
        """Call `function`; `active` tells which arguments carry a derivative, `leaving` which results may."""
        nested = current_interpreter.get() is not EAGER
        arguments = [own_box(value) if carries else value for carries, value in zip(active, values)]
        inputs = [argument for carries, argument in zip(active, arguments) if carries]
        self.tape.watch(inputs)
        first = len(self.tape.records)
        unseen_loss()
        try:
            with self.tape:
                found = function(*arguments)
        except BaseException as error:
            del self.tape.records[first:]
            is_told = isinstance(error, AutographJitError) or isinstance(error.__cause__, AutographJitError)
            if isinstance(error, Exception) and not is_told and (unseen := unseen_loss()) is not None:
                raise unseen from error
            if isinstance(error, (TypeError, AttributeError)) and any(name in str(error) for name in BOXES):
                raise not_taken(error) from error
            raise
        results = found if isinstance(found, tuple) else (found,) if leaving else ()
        self.refuse_writes(first, inputs)
        self.refuse_texts(values, inputs, found if isinstance(found, tuple) else (found,))
        outputs = [result if isinstance(result, Boxed) and leaves else None for result, leaves in zip(results, leaving)]
        self.calls.append(Call(first, len(self.tape.records), inputs, outputs))
        return tuple(
            result if nested or not leaves or not isinstance(result, Boxed) else result.array if result.array.ndim else result.array[()]
            for result, leaves in zip(results, leaving)
        )

    def refuse_texts(self, values: Sequence[Any], inputs: list[Boxed], results: Sequence[Any]) -> None:
        """Numbers may be written into texts and bytes, but not read from them: their derivative would be lost. Compiled code may have put
        texts together or cut them, so where a number was written into one, any text of the run may hold it."""
        from_text = self.has_texts and any(map(holds_text, values))
        if from_text and any(is_plain_number(leaf) for result in results for leaf in leaves_of(result)):
            raise lost_in_text(user_span())
        self.has_texts |= (from_text or bool(inputs)) and any(map(holds_text, results))

    def refuse_writes(self, first: int, inputs: list[Boxed]) -> None:
        """Compiled code does not see what Python writes to its arrays."""
        for record in self.tape.records[first:]:
            target = record.operands[0]
            if record.op.effect is Effect.WRITE and any(np.may_share_memory(unboxed(target), box.array) for box in inputs):
                raise NotDifferentiable(
                    "Python code writes to an array on the path of a derivative",
                    user_span(),
                    "this call is not compiled",
                    "write to the array before it goes into a container, or give a copy",
                )

    def backward(self, cts: Sequence[Any]) -> tuple[Any, ...]:
        """Take the last call back that is left: the cotangents of its active arguments, given those of its results that have a derivative.
        After the first call a reverse sweep is complete; another one starts with the last."""
        if not self.left:
            self.left, self.sweep = len(self.calls), None
        self.left -= 1
        call = self.calls[self.left]
        if self.sweep is None:
            self.sweep = TapeSweep(self.tape.records, current_interpreter.get() is not EAGER)
        for box, ct in zip(call.outputs, cts):
            if box is not None:
                self.sweep.add(box, ct)
        with np.errstate(all="ignore"):
            self.sweep.run(call.first, call.last)
        found = [self.sweep.shadow(box) for box in call.inputs]
        return tuple(ct if isinstance(ct, Boxed) else np.array(ct)[()] for ct in found)


def own_box(value: Any) -> Boxed:
    """A box that stands for this argument of this call alone."""
    return bind("copy", value) if isinstance(value, Boxed) else Recorded(np.asarray(value))


def holds_text(x: Any) -> bool:
    """Whether a value is a text or bytes, a method of one or a list with one."""
    leaves = (leaf.__self__ if isinstance(leaf, BuiltinMethodType) else leaf for leaf in leaves_of(x))
    return any(isinstance(leaf, (str, bytes, bytearray)) for leaf in leaves)


def is_plain_number(x: Any) -> bool:
    """Whether a value is a float, or an array of floats, without a box."""
    if isinstance(x, Boxed):
        return False
    return isinstance(x, (float, complex)) or (isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "fc")


def not_taken(error: Exception) -> NotDifferentiable:
    """The error for Python code that takes numbers and arrays, but nothing that stands for them."""
    return NotDifferentiable(
        "Python code does not take a number or array whose derivative is followed",
        user_span(),
        str(error),
        "compute with NumPy's functions, or use ag.stop_gradient(x) for a constant, or ag.custom_gradient",
    )
