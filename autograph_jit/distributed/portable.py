"""`portable`: a function that any pickler takes to other processes."""

from __future__ import annotations

import functools
import io
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import autograph_jit as ag

try:
    from autograph_jit.distributed.pickler import SourcePickler
except ImportError:  # told when something is packed
    SourcePickler = None  # type: ignore[assignment, misc]

KEPT = 16  # functions that a process keeps, the last ones used


@dataclass(frozen=True, slots=True)
class Portable:
    """A function as bytes. Each process unpacks it once, at its first call there, and so compiles it once."""

    name: str
    packed: bytes = field(repr=False)

    @property
    def __name__(self) -> str:
        """For engines that show what they run."""
        return self.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return unpacked(self.packed)(*args, **kwargs)


@functools.lru_cache(KEPT)
def unpacked(packed: bytes) -> Callable[..., Any]:
    """The function, one for all calls of this process."""
    return pickle.loads(packed)


def portable(function: Callable[..., Any]) -> Portable:
    """A function that other processes can be given, by `client.map`, a pool of `multiprocessing` or joblib.

    What can be imported there goes by reference. What cannot, as what a script, a notebook or another function defines, goes by value, with
    its source and with what it reads, as it is at this moment. Compiled functions stay compiled. Needs the extra `distributed`.

    >>> rate = 2.0
    >>> twice = portable(ag.compile(lambda x: rate * x))
    >>> pickle.loads(pickle.dumps(twice))(3.0)
    6.0
    """
    if not callable(function):
        raise ag.SettingError(f"ag.distributed takes a function, compiled or not, not {type(function).__name__}")
    if SourcePickler is None:
        raise ag.MissingExtraError("functions are packed for other processes by cloudpickle: pip install 'autograph-jit[distributed]'")
    packed = io.BytesIO()
    SourcePickler(packed).dump(function)
    return Portable(getattr(function, "__name__", type(function).__name__), packed.getvalue())
