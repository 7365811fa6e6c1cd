"""Arguments that are leaves, numbers and constants, put in their places at once: most host calls have no others, and many are short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph_jit.staging.templates import Fixed, Items, Leaf, Number, Rebuild, Shared, as_number


def flat_arguments(rebuild: Rebuild) -> Callable[[Sequence[Any]], Sequence[Any]] | None:
    """A function from the run-time leaf values to what `rebuild` makes of them; None where it makes more than a flat tuple."""
    items = rebuild.build if isinstance(rebuild, Shared) else rebuild
    if not isinstance(items, Items) or items.kind is not tuple:
        return None
    places: list[tuple[int, Any]] = []
    constants: list[Any] = []  # counted from the end of the values and these
    for part in items.parts:
        if isinstance(part, Leaf):
            places.append((part.index, None))
        elif isinstance(part, Number):
            places.append((part.index, part.convert))
        elif isinstance(part, Fixed):
            constants.insert(0, part.value)
            places.append((-len(constants), None))
        else:
            return None
    if not constants and places == [(index, None) for index in range(len(places))]:
        count = len(places)
        return lambda values: values[:count]

    def arguments(values: Sequence[Any]) -> Sequence[Any]:
        given = (*values, *constants)
        return [given[place] if convert is None else as_number(given[place], convert) for place, convert in places]

    return arguments
