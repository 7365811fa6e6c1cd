"""The garbage collector is off where very many objects are made that live on: it would look at the whole heap over and over."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def without_collection(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes many lists, none of which lives on: the garbage collector would look at all of them."""

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        if not gc.isenabled():
            return function(*args)
        gc.disable()
        try:
            return function(*args)
        finally:
            gc.enable()

    return run


@contextmanager
def young_objects() -> Iterator[None]:
    """What is made inside stays in the youngest generation: its cycles are found later without a look at the whole heap."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
