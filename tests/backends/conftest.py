"""Tests that count the memory of compiled code look at their own objects only: what other modules left is set aside."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def young_objects() -> Iterator[None]:
    """Garbage collections inside a module of tests skip the hundreds of megabytes that earlier ones hold."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
