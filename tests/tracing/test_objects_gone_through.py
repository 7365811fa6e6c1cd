"""Objects whose classes say in Python how to go through them, and what number they are: asked anew by every call, and by no trace."""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Callable
from typing import Any

import autograph_jit as ag
from tests.tables import table

IMPORTS = "import collections, functools, heapq, itertools, math, operator, re\n"
EXPRESSIONS = """list(enumerate(b)); list(zip(b, b)); [x * y for x, y in zip(b, b.items)]; ",".join(map(str, b)); dict(zip(b, b))
sum(map(abs, b)); [*map(abs, b)]; list(map(max, b, b)); list(filter(None, b)); list(itertools.chain(b, b)); list(itertools.islice(b, 2))
list(itertools.accumulate(b)); list(itertools.product(b, b)); list(itertools.takewhile(bool, b)); list(itertools.pairwise(b))
[list(group) for key, group in itertools.groupby(b)]; list(itertools.compress(b, [1, 0, 1])); list(itertools.filterfalse(None, b))
[list(each) for each in itertools.tee(b)]; list(itertools.zip_longest(b, [1])); list(zip(itertools.count(), b)); math.prod(b); math.fsum(b)
collections.Counter(b); collections.deque(b); dict.fromkeys(b); frozenset(b); bytes(b); {1}.union(b); functools.reduce(max, b)
list(heapq.merge(b, b)); heapq.nlargest(2, b); next(iter(b)); sorted(b), min(b), max(b), all(b), 5 in b
{k for k in b}; "%d %d %d" % tuple(b); list(range(b.number)); [1, 2, 3, 4][b.number :]; (1, 2, 3, 4)[: b.number]; "abcd"[b.number]
[1] * b.number; list(range(0, b.number, b.number))"""
ALL = [expression.strip() for line in EXPRESSIONS.splitlines() for expression in line.split("; ")]


class Number:
    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def __index__(self) -> int:
        self.owner.asked += 1
        return self.owner.items[-1]


class Bag:
    def __init__(self, items: list[int]) -> None:
        self.items, self.asked, self.number = items, 0, Number(self)

    def __iter__(self) -> Any:
        self.asked += 1
        return iter(self.items)


class Drawn(Bag):
    def __iter__(self) -> Any:
        for item in self.items:
            self.asked += 1
            yield item


def function_of(expression: str, parameter: str = "b") -> Callable[[Any], Any]:
    """A function of one parameter with source."""
    text, name = f"{IMPORTS}def function({parameter}):\n    return {expression}\n", f"<gone through: {expression}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {}
    exec(compile(text, name, "exec"), namespace)
    return namespace["function"]


@table("expression, kind", [(expression, kind) for expression in ALL for kind in (Bag, Drawn)])
def test_what_they_hold_is_read_by_every_call(expression: str, kind: Any) -> None:
    function = function_of(expression)
    compiled = [ag.compile(function), ag.compile(function, fallback="error")]
    mine, theirs = [kind([]), kind([])], kind([])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in (1, 2, 1):
            theirs.items = [k, 5, k + 1]
            expected = function(theirs)
            for each, b in zip(compiled, mine):
                b.items = [k, 5, k + 1]
                try:
                    assert each(b) == expected
                except ag.ConversionError:
                    assert each.options["fallback"] == "error"
    assert mine[0].asked == theirs.asked
