"""Very long programs are compiled in parts, and give what they give whole."""

from __future__ import annotations

import re

import numpy as np

import autograph_jit as ag
from autograph_jit.backends.cpu import library


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
