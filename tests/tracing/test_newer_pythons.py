"""What later versions of Python added to the language and its library."""

from __future__ import annotations

import functools
import heapq
import math
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag

since_3_14 = pytest.mark.skipif(sys.version_info < (3, 14), reason="new in Python 3.14")


def outcome(function: Any, *args: Any) -> str:
    try:
        return repr(function(*args))
    except (TypeError, ValueError, NameError) as error:
        return repr(error)


@since_3_14
def test_heaps_of_the_largest() -> None:
    def largest(values, x):
        heap = list(values)
        heapq.heapify_max(heap)
        heapq.heappush_max(heap, x)
        taken = [heapq.heappop_max(heap), heapq.heapreplace_max(heap, x - 1), heapq.heappushpop_max(heap, x + 1)]
        return taken, heap

    for values, x in (([3, 1, 2], 5), ([2.5, 1.5], 0.5), ([7, 7, 1], 7)):
        assert ag.compile(largest, fallback="error")(values, x) == largest(values, x)


@since_3_14
def test_places_left_open_in_partials() -> None:
    def squared(x):
        power = functools.partial(pow, functools.Placeholder, 2)
        return power(x)

    def without_the_first(x):
        return functools.partial(pow, functools.Placeholder, x)()

    assert ag.compile(squared, fallback="error")(3) == 9
    np.testing.assert_array_equal(ag.compile(squared, fallback="error")(np.arange(3.0)), [0.0, 1.0, 4.0])
    assert outcome(ag.compile(without_the_first, fallback="error"), 3) == outcome(without_the_first, 3)


@since_3_14
def test_maps_that_are_strict() -> None:
    def products(x, y):
        return list(map(lambda a, b: a * b, x, y, strict=True))

    compiled = ag.compile(products, fallback="error")
    assert compiled([1.0, 2.0], [3.0, 4.0]) == [3.0, 8.0]
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        compiled([1.0, 2.0], [3.0])


def unpack_list(x):
    a, b = [x, x, x]
    return a + b


def unpack_array(x):
    a, b = np.full(3, x)
    return a + b


def unpack_list_of_the_run(x):
    items = []
    for i in range(int(x) + 2):
        items.append(i * x)
    a, b = items
    return a + b


def unpack_argument(x):
    a, b = x
    return a + b


def logarithms(x):
    return math.log(-x)


def logarithm_of_nothing(x):
    return math.log10(x * 0)


@pytest.mark.parametrize("program", [unpack_list, unpack_array, unpack_list_of_the_run, logarithms, logarithm_of_nothing])
@pytest.mark.parametrize("x", [1, 1.0])
def test_texts_of_errors_are_those_of_this_python(program: Any, x: Any) -> None:
    assert outcome(ag.compile(program, fallback="error"), x) == outcome(program, x)


@pytest.mark.parametrize("items", [[1, 2, 3], (1, 2, 3), np.arange(3), {1: 2, 2: 3, 3: 4}, [1]], ids=str)
def test_texts_of_unpacking_arguments(items: Any) -> None:
    assert outcome(ag.compile(unpack_argument, fallback="error"), items) == outcome(unpack_argument, items)


@since_3_14
def test_annotations_that_name_nothing_yet(tmp_path: Path) -> None:
    file = tmp_path / "annotated_later.py"
    file.write_text("def annotated(x: Undefined) -> AlsoUndefined:\n    return x * 2\n")
    annotated = runpy.run_path(str(file))["annotated"]
    assert ag.compile(annotated, fallback="error")(2) == 4


def test_jumps_out_of_finally_warn_no_more_than_in_python(recwarn: pytest.WarningsRecorder) -> None:
    import autograph_jit.tracing.plain.operators as operators

    compile(open(operators.__file__).read(), operators.__file__, "exec")
    assert not [warning for warning in recwarn if warning.category is SyntaxWarning]
