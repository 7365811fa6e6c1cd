"""Finding the source of functions and of lambdas."""

from __future__ import annotations

import functools
import linecache
import subprocess
import sys

import gast
import pytest

from autograph_jit.errors import ConversionError
from autograph_jit.syntax.parse import parse_function


def keep(fn):
    return fn


@keep
@functools.lru_cache
def decorated(x):
    return x


class Outer:
    class Inner:
        def method(self):
            return lambda: self


def test_decorated_function_is_found_by_its_first_decorator():
    assert parse_function(decorated.__wrapped__).node.name == "decorated"


def test_class_around_a_method_and_around_what_it_defines():
    assert parse_function(Outer.Inner.method).class_name == "Inner"
    assert parse_function(Outer.Inner().method()).class_name == "Inner"


def test_lambdas_on_one_line():
    a, b, c = (lambda v: v + 1), (lambda v: (v * 2)), (lambda v: lambda: v)
    bodies = [parse_function(f).node.body for f in (a, b, c, c(0))]
    assert [type(n).__name__ for n in bodies] == ["BinOp", "BinOp", "Lambda", "Name"]
    assert [type(n.op).__name__ for n in bodies[:2]] == ["Add", "Mult"]
    constants = (lambda: 2), (lambda: True), (lambda: bodies * 2), (lambda: 2.0), (lambda: None)
    assert [gast.unparse(parse_function(f).node.body) for f in constants] == ["2", "True", "bodies * 2", "2.0", "None"]


def test_source_of_a_notebook_cell():
    source = "def cell(x):\n    return x\n"
    linecache.cache["<ipython-input-1>"] = (len(source), None, source.splitlines(keepends=True), "<ipython-input-1>")
    scope: dict = {}
    exec(compile(source, "<ipython-input-1>", "exec"), scope)
    assert isinstance(parse_function(scope["cell"]).node, gast.FunctionDef)


def test_no_source_is_an_error_with_a_remedy():
    scope: dict = {}
    exec("f = lambda: 1", scope)
    with pytest.raises(ConversionError, match="no source") as caught:
        parse_function(scope["f"])
    assert "file or in a notebook" in str(caught.value)


def test_changed_file_is_an_error(tmp_path):
    path = tmp_path / "changing.py"
    path.write_text("def f(x):\n    return x\n")
    scope: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    path.write_text("# a new first line\ndef f(x):\n    return x\n")
    with pytest.raises(ConversionError, match="was not found"):
        parse_function(scope["f"])


def test_the_text_of_python_c_is_not_taken_for_what_exec_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """From Python 3.13 on linecache knows the program of `python -c` as `<string>`, the name that `exec` gives too."""
    program = "def f(x):\n    return x\n"
    monkeypatch.setitem(linecache.cache, "<string>", (len(program), None, program.splitlines(True), "<string>"))
    scope: dict[str, object] = {}
    exec("def f(x):\n    return x + 1\n", scope)
    with pytest.raises(ConversionError, match="no source"):
        parse_function(scope["f"])
    exec(compile(program, "<string>", "exec", dont_inherit=True), scope)
    assert gast.unparse(parse_function(scope["f"]).node) == "def f(x):\n    return x"


@pytest.mark.parametrize("options", [["-c"], ["-X", "dev", "-Bc"]])
def test_functions_of_python_c_compile(options: list[str]) -> None:
    program = """
import autograph_jit as ag
@ag.compile(fallback="error")
def f(n):
    total = 0
    for k in range(n): total += k
    return total
print(f(5))
exec("def g(x): return x + 1")
print(ag.compile(g)(1))
"""
    done = subprocess.run([sys.executable, *options, program, "an argument"], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["10", "2"], done.stderr
    assert "`g` has no source" in done.stderr
