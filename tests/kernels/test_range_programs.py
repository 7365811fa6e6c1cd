"""Loops that move an index in random ways: compiled code reads what Python reads and raises where Python raises."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag

PROGRAMS = 120
MOST_TRIPS = 40


def program(rng: random.Random, name: str) -> str:
    """A function of an array and two integers with a loop whose index is bounded, or nearly."""
    limit = rng.choice(["len(x)", "len(x) - 1", "len(x) + 1", "b", "len(x) // 2", "2 * len(x)"])
    low = rng.choice(["0", "1", "-1", "a"])
    start = rng.choice(["0", "1", "a", "b", "len(x) - 1", "len(x)", "len(x) // 2", "a - 1"])
    upward, downward = f"j {rng.choice(['<', '<=', '!='])} {limit}", f"j {rng.choice(['>', '>='])} {low}"
    condition = rng.choice([upward, downward, f"{upward} and {downward}", f"{downward} and x[j] > {rng.choice(['0.2', '0.6'])}"])
    shift = rng.choice(["", "", " + 1", " - 1", " // 2", " % len(x)"])
    moves = rng.choice(
        [
            ["j += 1"],
            ["j -= 1"],
            [f"j += {rng.choice([2, 3])}"],
            ["if x[j // 2] > 0.5:", "    j += 1", "else:", f"    j += {rng.choice([-1, 0, 1, 2])}"],
            ["k = (j + k) // 2", f"j = k {rng.choice(['+', '-'])} 1"],
            ["j = min(j + 1, k)", "k = k - 1"],
            ["j = max(j - 2, k)", "k = k + 1"],
        ]
    )
    lines = [
        f"def {name}(x, a, b):",
        f"    j, k, total, trips = {start}, {rng.choice(['a', 'b', '0', 'len(x)'])}, 0.0, 0",
        f"    while {condition}:",
        f"        total += x[j{shift}] * (1 + trips)",
        *(f"        {line}" for line in moves),
        "        trips += 1",
        f"        if trips > {MOST_TRIPS}:",
        "            break",
        f"    return total, j, k, x[j{rng.choice(['', ' - 1', ' + 1'])}]",
    ]
    if rng.random() < 0.3:
        lines[2:4] = [f"    for j in range({start}, {limit}, {rng.choice([1, 1, 2, -1])}):", f"        total += x[j{shift}]"]
    return "\n".join(lines) + "\n"


def outcome(function: Callable[..., Any], *arguments: Any) -> tuple[Any, ...]:
    try:
        return ("returned", *(float(number) for number in function(*arguments)))
    except (IndexError, UnboundLocalError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("seed", range(4))
def test_random_loops_agree_with_python(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    count = PROGRAMS // 4
    path = tmp_path / "loops.py"
    path.write_text("\n\n".join(program(rng, f"f{number}") for number in range(count)))
    spec = importlib.util.spec_from_file_location(f"random_loops_{seed}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    returned = 0
    for number in range(count):
        plain = getattr(module, f"f{number}")
        compiled = ag.compile(plain, fallback="error")
        for size, a, b in ((5, 0, 4), (9, 1, 9), (6, -2, 3), (7, 3, 20)):
            x = np.random.default_rng(size).random(size)
            want, got = outcome(plain, x, a, b), outcome(compiled, x, a, b)
            assert got == want, f"{path.read_text()}\nf{number}({size}, {a}, {b})"
            returned += want[0] == "returned"
    assert returned > count
