"""What cannot be staged says what, at which line, why, and what to do instead."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import conversion_error, line_of

KEPT: list[Any] = []


def reads_flags(x: Any) -> Any:
    return x.flags.owndata


def reads_data(x: Any) -> Any:
    return x.data


def sets_shape(x: Any) -> Any:
    x.shape = (3, 4)
    return x


def sets_dtype(x: Any) -> Any:
    x.dtype = np.int64
    return x


def makes_half(x: Any) -> Any:
    return np.float16(x[0])


@contextlib.contextmanager
def marked(x: Any) -> Iterator[Any]:
    x[0] = 1.0
    try:
        given = yield x
        assert given is None
    finally:
        x[1] = 2.0


def fails_in_a_generator_context(x: Any) -> Any:
    with marked(x):
        x[int(x[2]) + 100] = 1.0
    return x


def positives(x: Any) -> Iterator[Any]:
    for value in x:
        if value > 0:
            yield value


def descends_without_end(x: Any) -> Any:
    def forever(n: Any) -> Any:
        return forever(n + 1)

    return forever(x[0])


CASES = [
    (reads_flags, "flags.owndata", "`flags.owndata` of an array cannot be staged"),
    (reads_data, "x.data", "`data` of an array cannot be staged"),
    (sets_shape, "x.shape", "`shape` of an array cannot be set"),
    (sets_dtype, "x.dtype", "`dtype` of an array cannot be set"),
    (makes_half, "float16", "float16 cannot be staged"),
    (fails_in_a_generator_context, "with marked", "an exception can leave this with statement"),
]


@pytest.mark.parametrize(("function", "line", "what"), CASES, ids=lambda case: getattr(case, "__name__", None))
def test_error_names_line_reason_and_remedy(function: Callable[..., Any], line: str, what: str) -> None:
    error = conversion_error(function, np.arange(12.0))
    assert what in error.what and error.why and error.remedy
    assert error.span is not None and error.span.filename == __file__
    assert line_of(function, line) <= error.span.lineno <= line_of(function, line) + 2
    assert str(error).startswith(f"test_error_texts.py:{error.span.lineno}: ")


def test_recursion_of_a_local_function_that_does_not_end_is_pythons_error() -> None:
    with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
        ag.compile(descends_without_end, fallback="error")(np.arange(12.0))


def test_same_text_is_the_warning_of_a_fallback() -> None:
    error = conversion_error(sets_shape, np.arange(12.0))
    with pytest.warns(UserWarning) as caught:
        result = ag.compile(sets_shape)(np.arange(12.0))
    assert result.shape == (3, 4) and str(error) in str(caught[0].message)


def test_generator_function_says_what_to_compile_instead() -> None:
    error = conversion_error(positives, np.ones(3))
    assert error.what == "the generator positives is not compiled" and "compile the functions" in error.remedy


def test_function_that_would_take_a_stand_in_out_of_its_trace_is_refused() -> None:
    def f(x: Any) -> Any:
        KEPT.append(lambda: x[0] + 1)
        return x

    error = conversion_error(f, np.ones(3))
    assert "leaves the traced program" in error.what and "captures variables" in error.why and error.remedy
    assert not KEPT
