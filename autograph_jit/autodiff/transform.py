"""Value and gradient of a staged call: arguments are trees, the loss is one real number."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.autodiff.checkpointing import rerun
from autograph_jit.autodiff.sweeps import calls
from autograph_jit.autodiff.sweeps.pullback import Primal, forward_and_reverse
from autograph_jit.autodiff.trees import leaves_of, map_tree
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ops.dispatch import Boxed
from autograph_jit.tracing.expressions.calls import call
from autograph_jit.tracing.hosting.host_calls import host_scalar
from autograph_jit.tracing.structures.choices import is_mixed
from autograph_jit.tracing.texts.text import Text, as_object
from autograph_jit.tracing.values.abstract import Maybe, StagedArray, StagedObject, StagedScalar, content_of
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.lift import array, dtype_of, element, is_number, lift_array, lift_number, scalar
from autograph_jit.tracing.values.trace import active, constant, user_span

Numbers = (int, float, complex, np.number)


INSTALLED = (rerun, calls)
UNUSED = object()
Seed = Callable[[Any], Any]


def pull(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], argnums: tuple[Any, ...], seed: Seed
) -> tuple[Any, tuple[Any, ...]]:
    """The result of `function(*args, **kwargs)` and the pullback of `seed(result)`, the cotangents of the result's leaves in their
    structure (UNUSED for no contribution), to the arguments at `argnums` (positions or names)."""
    argnums = located_once(function, args, kwargs, argnums)
    chosen = [kwargs[position] if isinstance(position, str) else args[position] for position in argnums]
    inputs = [as_input(leaf, position) for position, tree in zip(argnums, chosen) for leaf in leaves_of(tree)]
    primal = Primal(inputs, lambda leaves: call(function, *with_leaves(args, kwargs, argnums, leaves)))
    pairs = [
        (leaf, ct)
        for leaf, ct in paired_leaves(primal.result, seed(primal.result))
        if ct is not UNUSED and isinstance(leaf, (StagedArray, StagedScalar))
    ]
    values, found = forward_and_reverse(primal, [leaf.value for leaf, _ in pairs], lambda _: [ct for _, ct in pairs])
    cotangents = dict(zip(primal.block.args, found))
    gradients = iter([like_input(cotangents[argument.value], item) for argument, item in zip(primal.arguments, inputs)])
    trees = tuple(map_tree(tree, lambda leaf: next(gradients)) for tree in chosen)
    return map_tree(primal.result, lambda leaf: carried_over(leaf, values)), trees


def located_once(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], wanted: tuple[Any, ...]) -> tuple[Any, ...]:
    """Where arguments stand in a call, each named once."""
    found = tuple(located(function, args, kwargs, position) for position in wanted)
    if len(set(found)) != len(found):
        raise NotDifferentiable(
            f"argnums={wanted!r} names an argument twice", user_span(), "its derivative would be shared out", "name each argument once"
        )
    return found


def located(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], wanted: Any) -> int | str:
    """Where an argument stands in a call: its position, or its name where it was given by name."""
    if not isinstance(wanted, (int, np.integer, str)) or isinstance(wanted, bool):
        raise NotDifferentiable(
            f"argnums names an argument by {type(wanted).__name__}",
            user_span(),
            f"{wanted!r} is no position and no name",
            "give a position, a name, or a tuple of them",
        )
    if isinstance(wanted, str) and wanted in kwargs:
        return wanted
    if not isinstance(wanted, str) and -len(args) <= wanted < len(args):
        return int(wanted) % len(args)
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = []
    if isinstance(wanted, str) and wanted in names[: len(args)]:
        return names.index(wanted)
    if not isinstance(wanted, str) and 0 <= wanted < len(names) and names[wanted] in kwargs:
        return names[wanted]
    given = f"{len(args)} by position" + (f" and {', '.join(kwargs)} by name" if kwargs else "")
    raise NotDifferentiable(
        f"argument {wanted!r} of argnums is not among the arguments of the call",
        user_span(),
        f"{name_of(function)} was called with {given}" + (f"; it has the parameters {', '.join(names)}" if names else ""),
        "give argnums as positions or names of arguments that the call gives",
    )


def name_of(function: Any) -> str:
    """What a function is called in messages."""
    name = getattr(function, "__name__", "the function")
    return "the lambda" if name == "<lambda>" else name


def value_and_gradients(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], argnums: tuple[Any, ...], has_aux: bool
) -> tuple[Any, tuple[Any, ...]]:
    """The value of `function`, which returns one real number (with has_aux: first in a pair), and its gradients."""

    name = name_of(function)

    def evaluated(*new_args: Any, **new_kwargs: Any) -> Any:
        result = call(function, new_args, new_kwargs)
        if has_aux and not (isinstance(result, tuple) and len(result) == 2):
            raise NotDifferentiable(
                f"with has_aux=True {name} must return a pair (loss, anything)",
                user_span(),
                f"it returns {described(result)}",
                "return a tuple of two, the loss first, or leave has_aux out",
            )
        return (scalar_loss(result[0], name), result[1]) if has_aux else scalar_loss(result, name)

    def seed(result: Any) -> Any:
        loss = result[0] if has_aux else result
        one = scalar(constant(dtype_of(loss).type(1)))
        return (one, map_tree(result[1], lambda leaf: UNUSED)) if has_aux else one

    argnums = located_once(function, args, kwargs, argnums)
    return pull(Traced(evaluated), args, kwargs, argnums, seed)


class Traced:
    """A function of this package that runs on stand-ins as it is."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


def with_numbers(function: Callable[..., Any]) -> Traced:
    """A function whose results that Python computes are numbers: an object has no derivative."""
    return Traced(lambda *args, **kwargs: map_tree(call(function, args, kwargs), result_as_number))


def result_as_number(leaf: Any) -> Any:
    """A result that is an object of the run, or may be a text, as the number that it must be."""
    if is_mixed(leaf):
        return distribute(leaf, lambda case: result_as_number(as_object(case) if isinstance(case, Text) else case))
    if not isinstance(leaf, StagedObject):
        return leaf
    return host_scalar(real_number, leaf, dtype=np.dtype(np.float64), weak=False, label="result")


def paired_leaves(result: Any, cotangents: Any) -> list[tuple[Any, Any]]:
    """The leaves of a result with their cotangents; the structures must agree."""
    leaves, cts = leaves_of(result), leaves_of(cotangents) if cotangents is not None else []
    if len(leaves) != len(cts):
        raise NotDifferentiable(
            f"{len(cts)} cotangents for a result of {len(leaves)} arrays or numbers",
            user_span(),
            f"the function returns {described(result)}",
            "give them in the structure of the result",
        )
    for leaf, ct in zip(leaves, cts):
        if ct is not UNUSED:
            expect_cotangent(leaf, ct)
    return list(zip(leaves, cts))


def expect_cotangent(leaf: Any, ct: Any) -> None:
    """A cotangent is a number, or an array that has the shape of its result as far as that is known."""
    dims = ct.shape if isinstance(ct, np.ndarray) else ct.type.dims if isinstance(ct, StagedArray) else ()
    wanted = leaf.type.dims if isinstance(leaf, StagedArray) else ()
    known = [(x, y) for x, y in zip(dims, wanted) if isinstance(x, int) and isinstance(y, int)]
    is_value = isinstance(ct, (np.ndarray, StagedArray, StagedScalar, *Numbers))
    if not is_value or (dims and (len(dims) != len(wanted) or any(x != y for x, y in known))):
        raise NotDifferentiable(
            f"a cotangent is {described(ct)}, its result is {described(leaf)}",
            user_span(),
            "there is one number for each number of the result",
            "give a number or array in the shape of the result",
        )


def described(x: Any) -> str:
    """A value in words, for messages."""
    if isinstance(x, Maybe):
        return "None, or not, as the run decides"
    if isinstance(x, (StagedArray, np.ndarray)):
        dims = x.shape if isinstance(x, np.ndarray) else x.type.dims
        sizes = [str(size) if isinstance(size, int) else "?" for size in dims]
        return f"an array of {x.dtype} of shape ({', '.join(sizes)}{',' * (len(sizes) == 1)})"
    if isinstance(x, StagedScalar):
        return f"a number of {dtype_of(x)}"
    if x is None:
        return "None"
    if isinstance(x, (tuple, list)):
        return f"a {'tuple' if isinstance(x, tuple) else 'list'} of {len(x)}"
    if isinstance(x, dict):
        return f"a dict of {len(x)}"
    if isinstance(x, str):
        return "a text"
    kind = x.python_type.__name__ if isinstance(x, StagedObject) and x.python_type is not None else type(x).__name__
    return f"an object of type {kind}"


def as_input(leaf: Any, position: Any) -> Any:
    """A leaf to differentiate: a float or complex number or array. `position` is the argument's, or says in words what it belongs to."""
    staged = lift_array(leaf) if isinstance(leaf, (np.ndarray, StagedArray)) else leaf
    if not isinstance(staged, (StagedArray, StagedScalar)) and isinstance(staged, Numbers) and not isinstance(staged, bool):
        staged = StagedScalar(lift_number(staged), not isinstance(staged, np.generic))
    if isinstance(staged, (StagedArray, StagedScalar)) and dtype_of(staged).kind in "fc":
        return staged
    is_number_ = isinstance(staged, (StagedArray, StagedScalar, bool, np.bool_))
    found = dtype_of(staged).name if isinstance(staged, (StagedArray, StagedScalar)) else type(leaf).__name__
    words = isinstance(position, str) and " " in position
    what = f"the derivative {position}" if words else f"the gradient with respect to argument {position!r}"
    if is_number_:
        raise NotDifferentiable(
            f"{what} needs floats, not {found}",
            user_span(),
            "integers and bools have no derivative",
            "convert it with astype(float) or float(), or choose other argnums",
        )
    raise NotDifferentiable(
        f"{what} needs numbers and arrays of floats, not {described(leaf)}",
        user_span(),
        "derivatives are taken by numbers, arrays, and tuples, lists and dicts of them",
        "pass the arrays that it holds as an argument of their own; by Variables that an object holds, use ag.GradientTape",
    )


def with_leaves(
    args: tuple[Any, ...], kwargs: dict[str, Any], argnums: tuple[Any, ...], leaves: list[Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with the differentiated leaves replaced."""
    supply = iter(leaves)
    new_args, new_kwargs = list(args), dict(kwargs)
    for position in argnums:
        if isinstance(position, str):
            new_kwargs[position] = map_tree(kwargs[position], lambda leaf: next(supply))
        else:
            new_args[position] = map_tree(args[position], lambda leaf: next(supply))
        note_containers(new_kwargs[position] if isinstance(position, str) else new_args[position])
    return tuple(new_args), new_kwargs


def note_containers(tree: Any) -> None:
    """The lists and dicts of a tree stand for those of an argument, which the function must not change."""
    if isinstance(tree, (list, dict)):
        active().differentiation.arguments[id(tree)] = tree
    for part in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, (list, tuple)) else ():
        note_containers(part)


def scalar_loss(loss: Any, name: str = "the function") -> Any:
    """The loss as a scalar; an error for anything else."""
    loss = content_of(loss, TypeError, f"the gradient needs a scalar: {name} returned None here")
    if isinstance(loss, StagedObject) or is_mixed(loss):
        loss = result_as_number(loss)
    if isinstance(loss, StagedArray) and loss.ndim == 0:
        loss = element(loss)
    if isinstance(loss, StagedArray):
        raise NotDifferentiable(
            f"the gradient needs a scalar, {name} returns an array of rank {loss.ndim}",
            user_span(),
            "each of its elements has a gradient of its own",
            "reduce it, with np.sum for example, or use ag.jacobian or ag.vjp",
        )
    if not is_number(loss) or isinstance(loss, bool):
        why = "it ends without a return statement" if loss is None else "only a number can go up or down"
        raise NotDifferentiable(
            f"the gradient needs a scalar, {name} returns {described(loss)}",
            user_span(),
            why,
            "return one number; with has_aux=True a pair (loss, anything)",
        )
    if dtype_of(loss).kind == "c":
        raise NotDifferentiable(
            f"the gradient needs a real scalar, {name} returns a complex number",
            user_span(),
            "complex numbers have no order",
            "return its real part or its absolute value, or use ag.vjp",
        )
    return loss


def real_number(x: Any) -> Any:
    """A loss that Python computed, if it is one real number."""
    if isinstance(x, Boxed) and x.array.ndim == 0 and x.array.dtype.kind == "f":
        return x
    if isinstance(x, (int, float, np.integer, np.floating)) and not isinstance(x, bool):
        return x
    if getattr(x, "ndim", 0) > 0:
        raise NotDifferentiable(
            "the function returns an array that Python makes of a list, whose type only the run knows",
            None,
            "its derivative has a type that is known while the program is traced",
            "return one number, or write to an array that the function makes",
        )
    raise NotDifferentiable(
        f"the gradient needs a real scalar, the function returns {type(x).__name__}", None, "", "return one number that is not complex"
    )


def like_input(gradient: Any, item: Any) -> Any:
    """A derivative in the kind of the leaf that it belongs to: Python floats give Python floats."""
    return gradient if isinstance(gradient, StagedArray) else StagedScalar(gradient.value, item.weak)


def carried_over(leaf: Any, values: dict[Any, Any]) -> Any:
    """A result of the primal as it is found in the forward sweep."""
    if isinstance(leaf, StagedArray):
        return array(values.get(leaf.value, leaf.value), leaf.writeable)
    if isinstance(leaf, StagedScalar):
        return StagedScalar(values.get(leaf.value, leaf.value), leaf.weak)
    return leaf
