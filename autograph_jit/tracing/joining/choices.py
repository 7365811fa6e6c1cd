"""Functions and objects of which the data chooses one: what is done with the choice is done, in a branch each, with every one of them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Value
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import Arithmetic, Case, Undecided, is_number_of
from autograph_jit.tracing.values.trace import constant, emit
from autograph_jit.tracing.values.types import same_constant


class Chosen(Arithmetic, Undecided):
    """One of several functions or objects, chosen by the data: what is done with it branches on `selector`."""

    __autograph_chosen__ = True

    def __init__(self, selector: Value, alternatives: tuple[Any, ...]) -> None:
        self.selector, self.alternatives = selector, alternatives

    def reselect(self, alternatives: tuple[Any, ...]) -> Value:
        """The selector among a wider tuple of alternatives."""
        result = constant(np.int64(0))
        for index, option in enumerate(self.alternatives):
            hit = is_number_of(self.selector, index).value
            position = next(i for i, other in enumerate(alternatives) if same_constant(other, option))
            result = emit("where", hit, constant(np.int64(position)), result).result
        return result

    def __cases__(self) -> list[Case]:
        return [(partial(is_number_of, self.selector, index), partial(lambda x: x, x)) for index, x in enumerate(self.alternatives)]

    def __template__(self, template: Template) -> Rebuild:
        index, options = template.leaves.position(self.selector), [template.of(option) for option in self.alternatives]
        return lambda values: options[int(values[index])](values)
