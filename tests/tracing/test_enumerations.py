"""Members of enumerations of which the run decides: states, items of lists, attributes, keys and values of dicts."""

from __future__ import annotations

import copy
import enum
from collections import Counter, defaultdict
from typing import Any

import pytest

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees

pytestmark = pytest.mark.native


class State(enum.Enum):
    A = 1
    B = 2
    C = "c"

    def following(self) -> Any:
        return State.B if self is State.A else State.C

    @property
    def short(self) -> str:
        return self.name.lower()


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5


class Access(enum.Flag):
    READ = 1
    WRITE = 2


class Light:
    def __init__(self) -> None:
        self.state = State.A
        self.changes = 0

    def step(self) -> None:
        if self.state is State.A:
            self.state = State.B
        else:
            self.state = State.A
            self.changes += 1


FOLLOWING = {State.A: State.B, State.B: State.C, State.C: State.A}


def machine(n: int) -> Any:
    state, total = State.A, 0
    for k in range(n):
        if state is State.A:
            state = State.B if k % 3 else State.C
            total += 1
        elif state == State.B:
            state = state.following()
            total += 10
        elif state in (State.C, None) and state is not State.B:
            state = State.A
            total += 100
    return total, state, state.value


def matched(n: int) -> Any:
    state, total = State.A, 0
    for _ in range(n):
        match state:
            case State.A:
                state = State.B
            case State.B:
                state = State.C
                total += 1
            case State.C:
                state = State.A
                total += 2
    return total


def by_table(n: int) -> Any:
    state, total = State.A, 0
    order = list(State)
    for k in range(n):
        state = FOLLOWING[state]
        total += k if state is State.C else FOLLOWING.get(state, State.A).value == 2
        total += 1000 * (order[(order.index(state) + 1) % 3] is State.B)
    return total


def or_none(n: int) -> Any:
    state, total = None, 0
    for _ in range(n):
        if state is None:
            state = State.A
        elif state is State.A:
            state = State.B
        else:
            state = None
            total += 1
    return total, state


def written(n: int) -> Any:
    state, out = State.A, []
    for k in range(n):
        state = State.B if k % 2 else State.A
        out.append(f"{state} {state.name} {state!r} {state.short}")
    return out[:5], str(state)


def levels(n: int) -> Any:
    level, total = Level.LOW, 0
    for k in range(n):
        level = Level.HIGH if k % 2 else Level.LOW
        total += level + level.value + 10 * (level > 2) + 100 * (level == 5) + 1000 * (level in (Level.LOW, 7))
        total += max(level, 3) + int(level) + [1, 2, 3, 4, 5, 6][level] + len(range(level))
    return total, level


def listed(n: int) -> Any:
    states = [State.A if k % 2 else State.B for k in range(n)]
    states[2] = State.C
    states.remove(State.C)
    return sum(1 for state in states if state is State.A), states[:3], states.count(State.A), State.C in states


def lights(n: int) -> Any:
    every = [Light() for _ in range(n)]
    for k in range(n):
        for light in every[k:]:
            light.step()
    return sum(light.changes for light in every), sum(1 for light in every if light.state is State.A), every[0].state


def counted(n: int) -> Any:
    found: dict[State, int] = {}
    seen = 0
    for k in range(n):
        seen += State.B in found
        state = State.A if k % 3 else State.B
        if state in found:
            found[state] += k
        else:
            found[state] = k
    return found, State.C in found, len(found), seen, 7 in found, "B" in found


def known_keys(n: int) -> Any:
    found = {state: 0 for state in State}
    for k in range(n):
        found[State.A if k % 3 else State.C] += 1
    return found


def exchanged(n: int) -> Any:
    found = {}
    for k in range(n):
        found[State.A if k % 3 else State.B] = State.B if k % 2 else State.C
    total = 0
    for key, value in found.items():
        total += (value is State.C) + 10 * (key is State.A)
    return total, found.get(State.C), found.get(State.C, State.A), list(found), list(found.values())


def grouped(n: int) -> Any:
    groups = defaultdict(list)
    for k in range(n):
        groups[State.A if k % 3 else State.B].append(k)
    return dict(groups), Counter(State.A if k % 3 else State.B for k in range(n))


def missing_key(n: int) -> Any:
    found = {State.A: 1}
    return found[State.B if n > 5 else State.A]


def in_sets_and_tuples(n: int) -> Any:
    seen = {State.A if k % 3 else State.B for k in range(n)}
    pairs = {(State.A if k % 3 else State.B, k % 2): k for k in range(n)}
    return len(seen), State.A in seen, sorted(state.name for state in seen), pairs


def flags(n: int) -> Any:
    access = Access.READ
    for k in range(n):
        access = access | Access.WRITE if k % 2 else Access.READ
    return access, Access.WRITE in access


def given(state: Any, n: int) -> Any:
    total = 0
    for _ in range(n):
        if state is State.A:
            state = State.B
        else:
            state = State.A
            total += 1
    return total, state


def given_list(states: Any) -> Any:
    return sum(1 for state in states if state is State.A), states.count(State.B), [state for state in states if state is not State.C][:3]


NATIVE = (machine, matched, or_none, listed, lights, counted, known_keys, exchanged)


@table(
    "function, arguments",
    [
        *[(function, (n,)) for function in NATIVE for n in (4, 23)],
        *[(function, (n,)) for function in (by_table, levels, written, grouped, missing_key, in_sets_and_tuples, flags) for n in (4, 23)],
        *[(given, (state, 9)) for state in State],
        (given_list, ([list(State)[k % 3] for k in range(40)],)),
    ],
)
def test_member_is_what_it_is_in_python(function: Any, arguments: Any) -> None:
    assert_agrees(function, arguments)


@table("function", NATIVE)
def test_members_are_compiled_codes(function: Any) -> None:
    assert "host calls    none" in ag.compile(function, fallback="error").explain(copy.deepcopy(23))
