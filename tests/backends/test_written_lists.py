"""Only those lists of the caller's that a program may write to get their items back."""

from __future__ import annotations

from typing import Any

import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.written_lists import find_written
from autograph_jit.ir.parser import parse_graph
from autograph_jit.ops import registry


def own_lists(rows):
    made = []
    for row in rows:
        made.append(row[0])
        row = [0] + row
        row[0] = 5
    return made


def one_of_its_rows(rows):
    kept = []
    for row in rows:
        kept.append(row)
    kept[1].append(2)
    return len(kept)


def by_a_loop(rows):
    first = [0]
    for row in rows:
        first.append(1)
        first = row
    return first


def a_row(rows):
    rows[-1].append(3)


def the_list(rows):
    rows.append(rows[0])


WRITTEN = {own_lists: [], one_of_its_rows: ["list[i64]"], by_a_loop: ["list[i64]"], a_row: ["list[i64]"], the_list: ["list[list[i64]]"]}


@pytest.mark.parametrize("program", list(WRITTEN))
def test_lists_that_may_be_written(program: Any) -> None:
    text = ag.compile(program, fallback="error").graph([[k, k + 1] for k in range(12)])
    graph = parse_graph(str(text), registry.get)
    found = find_written(graph)
    assert [str(type_) for type_ in found[id(graph.block.args[0])]] == WRITTEN[program]
