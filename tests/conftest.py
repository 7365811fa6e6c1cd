"""What every test shares: a generator with a fixed seed."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    """A random generator whose seed is the same in every test."""
    return np.random.default_rng(20240817)
