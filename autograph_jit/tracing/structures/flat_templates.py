"""Arguments that are leaves, numbers and constants, put in their places at once: most host calls have no others, and many are short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph_jit.ops.direct_calls import Given
from autograph_jit.tracing.structures.rebuilding import Fixed, Items, Leaf, Number, Rebuild, Shared, as_number


def known_arguments(rebuild: Rebuild) -> tuple[Given, ...] | None:
    """The arguments that `rebuild` makes one by one; None where one is more than leaves, numbers and constants in tuples."""
    seen: set[int] = set()  # tuples: one that is given twice has to be one object

    def given(part: Rebuild) -> Given | None:
        inner = part.build if isinstance(part, Shared) else part
        if isinstance(inner, Leaf):
            return Given(inner.index)
        if isinstance(inner, Number):
            return Given(inner.index, inner.convert)
        if isinstance(inner, Fixed):
            return Given(constant=inner.value)
        key = part.key if isinstance(part, Shared) else id(part)
        if key in seen or not isinstance(inner, Items) or inner.kind is not tuple:
            return None
        seen.add(key)
        items = tuple(map(given, inner.parts))
        return None if None in items else Given(items=items)  # type: ignore[arg-type]

    found = given(rebuild)
    return None if found is None else found.items


def is_flat(parts: tuple[Given, ...]) -> bool:
    """Whether no argument is a tuple that the run makes."""
    return all(part.items is None for part in parts)


def flat_arguments(parts: tuple[Given, ...]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """A function from the run-time leaf values to the arguments."""
    places: list[tuple[int, Any]] = []
    constants: list[Any] = []  # counted from the end of the values and these
    for part in parts:
        if part.operand is None:
            constants.insert(0, part.constant)
            places.append((-len(constants), None))
        else:
            places.append((part.operand, part.convert))
    if not constants and places == [(index, None) for index in range(len(places))]:
        count = len(places)
        return lambda values: values[:count]
    places_and_types, further = tuple(places), tuple(constants)

    def arguments(values: Sequence[Any]) -> Sequence[Any]:
        known = (*values, *further)
        return [known[place] if convert is None else as_number(known[place], convert) for place, convert in places_and_types]

    return arguments
