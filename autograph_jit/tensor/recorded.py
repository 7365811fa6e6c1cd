"""`Recorded`: what stands in Python containers for the floats of compiled code whose derivative is followed."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from autograph_jit.errors import NotDifferentiable
from autograph_jit.source import SourceSpan
from autograph_jit.tensor.tensor import Tensor


class Recorded(Tensor):
    """A number or an array of floats in a container. To `isinstance` it is what it stands for; it does not become a plain number or
    array, since its derivative would be lost."""

    __slots__ = ()

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return np.ndarray if self.array.ndim else self.array.dtype.type

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        raise lost("an array")

    def __float__(self) -> float:
        raise lost("a float")

    def __complex__(self) -> complex:
        raise lost("a complex number")

    def __repr__(self) -> str:
        return repr(self.array[()])


CONVERSIONS = {method.__code__ for method in (Recorded.__array__, Recorded.__float__, Recorded.__complex__)}


class Losses(threading.local):
    """The last error of a conversion in each thread."""

    last: NotDifferentiable | None = None


losses = Losses()


def lost(what: str) -> NotDifferentiable:
    """The error for a conversion in Python on the path of a derivative."""
    losses.last = NotDifferentiable(
        f"a number or array with a derivative becomes {what} in Python code",
        None,
        "this call is not compiled, and its derivative is not known",
        "use ag.custom_gradient with a rule of your own, or ag.stop_gradient; take items out of a container one by one",
    )
    return losses.last


def unseen_loss() -> NotDifferentiable | None:
    """The last such error, where no Python code has seen it: code in C went on after it, and may have put another in its place. It is then
    forgotten."""
    error, losses.last = losses.last, None
    entry = None if error is None else error.__traceback__
    return error if entry is None or entry.tb_frame.f_code in CONVERSIONS else None


def lost_in_text(span: SourceSpan | None) -> NotDifferentiable:
    """The error for a number that is read from a text into which one with a derivative was written."""
    return NotDifferentiable(
        "a number with a derivative passes through text",
        span,
        "its digits do not tell where it comes from",
        "use the number itself, or ag.stop_gradient(x) where the text is made, for a constant",
    )
