"""Functions and objects of which the data chooses one: what is done with the choice is done, in a branch each, with every one of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Value
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import Arithmetic, Case, Maybe, StagedScalar, Undecided, content_of, is_number_of
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.checks import settle
from autograph_jit.tracing.values.conditions import numbers_left
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.own_marks import is_marked
from autograph_jit.tracing.values.trace import emit, user_span


def is_mixed(x: Any) -> bool:
    """Whether a value is a number, a text, a list or a dict, as the data choose."""
    return isinstance(x, Chosen) and any(map(is_plain_option, x.alternatives))


def is_plain_option(x: Any) -> bool:
    """Whether one of the alternatives is a number, a text, a list or a dict of the run."""
    return isinstance(x, StagedScalar) or is_marked(x, "opened") or is_marked(x, "kind_of_text")


def opened(x: Any) -> Any:
    """One of the alternatives where it is that."""
    return x.opened() if is_marked(x, "opened") else x


def choice_in(iterable: Any) -> Any:
    """What is gone through, settled; what may be None and is else one of several things, as one of these."""
    iterable = settle(iterable)
    if not isinstance(iterable, Maybe) or not isinstance(iterable.content, Chosen):
        return iterable
    return settle(content_of(iterable, TypeError, "'NoneType' object is not iterable"))


def in_each_choice(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of an object first of all: where the data chooses that, the function of each alternative, in a branch."""

    acts_for_program(function)

    @functools.wraps(function)
    def run(x: Any, *args: Any) -> Any:
        return distribute(x, lambda option: run(option, *args)) if isinstance(x, Chosen) else function(x, *args)

    return run


class Chosen(Arithmetic, Undecided):
    """One of several functions or objects, chosen by the data: what is done with it branches on `selector`."""

    __autograph_chosen__ = True

    def __init__(self, selector: Value, alternatives: tuple[Any, ...]) -> None:
        self.selector, self.alternatives = selector, alternatives

    def __cases__(self) -> list[Case]:
        left = numbers_left(self.selector, len(self.alternatives))
        return [(partial(is_number_of, self.selector, index), partial(opened, self.alternatives[index])) for index in left]

    def __hash__(self) -> int:
        """Python would look it up by itself."""
        hash(self.alternatives[0])  # of a row: traced again without rows
        raise ConversionError("the run decides which of several objects is a key here", user_span(), "it is looked up by itself")

    def each(self, function: Callable[[Any], Any]) -> Chosen:
        """What a function that leaves nothing in the graph gives of each of them."""
        return Chosen(self.selector, tuple(map(function, self.alternatives)))

    def is_among(self, answers: Sequence[bool]) -> bool | StagedScalar:
        """Whether it is one of those whose answer is True."""
        if len(set(answers)) == 1:
            return answers[0]
        rare = answers.count(True) * 2 <= len(answers)
        found = [is_number_of(self.selector, index).value for index, answer in enumerate(answers) if answer is rare]
        condition = functools.reduce(lambda x, y: emit("logical_or", x, y).result, found)
        return StagedScalar(condition if rare else emit("logical_not", condition).result, True)

    def __template__(self, template: Template) -> Rebuild:
        index, options = template.leaves.position(self.selector), [template.of(option) for option in self.alternatives]
        return lambda values: options[int(values[index])](values)
