"""Statements that fail: the compiled program raises what Python raises, type, text and line."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

from tests.differential.harness import Program, differences

PREAMBLE = """
import functools, itertools, math, operator
from collections import deque
import numpy as np

def f(p):
    return p

class C:
    def m(self, a):
        return a

    @property
    def p(self):
        raise LookupError("p")
"""
STATEMENTS = """
for v in n: pass
for v in x[0]: pass
for a, b in x: pass
for a, b in [(1, 2, 3)]: pass
for a, b in enumerate(n): pass
a, b = n
a, *b = n
a = None; a += n
a = None; a **= 2.5 * n
a = "b"; a -= n
a = b"c"; a += n
a, b = 1, 2, 3
(a, b), c = 1, 2
[n].sort(axis=1)
[n].sort(None)
[n].append(1, 2)
[n].append(item=1)
[n].index()
[n].insert(1)
[n].pop(1, 2)
[n].reverse(2)
[n].extend()
[n].count(1, 2)
{"a": n}.get()
{"a": n}.get("a", default=2)
{"a": n}.pop("a", 1, 2)
{"a": n}.items(1)
{"a": n}.setdefault()
iter([n]).tolist()
iter((n, 1)).sum
iter(range(n)).start
zip([n], x).shape
enumerate([n]).shape
len(n, n)
abs()
sum(x, 1, 2)
isinstance(x)
enumerate()
list(x, n)
tuple(n, n)
range(n, 1, 2, 3)
range()
sorted(x, n)
float(n, n)
complex(n, 1, 2)
max()
zip(x, foo=1)
getattr(x)
list(map(len))
divmod(n)
any(x, n)
reversed(x, n)
next()
list(zip(x, [n, n], strict=True))
ValueError().add_note(n)
iter({"a": n}).shape
[*n]
f()
f(1, 2)
f(q=1)
f(1, p=2)
len(n)
len(x[0])
sum(n)
sum(["a", "b"])
max(n)
max([])
min()
max(1, "a")
sorted(n)
sorted([1, "a"])
sorted([3, None])
list(n)
tuple(x[0])
dict(n)
dict([(1, 2, 3)])
set([[1]])
int("a")
int(None)
int(x)
float("b")
float(x)
float([1])
complex("z")
bool(x)
str(x, 1)
abs("a")
abs(None)
round("a")
divmod(1, 0)
divmod(n, 0)
pow(2, -1, 0)
pow(0, -1)
1 / 0
n / 0
n // 0
n % 0
1.0 // 0.0
n << -1
1 << "a"
n + "a"
"a" + n
x + "a"
[1] + (2,)
[1] + x + "a"
None + x
-"a"
~1.5
~x
not_defined
x.nope
n.nope
"a".nope
np.nope
math.nope
x.T.foo()
[].nope
{}.nope
None.foo
n.foo()
x[5]
x[-5]
x[0][0]
x[0, 0]
x[None, 5]
x["a"]
x[1.5]
x[[0, 9]]
x[[True, False]]
x[1:2:0]
x[:, 0]
x[...,0,0]
x[(1, 2)]
n[0]
"abc"[9]
"abc"["a"]
[1, 2][5]
[1, 2]["a"]
[1, 2][1.0]
(1, 2)[2]
{"a": 1}["b"]
{}[[1]]
range(3)[5]
range(1, 2, 0)
range(1.5)
range("a")
slice(1)[0]
x[9] = 1
x[0, 0] = 1
x["a"] = 1
x[0] = "a"
x[0] = [1, 2]
x[:2] = [1, 2, 3]
x[:] = None
(1, 2)[0] = 1
"abc"[0] = "d"
n[0] = 1
n.a = 1
x.a = 1
[1][4] = 0
del x[0]
del [1][3]
del n.a
del {}["a"]
x.reshape(3, 3)
x.reshape(-1, -1)
x.reshape("a")
x.sum(axis=3)
x.sum(axis="a")
x.sum(nope=1)
x.astype("nope")
x.astype(object).nope
x.transpose(1, 0)
x.squeeze(0)
x.item()
x.item(9)
x.fill("a")
x.dot(np.ones(3))
x @ np.ones(3)
x @ 1
1 @ x
x.mean(axis=1)
x.max(axis=1)
x.argmax(5)
x.take([9])
x.repeat([1, 2])
x.clip()
x.sort(axis=1)
x.view("f4").nope
x.T[9]
x.copy(1, 2, 3)
np.zeros(-1)
np.zeros("a")
np.zeros(1.5)
np.ones((2, -1))
np.arange()
np.arange(1, 2, 0)
np.linspace(0, 1, -1)
np.array([[1, 2], [3]])
np.array("a") + 1
np.concatenate([])
np.concatenate([x, np.ones((2, 2))])
np.concatenate(x)
np.stack([x, np.ones(2)])
np.vstack([x, np.ones(2)])
np.dot(x, np.ones(3))
np.sqrt("a")
np.sqrt(x, 1, 2, 3)
np.add(x)
np.add(x, np.ones(3))
np.where(x)
np.where(x > 0, 1)
np.linalg.inv(x)
np.linalg.inv(np.zeros((2, 2)))
np.linalg.solve(np.eye(2), np.ones(3))
np.linalg.cholesky(-np.eye(2))
np.linalg.det(np.ones((2, 3)))
np.sum(x, axis=2)
np.split(x, 3)
np.reshape(x, (5,))
np.broadcast_to(x, (3,))
np.einsum("ij->i", x)
np.einsum("ii", np.ones((2, 3)))
np.einsum("ii->i", np.ones((2, 3)))
np.einsum("jj,ii->j", np.ones((2, 2)), np.ones((2, 3)))
np.einsum(np.ones((2, 3)), [0, 0])
np.cross(np.ones((2, 3)), np.ones((2, 3)), axisb=2)
np.interp(0.5, [1, 2], [1])
np.percentile(x, 101)
np.random.default_rng(0).integers(5, 1)
np.bincount(np.array([-1]))
np.unravel_index(9, (2, 2))
np.searchsorted(np.eye(2), 1)
np.float64("a")
np.int8(300)
np.int64("x")
np.dtype("nope")
math.sqrt(-1)
math.sqrt("a")
math.log(0)
math.exp(1000)
math.factorial(-1)
math.factorial(1.5)
math.gcd(1.5, 2)
math.floor(float("nan"))
math.floor(float("inf"))
math.acos(2)
math.comb(-1, 2)
"a".join([1])
"a".index("b")
"%d" % "a"
"{} {}".format(1)
"{:d}".format("a")
f"{n:z}"
f"{x:d}"
"a" * "b"
[1, 2].index(3)
[1].remove(2)
[].pop()
{}.pop("a")
{}.popitem()
{} | [1]
[1].insert("a", 2)
set().pop()
{1}.remove(2)
next(iter([]))
iter(n)
next(n)
isinstance(1, 2)
issubclass(1, int)
getattr(n, "q")
setattr(n, "q", 1)
hash([])
id()
chr(-1)
ord("ab")
zip(1, 2)
list(zip(x, n))
list(map(1, [1]))
list(map(f, n))
list(map(f, [1], [2]))
list(filter(1, [1]))
enumerate(n)
reversed(n)
all(n)
any(n)
raise ValueError("x")
raise ValueError
raise n
raise "a"
raise None
raise StopIteration(1)
raise KeyError("a", 2)
assert n > 99
assert False, (1, 2)
lambda_ = (lambda q: q)()
import_error()
C().m()
C().m(1, 2)
C(1)
C.m()
C().p
C().nope
C() + 1
C() < C()
C()[0]
C()()
len(C())
for v in C(): pass
with C(): pass
with n: pass
with open("/nonexistent/q"): pass
functools.reduce(f, [])
functools.reduce(f, [1, 2])
itertools.islice([1], -1)
list(itertools.islice([1], -1))
list(itertools.product([1], repeat=-1))
deque([1], maxlen=-1)
deque().pop()
operator.add(1)
operator.itemgetter(5)([1])
""".strip().splitlines()


def source(number: int, statement: str) -> str:
    """A function that runs the statement where the data decide it."""
    try:
        compile(statement, "statement", "eval")
    except SyntaxError:
        return f"def statement_{number}(x, n):\n    if x[1] < 99:\n        {statement}\n    return x, n\n"
    return f"def statement_{number}(x, n):\n    r = 0.0\n    if x[1] < 99:\n        r = {statement}\n    return r\n"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """A module with a function for every statement."""
    path = tmp_path_factory.mktemp("texts") / "text_programs.py"
    path.write_text("\n".join([PREAMBLE, *(source(number, statement) for number, statement in enumerate(STATEMENTS))]))
    spec = importlib.util.spec_from_file_location("text_programs", path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def arguments() -> tuple[np.ndarray, int]:
    return np.array([1.0, 2.0, 3.0, 4.0]), 3


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::RuntimeWarning", "ignore::DeprecationWarning")
def with_mark(number):
    """Statements of NumPy's linear algebra are compiled: native code finds out whether NumPy has to raise."""
    marks = [pytest.mark.native] if "np.linalg" in STATEMENTS[number] else []
    return pytest.param(number, marks=marks, id=STATEMENTS[number])


@pytest.mark.parametrize("number", map(with_mark, range(len(STATEMENTS))))
def test_statement_fails_as_in_python(module: ModuleType, number: int) -> None:
    function: Callable = getattr(module, f"statement_{number}")
    assert differences(Program(function, (arguments,), lambda: None, "")) is None
