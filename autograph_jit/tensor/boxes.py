"""Values in and out of boxes: the ndarrays inside arguments, boxes around results, calls of NumPy that no operation stands for."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph_jit.ops.dispatch import Boxed, bind, expect_convertible, tell_of_write

WRITERS = (
    np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis, np.ndarray.sort, np.ndarray.partition, np.ndarray.fill,
    np.ndarray.put, np.ndarray.resize, np.ndarray.setfield, np.ndarray.byteswap, operator.setitem,
)  # fmt: skip


def map_boxes(x: Any, change: Callable[[Any], Any], kind: type = Boxed) -> Any:
    """The same structure with `change(box)` for each box, or for each instance of another kind."""
    if issubclass(type(x), kind):  # some boxes say that they are ndarrays
        return change(x)
    if type(x) in (list, tuple):
        return type(x)(map_boxes(item, change, kind) for item in x)
    if type(x) is dict:
        return {key: map_boxes(value, change, kind) for key, value in x.items()}
    if isinstance(x, slice):
        return slice(*(map_boxes(part, change, kind) for part in (x.start, x.stop, x.step)))
    return x


def open_boxes(x: Any, found: list[Boxed]) -> Any:
    """The same structure with ndarrays for boxes; the boxes are appended to `found`."""

    def opened(box: Boxed) -> np.ndarray:
        found.append(box)
        return box.array

    return map_boxes(x, opened)


def close_boxes(x: Any, box: type[Boxed], known: list[Boxed]) -> Any:
    """The same structure with boxes for arrays and NumPy scalars; an array that came in a box leaves in that box."""
    if isinstance(x, np.ndarray | np.number | np.bool_):
        return next((boxed for boxed in known if boxed.array is x), box.of(x))
    if isinstance(x, tuple) and hasattr(x, "_make"):
        return x._make(close_boxes(item, box, known) for item in x)
    if type(x) in (list, tuple):
        return type(x)(close_boxes(item, box, known) for item in x)
    return x


class NumpyCall:
    """A call of a NumPy function, with boxes among its arguments: `known`, in order, boxes that stand in several places each time."""

    def __init__(self, box: type[Boxed], function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> None:
        self.box, self.function, self.args, self.kwargs = box, function, tuple(args), kwargs
        self.known: list[Boxed] = []
        self.opened = open_boxes(self.args, self.known), open_boxes(kwargs, self.known)

    def __call__(self, *values: Any) -> Any:
        args, kwargs = self.opened
        return close_boxes(self.function(*args, **kwargs), self.box, self.known)

    @property
    def target(self) -> Any:
        """What a function that writes writes to: its first argument, or `out`."""
        out = self.kwargs["out"] if "out" in self.kwargs else self.args[0]
        return out[0] if isinstance(out, tuple) and len(out) == 1 else out

    @property
    def may_write(self) -> bool:
        """Whether the function may write to its arguments."""
        return self.function in WRITERS or "out" in self.kwargs or getattr(self.function, "__name__", "") == "at"

    @property
    def arrays(self) -> list[np.ndarray]:
        """The plain arrays among the arguments."""
        found: list[np.ndarray] = []
        map_boxes((self.args, self.kwargs), found.append, np.ndarray)
        return found

    def with_values(self, values: Iterator[Any], arrays: Iterator[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with other values in the places of the boxes and of the plain arrays."""
        inside = map_boxes((self.args, self.kwargs), lambda array: next(arrays), np.ndarray)
        return map_boxes(inside, lambda box: next(values))


def call_numpy(box: type[Boxed], function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """A call of NumPy on the ndarrays, bound as a host call."""
    call = NumpyCall(box, function, args, kwargs)
    if call.may_write:
        for boxed in call.known:
            if isinstance(call.target, np.ndarray):
                expect_convertible(boxed)
            tell_of_write(boxed.array)
    return bind("host_call", *call.known, fn=call, label=getattr(function, "__name__", str(function)))
