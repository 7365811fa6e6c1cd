"""Tests of transforms/pipeline.py: after the passes a graph means what it meant, in results, memory and exceptions."""

import os

import numpy as np
import pytest

from autograph_jit.errors import GraphError
from autograph_jit.ir.verifier import verify
from autograph_jit.ops.evaluate import evaluate
from autograph_jit.transforms.pipeline import PASSES, check_after, run_pipeline
from tests.random_graphs import random_arguments, random_graph
from tests.tables import table


def outcome(graph, seed):
    """Results bit for bit, or the exception and its line; and the memory of the arguments afterwards."""
    memory, arguments = random_arguments(seed)
    try:
        results = [np.asarray(result).tobytes() for result in evaluate(graph, arguments)]
    except (ValueError, IndexError, OverflowError) as error:
        results = [type(error).__name__, str(error), error.__autograph_span__]
    return results, memory.tobytes()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@table("seed", range(250 if os.environ.get("CI") else 180))
def test_pipeline_keeps_the_meaning_of_random_graphs(seed):
    graph = random_graph(seed, 18)
    before = outcome(graph, seed)
    run_pipeline(graph, verify=True, distinct_parameters=seed % 3 != 0)
    assert outcome(graph, seed) == before


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@table("step", dict.fromkeys(PASSES), ids=lambda step: step.__name__)
def test_each_pass_alone_keeps_the_meaning_of_random_graphs(step):
    for seed in range(250, 310):
        graph = random_graph(seed, 18)
        before = outcome(graph, seed)
        step(graph, seed % 3 != 0)
        verify(graph)
        assert outcome(graph, seed) == before


def test_pipeline_shrinks_random_graphs():
    before = after = 0
    for seed in range(20):
        graph = random_graph(seed, 18)
        before += sum(1 for _ in graph.walk())
        run_pipeline(graph)
        after += sum(1 for _ in graph.walk())
    assert after < 0.7 * before


def test_broken_graph_names_the_pass():
    graph = random_graph(0)
    graph.block.operations.reverse()
    with pytest.raises(GraphError, match="after fold: "):
        check_after(PASSES[0], graph)
