"""Checks the derivatives of a program: compiled reverse and forward mode against differences of the plain function, and each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

import autograph_jit as ag
from tests.fuzz.differences import flat, rebuilt, slope

TOLERANCE = 1e-6
STEPS = (1e-4, 4e-6)


@dataclass(frozen=True)
class Program:
    """A function, the maker of its arguments, and which of these it is differentiated by."""

    function: Callable[..., Any]
    make: Callable[[], tuple[Any, ...]]
    argnums: tuple[int, ...]
    twice: bool

    @property
    def name(self) -> str:
        return self.function.__name__


class Programs(list):
    """The programs of one module."""

    def add(self, make: Callable[[], tuple[Any, ...]], *argnums: int, twice: bool = False) -> Callable[[Any], Any]:
        """Register the decorated function; without `argnums` it is differentiated by its first argument. `twice`: to second order."""

        def register(function: Any) -> Any:
            self.append(Program(function, make, argnums or (0,), twice))
            return function

        return register


def real_parts(result: Any) -> list[Any]:
    """The float leaves of a result, complex ones as two."""
    if isinstance(result, dict):
        return [part for item in result.values() for part in real_parts(item)]
    if isinstance(result, (list, tuple)):
        return [part for item in result for part in real_parts(item)]
    if is_dataclass(result):
        return [part for field in fields(result) for part in real_parts(getattr(result, field.name))]
    kind = np.asarray(result).dtype.kind if not hasattr(result, "dtype") else np.dtype(result.dtype).kind
    return [np.real(result), np.imag(result)] if kind == "c" else [result] if kind == "f" else []


def loss_of(program: Program) -> Callable[..., Any]:
    """A program's function as one with a real result, in which every element has a weight of its own. What Python gives tells whether the
    result is one number or array, which need not be looked for in structures: that would be a recursion in each program under test."""
    function, example = program.function, program.function(*program.make())
    is_one = isinstance(example, (float, np.floating)) or (isinstance(example, np.ndarray) and example.dtype.kind == "f")

    def loss(*args: Any) -> Any:
        total = 0.0
        result = function(*args)
        for number, part in enumerate([result] if is_one else real_parts(result)):
            total = total + np.sum(np.ravel(part) * np.cos(1.3 * number + 1.7 * np.arange(1, np.size(part) + 1)))
        return total

    return loss


def fault_of(program: Program) -> str | None:
    """What is wrong with the derivatives of a program; None where nothing is."""
    loss, argnums = loss_of(program), program.argnums
    chosen = tuple(program.make()[argnum] for argnum in argnums)
    at = flat(chosen)

    def plain(numbers: np.ndarray) -> tuple[Any, None]:
        return loss(*with_chosen(program.make(), argnums, rebuilt(chosen, numbers))), None

    arguments = program.make()
    value, gradients = ag.value_and_grad(loss, argnums=argnums)(*arguments)
    expected = program.make()
    if not np.isclose(value, loss(*expected), rtol=1e-10, atol=1e-12):
        return f"value {value!r}, expected {loss(*program.make())!r}"
    if not np.allclose(flat(arguments), flat(expected), rtol=1e-10, atol=1e-12):
        return f"arguments afterwards {arguments!r}, expected {expected!r}"
    gradient = flat(gradients)
    scale = max(float(np.max(np.abs(gradient), initial=0.0)), 1e-3)
    for i in range(len(at)):
        found = slope(plain, at, np.eye(len(at))[i], steps=STEPS)
        if found is None:
            return f"differences cannot tell element {i}"
        if not abs(gradient[i] - found.value) <= TOLERANCE * scale + found.error:
            return f"element {i} of the gradient: {gradient[i]!r}, by differences {found.value!r} within {found.error!r}"
    return tangent_fault(program, loss, gradient) or (second_fault(program, loss) if program.twice else None)


def with_chosen(arguments: tuple[Any, ...], argnums: tuple[int, ...], values: Any) -> tuple[Any, ...]:
    """Arguments with others in some places."""
    given = dict(zip(argnums, values))
    return tuple(given.get(position, item) for position, item in enumerate(arguments))


def partly(program: Program, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the chosen arguments alone."""

    def partial(*values: Any) -> Any:
        return function(*with_chosen(program.make(), program.argnums, values))

    return partial


def tangent_fault(program: Program, loss: Callable[..., Any], gradient: np.ndarray) -> str | None:
    """Whether forward mode along a random direction agrees with the gradient."""
    primals = tuple(program.make()[argnum] for argnum in program.argnums)
    direction = np.random.default_rng(5).standard_normal(len(gradient))
    tangent = ag.jvp(partly(program, loss), primals, tuple(rebuilt(primals, direction, None)))[1]
    want = float(gradient @ direction)
    return (
        None
        if np.isclose(tangent, want, rtol=1e-8, atol=1e-9 * np.abs(gradient).sum() + 1e-12)
        else f"tangent {tangent!r}, by the gradient {want!r}"
    )


def second_fault(program: Program, loss: Callable[..., Any]) -> str | None:
    """Whether the product of the Hessian with a random direction is what differences of the gradient give."""
    primals = tuple(program.make()[argnum] for argnum in program.argnums)
    gradient = ag.grad(partly(program, loss), argnums=tuple(range(len(primals))))
    at = flat(primals)
    direction = np.random.default_rng(6).standard_normal(len(at))
    product = flat(ag.jvp(gradient, primals, tuple(rebuilt(primals, direction, None)))[1])
    found = slope(lambda numbers: (flat(gradient(*rebuilt(primals, numbers))), None), at, direction, 1e-14)
    if found is None:
        return "differences cannot tell the second derivative"
    close = np.abs(product - found.value) <= 1e-5 * max(float(np.max(np.abs(product))), 1e-3) + found.error
    return None if np.all(close) else f"second derivative {product!r}, by differences {found.value!r}"
