"""A few of the random programs over classes, exceptions and closures, and what they found; `scripts/fuzz --classes` makes more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import autograph_jit as ag
from tests.fuzz.class_regressions import KEPT, PROGRAMS, Counted, Kind
from tests.fuzz.classes import class_program_text, judge_classes
from tests.fuzz.oracle import MATCH
from tests.fuzz.portraits import portrait, portrait_fault
from tests.tables import table

SEEDS = (71, 97, 242)  # each of which once gave another result than Python


def test_programs_over_classes_do_what_python_does() -> None:
    for seed in SEEDS:
        verdict = judge_classes(class_program_text(seed), f"classes {seed}")
        assert verdict.kind == MATCH, f"seed {seed}: {verdict.reason}"


def outcomes(function: Callable[..., Any], calls: tuple[Callable[[], tuple[Any, ...]], ...]) -> list[list[Any]]:
    """What the calls leave, made in turn from one state of the classes."""
    Counted.made = 0
    KEPT.clear()
    if "made" in vars(Kind):
        del Kind.made
    found = []
    for make in calls:
        arguments = make()
        try:
            result = function(*arguments)
        except (TypeError, AttributeError) as error:
            result = repr(error)
        found.append(portrait((result, arguments, Counted.made)))
    return found


@table(("function", "calls"), PROGRAMS)
def test_programs_over_classes_that_once_failed(function: Any, calls: Any) -> None:
    faults = map(portrait_fault, outcomes(ag.compile(function, fallback="error"), calls), outcomes(function, calls))
    assert not list(filter(None, faults))
