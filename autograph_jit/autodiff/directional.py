"""Products with the Jacobian, and the Jacobian itself, of a staged call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.autodiff.accumulate import numpy
from autograph_jit.autodiff.transform import Traced, as_input, pull
from autograph_jit.autodiff.trees import leaves_of, map_tree
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ops.dispatch import Boxed
from autograph_jit.staging.calls import call
from autograph_jit.staging.lift import dtype_of, is_array, lift_number
from autograph_jit.staging.loops import for_stmt
from autograph_jit.staging.trace import current, user_span
from autograph_jit.staging.values import Protocol, StagedArray, StagedScalar


def vjp(function: Callable[..., Any], args: tuple[Any, ...], argnums: tuple[Any, ...], cotangents: Any) -> tuple[Any, tuple[Any, ...]]:
    """The result of a call and its pullback of `cotangents`, which have the structure of the result."""
    return pull(function, args, {}, argnums, lambda result: cotangents)


def jvp(function: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
    """The result of a call and its derivative along `tangents`: the pullback of the pullback (Griewank and Walther 2008, section 3.2),
    which is linear in the cotangent."""
    argnums = tuple(range(len(primals)))
    kept = map_tree(primals, copied)
    result = call(function, primals, None)
    probe = map_tree(result, ones_like)

    def weighted(cts: Any) -> Any:
        _, pulled = pull(function, kept, {}, argnums, lambda _: cts)
        terms = [
            numpy(np.sum, numpy(np.real, numpy(np.multiply, numpy(np.conjugate, ct), tangent)))
            for ct, tangent in zip(leaves_of(pulled), leaves_of(tangents))
        ]
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return total

    one = lambda total: StagedScalar(lift_number(1.0, dtype_of(total)), False)  # noqa: E731
    _, (along,) = pull(Traced(weighted), (probe,), {}, (0,), one)
    return result, along


def copied(leaf: Any) -> Any:
    """An array in memory of its own: the function may write to its arguments, and is evaluated more than once."""
    if current() is None:
        return np.copy(leaf) if isinstance(leaf, (np.ndarray, Boxed)) else leaf  # type: ignore[arg-type]
    return numpy(np.copy, leaf) if is_array(leaf) else leaf


def ones_like(leaf: Any) -> Any:
    """A cotangent to differentiate by."""
    staged = as_input(leaf, "of the result")
    return numpy(np.ones_like, staged) if isinstance(staged, StagedArray) else StagedScalar(lift_number(1.0, dtype_of(staged)), staged.weak)


def jacobian(function: Callable[..., Any], args: tuple[Any, ...], argnum: Any) -> Any:
    """The array d result / d argument, of shape result.shape + argument.shape: one pullback for each element of the result."""
    kept = map_tree(args, copied)
    result = call(function, args, None)
    if isinstance(result, StagedScalar):
        _, (gradient,) = pull(function, kept, {}, (argnum,), lambda value: StagedScalar(lift_number(1.0, dtype_of(value)), False))
        return gradient
    if not isinstance(result, StagedArray):
        raise NotDifferentiable(
            f"the Jacobian needs one array or number, the function returns {type(result).__name__}",
            user_span(),
            "",
            "return one array, or use ag.vjp",
        )
    argument = as_input(args[argnum], argnum)
    rows = jacobian_rows(function, kept, argnum, result, argument)
    shape = Protocol.array_attribute(result, "shape") + (
        Protocol.array_attribute(argument, "shape") if isinstance(argument, StagedArray) else ()
    )
    return numpy(np.reshape, rows, shape)


def jacobian_rows(function: Callable[..., Any], args: tuple[Any, ...], argnum: Any, result: StagedArray, argument: Any) -> Any:
    """The Jacobian with the result's axes flattened, row by row in a staged loop."""
    count = Protocol.array_attribute(result, "size")
    width = Protocol.array_attribute(argument, "size") if isinstance(argument, StagedArray) else 1
    rows = numpy(np.zeros, (count, width), dtype=result.dtype)

    def body(index: Any) -> None:
        seed = numpy(np.zeros, count, dtype=result.dtype)
        seed[index] = 1.0
        ct = numpy(np.reshape, seed, Protocol.array_attribute(result, "shape"))
        _, (gradient,) = pull(function, map_tree(args, copied), {}, (argnum,), lambda _: ct)
        rows[index] = numpy(np.reshape, gradient, (-1,)) if isinstance(gradient, StagedArray) else gradient

    for_stmt(Protocol.call(range, (count,), None), None, body, lambda: (), lambda state: None, ())
    return rows
