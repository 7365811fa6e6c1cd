"""Values in and out of boxes: the ndarrays inside arguments, boxes around results, calls of NumPy that no operation stands for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ops.dispatch import Boxed, bind


def open_boxes(x: Any, found: list[Boxed]) -> Any:
    """The same structure with ndarrays for boxes; the boxes are appended to `found`."""
    if isinstance(x, Boxed):
        found.append(x)
        return x.array
    if type(x) in (list, tuple):
        return type(x)(open_boxes(item, found) for item in x)
    if type(x) is dict:
        return {key: open_boxes(value, found) for key, value in x.items()}
    if isinstance(x, slice):
        return slice(*(open_boxes(part, found) for part in (x.start, x.stop, x.step)))
    return x


def close_boxes(x: Any, box: type[Boxed], known: list[Boxed]) -> Any:
    """The same structure with boxes for arrays and NumPy scalars; an array that came in a box leaves in that box."""
    if isinstance(x, np.ndarray | np.number | np.bool_):
        return next((boxed for boxed in known if boxed.array is x), box.of(x))
    if isinstance(x, tuple) and hasattr(x, "_make"):
        return x._make(close_boxes(item, box, known) for item in x)
    if type(x) in (list, tuple):
        return type(x)(close_boxes(item, box, known) for item in x)
    return x


def call_numpy(box: type[Boxed], function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """A call of NumPy on the ndarrays, bound as a host call."""
    known: list[Boxed] = []
    args, kwargs = open_boxes(tuple(args), known), open_boxes(kwargs, known)
    label = getattr(function, "__name__", str(function))
    result = bind("host_call", *known, fn=lambda *values: function(*args, **kwargs), label=label)
    return close_boxes(result, box, known)
