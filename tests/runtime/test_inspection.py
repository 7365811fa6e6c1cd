"""What compiled functions show: source, graph, kernels, explain."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.ops.registry import OPS


def smooth(x: Any, steps: int) -> Any:
    for _ in range(steps):
        x[1:-1] = 0.5 * (x[:-2] + x[2:])
    print(steps)
    return x.sum()


class Scaler:
    def __init__(self) -> None:
        self.factor = np.full(20, 3.0)

    @ag.compile(fallback="error")
    def apply(self, x: Any) -> Any:
        return self.factor * x


def test_source_is_the_transformed_function() -> None:
    source = ag.compile(smooth).source()
    assert source == ag.to_source(smooth) and source.startswith("def smooth(x: Any, steps: int):\n")


def test_graph_is_printed_without_running_the_function(capsys: pytest.CaptureFixture[str]) -> None:
    x = np.ones(20)
    x[3] = 7.0
    f = ag.compile(smooth, fallback="error")
    text = f.graph(x, 3)
    assert text.startswith("graph smooth(") and "for_loop(" in text and "@test_inspection.py:" in text
    names = set(re.findall(r"(?:^ +|%\w+: [^=(]+ = )([a-z_0-9]+)\(", text, re.M))
    assert names <= set(OPS)
    assert x[3] == 7.0 and capsys.readouterr().out == "" and len(f.specializations) == 1
    f(x, 5)
    assert len(f.specializations) == 1


def test_kernels_are_printed() -> None:
    f = ag.compile(smooth, fallback="error")
    assert "for i0 <" in f.kernels(np.ones(20), 3)
    assert ag.compile(lambda n: n + 1).kernels(3).startswith("no loop nests")


def test_text_shows_itself_without_quotes() -> None:
    text = ag.compile(smooth).explain(np.ones(20), 2)
    assert repr(text) == str(text) and "\n" in repr(text)


def lines_of(text: str, label: str) -> list[str]:
    """The values behind a label of a report."""
    lines = text.splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith(f"  {label} "))
    values = [lines[start][16:]]
    for line in lines[start + 1 :]:
        if not line.startswith(" " * 16):
            break
        values.append(line.strip())
    return values


def test_explain_names_guards_sizes_host_calls_and_stages() -> None:
    f = ag.compile(smooth, fallback="error")
    text = f.explain(np.ones((20)), 3)
    assert text.splitlines()[0] == f"smooth, test_inspection.py:{smooth.__code__.co_firstlineno}"
    assert lines_of(text, "because") == ["first call"]
    assert lines_of(text, "guards") == ["x is an array float64 of rank 1", "steps is an int"]
    assert lines_of(text, "sizes") == ["x: any"]
    assert any(re.fullmatch(r"print  at test_inspection.py:\d+: print\(steps\)", line) for line in lines_of(text, "host calls"))
    seconds = lines_of(text, "seconds")[0]
    assert all(re.search(rf"\b{stage} \d+\.\d{{4}}", seconds) for stage in ("convert", "trace", "lower", "(LLVM|disk)"))
    assert "graph" in text and "loop nest" in lines_of(text, "memory")[0]


def test_explain_tells_why_a_function_was_compiled_again() -> None:
    f = ag.compile(lambda x, flag: x * 2.0 if flag else x, fallback="error")
    x = np.ones(3)
    f(x, True), f(x, True), f(x, False), f(np.ones(5), False)
    text = f.explain()
    assert lines_of(text, "compiled") == ["3 programs"]
    assert "program 1, compiled at" in text and ", 2 calls since" in text
    assert "program 1 expects flag == True: found False" in text
    assert "x is an array float64 of rank 1 with sizes {0: 3}: found f64[5]" in text
    assert "x: any (generalised: axis 0)" in text


def test_explain_names_constants_and_unrolled_loops() -> None:
    def pick(items: Any, n: int) -> Any:
        return items[n] * 2.0

    text = ag.compile(pick, fallback="error", static_argnames="n").explain([1.0, np.ones(3)], 1)
    assert lines_of(text, "constants") == ["n is a constant"]
    assert "n == 1" in lines_of(text, "guards")


def test_explain_tells_what_fell_back() -> None:
    def impossible(x: Any) -> Any:
        return [x for _ in ag.unroll(range(int(x.sum())))]

    f = ag.compile(impossible)
    text = f.explain(np.ones(3))
    assert "fell back" in text and "calls run in Python, because:" in text and "range(int(x.sum()))" in text
    with pytest.raises(ag.ConversionError):
        f.graph(np.ones(3))


def test_methods_show_themselves_with_their_object() -> None:
    scaler, x = Scaler(), np.ones(20)
    assert scaler.apply.source().startswith("def apply(self, x: Any):")
    assert "multiply(" in scaler.apply.graph(x) and "kernel multiply" in scaler.apply.kernels(x)
    assert "self.factor is an array float64 of rank 1" in lines_of(scaler.apply.explain(x), "guards")
    assert "program 1" in scaler.apply.explain()
    assert "multiply(" in Scaler.apply.graph(scaler, x)


def test_failing_guards_of_the_form_of_a_call_are_named() -> None:
    f = ag.compile(lambda x, *rest, **named: x, fallback="error")
    f(1.0), f(1.0, 2.0), f(1.0, y=2.0)
    text = f.explain()
    assert "program 1 expects 1 positional arguments: found 2" in text
    assert "program 2 expects 2 positional arguments: found 1 and y" in text


def test_explain_shows_the_first_of_very_many_guards() -> None:
    def total(values: Any, x: Any) -> Any:
        for value in values:
            x = x + value
        return x

    guards = lines_of(ag.compile(total).explain((1.5, np.float32(2.0)) * 50, np.ones(3)), "guards")
    assert len(guards) == 31 and guards[-1].endswith(" more")


def test_making_an_exception_that_is_raised_is_no_host_call():
    def checked(x):
        total = 0.0
        for _ in range(100):
            if x > 1.0:
                raise ValueError(f"too large: {x}")
            total += x
        return total

    def told(x):
        if x > 1.0:
            print("soon")
            raise ValueError("too large")
        return x

    assert "host calls    none" in ag.compile(checked, fallback="error").explain(0.5)
    (line,) = lines_of(ag.compile(told, fallback="error").explain(0.5), "host calls")
    assert line.startswith("print  at")
