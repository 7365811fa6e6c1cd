"""Python's iterators as generators of converted code: `enumerate`, `zip`, `map`, `itertools`, their items made where they are consumed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph_jit.staging.calls import BUILTINS
from autograph_jit.staging.generators import StagedGenerator, start
from autograph_jit.staging.iteration import Zipped, indexed, is_staged_iterable
from autograph_jit.staging.templates import contains_staged
from autograph_jit.staging.values import StagedObject


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


def taken_while(function: Callable[[Any], Any], source: Any) -> Iterator[Any]:
    """`itertools.takewhile(function, source)`."""
    for item in source:
        if not function(item):
            return
        yield item


def dropped_while(function: Callable[[Any], Any], source: Any) -> Iterator[Any]:
    """`itertools.dropwhile(function, source)`."""
    dropping = True
    for item in source:
        if dropping and function(item):
            continue
        dropping = False
        yield item


def left_out(function: Callable[[Any], Any], source: Any) -> Iterator[Any]:
    """`itertools.filterfalse(function, source)`."""
    for item in source:
        if not (function(item) if function is not None else item):
            yield item


def starred(function: Callable[..., Any], source: Any) -> Iterator[Any]:
    """`itertools.starmap(function, source)`."""
    for items in source:
        yield function(*items)


def chained(*sources: Any) -> Iterator[Any]:
    """`itertools.chain(*sources)`."""
    for source in sources:
        yield from source


def paired(source: Any) -> Iterator[tuple[Any, Any]]:
    """`itertools.pairwise(source)`."""
    started = False
    before = None
    for item in source:
        if started:
            yield before, item
        before = item
        started = True


def sliced(source: Any, count: Any) -> Iterator[Any]:
    """`itertools.islice(source, count)`: nothing is taken behind the last item."""
    position = 0
    if count <= 0:
        return
    for item in source:
        yield item
        position = position + 1
        if position >= count:
            return


def counted(first: Any = 0, step: Any = 1) -> Iterator[Any]:
    """`itertools.count(first, step)`."""
    number = first
    while True:
        yield number
        number = number + step


def needs_run(source: Any) -> bool:
    """Whether the items of a source are known only when the program runs."""
    return isinstance(source, (StagedGenerator, np.ndarray, StagedObject)) or is_staged_iterable(source) or contains_staged(source)


def install(function: Any, form: Callable[..., Any], position: int) -> None:
    """Register the form of an iterator of itertools for sources of the run, which are the arguments from `position` on."""

    def rule(*args: Any, **kwargs: Any) -> Any:
        return start(form, args, kwargs) if any(map(needs_run, args[position:])) else function(*args, **kwargs)

    BUILTINS[function] = rule


def slice_generator(source: Any, *bounds: Any) -> Any:
    """`itertools.islice`: of a generator, its first items."""
    if isinstance(source, StagedGenerator) and len(bounds) == 1 and bounds[0] is not None:
        return start(sliced, (source, *bounds), {})
    return itertools.islice(source, *bounds)


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


for _function, _form, _position in (
    (itertools.takewhile, taken_while, 1),
    (itertools.dropwhile, dropped_while, 1),
    (itertools.filterfalse, left_out, 1),
    (itertools.starmap, starred, 1),
    (itertools.chain, chained, 0),
    (itertools.pairwise, paired, 0),
):
    install(_function, _form, _position)
BUILTINS[itertools.islice] = slice_generator
BUILTINS[itertools.count] = lambda *args, **kwargs: start(counted, args, kwargs)
