"""A number whose type the path decides, taken as one of its types, or as each of them in a branch."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.tracing.values.abstract import StagedScalar, TaggedScalar
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import cast
from autograph_jit.tracing.values.trace import constant, emit


def of_kind(x: TaggedScalar, index: int) -> StagedScalar:
    """The number as its alternative `index`."""
    dtype, weak = x.kinds[index]
    return StagedScalar(cast(x.value if x.whole is None or dtype.kind not in "iu" else x.whole, dtype), weak)


def by_kind(x: TaggedScalar, use: Callable[[StagedScalar], Any], first: int = 0) -> Any:
    """Branch over the alternatives of x."""
    if first == len(x.kinds) - 1:
        return use(of_kind(x, first))
    hit = StagedScalar(emit("equal", x.tag, constant(np.int64(first))).result, True)
    return language.if_exp(hit, lambda: use(of_kind(x, first)), lambda: by_kind(x, use, first + 1))


def in_each_kind(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a number first of all: where the path decides its type, the function of each of its types, in a branch."""

    @functools.wraps(function)
    def run(x: Any, *args: Any) -> Any:
        return by_kind(x, lambda plain: run(plain, *args)) if isinstance(x, TaggedScalar) else function(x, *args)

    return run
