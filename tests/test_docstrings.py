"""The examples in docstrings run."""

from __future__ import annotations

import doctest
import gc
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "autograph_jit").rglob("*.py"))
    if ">>> " in path.read_text() and path.name != "__init__.py"
]


@pytest.fixture(scope="module", autouse=True)
def without_tapes() -> None:
    """While a tape of an earlier test is alive, values are recorded: it may be garbage that was frozen between tests."""
    gc.unfreeze()
    gc.collect()


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_module_run(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted and not results.failed
