"""The ints that a `bytes` object or a `bytearray` is made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ops.texts import BYTE
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_lists import as_array
from autograph_jit.tracing.sequences.ranges import StagedRange
from autograph_jit.tracing.texts import searching
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, check
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, cast, truth
from autograph_jit.tracing.values.types import PYTHON_INT

INT, INT_LIMIT = np.dtype(np.int64), 2**62


def ints_given(x: Any) -> StagedArray | None:
    """The vector of the ints of a list, a tuple or a range, one at least of the run; None of anything else."""
    if isinstance(x, TracedList) and x.is_native:
        return as_array(x.native.parts[0]) if x.kind == PYTHON_INT else None
    if isinstance(x, StagedRange):
        return language.numpy(np.arange, (x.start, x.stop, x.step), {"dtype": INT})
    items = list.__iter__(x) if isinstance(x, TracedList) and x.dynamic is None else x if type(x) is tuple else ()
    parts = list(items)
    are_known = [type(part) is int and abs(part) <= INT_LIMIT for part in parts]
    fits = all(known or is_exact_int(part) for known, part in zip(are_known, parts))
    return language.numpy(np.array, (parts,), {"dtype": INT}) if fits and not all(are_known) else None


def is_exact_int(x: Any) -> bool:
    """Whether a value is a Python int of the run."""
    return isinstance(x, StagedScalar) and x.weak and not x.is_tagged and x.scalar_dtype == INT


def vector_of_bytes(numbers: StagedArray, kind: str) -> StagedArray:
    """The vector of the bytes that ints are."""
    check(truth(language.call(searching.are_bytes, (numbers,), None)), ValueError, f"{kind} must be in range(0, 256)")
    return array(cast(numbers.value, BYTE))
