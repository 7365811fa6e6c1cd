"""Runs the text cases of tests/cases/transforms: a title, a graph, and the same graph after the pass that the file is named after."""

from pathlib import Path

import pytest

import autograph_jit.ops  # noqa: F401
from autograph_jit.ir.parser import parse_graph
from autograph_jit.ir.printer import print_graph
from autograph_jit.ir.verifier import verify
from autograph_jit.ops.direct_calls import DirectCall, Given
from autograph_jit.ops.registry import get
from autograph_jit.transforms.pipeline import PASSES

FOLDER = Path(__file__).parent.parent / "cases" / "transforms"
STEPS = {step.__name__: step for step in PASSES}


def is_value_error(error):
    return isinstance(error, ValueError)


is_value_error.direct = DirectCall(isinstance, (Given(0), Given(constant=ValueError)))
SYMBOLS = {"print": print, "ValueError": ValueError, "except": is_value_error, "kind": ValueError, "kind_2": KeyError}


def read_cases():
    """(pass, title, before, after) of every case."""
    for path in sorted(FOLDER.glob("*.txt")):
        for case in path.read_text().split("=== ")[1:]:
            title, text = case.split("\n", 1)
            before, after = text.split("--->\n")
            yield pytest.param(path.stem, before, after, id=f"{path.stem}: {title}")


@pytest.mark.parametrize(("name", "before", "after"), list(read_cases()))
def test_case(name, before, after):
    graph = parse_graph(before, get, SYMBOLS)
    verify(graph)
    assert print_graph(graph) == before
    STEPS[name](graph, False)
    verify(graph)
    assert print_graph(graph) == after


def test_every_pass_has_cases():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(STEPS)
