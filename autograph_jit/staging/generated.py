"""`enumerate`, `zip` and `map` over a generator of converted code: generators themselves, whose items are made where they are consumed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from autograph_jit.staging.generators import StagedGenerator, start
from autograph_jit.staging.iteration import Zipped, indexed


def enumerated(source: Any, start: Any) -> Iterator[tuple[Any, Any]]:
    """`enumerate(source, start)`."""
    position = start
    for item in source:
        yield position, item
        position = position + 1


def mapped(function: Callable[[Any], Any], source: Any) -> Iterator[Any]:
    """`map(function, source)`."""
    for item in source:
        yield function(item)


def zipped_before(source: Any, others: Zipped) -> Iterator[tuple[Any, ...]]:
    """`zip(source, *others)`: an item is taken from the source before the others are found to be at their end."""
    position, length = 0, others.length()
    for item in source:
        if position >= length:
            return
        yield item, *others.item(position)
        position = position + 1


def zipped_behind(source: Any, others: Zipped, place: int) -> Iterator[tuple[Any, ...]]:
    """`zip` with others in front of the source: nothing is taken from it once they are at their end."""
    position, length = 0, others.length()
    if length <= 0:
        return
    for item in source:
        items = others.item(position)
        yield *items[:place], item, *items[place:]
        position = position + 1
        if position >= length:
            return


def enumerate_generator(source: StagedGenerator, first: Any) -> Any:
    return start(enumerated, (source, first), {})


def map_generator(function: Any, source: StagedGenerator) -> Any:
    return start(mapped, (function, source), {})


def zip_generator(sources: list[Any]) -> Any:
    """`zip` with one generator and otherwise sequences; None where there is more than that to it."""
    places = [place for place, source in enumerate(sources) if isinstance(source, StagedGenerator)]
    found = [indexed(source) for source in sources if not isinstance(source, StagedGenerator)]
    if len(places) != 1 or any(source is None for source in found):
        return None
    source, others = sources[places[0]], Zipped(tuple(found))  # type: ignore[arg-type]
    if not found:
        return start(mapped, (tuple_of_one, source), {})
    return start(zipped_behind, (source, others, places[0]), {}) if places[0] else start(zipped_before, (source, others), {})


def tuple_of_one(item: Any) -> tuple[Any]:
    return (item,)
