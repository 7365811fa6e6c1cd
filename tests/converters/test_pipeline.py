"""What a converted function keeps from the original, what is refused, and where tracebacks point."""

from __future__ import annotations

import inspect
import traceback

import pytest

from autograph_jit.converters.pipeline import convert_function, to_source, transformed_ast
from autograph_jit.errors import ConversionError
from autograph_jit.tracing.plain import operators as plain


def scaled(x: float, by: int = 2, *, shift: float = 1.0) -> float:
    """Doc of scaled."""
    if x > 0:
        return x * by + shift
    return shift


def make_counter():
    count = 0

    def step(n=1):
        nonlocal count
        for _ in range(n):
            count += 1
        return count

    return step, lambda: count


class Box:
    def __init__(self, v):
        self.__v = v

    def double(self):
        return self.__v * 2 if self.__v else super().__repr__()


def fails(x):
    for i in range(3):
        if i == 2:
            y = (x +
                 1 / (i - 2))
    return y


def numbers(n):
    yield n


async def waits():
    return 1


def test_metadata_is_kept():
    new = convert_function(scaled, plain)
    assert (new.__name__, new.__qualname__, new.__doc__, new.__module__) == (scaled.__name__, scaled.__qualname__, scaled.__doc__, __name__)
    assert inspect.signature(new) == inspect.signature(scaled)
    assert new.__annotations__ == scaled.__annotations__
    assert new.__globals__ is scaled.__globals__
    assert new.__code__.co_filename == scaled.__code__.co_filename
    assert new.__code__.co_firstlineno == scaled.__code__.co_firstlineno


def test_closure_cells_are_shared_with_the_original():
    step, read = make_counter()
    new = convert_function(step, plain)
    assert (new(2), step(), new(), read()) == (2, 3, 4, 4)


def test_method_keeps_private_names_and_super():
    assert convert_function(Box.double, plain)(Box(4)) == 8
    assert convert_function(Box.double, plain)(Box(0)).startswith("<")


def test_lambdas_on_one_line_are_told_apart():
    f, g = (lambda v: v + 1), (lambda v: v * 10)
    assert [convert_function(h, plain)(3) for h in (f, g)] == [4, 30]


def test_conversion_is_cached():
    assert convert_function(scaled, plain) is convert_function(scaled, plain)
    closures = [make_counter()[0] for _ in range(2)]
    codes = [convert_function(f, plain).__code__ for f in closures]
    assert codes[0] is codes[1]


def test_converted_function_is_not_converted_again():
    new = convert_function(scaled, plain)
    assert convert_function(new, plain) is new


@pytest.mark.parametrize("fn", [numbers, waits])
def test_generator_and_coroutine_are_returned_as_they_are(fn):
    assert convert_function(fn, plain) is fn


def test_a_coroutine_has_no_converted_source():
    with pytest.raises(ConversionError, match="the async function waits is not converted"):
        to_source(waits)


def test_function_without_source_is_refused():
    scope: dict = {}
    exec("def f(x):\n    return x", scope)
    with pytest.raises(ConversionError, match="has no source"):
        convert_function(scope["f"], plain)


def test_traceback_points_at_the_lines_of_the_user():
    first = fails.__code__.co_firstlineno
    with pytest.raises(ZeroDivisionError) as caught:
        convert_function(fails, plain)(1.0)
    lines = [f.lineno - first for f in traceback.extract_tb(caught.value.__traceback__) if f.filename == __file__]
    assert lines[1:] == [1, 2, 4]


def test_source_is_python_that_calls_operators():
    text = to_source(scaled)
    assert "ag__.if_stmt(ag__.compare('>', x, 0)" in text
    assert compile(text, "<text>", "exec")


def test_tree_has_the_line_numbers_of_the_user():
    assert transformed_ast(scaled).lineno == scaled.__code__.co_firstlineno


def test_global_name_of_the_function_itself_is_not_captured():
    assert convert_function(factorial, plain)(5) == 120


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def window(x, i, n):
    return x[i, max(i - 1, 0) : min(i + 2, n)]


def test_bounds_of_a_slice_among_indices_are_converted():
    source = to_source(window)
    assert "ag__.call(max, (i - 1, 0), None)" in source and "ag__.call(min, (i + 2, n), None)" in source
