"""Tests of ir/copying.py: a copy is the same graph and shares nothing that passes change."""

import pytest

from autograph_jit.ir.copying import copy_graph
from autograph_jit.ir.graph import walk_block
from autograph_jit.ir.printer import print_graph
from autograph_jit.ir.verifier import verify
from autograph_jit.transforms.pipeline import run_pipeline
from tests.random_graphs import random_graph


@pytest.mark.parametrize("seed", range(20))
def test_copy_prints_the_same_and_is_independent(seed):
    graph = random_graph(seed)
    text = print_graph(graph)
    copy = copy_graph(graph)
    verify(copy)
    assert print_graph(copy) == text
    run_pipeline(copy)
    verify(graph)
    assert print_graph(graph) == text
    assert {id(each) for each in walk_block(graph.block)}.isdisjoint(id(each) for each in walk_block(copy.block))
