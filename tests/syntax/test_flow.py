"""Liveness and definite assignment of code without jumps."""

from __future__ import annotations

import ast

import gast
import pytest

from autograph_jit.syntax.liveness import Liveness
from autograph_jit.syntax.reaching import DefiniteAssignment
from autograph_jit.syntax.scopes import uses_of


def analyse(source: str, params: str = "x"):
    body = gast.ast_to_gast(ast.parse(source)).body
    names = frozenset(uses_of(body).writes | set(params.split()))
    live = Liveness(names, frozenset(), frozenset())
    live.block(body, frozenset(), frozenset())
    bound = DefiniteAssignment(names, live.state)
    bound.block(body, frozenset(params.split()))
    region = next(n for n in body if n in live.state)
    return live.state[region], {n.id for n in bound.doubtful}


@pytest.mark.parametrize(
    ("source", "state"),
    [
        ("if x:\n    y = 1\n    z = 2\nelse:\n    y = 3\nprint(y)", ("y",)),
        ("if x:\n    y = 1\n    print(y)", ()),
        ("if x:\n    x = x + 1", ("x",)),
        ("s = 0\nfor i in x:\n    s = s + i", ("s",)),
        ("for i in x:\n    t = i\nprint(i)", ("i",)),
        ("i = 0\nwhile i < x:\n    i = i + 1\n    last = i", ("i",)),
        ("while (y := g(x)):\n    print(y)", ("y",)),
        ("try:\n    y = g()\n    z = 1\nexcept E:\n    print(z)\nprint(y)", ("y", "z")),
        ("with x as m:\n    y = m\nprint(y)", ("y",)),
    ],
)
def test_state_of_a_region(source, state):
    assert analyse(source)[0] == state


@pytest.mark.parametrize(
    ("source", "doubtful"),
    [
        ("if x:\n    y = 1\nprint(y)", {"y"}),
        ("if x:\n    y = 1\nelse:\n    y = 2\nprint(y)", set()),
        ("if x:\n    y = 1\nelse:\n    raise E\nprint(y)", set()),
        ("for i in x:\n    print(i)\nprint(i)", {"i"}),
        ("if x:\n    pass\ny = 1\ndel y\nprint(y)", {"y"}),
        ("try:\n    y = 1\nexcept E:\n    pass\nprint(y)", {"y"}),
        ("try:\n    y = 1\nfinally:\n    z = 2\nprint(y, z)", set()),
        ("with x:\n    y = 1\nprint(y)", {"y"}),
        ("if x and (y := x):\n    print(y)", {"y"}),
        ("while (y := x):\n    print(y)\nprint(y)", set()),
        ("for i in x:\n    print(z)\n    z = i", {"z"}),
    ],
)
def test_reads_that_may_find_a_variable_unbound(source, doubtful):
    assert analyse(source)[1] == doubtful
