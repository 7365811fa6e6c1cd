"""Functions and objects of which the data chooses one: what is done with the choice is done, in a branch each, with every one of them."""

from __future__ import annotations

from functools import partial
from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import Arithmetic, Case, Undecided, is_number_of


class Chosen(Arithmetic, Undecided):
    """One of several functions or objects, chosen by the data: what is done with it branches on `selector`."""

    __autograph_chosen__ = True

    def __init__(self, selector: Value, alternatives: tuple[Any, ...]) -> None:
        self.selector, self.alternatives = selector, alternatives

    def __cases__(self) -> list[Case]:
        return [(partial(is_number_of, self.selector, index), partial(lambda x: x, x)) for index, x in enumerate(self.alternatives)]

    def __template__(self, template: Template) -> Rebuild:
        index, options = template.leaves.position(self.selector), [template.of(option) for option in self.alternatives]
        return lambda values: options[int(values[index])](values)
