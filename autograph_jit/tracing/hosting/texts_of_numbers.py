"""Functions of the standard library that write numbers into texts and bytes: given plain ones where their derivative is followed."""

from __future__ import annotations

import functools
import json
import marshal
import pickle
import struct
from collections.abc import Callable
from typing import Any

from autograph_jit.ops.dispatch import Boxed
from autograph_jit.tensor.boxes import map_boxes

WRITERS: tuple[Callable[..., Any], ...] = (json.dumps, json.dump, pickle.dumps, pickle.dump, marshal.dumps, struct.pack)


def of_plain_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Such a function on what boxes hold; any other function as it is."""
    if not any(function is writer for writer in WRITERS):
        return function

    @functools.wraps(function)
    def write(*args: Any, **kwargs: Any) -> Any:
        return function(*map_boxes(args, plain), **map_boxes(kwargs, plain))

    return write


def plain(box: Boxed) -> Any:
    """What a box stands for."""
    return box.array.item() if box.array.ndim == 0 and box.array.dtype == float else box.array[()]
