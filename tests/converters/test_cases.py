"""Conversion as text: each file in tests/cases/convert holds a function and its converted form."""

from __future__ import annotations

import linecache
from pathlib import Path

import pytest

from autograph_jit.converters.pipeline import to_source

CASES = sorted((Path(__file__).parents[1] / "cases" / "convert").glob("*.txt"))
SEPARATOR = "\n--- converted ---\n"


def load(path: Path):
    source, converted = path.read_text().split(SEPARATOR)
    filename = f"<{path.name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    scope: dict = {"__name__": "case"}
    exec(compile(source, filename, "exec"), scope)
    return scope["f"], converted


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_text_of_the_converted_function(path):
    fn, converted = load(path)
    assert to_source(fn).strip() == converted.strip()


def test_there_are_cases():
    assert len(CASES) >= 8
