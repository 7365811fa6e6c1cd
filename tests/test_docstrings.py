"""The examples in docstrings run."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "autograph_jit").rglob("*.py"))
    if ">>> " in path.read_text() and path.name != "__init__.py"
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_module_run(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted and not results.failed
