"""Objects of the user's are told from those of libraries by identity: no trace calls their `__eq__` or `__hash__`."""

from __future__ import annotations

import functools
from typing import Any

import autograph_jit as ag

asked: list[str] = []


class Plain:
    @ag.do_not_convert
    def __eq__(self, other: object) -> Any:
        asked.append("==")
        return NotImplemented

    @ag.do_not_convert
    def __hash__(self) -> int:
        asked.append("hash")
        return 1

    def __call__(self, x: float) -> float:
        return x + 1.0

    def __iter__(self) -> Any:
        return iter([1.0, 2.0])


def named_like_a_builtin(called: Any, x: float) -> float:
    vars = called
    return vars(x)


USES = (
    lambda o, x: o(x),
    lambda o, x: list(map(o, [x, x])),
    lambda o, x: sorted([x, x + 1.0], key=o),
    lambda o, x: functools.partial(o)(x),
    lambda o, x: functools.reduce(lambda a, b: a, [o, o]),
    lambda o, x: max(x, 2.0, key=o),
    lambda o, x: [y * x for y in o],
    lambda o, x: type(o) is Plain,
    lambda o, x: o if x > 0 else None,
    named_like_a_builtin,
)


def test_traces_and_calls_ask_no_object_of_the_users_whether_it_equals_one_of_a_library():
    thing = Plain()
    for use in USES:
        compiled = ag.compile(use, fallback="error")
        expected = use(thing, 1.0)
        asked.clear()
        for _ in range(2):
            found = compiled(thing, 1.0)
            assert found is expected or found == expected
        assert asked == [], use.__code__.co_firstlineno
