"""Sets, deques and counters that Python's operators and `copy` make while a function is traced: one object under all their names."""

from __future__ import annotations

import copy
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import pytest

from tests.tracing.agreement import assert_agrees

PAIRS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "union": lambda: ({1} | {2}, {3} | {4}),
    "difference and intersection": lambda: ({1, 2, 3} - {2}, {3, 4} & {4, 5}),
    "symmetric difference": lambda: ({1, 2} ^ {2, 3}, {5}.copy()),
    "deques": lambda: (deque([1]) + deque([2]), deque([3], 4) * 2),
    "copies of deques": lambda: (deque([1, 2]).copy(), copy.copy(deque([3]))),
    "counters": lambda: (Counter("ab") + Counter("b"), Counter("cd").copy()),
    "dicts": lambda: (OrderedDict({1: 2}) | {2: 3}, defaultdict(int, {3: 4}).copy()),
}
CHANGES: dict[type, Callable[[Any, Any], None]] = {
    set: lambda x, z: x.add(z),
    deque: lambda x, z: x.append(z),
    Counter: lambda x, z: x.update([z]),
    OrderedDict: lambda x, z: x.update({z: 1}),
    defaultdict: lambda x, z: x.update({z: 1}),
}


@pytest.mark.parametrize("name", PAIRS)
def test_what_operators_make_is_one_object(name: str) -> None:
    pair = PAIRS[name]

    def chosen(c: Any, z: Any) -> Any:
        a, b = pair()
        t = a if c > 0 else b
        CHANGES[type(t)](t, z)
        return a, b, t is a

    def handed_on(n: Any, z: Any) -> Any:
        t, out = pair()[0], []
        for _ in range(n):
            out.append(t)
        CHANGES[type(t)](t, z)
        return out, all(x is t for x in out)

    def made_in_trips(n: Any, z: Any) -> Any:
        out = []
        for _ in range(n):
            out.append(pair()[1])
        CHANGES[type(out[0])](out[0], z)
        return out

    assert_agrees(chosen, (1, 9), (0, 9))
    assert_agrees(handed_on, (3, 9))
    assert_agrees(made_in_trips, (3, 9))
