"""`stop_gradient` and `custom_gradient`: where no derivative flows, and where a rule of the user's takes its place.

A function with a rule of its own is traced as it stands; the numbers and arrays that it returns are marked by `custom_result(*results,
*args)`. The reverse sweep stops at the mark: it calls the rule with the cotangents and adds what it returns to the cotangents of the
arguments.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any

import numpy as np

from autograph_jit.autodiff.sweeps.accumulate import zero
from autograph_jit.autodiff.sweeps.phantoms import Phantoms
from autograph_jit.autodiff.sweeps.reverse import Sweep, cotangent, rule
from autograph_jit.autodiff.trees import leaves_of, map_tree
from autograph_jit.errors import NotDifferentiable, SettingError
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.types import ArrayType
from autograph_jit.ops.dispatch import Boxed, bind, is_recorded, unboxed
from autograph_jit.records import dataclass
from autograph_jit.source import SourceSpan
from autograph_jit.tracing.expressions.calls import BUILTINS, call
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar
from autograph_jit.tracing.values.lift import dtype_of, is_array, is_number, lift_array, lift_number, wrap
from autograph_jit.tracing.values.trace import active, current, emit, user_span


def stop_gradient(x: Any) -> Any:
    """`x` as a constant of differentiation: a number as it is, an array as a copy; tuples, lists and dicts item by item.

    >>> stop_gradient(2.0)
    2.0
    """
    return map_tree(x, stopped)


def stopped(leaf: Any) -> Any:
    """One number or array without its derivative."""
    if isinstance(leaf, Boxed):
        return bind("stop_gradient", leaf)
    if isinstance(leaf, StagedScalar):
        return StagedScalar(emit("stop_gradient", leaf.value).result, leaf.weak) if leaf.scalar_dtype.kind in "fc" else leaf
    if isinstance(leaf, (StagedArray, np.ndarray)):
        return StagedArray(emit("stop_gradient", lift_array(leaf).value).result) if current() is not None else np.array(leaf)
    return leaf


@dataclass(frozen=True, slots=True)
class Rule:
    """The gradient function of one call, the name of its function, and which of all the arguments' leaves are floats."""

    gradient: Callable[..., Any]
    name: str
    places: list[bool]


class Pullback:
    """A gradient function that is told which arguments have a derivative, and what they are where it is called."""

    def __call__(self, *cts: Any) -> Any:
        raise NotImplementedError

    def of(self, wanted: list[bool], sources: Sequence[Any], cts: Sequence[Any]) -> Sequence[Any]:
        """The cotangents of the arguments that are wanted, None for the others."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Pullbacks(Pullback):
    """A gradient function in parts, one for each argument: only those are called whose argument has a derivative."""

    by_each: tuple[Callable[..., Any], ...]

    def of(self, wanted: list[bool], sources: Sequence[Any], cts: Sequence[Any]) -> Sequence[Any]:
        """The cotangents of the arguments that are wanted, None for the others."""
        return tuple(part(*cts) if is_wanted else None for part, is_wanted in zip(self.by_each, wanted, strict=True))


class CustomGradient:
    """A function that gives its value, with a rule of its own for the gradient."""

    def __init__(self, function: Callable[..., Any]) -> None:
        if not callable(function):
            raise SettingError(f"ag.custom_gradient takes a function that returns a value and its gradient function, not {function!r}")
        functools.update_wrapper(self, function, updated=())
        self.function = function
        self.__name__ = getattr(function, "__name__", type(function).__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if current() is not None:
            return self.staged(args, kwargs)
        value, gradient = value_and_rule(self.function(*args, **kwargs), self.function)
        return self.recorded(args, value, gradient) if is_recorded() else value

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def recorded(self, args: tuple[Any, ...], value: Any, gradient: Callable[..., Any]) -> Any:
        """The value on Tensors, marked for the tapes that record it."""
        sources = [leaf for leaf in leaves_of(args) if is_float(leaf)]
        results = [leaf for leaf in leaves_of(value) if isinstance(leaf, Boxed) and leaf.array.dtype.kind in "fc"]
        if not results:
            return value
        own = Rule(gradient, self.__name__, [is_float(leaf) for leaf in leaves_of_contributions(args)])
        marked = bind("custom_result", *results, *sources, rule=own, count=len(results))
        found = {id(leaf): mark for leaf, mark in zip(results, marked if len(results) > 1 else (marked,))}
        return map_tree(value, lambda leaf: found.get(id(leaf), leaf))

    def staged(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The value on stand-ins, marked."""
        lifted = map_tree(args, lifted_leaf)
        value, gradient = value_and_rule(call(self.function, lifted, kwargs), self.function)
        sources = [leaf.value for leaf in leaves_of(lifted) if is_staged_float(leaf)]
        value = map_tree(value, lifted_leaf)
        results = [leaf.value for leaf in leaves_of(value) if is_staged_float(leaf)]
        if not results:
            return value
        own = Rule(gradient, self.__name__, [is_staged_float(leaf) for leaf in leaves_of_contributions(lifted)])
        marked = iter(emit("custom_result", *results, *sources, rule=own, count=len(results)).results)
        return map_tree(value, lambda leaf: like(leaf, next(marked)) if is_staged_float(leaf) else leaf)


def like(leaf: Any, value: Value) -> Any:
    """The stand-in of another value of the same kind."""
    return StagedArray(value) if isinstance(leaf, StagedArray) else StagedScalar(value, leaf.weak)


def value_and_rule(result: Any, function: Callable[..., Any]) -> tuple[Any, Any]:
    """The two things that such a function returns."""
    if isinstance(result, tuple) and len(result) == 2 and callable(result[1]):
        return result
    raise NotDifferentiable(
        f"{function.__name__} under ag.custom_gradient must return a pair (value, gradient function)",
        user_span(),
        f"it returns {type(result).__name__}",
        "return value, grad, where grad(ct) gives one cotangent for each argument",
    )


def lifted_leaf(leaf: Any) -> Any:
    """Floats and arrays as stand-ins; anything else as it is."""
    if is_array(leaf):
        return lift_array(leaf)
    if isinstance(leaf, (float, complex, np.inexact)):
        return StagedScalar(lift_number(leaf), not isinstance(leaf, np.generic))
    return leaf


def is_float(leaf: Any) -> bool:
    """A float or complex number or array, a Tensor too."""
    return isinstance(leaf, (Boxed, np.ndarray, np.generic, float, complex)) and np.asarray(unboxed(leaf)).dtype.kind in "fc"


def is_staged_float(leaf: Any) -> bool:
    """A stand-in that may carry a derivative."""
    return isinstance(leaf, (StagedArray, StagedScalar)) and dtype_of(leaf).kind in "fc"


@rule("custom_result")
def reverse_custom(sweep: Sweep, operation: Operation) -> None:
    """Call the user's rule with the cotangents, in the place of the reverse sweep of what the function did."""
    own: Rule = operation.attributes["rule"]
    count = operation.attributes["count"]
    known = [cotangent(sweep, result) if sweep.classes.is_active(result) else None for result in operation.results]
    if all(ct is None for ct in known):
        return
    cts = [zero_like(value, sweep) if ct is None else ct for ct, value in zip(known, operation.results)]
    block = active().block
    before = len(block.operations)
    sources = operation.operands[count:]
    if isinstance(own.gradient, Pullback):
        given = [sweep.phantoms.value(source, operation) for source in sources]
        found = own.gradient.of([sweep.classes.is_active(source) for source in sources], given, cts)
    else:
        found = call(own.gradient, tuple(cts), None)
    contributions = contributions_of(own, found, len(sources), operation.span)
    stand_ins = StandIns(sweep.phantoms, operation)
    for made in block.operations[before:]:
        stand_ins.put_into(made)
    for source, contribution in zip(sources, contributions):
        require_cotangent(own, contribution, source, operation.span)
        if contribution is not None and sweep.classes.is_active(source) and (source in sweep.phantoms.homes or sweep.has_shadow(source)):
            sweep.add(source, stand_ins.staged(contribution))


def contributions_of(rule: Rule, found: Any, count: int, span: SourceSpan | None) -> list[Any]:
    """What a rule returned, one cotangent for each of `count` arguments that are floats; it may give one for each of the others too."""
    contributions = leaves_of_contributions(found)
    if len(contributions) == len(rule.places) != count:
        contributions = [contribution for contribution, is_source in zip(contributions, rule.places) if is_source]
    if len(contributions) != count:
        raise NotDifferentiable(
            f"the gradient function of {rule.name} returns {len(contributions)} cotangents for {count} arguments",
            span,
            "it gives one for each float or array among the positional arguments",
            "return a tuple with None for an argument that has no derivative",
        )
    return contributions


def require_cotangent(rule: Rule, contribution: Any, source: Value, span: SourceSpan | None) -> None:
    """An error for what is no number or array, or of a shape that the source does not have."""
    fits = contribution is None or is_number(contribution) or is_array(contribution)
    dims = contribution.shape if isinstance(contribution, np.ndarray) else getattr(getattr(contribution, "type", None), "dims", ())
    wanted = source.type.dims if isinstance(source.type, ArrayType) else ()
    for size, expected in zip(reversed(dims), reversed(wanted)):
        fits = fits and not (isinstance(size, int) and isinstance(expected, int) and size not in (1, expected) and expected != 1)
    if not fits:
        raise NotDifferentiable(
            f"the gradient function of {rule.name} returns {'shape ' + str(dims) if dims else type(contribution).__name__} for an argument "
            f"of {'shape ' + str(wanted) if wanted else 'one number'}",
            span,
            "a cotangent is a number, or an array in the shape of its argument",
            "return one of that shape, or None",
        )


def leaves_of_contributions(found: Any) -> list[Any]:
    """What the rule returned for each argument; None counts."""
    if isinstance(found, (tuple, list)):
        return [leaf for item in found for leaf in leaves_of_contributions(item)]
    if isinstance(found, dict):
        return [leaf for item in found.values() for leaf in leaves_of_contributions(item)]
    return [found]


def zero_like(value: Value, sweep: Sweep) -> Any:
    """The zero cotangent of a result."""
    return sweep.fresh_shadow(value) if isinstance(value.type, ArrayType) else zero(value)


def resolved(value: Value, phantoms: Phantoms, at: Operation) -> Value:
    """The copy of a value that belongs to the swept program, where an operation of this can see it."""
    blocks = set[Block]()
    block = at.block
    while block is not None and block not in blocks:
        blocks.add(block)
        block = block.parent
    clones = active().differentiation.clones
    found = clones.find(value, lambda copy: phantoms.homes.get(copy) in blocks) or clones.find(value, lambda copy: copy in phantoms.homes)
    return clones.current(value) if found is None else found


class StandIns:
    """Puts stand-ins in the place of the primal values that a gradient function captured."""

    def __init__(self, phantoms: Phantoms, at: Operation) -> None:
        self.phantoms, self.at = phantoms, at

    def value(self, value: Value) -> Value:
        copy = resolved(value, self.phantoms, self.at)
        return self.phantoms.value(copy, self.at).value if copy in self.phantoms.homes else copy

    def put_into(self, operation: Operation) -> None:
        """Replace the operands of an operation and of those in its regions."""
        operation.operands = [self.value(operand) for operand in operation.operands]
        for region in operation.regions:
            for inner in walk_block(region):
                inner.operands = [self.value(operand) for operand in inner.operands]
                for nested in inner.regions:
                    nested.yields = [self.value(item) for item in nested.yields]
            region.yields = [self.value(item) for item in region.yields]

    def staged(self, contribution: Any) -> Any:
        """A contribution, which may itself be a captured value."""
        if isinstance(contribution, (StagedArray, StagedScalar)):
            return wrap(self.value(contribution.value))
        return contribution


BUILTINS[stop_gradient] = stop_gradient
