"""Sums that commute are those of the reverse sweep, each done before another one reads its array."""

from __future__ import annotations

import pytest

from autograph_jit.ir.parser import parse_graph
from autograph_jit.kernels.commuting import find_commuting
from autograph_jit.kernels.trips import Trips
from autograph_jit.ops.registry import get

FIRST = ("%x: f64 = load(%s, %i) {proved = True}", "%u: f64 = add(%x, %c) contract", "store(%s, %u, %i) {proved = True}")
SECOND = ("%y: f64 = load(%s, %j) {proved = True}", "%v: f64 = add(%y, %c) contract", "store(%s, %v, %j) {proved = True}")
ONE_AFTER_THE_OTHER = (*FIRST, *SECOND)
AT_ONE_TIME = (FIRST[0], SECOND[0], *FIRST[1:], *SECOND[1:])
OF_THE_PROGRAM = (FIRST[0], "%u: f64 = add(%x, %c)", FIRST[2])
READ_TOO = (*FIRST, "%y: f64 = load(%s, %j) {proved = True}")


@pytest.mark.parametrize("body, sums", [(FIRST, 1), (ONE_AFTER_THE_OTHER, 2), (AT_ONE_TIME, 0), (OF_THE_PROGRAM, 0), (READ_TOO, 0)])
def test_which_sums_commute(body, sums):
    lines = "\n".join(body)
    graph = parse_graph(
        f"""graph f(%s: f64[s:n], %c: f64, %first: i64, %last: i64, %one: i64) {{
            for_loop(%first, %last, %one) {{results = (), has_break = False}} do (%i: i64) {{
                %j: i64 = add(%i, %one)
                {lines}
                yield
            }}
            yield
        }}""",
        get,
    )
    (loop,) = [operation for operation in graph.walk() if operation.name == "for_loop"]
    found = find_commuting(Trips(loop, loop.regions[0].args[0]))
    assert sum(map(len, found.values())) == sums
