"""Code of which nothing is known is given real objects: installed packages, classes in C, containers whose exact class is asked for."""

from __future__ import annotations

import array
import collections
import copy
import ctypes
import dataclasses
import functools
import importlib
import json
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy
import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.tracing.plain.calls import NEVER_CONVERTED
from tests.tables import table

SOURCE = '''
"""A package as it is installed: it checks exact classes, as code in C does, and keeps what it is given."""
import numpy as np

class Accessor:
    def __init__(self, owner): self.owner = owner
    def double(self): return [2 * v for v in self.owner.items]

class Described:
    def __get__(self, owner, kind=None): return Accessor if owner is None else Accessor(owner)

class Frame:
    twice = Described()
    def __init__(self, items):
        if type(items) is not list: raise TypeError(f"Expected list, got {type(items).__name__}")
        for v in items:
            if type(v) not in (int, float, str): raise TypeError(f"Expected a number, got {type(v).__name__}")
        self.items, self.seen = items, {}
    def __getitem__(self, key):
        if type(key) is str:
            if key not in self.seen: raise KeyError(key)
            return self.seen[key]
        return self.items[key]
    def __setitem__(self, key, value): self.seen[key] = value
    def __len__(self): return len(self.items)
    def __iter__(self): return iter(self.items)
    def __add__(self, other): return Frame([v + other for v in self.items])
    def __bool__(self): return len(self.items) > 2
    def copy(self): return Frame(list(self.items))
    def append(self, v): return Frame([*self.items, v])
    def update(self, v): self.items[0] = v; return self
    def apply(self, f): return [f(v) for v in self.items]
    def groups(self):
        for v in self.items: yield v, Frame([v])
    def to_numpy(self):
        if len(self.items) > 10**6: return None
        return np.array(self.items, dtype=float)
    @property
    def size(self):
        if self.items: return len(self.items)
        return 0

def total(items):
    if type(items) is not list: raise TypeError(f"Expected list, got {type(items).__name__}")
    t = 0
    for v in items: t += v
    return t

def mean(x):
    if type(x) is not np.ndarray: raise TypeError(f"Expected ndarray, got {type(x).__name__}")
    return float(x.mean())

def options(**given): return {k: type(v) for k, v in given.items()}

def depth(n):
    return 1 + depth(n - 1) if n else 0
'''


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """A package in a folder of installed ones."""
    folder: Path = tmp_path_factory.mktemp("lib") / "site-packages"
    folder.mkdir()
    (folder / "unheard_of.py").write_text(SOURCE)
    sys.path.insert(0, str(folder))
    yield importlib.import_module("unheard_of")
    sys.path.remove(str(folder))
    del sys.modules["unheard_of"]


def column_of_a_copy(u: Any, f: Any) -> Any:
    f["v"] = 3.0
    g = f.copy()
    g["v"] = f["v"] + 1
    return g["v"], f["v"], g.items


def loop_over_items(u: Any, f: Any) -> Any:
    t = 0.0
    for v in f:
        if v > 1:
            t += v
    return t, len(f), f.size


def loop_over_groups(u: Any, f: Any) -> Any:
    out = {}
    for key, part in f.groups():
        out[key] = part[0] * 2
    return out


def branch_on_an_object(u: Any, f: Any) -> Any:
    return "long" if f else "short"


def operators_and_results(u: Any, f: Any) -> Any:
    return (f + 1.5).items, f.append(4.0).items, f.update(9.0) is f, f.twice.double()


def made_of_a_list(u: Any, f: Any) -> Any:
    items = [1.0]
    for v in f:
        items.append(v * 2)
    return u.total(items), u.Frame(items).items, items


def made_of_the_items_of_an_array(u: Any, f: Any) -> Any:
    x = f.to_numpy() * 2
    return u.mean(x), u.mean(np.cumsum(x)), x


def function_given(u: Any, f: Any) -> Any:
    return f.apply(lambda v: v * 2 if v > 1 else -v)


def containers_by_name(u: Any, f: Any) -> Any:
    return u.options(a=[1], b={"k": 1.0}, c=(1, 2), d=np.ones(2), e=1.5)


def exception_of_the_package(u: Any, f: Any) -> Any:
    try:
        f["missing"]
    except KeyError as error:
        return repr(error)


def exception_that_leaves(u: Any, f: Any) -> Any:
    return u.Frame((1, 2))


def recursion_inside(u: Any, f: Any) -> Any:
    return u.depth(200)


def changed_and_read(u: Any, f: Any) -> Any:
    before = f.items[0]
    f.items[0] = before + 10.0
    f.label = "new"
    return f.items, f.label, f.seen


PROGRAMS = [
    column_of_a_copy,
    loop_over_items,
    loop_over_groups,
    branch_on_an_object,
    operators_and_results,
    made_of_a_list,
    made_of_the_items_of_an_array,
    function_given,
    containers_by_name,
    exception_of_the_package,
    exception_that_leaves,
    recursion_inside,
    changed_and_read,
]


def text_of(x: Any) -> Any:
    """A result by its classes and contents."""
    if isinstance(x, np.ndarray):
        return str(x.dtype), x.tolist()
    if isinstance(x, (list, tuple)):
        return type(x).__name__, [text_of(item) for item in x]
    return type(x).__name__, repr(x)


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return text_of(function(*args))
    except Exception as error:  # noqa: BLE001 - it is compared
        return type(error).__name__, str(error)


@table("program", PROGRAMS, ids=lambda program: program.__name__)
def test_installed_packages_are_given_real_objects(program: Callable[..., Any], package: ModuleType) -> None:
    compiled = ag.compile(program, fallback="error")
    for _ in range(2):
        plain, fast = package.Frame([1.0, 2.0, 3.0]), package.Frame([1.0, 2.0, 3.0])
        assert outcome(compiled, package, fast) == outcome(program, package, plain)
        assert (fast.items, fast.seen) == (plain.items, plain.seen)


def test_a_package_of_which_a_function_is_compiled_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "half_known.py").write_text("def half(x):\n    return x / 2\n\ndef run(x):\n    return half(x) if x > 0 else half(-x)\n")
    monkeypatch.syspath_prepend(str(folder))
    module = importlib.import_module("half_known")
    assert "half_known" in NEVER_CONVERTED
    run = ag.compile(module.run, fallback="error")
    assert run(3.0) == 1.5
    assert not run.specializations[0].program.notes  # no call of Python
    assert ag.grad(module.run)(-3.0) == -0.5


def test_objects_in_c_that_change_are_those_of_the_call() -> None:
    @ag.compile(fallback="error")
    def f(number: Any, memory: Any, numbers: Any) -> Any:
        number.value += 1.0
        memory[0] = 7
        numbers.append(4.0)
        return number.value, sum(numbers), numbers.tolist()

    for _ in range(3):
        number, memory, numbers = ctypes.c_double(3.0), memoryview(bytearray(2)), array.array("d", [1.0, 2.0])
        assert f(number, memory, numbers) == (4.0, 7.0, [1.0, 2.0, 4.0])
        assert (number.value, bytes(memory), numbers.tolist()) == (4.0, b"\x07\x00", [1.0, 2.0, 4.0])


def test_pandas_frames() -> None:
    pd = pytest.importorskip("pandas")

    def f(frame: Any) -> Any:
        means = frame.groupby("g")["v"].mean()
        wide = frame["v"].map(lambda v: v * 2 if v > 2 else v)
        return frame.copy()["v"], means, frame.describe(), wide, frame["g"].str.upper().tolist()

    frame = pd.DataFrame({"v": [1.0, 2.5, 3.0], "g": ["a", "b", "a"]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = ag.compile(f, fallback="error")
        for _ in range(2):
            assert [str(part) for part in compiled(frame)] == [str(part) for part in f(frame)]


def test_graphs_of_networkx() -> None:
    nx = pytest.importorskip("networkx")

    def f(graph: Any, factor: Any) -> Any:
        total = 0.0
        for u, v, data in graph.edges(data=True):
            total += data["weight"] * (u + v) * factor
        graph.add_edge(3, 4, weight=1.5)
        return total, nx.shortest_path(graph, 0, 4, weight="weight"), nx.to_numpy_array(graph)[0].tolist()

    def graph() -> Any:
        made = nx.Graph()
        made.add_weighted_edges_from([(0, 1, 1.0), (1, 2, 2.0), (0, 2, 5.0), (2, 3, 1.0)])
        return made

    compiled = ag.compile(f, fallback="error")
    for _ in range(2):
        assert compiled(graph(), 2.0) == f(graph(), 2.0)


def test_expressions_of_sympy() -> None:
    sympy = pytest.importorskip("sympy")

    def f(x: Any) -> Any:
        p = sympy.Integer(0)
        for k in range(4):
            p = p + k * x**k
        return sympy.expand(p * (x + 1)), sympy.diff(sympy.sin(x) * x, x), 1 if x == 0 else float(p.subs(x, 2))

    x = sympy.Symbol("x")
    assert ag.compile(f, fallback="error")(x) == f(x)


class Noted:
    def __init__(self) -> None:
        self.a = 1


@ag.do_not_convert
def count_calls(seen: dict[Any, int], x: float) -> float:
    seen["calls"] = seen.get("calls", 0) + 1
    return x


def content(x: Any) -> Any:
    """What an argument holds, to be compared; a memo of copies by its length, since its keys are addresses."""
    is_memo = isinstance(x, dict) and any(isinstance(value, list) for value in x.values())
    return vars(x) if isinstance(x, Noted) else len(x) if is_memo else repr(x)


def sizes_of_callers(sizes, x):
    numpy.lib._function_base_impl._update_dim_sizes(sizes, x, ("n", "m"))
    return sizes["n"] + len(sizes)


def sizes_made_here(x):
    sizes = {}
    for k in range(3):
        numpy.lib._function_base_impl._update_dim_sizes(sizes, x, (k, "m"))
    return sizes


def sizes_in_branch(sizes, x):
    if x[0, 0] > 0:
        numpy.lib._function_base_impl._update_dim_sizes(sizes, x, ("n", "m"))
    return len(sizes)


def attribute(noted, x):
    dataclasses._set_new_attribute(noted, "b", x)
    return noted.b


PRIVATE = (
    (sizes_of_callers, lambda: ({}, np.ones((2, 3)))),
    (sizes_made_here, lambda: (np.ones((2, 3)),)),
    (sizes_in_branch, lambda: ({"k": 1}, np.ones((2, 3)))),
    (sizes_in_branch, lambda: ({"k": 1}, np.zeros((2, 3)))),
    (attribute, lambda: (Noted(), 2.0)),
    (lambda seen, x: collections._count_elements(seen, [1, 1, x]), lambda: ({1: 3}, 2)),
    (lambda text, memo: json.decoder.JSONObject((text, 1), True, lambda s, i: (1, i + 1), None, None, memo), lambda: ('{"a": 1}', {})),
    (lambda words, line: textwrap.TextWrapper(width=5)._handle_long_word(words, line, 0, 5), lambda: (["abcdefgh"], [])),
    (lambda rows: functools._c3_merge(rows), lambda: ([[int, object], [object]],)),
    (lambda functions, k, seen: functions[k](seen, 1.0), lambda: ([count_calls, count_calls], 1, {})),
    (lambda items, x: np.random.default_rng(3).shuffle(items), lambda: ([1, 2, 3, 4], 2.0)),
    (lambda items, memo: len(copy.deepcopy(items, memo)) + len(memo), lambda: ([1, [2]], {})),
)


def test_private_functions_and_unknown_ones_change_the_objects_that_they_are_given() -> None:
    for program, arguments in PRIVATE:
        for fallback in ("warn", "error"):
            compiled = ag.compile(program, fallback=fallback)
            for _ in range(2):
                given, expected = arguments(), arguments()
                with warnings.catch_warnings(action="ignore"):
                    result = compiled(*given)
                assert result == program(*expected)
                assert [*map(content, given)] == [*map(content, expected)], program


def test_draws_of_a_generator_that_the_program_makes_have_numpys_type() -> None:
    compiled = ag.compile(lambda x: np.random.default_rng(4).normal(size=3) + x, fallback="error")
    assert np.array_equal(compiled(1.0), np.random.default_rng(4).normal(size=3) + 1.0)
    assert "object" not in str(compiled.graph(1.0)).splitlines()[-2]


def test_an_archive_is_not_read_while_the_program_is_traced(tmp_path: Path) -> None:
    np.savez(tmp_path / "numbers.npz", a=np.arange(3))

    def close(archive):
        np.lib.npyio.NpzFile.close(archive)
        return archive.zip is None

    for is_closed in (False, True):
        archive = np.load(tmp_path / "numbers.npz")
        if is_closed:
            archive.close()
        assert ag.compile(close, fallback="error")(archive)
    with np.load(tmp_path / "numbers.npz") as archive:
        np.testing.assert_array_equal(ag.compile(lambda archive: archive["a"] + 1, fallback="error")(archive), np.arange(1, 4))
