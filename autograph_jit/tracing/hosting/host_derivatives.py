"""The derivative of a host call: from the call's operands to the arguments of the NumPy function, and from its rule's answers back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph_jit.ir.derivative import Unsupported
from autograph_jit.ops.derivatives.library import LibraryRule
from autograph_jit.records import dataclass
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.values.language import language

by_equivalents: list[Callable[..., Any]] = []


def derivative_of(
    function: Any, rule: LibraryRule | None, args: tuple[Any, ...], kwargs: dict[str, Any], arguments: Rebuild, label: str
) -> Any:
    """The derivative of a NumPy function by its rule, or by an equivalent where it has none; None where it has neither."""
    if rule is not None:
        return HostDerivative(rule, arguments)
    return by_equivalents[0](function, args, kwargs, arguments, label) if function is not None and by_equivalents else None


@dataclass(frozen=True, slots=True, eq=False)
class HostDerivative:
    """`arguments` makes (args, kwargs) of the function of the operands' stand-ins."""

    rule: LibraryRule
    arguments: Rebuild

    def __call__(self, cts: Sequence[Any], results: Sequence[Any], operands: Sequence[Any]) -> list[Any] | Unsupported:
        """A contribution for each operand."""
        args, kwargs = self.arguments(operands)
        found = self.rule.vjp(structured(cts), structured(results), tuple(map(array_of, args)), kwargs)
        if isinstance(found, Unsupported):
            return found
        contributions: list[Any] = [None] * len(operands)
        for place, ct in found.items():
            distribute(args[place] if isinstance(place, int) else kwargs[place], ct, operands, contributions)
        return contributions

    def jvp(self, tangents: Sequence[Any], results: Sequence[Any], operands: Sequence[Any]) -> Any:
        """The tangents of the results, one or a tuple of them; None where all tangents are None."""
        args, kwargs = self.arguments(operands)
        along = {id(operand): tangent for operand, tangent in zip(operands, tangents)}
        places = [place for place in self.rule.places(args) if isinstance(place, int) or place in kwargs]
        values = {place: args[place] if isinstance(place, int) else kwargs[place] for place in places}
        found = {place: tangent_of(value, along) for place, value in values.items()}
        return self.rule.jvp(found, structured(results), tuple(map(array_of, args)), kwargs)


def structured(parts: Sequence[Any]) -> Any:
    """One result as itself, several as a tuple."""
    return parts[0] if len(parts) == 1 else tuple(parts)


def tangent_of(argument: Any, along: dict[int, Any]) -> Any:
    """The tangent of an argument; that of a list of numbers or rows is an array."""
    if not isinstance(argument, (list, tuple)):
        return along.get(id(argument))
    items = [tangent_of(item, along) for item in argument]
    if all(item is None for item in items):
        return None
    return array_of([array_of(argument[index]) * 0.0 if item is None else item for index, item in enumerate(items)])


def array_of(x: Any) -> Any:
    """A list of numbers or rows as an array."""
    return language.numpy(np.array, (x,), {}) if isinstance(x, list) else x


def distribute(argument: Any, ct: Any, operands: Sequence[Any], contributions: list[Any]) -> None:
    """Add the cotangent of an argument to the contributions of the operands that it is made of."""
    if isinstance(argument, (list, tuple)):
        for index, item in enumerate(argument):
            distribute(item, ct[index], operands, contributions)
        return
    for index, operand in enumerate(operands):
        if operand is argument:
            contributions[index] = ct if contributions[index] is None else contributions[index] + ct
