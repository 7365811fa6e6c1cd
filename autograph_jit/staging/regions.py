"""Tracing one region: its block, the state after it, the places that it wrote, and whether it ends in an exception."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from autograph_jit.errors import AutographJitError
from autograph_jit.ir.graph import Block
from autograph_jit.staging.exceptions import StagedException, emit_raise
from autograph_jit.staging.journal import Place, close_journal, open_journal
from autograph_jit.staging.structure import Region
from autograph_jit.staging.trace import active, block_of

GetState = Callable[[], tuple[Any, ...]]
SetState = Callable[[tuple[Any, ...]], None]
Places = dict[tuple[Any, ...], tuple[Place, Any]]
DEBUG = bool(os.environ.get("AUTOGRAPH_JIT_DEBUG"))


class Unreachable(BaseException):
    """Every path through a region operation ends in an exception: nothing follows it."""


@dataclass
class Traced:
    """A traced region. state and places hold what they hold at its end; raised: control never gets there."""

    block: Block
    state: tuple[Any, ...]
    places: Places
    raised: bool


@contextmanager
def region_of(region: Region) -> Iterator[None]:
    """The region stack during the with statement."""
    trace = active()
    trace.regions.append(region)
    tries = list(trace.tries)
    try:
        yield
    finally:
        trace.regions.pop()
        trace.tries[:] = tries


def trace_region(region: Region, run: Callable[[], Any], get_state: GetState, set_state: SetState, state: tuple[Any, ...], places: Places | None = None, block: Block | None = None) -> Traced:
    """Run `run` with `state` and `places` as its state, recording into a block of its own; everything it wrote is rolled back."""
    trace = active()
    before = get_state()
    journal = open_journal(trace)
    block = block or Block()
    raised = False
    try:
        with region_of(region), block_of(trace, block):
            set_state(state)
            for place, value in (places or {}).values():
                journal.record(place)
                place.write(value)
            raised = run_to_end(run, block)
            after = get_state()
            written: Places = {key: (place, place.read()) for key, place in journal.places().items()}
    finally:
        set_state(before)
        close_journal(trace, journal)
    return Traced(block, after, written, raised)


def run_to_end(run: Callable[[], Any], block: Block) -> bool:
    """Run converted code; an exception becomes the end of the block. Tells whether there was one."""
    try:
        run()
    except AutographJitError:
        raise
    except Unreachable:
        block.terminated = True
        return True
    except Exception as exception:
        if DEBUG and not isinstance(exception, StagedException):
            raise
        emit_raise(exception)
        block.terminated = True
        return True
    return False


def merged_places(first: Traced, second: Traced | None = None) -> dict[tuple[Any, ...], Place]:
    """The places that either region wrote."""
    found = {key: place for key, (place, _) in first.places.items()}
    for key, (place, _) in second.places.items() if second else ():
        found.setdefault(key, place)
    return found


def value_at(traced: Traced, key: tuple[Any, ...], place: Place) -> Any:
    """What a place holds at the end of a region."""
    return traced.places[key][1] if key in traced.places else place.read()
