"""Very long programs are compiled in parts, and give what they give whole."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu import division, library


@pytest.fixture(autouse=True)
def limits_of_its_own():
    """What is compiled under other limits has names of its own on disk, and what is compiled afterwards its own again."""
    library.circumstances.cache_clear()
    yield
    library.circumstances.cache_clear()


def long_source(loops: int) -> str:
    """Many loops, alike but for a number, one of which has a loop inside and may leave early."""
    lines = ["def f(x, y):", "    total = 0.0"]
    for k in range(loops):
        lines += [
            "    for i in range(len(x)):",
            f"        y[i] += x[i] * {k % 2}.0 + total",
            f"        if y[i] > {1000.0 + k % 2}:",
            "            return total, i",
            "        for j in range(i):",
            f"            total += x[j] * y[i] * 1e-{3 + k % 2}",
        ]
    return "\n".join([*lines, "    return total, -1"])


def test_a_very_long_program_is_compiled_in_parts(tmp_path, monkeypatch) -> None:
    path = tmp_path / "long.py"
    path.write_text(long_source(15))
    scope: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    modules: list[tuple[str, str]] = []
    optimised = library.optimised

    def noted(text: str):
        module = optimised(text)
        modules.append((text, str(module)))
        return module

    monkeypatch.setattr(library, "optimised", noted)
    monkeypatch.setattr(library, "VERY_LONG", 1500)
    compiled = ag.compile(scope["f"], fallback="error")
    for x in (np.linspace(-1, 1, 7), np.linspace(0, 30, 5)):
        mine, wanted = np.zeros_like(x), np.zeros_like(x)
        got, expected = compiled(x, mine), scope["f"](x, wanted)
        np.testing.assert_allclose(got, expected, rtol=1e-12)
        np.testing.assert_allclose(mine, wanted, rtol=1e-12)
    text, parts = max(modules, key=lambda module: len(module[0]))
    assert len(re.findall("^define", text, re.M)) == 1
    assert 2 < len(re.findall("^define", parts, re.M)) < 30


def entry_of(size: int, glue: int, monkeypatch) -> str:
    """The entry's attributes in a program of nests, which a module of so many lines for each function has."""
    monkeypatch.setattr(library, "VERY_LONG", 100)
    monkeypatch.setattr(division, "GLUE", glue)
    modules: list[str] = []
    optimised = library.optimised
    monkeypatch.setattr(library, "optimised", lambda text: modules.append(str(module := optimised(text))) or module)

    def nests(x, y):
        for k in range(3):
            x = np.tanh(x + k) * y
            y = np.exp(-y) - x.sum(axis=0)
        return x, y

    x = np.linspace(0, 1, size * size).reshape(size, size)
    for got, wanted in zip(ag.compile(nests, fallback="error")(x, x + 1), nests(x, x + 1), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)
    text = max(modules, key=len)
    number = re.search(r"@entry\(.*#(\d+)", text)[1]
    return re.search(rf"^attributes #{number} = (.*)", text, re.M)[1]


def test_what_calls_many_loops_is_compiled_as_written(monkeypatch) -> None:
    assert "optnone" in entry_of(5, 1000, monkeypatch)


def test_what_is_long_between_its_loops_is_optimised(monkeypatch) -> None:
    assert "optnone" not in entry_of(6, 1, monkeypatch)


def test_a_function_with_a_loop_is_told_from_one_without() -> None:
    head = "define i64 @f(i64 %x) {\na:\n  br label %b\nb:\n  %c = icmp slt i64 %x, 3\n"
    for way, wanted in (("br i1 %c, label %b, label %d\nd:\n  ret i64 %x\n}", True), ("br label %d\nd:\n  ret i64 %x\n}", False)):
        assert division.has_loop(library.parsed(head + "  " + way).get_function("f")) == wanted
