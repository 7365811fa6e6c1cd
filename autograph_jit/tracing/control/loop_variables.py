"""Loop variables as arguments: what a loop's body gives for each has the type and the shape that the variable came with."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.errors import LoopVariableError
from autograph_jit.ops.dispatch import unboxed
from autograph_jit.tracing.values.abstract import StagedArray, check
from autograph_jit.tracing.values.lift import dtype_of, index_value, is_array, is_number, shape_of
from autograph_jit.tracing.values.trace import emit

REMEDY = "; give the loop the variable in that form, or the whole state as one argument: ag.while_loop(cond, body, state)"


def next_variables(variables: tuple[Any, ...], given: Any) -> tuple[Any, ...]:
    """What the body gives, as the loop variables of the next trip; LoopVariableError where they are not like those before."""
    found = tuple(given) if isinstance(given, (list, tuple)) else (given,)
    if len(found) != len(variables):
        raise LoopVariableError(f"the body of ag.while_loop gives {len(found)} loop variables for {len(variables)}")
    for position, (before, after) in enumerate(zip(variables, found)):
        expect_alike(f"loop variable {position} of ag.while_loop", before, after)
    return found


def expect_alike(name: str, before: Any, after: Any) -> None:
    """Refuse another structure, dtype or shape."""
    if isinstance(before, (list, tuple, dict)):
        keys = list(before) if isinstance(before, dict) else range(len(before))
        if type(before) is not type(after) or keys != (list(after) if isinstance(after, dict) else range(len(after))):
            raise LoopVariableError(f"{name} changes its structure{REMEDY}")
        for key in keys:
            expect_alike(f"item {key!r} of {name}", before[key], after[key])
        return
    kinds = kind_of(before), kind_of(after)
    if kinds[0] != kinds[1]:
        raise LoopVariableError(f"{name} is {kinds[0]} before and {kinds[1]} after its body{REMEDY}")
    if is_array(unboxed(before)):
        expect_same_sizes(name, unboxed(before), unboxed(after))


def kind_of(x: Any) -> str:
    """Dtype and rank of a number or an array; the type of anything else. A number and an array of rank 0 are of one kind."""
    x = unboxed(x)
    if not (is_array(x) or is_number(x)):
        return type(x).__name__
    return f"{dtype_of(x).name} of rank {x.ndim if is_array(x) else 0}"


def expect_same_sizes(name: str, before: Any, after: Any) -> None:
    """Refuse other sizes, while tracing where they are known, else in the run."""
    if not isinstance(before, StagedArray) and not isinstance(after, StagedArray):
        if before.shape != after.shape:
            raise LoopVariableError(f"{name} has shape {before.shape} before and {after.shape} after its body{REMEDY}")
        return
    sizes = [shape_of(x) if isinstance(x, StagedArray) else np.shape(x) for x in (before, after)]
    text = f"{name} has size {{0}} along axis {{2}} before and {{1}} after its body{REMEDY}"
    for axis, (old, new) in enumerate(zip(*sizes)):
        values = index_value(old), index_value(new)
        check(emit("equal", *values).result, LoopVariableError, text, *values, index_value(axis))
