"""Sets of the caller's, and sets that leave, are gone through in CPython's order, whatever was done to them before."""

import random
from itertools import product
from typing import Any

import pytest

import autograph_jit as ag
from autograph_jit.ops.set_slots import index_of_set, set_in_slots
from autograph_jit.ops.tables import GIVEN_UP, HEAD, MASK


def worked_set(seed: int, count: int, key: Any) -> set[Any]:
    """A set that items came into, left, and were popped from."""
    draw, found = random.Random(seed), set()
    for _ in range(count * 2):
        step = draw.random()
        if step < 0.6:
            found.add(key(draw.randrange(3 * count)))
        elif step < 0.9:
            found.discard(key(draw.randrange(3 * count)))
        elif step < 0.97 and found:
            found.pop()
        else:
            found = found | {key(draw.randrange(3 * count)) for _ in range(count // 4)}
    return found


KEYS: dict[str, Any] = {"numbers": lambda k: k * 7, "far": lambda k: k * 4096, "pairs": lambda k: (k % 9, k), "texts": lambda k: f"k{k}"}


def joined(a, b):
    return list(a | b), list(a - b), list(a ^ b), len(a & b)


def copied(a, b):
    c = a.copy()
    c.update(b)
    c -= a
    return list(a.copy()), list(c), list(set(a)), list(frozenset(b))


def added_to(a, b):
    c = set()
    c |= a
    c |= b
    return list(c)


def popped(a, b):
    c, found = a - b, []
    while c:
        found.append(c.pop())
    return found


def left(a, b):
    c = {x for x in b}
    for x in a:
        if x in c:
            c.discard(x)
        else:
            c.add(x)
    return a, c, a | b


@pytest.mark.parametrize("function", [joined, copied, added_to, popped, left])
def test_sets_of_the_caller_are_in_the_order_of_python(function: Any) -> None:
    compiled = ag.compile(function, fallback="error")
    for seed, key in product(range(4), KEYS.values()):
        a, b = (worked_set(2 * seed + k, 120, key) for k in (0, 1))
        before = list(a), list(b)
        found, expected = compiled(a, b), function(a, b)
        assert found == expected
        assert [list(x) for x in found if type(x) is set] == [list(x) for x in expected if type(x) is set]
        assert (list(a), list(b)) == before
        assert function is not left or found[0] is a


def test_set_in_slots_is_the_set_whose_slots_were_read() -> None:
    for seed, count, key in product(range(20), (0, 3, 20, 300), KEYS.values()):
        x = worked_set(seed, count, key)
        index = index_of_set(x, list(x))
        slots = [slot for slot, position in enumerate(index[HEAD:]) if position >= 0]
        given_up = [slot for slot, position in enumerate(index[HEAD:]) if position == GIVEN_UP]
        made = set_in_slots(list(x), *slots, *given_up, index[MASK])
        assert list(made) == list(x)
        assert index_of_set(made, list(made))[MASK] == index[MASK]


KNOWN_ITEMS = frozenset((1, 2))


def test_what_a_frozenset_and_a_set_of_the_run_make_is_of_the_left_ones_class() -> None:
    def made(n: int) -> Any:
        x = KNOWN_ITEMS
        x |= {n}
        s = set(range(n))
        return x, KNOWN_ITEMS & {n, 1}, KNOWN_ITEMS - s, KNOWN_ITEMS ^ s, s | KNOWN_ITEMS, s - KNOWN_ITEMS, KNOWN_ITEMS | {n}

    compiled = ag.compile(made, fallback="error")
    for n in (0, 2, 9):
        assert [(type(x), list(x)) for x in compiled(n)] == [(type(x), list(x)) for x in made(n)]


def put_together_with_itself(n):
    s = {(j, 0) for j in range(n)}
    held, other = [s, s, {(n, 1)}], {(j % 3, j) for j in range(n)}
    in_lists = list(held[n % 2] | held[0]), list(held[n % 3] & held[0]), list(held[n % 3] - held[0])
    of_several = list(s.union(s, other, s)), list(s.difference(other, {(1, 0)})), list(s.union(other, [(9, 9)]))
    return list(s | s), list(s & s), of_several, in_lists


def test_a_set_that_is_put_together_with_itself_keeps_its_order() -> None:
    compiled = ag.compile(put_together_with_itself, fallback="error")
    for n in (0, 1, 3, 4, 5, 9, 20):
        assert compiled(n) == put_together_with_itself(n)
