"""What an object of the caller's answers to Python's own functions, by methods of its class, is asked in every call."""

from __future__ import annotations

import warnings
from typing import Any

import autograph_jit as ag
from tests.tables import table
from tests.tracing.test_objects_gone_through import function_of


class Number:
    def __init__(self, v: int) -> None:
        self.v = v

    def __index__(self) -> int:
        return self.v

    def __float__(self) -> float:
        return self.v + 0.5


class Sized:
    def __init__(self, v: int) -> None:
        self.v = v

    def __len__(self) -> int:
        return self.v

    def __getitem__(self, k: int) -> int:
        if k >= self.v:
            raise IndexError
        return self.v + k


class Hinted:
    def __init__(self, v: int) -> None:
        self.v = v

    def __length_hint__(self) -> int:
        return self.v


class Called:
    def __init__(self, v: int) -> None:
        self.v = v

    def __call__(self, x: int = 0) -> int:
        return self.v + x


class Countdown:
    def __init__(self, v: int) -> None:
        self.v = v

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> int:
        if self.v <= 0:
            raise StopIteration
        self.v -= 1
        return self.v


EXPRESSIONS = {
    Number: """operator.index(m); [1, 2, 3, 4, 5][: operator.index(m)]; divmod(operator.index(m), 3)
{3: 1, 4: 2, 5: 3}[operator.index(m)]; 'ab' * m; (1, 2) * m; b'ab' * m; [0] * m; 'abcdefgh'[m]; math.gcd(m, 6)
math.factorial(m); math.comb(9, m); math.isqrt(m); math.sqrt(m); math.fsum([m, 1]); sum([m.v], operator.index(m))
list(map(operator.index, [m, m])); chr(operator.index(m)); '%d' % m""",
    Sized: """operator.length_hint(m); list(itertools.chain(m, m)); ','.join(map(str, m)); next(itertools.cycle(m)); list(zip(m, m))
list(m); dict(enumerate(m)); [x for x in m]; len(m); 5 in m; operator.countOf(m, 4); math.prod(m); collections.Counter(m); 1 if m else 2""",
    Hinted: "operator.length_hint(m); operator.length_hint(m, 7)",
    Called: """operator.call(m, 1); list(itertools.starmap(m, [(1,), (2,)])); list(itertools.groupby([1, 2], m))[0][0]
list(map(m, [1, 2])); re.sub('a', lambda found: str(m()), 'aba'); functools.partial(m, 3)()
sorted([3, 1, 2], key=m); m(1); operator.length_hint(m, 5); [m][0](1)""",
    Countdown: """list(itertools.chain(m, m)); ','.join(map(str, m)); list(zip(m, m)); next(itertools.cycle(m)); sum(m); [x for x in m]
next(m); functools.reduce(operator.add, m); list(itertools.accumulate(m)); collections.deque(m); sorted(m); 2 in m; list(map(str, m))""",
}
ALL = [(kind, each.strip()) for kind, texts in EXPRESSIONS.items() for line in texts.splitlines() for each in line.split("; ")]


@table("kind, expression", ALL)
def test_objects_answer_anew_in_every_call(kind: Any, expression: str) -> None:
    function = function_of(expression, "m")
    for compiled in (ag.compile(function), ag.compile(function, fallback="error")):
        for v in (4, 3, 5, 3):
            mine, theirs = kind(v), kind(v)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                want = function(theirs)
                try:
                    got = compiled(mine)
                except ag.ConversionError:
                    assert compiled.options["fallback"] == "error"
                    got = function(mine)  # which the refusal has not changed
            assert (got, mine.v) == (want, theirs.v)


class Pair:
    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y

    def __add__(self, other: Pair) -> Pair:
        return Pair(self.x + other.x, self.y + other.y)


class Holder:
    def __init__(self, held: Pair) -> None:
        self.held = held


def sum_of_pairs(n: int) -> tuple[float, float]:
    kept = [Pair(i, 1) for i in range(n)]
    total = Pair(0, 0)
    for pair in kept:
        total = total + Holder(pair).held
    return total.x, total.y


def test_operators_of_rows_that_an_instance_holds_are_those_of_the_class() -> None:
    compiled = ag.compile(sum_of_pairs, fallback="error")
    assert [compiled(n) for n in (20, 30, 20)] == [sum_of_pairs(n) for n in (20, 30, 20)]
    assert len(compiled.specializations) == 1
