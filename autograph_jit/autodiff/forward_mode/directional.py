"""Products with the Jacobian, and the Jacobian itself, of a staged call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.autodiff.forward_mode import rules
from autograph_jit.autodiff.forward_mode.pushforward import is_covered, push_forward
from autograph_jit.autodiff.sweeps.accumulate import numpy
from autograph_jit.autodiff.sweeps.classes import Classes
from autograph_jit.autodiff.sweeps.pullback import Primal
from autograph_jit.autodiff.transform import (
    Traced,
    as_input,
    carried_over,
    described,
    like_input,
    located,
    name_of,
    pull,
    with_leaves,
    with_numbers,
)
from autograph_jit.autodiff.trees import leaves_of, map_tree
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ops.dispatch import Boxed
from autograph_jit.tracing.control.loops import for_stmt
from autograph_jit.tracing.expressions.calls import call
from autograph_jit.tracing.sequences.loop_options import LoopOptions
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import cast, dtype_of, is_array, lift_number
from autograph_jit.tracing.values.trace import current, differentiated, emit, user_span

INSTALLED = (rules,)


def vjp(function: Callable[..., Any], args: tuple[Any, ...], argnums: tuple[Any, ...], cotangents: Any) -> tuple[Any, tuple[Any, ...]]:
    """The result of a call and its pullback of `cotangents`, which have the structure of the result."""
    return pull(with_numbers(function), args, {}, argnums, lambda result: cotangents)


def jvp(function: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
    """The result of a call and its derivative along `tangents`, by forward mode where it knows every operation on the path."""
    function = with_numbers(function)
    inputs = [as_input(leaf, position) for position, tree in enumerate(primals) for leaf in leaves_of(tree)]
    positions = tuple(range(len(primals)))
    primal = Primal(inputs, lambda leaves: call(function, *with_leaves(primals, {}, positions, leaves)), backwards=False)
    classes = Classes(primal.block, primal.block.args)
    if not is_covered(primal.block, classes):
        return jvp_by_pullbacks(function, primals, tangents)
    primal.refuse_written_twins(classes)
    along = [as_tangent(leaf, item) for (leaf, item) in zip(expect_as_many(leaves_of(tangents), inputs), inputs)]
    results = [as_input(leaf, "of a result") for leaf in leaves_of(primal.result)]
    values, found = push_forward(primal.block, primal.given, along, [leaf.value for leaf in results])
    whole = [carried_over(leaf, values) for leaf in results]
    pushed = iter([zero_like(leaf) if each is None else like_input(each, leaf) for each, leaf in zip(found, whole)])
    return map_tree(primal.result, lambda leaf: carried_over(leaf, values)), map_tree(primal.result, lambda leaf: next(pushed))


def expect_as_many(tangents: list[Any], inputs: list[Any]) -> list[Any]:
    """There must be a tangent for each input."""
    if len(tangents) != len(inputs):
        raise NotDifferentiable(
            f"{len(tangents)} tangents for arguments of {len(inputs)} arrays or numbers",
            user_span(),
            "there is one for each",
            "give them in the structure of the arguments",
        )
    return tangents


def as_tangent(leaf: Any, item: Any) -> Any:
    """A tangent in the dtype of its input, in memory of its own."""
    if isinstance(item, StagedScalar):
        return lift_number(as_input(leaf, "along a tangent"), item.scalar_dtype)
    staged = as_input(leaf, "along a tangent")
    if isinstance(staged, StagedScalar) and item.ndim == 0:
        staged = numpy(np.full, (), staged)
    if not isinstance(staged, StagedArray) or not may_have_shape(staged.type.dims, item.type.dims):
        raise NotDifferentiable(
            "a tangent has another shape than its argument",
            user_span(),
            f"the tangent is {described(staged)}, the argument {described(item)}",
            "give arrays of equal shapes",
        )
    made = cast(staged.value, item.dtype)
    return emit("copy", made).result


def may_have_shape(dims: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    """Whether sizes agree as far as they are known."""
    known = [(x, y) for x, y in zip(dims, wanted) if isinstance(x, int) and isinstance(y, int)]
    return len(dims) == len(wanted) and all(x == y for x, y in known)


def zero_like(leaf: Any) -> Any:
    """The tangent of a result that does not depend on the arguments."""
    return numpy(np.zeros_like, leaf) if isinstance(leaf, StagedArray) else StagedScalar(lift_number(0.0, dtype_of(leaf)), leaf.weak)


def jvp_by_pullbacks(function: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
    """The pullback of the pullback, which is linear in the cotangent (Griewank and Walther 2008, section 3.2)."""
    argnums = tuple(range(len(primals)))
    kept = map_tree(primals, own_copy)
    with differentiated("backwards"):  # as in the pullback: one form of what it makes
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


def own_copy(leaf: Any) -> Any:
    """An array in memory of its own: the function may write to its arguments, and is evaluated more than once."""
    if current() is None:
        return np.copy(leaf) if isinstance(leaf, (np.ndarray, Boxed)) else leaf  # type: ignore[arg-type]
    return numpy(np.copy, leaf) if is_array(leaf) else leaf


def ones_like(leaf: Any) -> Any:
    """A cotangent to differentiate by."""
    staged = as_input(leaf, "of a result")
    return numpy(np.ones_like, staged) if isinstance(staged, StagedArray) else StagedScalar(lift_number(1.0, dtype_of(staged)), staged.weak)


def jacobian(function: Callable[..., Any], args: tuple[Any, ...], argnum: Any) -> Any:
    """The array d result / d argument, of shape result.shape + argument.shape: one pullback for each element of the result, or one
    tangent for each of the argument where these are fewer. Where only the run knows the sizes, it chooses."""
    argnum = located(function, args, {}, argnum)
    expect_one_array(args[argnum], argnum)
    kept, name = map_tree(args, own_copy), name_of(function)
    function = with_numbers(function)
    result = call(function, args, None)
    if isinstance(result, StagedScalar):
        _, (gradient,) = pull(function, kept, {}, (argnum,), lambda value: StagedScalar(lift_number(1.0, dtype_of(value)), False))
        return gradient
    if not isinstance(result, StagedArray):
        raise NotDifferentiable(
            f"the Jacobian needs one array or number, {name} returns {described(result)}",
            user_span(),
            "it has one row for each number of the result",
            "return one array, or use ag.vjp",
        )
    argument = as_input(args[argnum], argnum)
    rows = language.if_exp(
        has_fewer_elements(argument, result),
        lambda: jacobian_columns(function, kept, argnum, result, argument),
        lambda: jacobian_rows(function, kept, argnum, result, argument),
    )
    shape = result.shape + (argument.shape if isinstance(argument, StagedArray) else ())
    return numpy(np.reshape, rows, shape)


def expect_one_array(argument: Any, argnum: Any) -> None:
    """The argument of a Jacobian is one array or number."""
    if isinstance(argument, (tuple, list, dict)):
        raise NotDifferentiable(
            f"the Jacobian by argument {argnum!r} needs one array or number, not {described(argument)}",
            user_span(),
            "it has one column for each number of the argument",
            "pass the array as an argument of its own, or use ag.grad or ag.vjp, which take structures",
        )


def for_each(count: Any, body: Callable[[Any], None]) -> None:
    """A loop that is staged even where it is short: its body holds the whole function and its derivative, not to be written out again."""
    trips = LoopOptions(language.call(range, (count,), None), unroll=False)
    for_stmt(trips, None, body, lambda: (), lambda state: None, ())


def jacobian_rows(function: Callable[..., Any], args: tuple[Any, ...], argnum: Any, result: StagedArray, argument: Any) -> Any:
    """The Jacobian with the result's axes flattened, row by row in a staged loop."""
    count = result.size
    width = argument.size if isinstance(argument, StagedArray) else 1
    rows = numpy(np.zeros, (count, width), dtype=result.dtype)

    def body(index: Any) -> None:
        seed = numpy(np.zeros, count, dtype=result.dtype)
        seed[index] = 1.0
        ct = numpy(np.reshape, seed, result.shape)
        _, (gradient,) = pull(function, map_tree(args, own_copy), {}, (argnum,), lambda _: ct)
        rows[index] = numpy(np.reshape, gradient, (-1,)) if isinstance(gradient, StagedArray) else gradient

    for_each(count, body)
    return rows


def has_fewer_elements(argument: Any, result: StagedArray) -> Any:
    """Whether a real argument has fewer elements than a real result: a bool, or one of the run."""
    if dtype_of(argument).kind == "c" or result.dtype.kind == "c":
        return False
    if isinstance(argument, StagedScalar):
        return True
    if argument.type.dims == result.type.dims:
        return False
    return argument.size < result.size


def jacobian_columns(function: Callable[..., Any], args: tuple[Any, ...], argnum: Any, result: StagedArray, argument: Any) -> Any:
    """The Jacobian with the result's axes flattened, column by column in a staged loop."""
    one = Traced(lambda value: call(function, (*args[:argnum], value, *args[argnum + 1 :]), None))
    if isinstance(argument, StagedScalar):
        return jvp(one, (argument,), (StagedScalar(lift_number(1.0, argument.scalar_dtype), argument.weak),))[1]
    count, width = result.size, argument.size
    columns = numpy(np.zeros, (width, count), dtype=result.dtype)

    def body(index: Any) -> None:
        seed = numpy(np.zeros, width, dtype=argument.dtype)
        seed[index] = 1.0
        tangent = numpy(np.reshape, seed, argument.shape)
        _, along = jvp(one, (numpy(np.copy, argument),), (tangent,))
        columns[index] = numpy(np.reshape, along, (-1,))

    for_each(width, body)
    return numpy(np.transpose, columns)
