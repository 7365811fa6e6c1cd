"""Functions that Python is given are the user's own code: nothing of the conversion runs outside of a trace."""

from __future__ import annotations

import functools
import inspect
import re
import sys
import traceback
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.converters.pipeline import convert_function
from autograph_jit.originals import original_code
from autograph_jit.tracing.plain import operators
from tests.tables import table

SEEN: list[CodeType] = []


@ag.do_not_convert
def apply(function: Callable[..., Any], *args: Any) -> Any:
    """Python that is given a function: it notes the code that runs."""
    inner = function.func if isinstance(function, functools.partial) else function
    SEEN.append(inner.__code__)
    return function(*args)


def branching(v: int) -> int:
    return v + 1 if v % 2 else v


def with_lambda(x: Any) -> Any:
    return apply(lambda v: v * 2 if v > 1 else v, 3)


def with_two_on_a_line(x: Any) -> Any:
    return apply(lambda v: v * 2 if v else v, 3), apply(lambda v: v * 3 if v else v, 3)


def with_statements_in_a_lambda(x: Any) -> Any:
    return apply(lambda v: [k * v for k in range(v) if k], 3)


def with_lambda_of_several_lines(x: Any) -> Any:
    return apply(
        lambda v, k=2: (
            {k: n for n in range(v)}
        ),
        3,
    )


def with_definition(x: Any) -> Any:
    def g(v: int) -> int:
        s = 0
        for k in range(v):
            if k:
                s += k
        return s

    return apply(g, 5)


def with_values_of_the_run(x: Any) -> Any:
    total = x.sum()
    return apply(lambda v: v * total if v else 0.0, 3)


def with_assigned_variables(x: Any) -> Any:
    count = 0

    def g(v: int) -> None:
        nonlocal count
        if v:
            count += v

    apply(g, 3)
    apply(g, 4)
    return count


def with_defaults(x: Any) -> Any:
    def g(v: int, k: Any = x[0], *, m: int = 4) -> Any:
        return v * k + m if v else 0

    return apply(g, 3)


def with_functions_in_variables(x: Any) -> Any:
    def even(v: int) -> bool:
        return odd(v - 1) if v else True

    def odd(v: int) -> bool:
        return even(v - 1) if v else False

    return apply(even, 4)


def with_a_default_that_is_a_function(x: Any) -> Any:
    def h(v: int) -> int:
        return v + 1 if v else 0

    return apply(lambda v, h=h: h(v), 3)


def with_partial(x: Any) -> Any:
    def g(k: int, v: int) -> int:
        return k * v if v else 0

    return apply(functools.partial(g, 3), 4)


def with_method(x: Any) -> Any:
    class Scale:
        def __init__(self, k: int) -> None:
            self.k = k

        def of(self, v: int) -> int:
            return self.k * v if v else 0

        @property
        def twice(self) -> int:
            return self.k * 2 if self.k else 0

        @classmethod
        def make(cls, k: int) -> Scale:
            return cls(k)

    return apply(Scale(3).of, 4), apply(Scale.make, 2).twice


def with_variables_that_change(x: Any) -> Any:
    k = 1
    g = lambda v: v * k if v else 0  # noqa: E731
    first = apply(g, 5)
    k = 2
    return first, apply(g, 5)


def with_the_variable_of_a_loop(x: Any) -> Any:
    out = []
    for k in (1, 2, 3):
        out.append(apply(lambda v: v * k if v else 0, 5))  # noqa: B023 - it is called at once
    return out


def with_a_variable_not_there_yet(x: Any) -> Any:
    def g() -> int:
        return late

    text = ""
    try:
        apply(g)
    except NameError as error:
        text = str(error)
    late = 3
    return text, apply(g)


def with_re(x: Any) -> Any:
    def longer(found: Any) -> str:
        SEEN.append(sys._getframe().f_code)
        return found.group().upper() if len(found.group()) > 2 else found.group()

    return re.sub(r"\w+", longer, "the end is in a box")


def with_a_branch_of_functions(x: Any) -> Any:
    if x[0] > 0:
        result = apply(lambda v: v + 1 if v else 2, 3)
    else:
        result = apply(lambda v: v - 1 if v else 2, 3)
    return result


GIVEN = [
    with_lambda,
    with_two_on_a_line,
    with_statements_in_a_lambda,
    with_lambda_of_several_lines,
    with_definition,
    with_values_of_the_run,
    with_assigned_variables,
    with_defaults,
    with_functions_in_variables,
    with_a_default_that_is_a_function,
    with_partial,
    with_method,
    with_variables_that_change,
    with_the_variable_of_a_loop,
    with_a_variable_not_there_yet,
    with_re,
    with_a_branch_of_functions,
]


@table("program", GIVEN, ids=lambda program: program.__name__)
def test_python_runs_the_users_own_code(program: Callable[..., Any]) -> None:
    x = np.array([1.5, 2.0])
    plain = program(x)
    compiled = ag.compile(program, fallback="error")
    for _ in range(2):
        SEEN.clear()
        assert compiled(x) == plain
        assert SEEN and all("ag__" not in code.co_freevars for code in SEEN)


def returned_function(x: Any) -> Any:
    def g(v: int, k: int = 3) -> int:
        """Documented."""
        return v * k if v else 0

    return g


def returned_in_a_dict(x: Any) -> Any:
    return {"g": lambda v: v + 1 if v else 0}["g"], [branching]


def returned_with_decorator(x: Any) -> Any:
    def twice(f: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(f)
        def inner(*args: Any) -> Any:
            return 2 * f(*args) if args else 0

        return inner

    @twice
    def g(v: int) -> int:
        """Documented."""
        return v + 1 if v else 0

    return g


def returned_class(x: Any) -> Any:
    class Base:
        def size(self) -> int:
            return 1 if self.__class__ else 0

    class Point(Base):
        def __init__(self, v: int) -> None:
            self.v = v

        def size(self) -> int:
            return super().size() + self.v if self.v else 0

    return Point(4), Point


def functions_of(x: Any) -> list[FunctionType]:
    """The functions in a result, and those that they capture."""
    found: list[FunctionType] = []
    pending = [x]
    while pending:
        item = pending.pop()
        if isinstance(item, FunctionType) and item not in found:
            found.append(item)
            pending += [cell.cell_contents for cell in item.__closure__ or ()]
        elif isinstance(item, (list, tuple)):
            pending += item
        elif isinstance(item, type) and item.__module__ == __name__:
            pending += [value for base in item.__mro__ for value in vars(base).values()]
    return [function for function in found if function.__module__ == __name__]


@table("program", [returned_function, returned_in_a_dict, returned_with_decorator, returned_class], ids=lambda f: f.__name__)
def test_what_leaves_is_the_users_own_code(program: Callable[..., Any]) -> None:
    x = np.ones(2)
    plain, left = functions_of(program(x)), functions_of(ag.compile(program, fallback="error")(x))
    assert plain and [f.__code__ for f in left] == [f.__code__ for f in plain]
    for found, expected in zip(left, plain):
        for name in ("__name__", "__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__", "__annotations__"):
            assert getattr(found, name) == getattr(expected, name), name


def test_functions_that_leave_work() -> None:
    x = np.ones(2)
    assert ag.compile(returned_with_decorator, fallback="error")(x)(3) == 8
    point, kind = ag.compile(returned_class, fallback="error")(x)
    assert (point.size(), kind(2).size()) == (5, 3)
    assert inspect.getsource(kind.size).strip().startswith("def size")


def test_traceback_of_a_function_that_left_has_the_users_lines() -> None:
    def make(x: Any) -> Any:
        def fail(v: int) -> int:
            if v:
                raise ValueError("no")
            return v

        return fail

    def places(function: Callable[..., Any]) -> Any:
        with pytest.raises(ValueError, match="no") as caught:
            function(1)
        return [(entry.name, entry.lineno, entry.colno) for entry in traceback.extract_tb(caught.value.__traceback__)][1:]

    assert places(ag.compile(make, fallback="error")(1.0)) == places(make(1.0))


def test_program_with_a_class_of_its_own_is_compiled_once() -> None:
    def f(x: Any) -> Any:
        class Pair:
            def __init__(self, v: Any) -> None:
                self.v = v

            def __call__(self, k: int) -> Any:
                return self.v * k

        return Pair(x)(3)

    compiled = ag.compile(f, fallback="error")
    assert [compiled(2.0), compiled(3.0)] == [6.0, 9.0]
    assert len(compiled.specializations) == 1


def test_one_function_stays_one_object() -> None:
    kept: list[Any] = []

    @ag.do_not_convert
    def keep(function: Any) -> None:
        kept.append(function)

    @ag.compile(fallback="error")
    def f(x: Any) -> Any:
        def g(v: int) -> int:
            return v if v else 1

        keep(g)
        keep(g)
        return g

    returned = f(1.0)
    assert kept[0] is kept[1] is returned


def crowded(x: Any, items: Any) -> Any:
    first, second = (lambda v: v + x, lambda v: v + x if v else 2), lambda w: lambda u: u and w
    third = x or (lambda: x if items else [k for k in items if k])
    try:
        fourth = [lambda: k for k in items]
    finally:
        fifth = lambda q: any(t > 1 for t in q)  # noqa: E731
    return first, second, third, fourth, fifth, sorted(items, key=lambda t: (t, 1) if t else (2, 3)), max(items, key=lambda t: -t)


def lambdas_in(code: CodeType) -> list[CodeType]:
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return [const for const in inner if const.co_name == "<lambda>"] + [found for const in inner for found in lambdas_in(const)]


def test_every_lambda_of_a_line_finds_its_own_code() -> None:
    converted = [original_code(code) for code in lambdas_in(convert_function(crowded, operators).__code__)]
    assert {code for code in converted if code is not None} == set(lambdas_in(crowded.__code__))
