"""The one random generator that initializers and dropout draw from, unless they are given a seed of their own."""

from __future__ import annotations

import numpy as np

GENERATOR = np.random.default_rng()


def set_seed(seed: int) -> None:
    """Start the draws of initializers and dropout again at `seed`: the same program then computes the same numbers.

    >>> set_seed(1)
    >>> first = GENERATOR.random(3)
    >>> set_seed(1)
    >>> bool((GENERATOR.random(3) == first).all())
    True
    """
    GENERATOR.bit_generator.state = np.random.default_rng(seed).bit_generator.state  # in place: layers and programs hold the generator


def generator_of(seed: int | None) -> np.random.Generator:
    """A generator of its own for a seed, the common one for None."""
    return GENERATOR if seed is None else np.random.default_rng(seed)
