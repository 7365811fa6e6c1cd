"""Python's iterators as generators of converted code: `enumerate`, `zip`, `map`, `itertools`, their items made where they are consumed."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph_jit.tracing.aliasing.journal import note_created
from autograph_jit.tracing.control.generators import StagedGenerator, start
from autograph_jit.tracing.control.kept_generators import keep_all
from autograph_jit.tracing.control.user_iterators import is_user_iterator
from autograph_jit.tracing.expressions.calls import BUILTINS, call, staged_callable
from autograph_jit.tracing.expressions.comparison import compare
from autograph_jit.tracing.expressions.register import convert_on_call
from autograph_jit.tracing.sequences.cursors import Cursor, Drawn, cursor, over
from autograph_jit.tracing.sequences.dynamic import position as index_of
from autograph_jit.tracing.sequences.indexed import Cycled, Endless, Mapped, Progression, Repeated, Zipped, indexed, is_staged_iterable
from autograph_jit.tracing.structures.templates import contains_staged
from autograph_jit.tracing.texts.constants import expect_data
from autograph_jit.tracing.values.abstract import StagedObject, StagedScalar, check
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import active


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
    """`zip` with others in front of the source: their items are taken first, and nothing of the source once they are at their end."""
    position, length = 0, others.length()
    if length <= 0:
        return
    items = others.item(position)
    for item in source:
        yield *items[:place], item, *items[place:]
        position = position + 1
        if position >= length:
            return
        items = others.item(position)


def zipped_with_endless(source: Any, others: Zipped, place: int) -> Iterator[tuple[Any, ...]]:
    """`zip` of a source with others that do not end."""
    position = 0
    for item in source:
        items = others.item(position)
        yield *items[:place], item, *items[place:]
        position = position + 1


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


def sliced_by(source: Any, first: Any, stop: Any, step: Any) -> Iterator[Any]:
    """`itertools.islice(source, first, stop, step)`."""
    position = 0
    wanted = first
    if stop is not None and stop <= 0 and first <= 0:
        return
    for item in source:
        if position == wanted and (stop is None or position < stop):
            yield item
            wanted = wanted + step
        position = position + 1
        if stop is not None and position >= stop and position >= first:
            return


def zipped_one_by_one(*sources: Any) -> Iterator[tuple[Any, ...]]:
    """`zip` of several iterators: each is asked in turn, and the first at its end ends all."""
    while True:
        ended = False
        for source in sources:
            ended = ended or source.at_end()
            if not ended:
                source.skip()
        if ended:
            return
        yield tuple([source.behind() for source in sources])


class Asked:
    """An iterator of the user's own class as a source of `zip`: only its `__next__` says whether there is an item."""

    def __init__(self, iterator: Any) -> None:
        self.iterator = iterator
        self.item: Any = None

    def at_end(self) -> bool:
        """Ask for the next item, and keep it."""
        try:
            self.item = next(self.iterator)
        except StopIteration:
            return True
        return False

    def skip(self) -> None:
        """The item is taken already."""

    def behind(self) -> Any:
        """The item that was asked for last."""
        return self.item


def zipped_with_itself(source: Any, count: int) -> Iterator[tuple[Any, ...]]:
    """`zip` of one iterator, so many times."""
    while source.has_left(count):
        yield tuple([source.take() for _ in range(count)])
    source.rest()


def filled_up(sources: Any, fill: Any) -> Iterator[tuple[Any, ...]]:
    """`itertools.zip_longest`: each is asked in turn, none again behind its end, until all are at theirs."""
    ended = tuple([False for _ in sources])
    while True:
        found = [item_or_fill(source, done, fill) for source, done in zip(sources, ended)]
        ended = tuple([done for done, _ in found])
        if all(ended):
            return
        yield tuple([item for _, item in found])


@convert_on_call
def item_or_fill(source: Any, done: Any, fill: Any) -> tuple[Any, Any]:
    """Whether an iterator is at its end, and its item or what stands for one."""
    done = done or source.at_end()
    return done, (fill if done else source.take())


def cycled(source: Any) -> Iterator[Any]:
    """`itertools.cycle(source)`."""
    items = []
    for item in source:
        yield item
        items.append(item)
    while items:
        for item in items:
            yield item


def count_from(first: Any = 0, step: Any = 1) -> Iterator[Any]:
    """`itertools.count(first, step)`."""
    number = first
    while True:
        yield number
        number = number + step


def called_until(function: Callable[[], Any], sentinel: Any) -> Iterator[Any]:
    """`iter(function, sentinel)`."""
    while True:
        item = function()
        if item == sentinel:
            return
        yield item


def compressed(source: Any, selectors: Any) -> Iterator[Any]:
    """`itertools.compress(source, selectors)`."""
    for item, keep in zip(source, selectors):
        if keep:
            yield item


def grouped(source: Any, key: Callable[[Any], Any]) -> Iterator[tuple[Any, list[Any]]]:
    """`itertools.groupby(source, key)`, with a list for each group."""
    started = False
    current = None
    group: list[Any] = []
    for item in source:
        rank = key(item)
        if started and rank == current:
            group.append(item)
        else:
            if started:
                yield current, group
            current, group, started = rank, [item], True
    if started:
        yield current, group


def group_iterator(source: Any, key: Any = None) -> Any:
    """`itertools.groupby`."""
    if not needs_run(source):
        return itertools.groupby(source, staged_callable(key))
    return start(grouped, (source, (lambda item: item) if key is None else key), {})


def compress_iterator(source: Any, selectors: Any) -> Any:
    """`itertools.compress`."""
    if not (needs_run(source) or needs_run(selectors)):
        return itertools.compress(source, selectors)
    return start(compressed, (source, selectors), {})


def makes_items(source: Any) -> bool:
    """Whether code of the program's makes the items of a source, each when it is asked for."""
    return isinstance(source, (StagedGenerator, Mapped)) or is_user_iterator(source)


def needs_run(source: Any) -> bool:
    """Whether the items of a source are known only when the program runs; those of a text of the caller's shall be."""
    expect_data(source)
    return isinstance(source, (StagedGenerator, Cursor, np.ndarray, StagedObject)) or is_staged_iterable(source) or contains_staged(source)


def install(function: Any, form: Callable[..., Any], position: int) -> None:
    """Register the form of an iterator of itertools for sources of the run, which are the arguments from `position` on."""

    def rule(*args: Any, **kwargs: Any) -> Any:
        if any(map(needs_run, args[position:])):
            return named(function, start(form, args, kwargs))
        return function(*map(staged_callable, args), **kwargs)

    BUILTINS[function] = rule


@functools.cache
def class_named(name: str) -> type:
    return type(name, (StagedGenerator,), {})


def named(function: Any, made: Any) -> Any:
    """A generator that stands for an iterator of itertools, with its name in the texts of errors."""
    if isinstance(made, StagedGenerator):
        made.__class__ = class_named(f"itertools.{function.__name__}")
    return made


def slice_generator(source: Any, *bounds: Any) -> Any:
    """`itertools.islice(source, stop)`, or `(source, start, stop, step)`."""
    bounds = tuple(map(index_of, bounds))
    if not needs_run(source) and not any(isinstance(bound, StagedScalar) for bound in bounds):
        return itertools.islice(source, *bounds)
    expect_bounds(*((None, *bounds) if len(bounds) == 1 else bounds))
    if len(bounds) == 1 and bounds[0] is not None:
        return start(sliced, (source, *bounds), {})
    first, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    return start(sliced_by, (source, first or 0, stop, 1 if step is None else step), {})


def expect_bounds(first: Any, stop: Any, step: Any = None) -> None:
    """Refuse bounds of `itertools.islice` that are negative, as Python does."""
    wanted = "must be None or an integer: 0 <= x <= sys.maxsize."
    if stop is not None:
        expect(compare("!=", stop, -1), f"Stop argument for islice() {wanted}")
    for bound in (first, stop):
        if bound is not None:
            expect(compare(">=", bound, 0), f"Indices for islice() {wanted}")
    if step is not None:
        expect(compare(">", step, 0), "Step for islice() must be a positive integer or None.")


def expect(good: Any, text: str) -> None:
    """Fail with a ValueError, while tracing or when the program runs."""
    if isinstance(good, StagedScalar):
        check(good.value, ValueError, text)
    elif not good:
        raise ValueError(text)


def count_iterator(first: Any = 0, step: Any = 1) -> Any:
    """`itertools.count`: sums of floats are made one by one, as Python makes them."""
    return over(Progression(first, step)) if is_integer(first) and is_integer(step) else start(count_from, (first, step), {})


def is_integer(x: Any) -> bool:
    return isinstance(x, int) or isinstance(x, StagedScalar) and x.weak and x.scalar_dtype.kind == "i"


def cycle_iterator(items: Any) -> Any:
    """`itertools.cycle`."""
    if makes_items(items):
        return start(cycled, (items,), {})
    source = indexed(language.collected(items))
    return itertools.cycle(items) if source is None else over(Cycled(source))


def repeat_iterator(value: Any, *times: Any) -> Any:
    """`itertools.repeat`."""
    return call(map, (lambda index: value, call(range, times, None)), None) if times else over(Repeated(value))


def tee_iterators(source: Any, count: int = 2) -> Any:
    """`itertools.tee`: iterators over what one has left."""
    iterator = cursor(source)
    if iterator is None:
        return itertools.tee(source, count)
    left = iterator.give_away() if iterator is source else iterator.source
    return tuple(over(left) for _ in range(count))


def enumerate_generator(source: StagedGenerator | Cursor, first: Any) -> Any:
    return start(enumerated, (source, first), {})


def map_generator(function: Any, *sources: Any, strict: bool = False) -> Any:
    if len(sources) == 1:
        return start(mapped, (function, sources[0]), {})
    return start(starred, (function, call(zip, sources, {"strict": True} if strict else None)), {})


def zip_iterators(sources: list[Any]) -> Any:
    """`zip` where some sources are iterators that the program holds."""
    if any(isinstance(source, StagedGenerator) for source in sources):
        sources = [source.give_away() if isinstance(source, Cursor) else source for source in sources]
        made = zip_generator(sources)
        if made is None:
            keep_all(sources)
        return made or zip(*sources)
    held = [source for source in sources if isinstance(source, Cursor)]
    others = [indexed(source) for source in sources if not isinstance(source, Cursor)]
    if others and None not in others and all(isinstance(source.source, Endless) for source in held):
        return Zipped(tuple(source.give_away() if isinstance(source, Cursor) else indexed(source) for source in sources))  # type: ignore[misc]
    iterators = tuple(call(iter, (source,), None) for source in sources)
    are_users = all(is_user_iterator(iterator) and not isinstance(iterator, Cursor) for iterator in iterators)
    if are_users or len(set(map(id, iterators))) == len(iterators):
        return start(zipped_one_by_one, tuple(map(asked, iterators)), {})
    return start(zipped_with_itself, (iterators[0], len(iterators)), {}) if len(set(map(id, iterators))) == 1 else zip(*iterators)


def longest_iterator(*sources: Any, **options: Any) -> Any:
    if not sources or options.keys() - {"fillvalue"}:
        return itertools.zip_longest(*sources, **options)
    iterators = tuple(call(iter, (source,), None) for source in sources)
    if not all(isinstance(iterator, Cursor) for iterator in iterators):
        return itertools.zip_longest(*sources, **options)
    return start(filled_up, (iterators, options.get("fillvalue")), {})


def asked(iterator: Any) -> Any:
    """An iterator as `zipped_one_by_one` asks it: Python's own by position, those of the user's classes for their items."""
    if isinstance(iterator, Cursor):
        return iterator
    return note_created(active(), Asked(iterator)) if is_user_iterator(iterator) else over(Drawn(iterator))


def zip_generator(sources: list[Any]) -> Any:
    """`zip` with one generator and otherwise sequences; None where there is more than that to it."""
    places = [place for place, source in enumerate(sources) if isinstance(source, StagedGenerator)]
    found = [indexed(source) for source in sources if not isinstance(source, StagedGenerator)]
    if len(places) != 1 or any(source is None for source in found):
        return None
    source, others = sources[places[0]], Zipped(tuple(found))  # type: ignore[arg-type]
    if not found:
        return start(mapped, (tuple_of_one, source), {})
    if all(isinstance(other, Endless) for other in found):
        return start(zipped_with_endless, (source, others, places[0]), {})
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
BUILTINS[itertools.islice], BUILTINS[itertools.zip_longest] = slice_generator, longest_iterator
BUILTINS[itertools.compress], BUILTINS[itertools.groupby] = compress_iterator, group_iterator
BUILTINS[itertools.count], BUILTINS[itertools.cycle] = count_iterator, cycle_iterator
BUILTINS[itertools.repeat], BUILTINS[itertools.tee] = repeat_iterator, tee_iterators
