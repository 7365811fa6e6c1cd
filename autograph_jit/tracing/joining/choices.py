"""Functions and objects of which the data chooses one: what is done with the choice is done, in a branch each, with every one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Value
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import Arithmetic, StagedScalar
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import constant, emit
from autograph_jit.tracing.values.types import same_constant


class Chosen(Arithmetic):
    """One of several functions or objects, chosen by the data: what is done with it branches on `selector`."""

    __autograph_chosen__ = True

    def __init__(self, selector: Value, alternatives: tuple[Any, ...]) -> None:
        self.selector, self.alternatives = selector, alternatives

    def reselect(self, alternatives: tuple[Any, ...]) -> Value:
        """The selector among a wider tuple of alternatives."""
        result = constant(np.int64(0))
        for index, option in enumerate(self.alternatives):
            hit = emit("equal", self.selector, constant(np.int64(index))).result
            position = next(i for i, other in enumerate(alternatives) if same_constant(other, option))
            result = emit("where", hit, constant(np.int64(position)), result).result
        return result

    def is_alternative(self, index: int) -> StagedScalar:
        """Whether the run chose this alternative."""
        return StagedScalar(emit("equal", self.selector, constant(np.int64(index))).result, True)

    def __template__(self, template: Template) -> Rebuild:
        index, options = template.leaves.position(self.selector), [template.of(option) for option in self.alternatives]
        return lambda values: options[int(values[index])](values)


def choose(x: Chosen, use: Callable[[Any], Any], index: int = 0) -> Any:
    """`use` of the alternative that the run chose."""
    option = x.alternatives[index]
    if index == len(x.alternatives) - 1:
        return use(option)
    return language.if_exp(x.is_alternative(index), lambda: use(option), lambda: choose(x, use, index + 1))
