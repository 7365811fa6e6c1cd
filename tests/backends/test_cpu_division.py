"""Very long programs are compiled in parts, and give what they give whole."""

from __future__ import annotations

import ctypes
import re

import numpy as np
import pytest
from llvmlite import ir

import autograph_jit as ag
from autograph_jit.backends.cpu import division, driver, outlining
from autograph_jit.backends.cpu.flow import loops_among
from autograph_jit.backends.cpu.library import Library
from autograph_jit.backends.cpu.outlining import Outliner
from autograph_jit.backends.cpu.signatures import I64


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


def modules_of(compiled, *arguments) -> tuple[str, object]:
    """The result of a first call, and the longest module that is made for it."""
    texts: list[str] = []
    library = driver.Library

    def noted(text: str, **options):
        texts.append(text)
        return library(text, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "Library", noted)
        result = compiled(*arguments)
    return max(texts, key=len), result


@pytest.mark.parametrize("largest", [division.VERY_LONG, 20])
def test_a_very_long_program_is_compiled_in_parts(largest, tmp_path, monkeypatch) -> None:
    path = tmp_path / "long.py"
    path.write_text(long_source(15))
    scope: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    monkeypatch.setattr(division, "VERY_LONG", 500)
    monkeypatch.setattr(outlining, "LARGEST", largest)
    compiled = ag.compile(scope["f"], fallback="error")
    for x in (np.linspace(-1, 1, 7), np.linspace(0, 30, 5)):
        mine, wanted = np.zeros_like(x), np.zeros_like(x)
        text, got = modules_of(compiled, x, mine) if x[0] < 0 else ("", compiled(x, mine))
        np.testing.assert_allclose(got, scope["f"](x, wanted), rtol=1e-12)
        np.testing.assert_allclose(mine, wanted, rtol=1e-12)
        parts = re.findall(r"^define internal [^\n]*@\"part.*?\n(.*?)^}", text, re.M | re.S)
        assert not text or 1 <= len(parts) < 8  # thirty loops, alike but for numbers
        assert not text or any("@\"part" in part for part in parts) == (largest == 20)


def nests(x, y):
    for k in range(3):
        x = np.tanh(x + k) * y
        y = np.exp(-y) - x.sum(axis=0)
    return x, y


@pytest.mark.parametrize("glue, is_as_written", [(1000, True), (1, False)])
def test_what_is_between_many_loops_is_compiled_as_written(glue, is_as_written, monkeypatch) -> None:
    monkeypatch.setattr(division, "VERY_LONG", 100)
    monkeypatch.setattr(division, "GLUE", glue)
    x = np.linspace(0, 1, 25).reshape(5, 5)
    text, result = modules_of(ag.compile(nests, fallback="error"), x, x + 1)
    for got, wanted in zip(result, nests(x, x + 1), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)
    assert ("optnone" in re.search("^define .*@.?entry.*", text, re.M)[0]) == is_as_written


def left_in_two_ways() -> ir.Module:
    """Control comes to a loop from two places and leaves it on two ways, one of which a value of the loop is not made on."""
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(I64, [I64, I64]), "f")
    x, limit = function.args
    entry, other, loop, more, first, second = (function.append_basic_block(name) for name in "abcdef")
    b = ir.IRBuilder(entry)
    b.cbranch(b.icmp_signed("<", x, I64(2)), loop, other)
    b.position_at_end(other)
    early = b.add(x, I64(10))
    b.branch(loop)
    b.position_at_end(loop)
    number = b.phi(I64)
    b.cbranch(b.icmp_signed("<", number, limit), more, first)
    b.position_at_end(more)
    following = b.add(b.mul(number, I64(2)), x)
    number.incomings = [(x, entry), (early, other), (following, more)]
    b.cbranch(b.icmp_signed("==", following, I64(3)), second, loop)
    b.position_at_end(first)
    b.ret(number)
    b.position_at_end(second)
    b.ret(b.neg(following))
    return module


def test_a_loop_that_is_left_on_several_ways_gives_what_each_of_them_has() -> None:
    whole, divided = left_in_two_ways(), left_in_two_ways()
    (function,) = divided.functions
    assert Outliner(divided).outline(function, list(function.blocks)) == 1
    assert loops_among(function.blocks) == [] and len(divided.functions) == 2
    libraries = [Library(str(module)) for module in (whole, divided)]
    one, two = (ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(library.address("f")) for library in libraries)
    found = [one(x, limit) for x in range(1, 6) for limit in (0, 5, 40)]
    assert found == [two(x, limit) for x in range(1, 6) for limit in (0, 5, 40)]
    assert -3 in found and len(set(found)) > 5
