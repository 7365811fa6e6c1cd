"""What functions that nobody wrote for the compiler did in another way than Python: a kind for each, in small."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided
from scipy.signal import lti

import autograph_jit as ag


def shown(call: Any, *args: Any) -> str:
    try:
        found = call(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"{type(found).__name__} {found!r}"


@ag.do_not_convert
def kind_of(x: Any) -> Any:
    return np.dtype(np.int16)


@ag.do_not_convert
def number_of(x: Any) -> Any:
    return np.float64(x[0])


def chosen(x: Any) -> Any:
    return x * 2.0 if x[0] > 1.0 else None


PROGRAMS = {
    "the strides of an array of another shape": lambda x: as_strided(np.arange(12.0).reshape(3, 4) * x[0], (2, 2)).copy(),
    "a shape of another rank than the array": lambda x: as_strided(0, x.shape[:1]).shape,
    "a constant of rank 0": lambda x: np.ma.make_mask_none(()),
    "a dtype of the run": lambda x: (np.sum(x, dtype=kind_of(x)), x[0].astype(kind_of(x)), np.cumsum(x, dtype=kind_of(x))),
    "whether an object is a number": lambda x: (np.isscalar(number_of(x)), np.isscalar(kind_of(x))),
    "the size along an array": lambda x: np.size(x, x),
    "None is false": lambda x: (bool(np.any(chosen(x))), bool(np.all(chosen(x)))),
    "None is an axis": lambda x: x[None if x[0] > 1.0 else 1].shape,
    "None in arithmetic": lambda x: np.add(chosen(x), 1.0),
    "a sum of None": lambda x: np.sum(chosen(x)),
    "an operator of a library's class": lambda x: np.polynomial.Polynomial((1.0, 1.0)) / number_of(x),
    "an instance of another class than was called": lambda x: isinstance(lti(x, x), lti) and type(lti(x, x)).__name__,
}


@pytest.mark.filterwarnings("ignore")
def test_found_kinds_mean_what_they_mean_in_python() -> None:
    for name, program in PROGRAMS.items():
        compiled = ag.compile(program)
        for x in (np.array([1.5, 2.0]), np.array([0.5, 4.0])):
            assert shown(compiled, x) == shown(program, x), name


def test_an_operator_of_a_library_that_was_given_a_stand_in_is_refused() -> None:
    program = ag.compile(lambda x: np.polynomial.Polynomial((1.0, 1.0)) / number_of(x), fallback="error")
    with pytest.raises(ag.ConversionError, match="library code was given a value that only the run knows"):
        program(np.array([2.0]))


def test_a_generator_leaves_as_a_generator_where_python_may_make_the_call() -> None:
    def items(x: Any) -> Any:
        return x, (y * 2 for y in [x, 1.0])

    with pytest.warns(UserWarning, match="leaves the compiled function"):
        _, found = ag.compile(items)(3.0)
    assert type(found).__name__ == "generator" and list(found) == [6.0, 2.0]


class Kept:
    def __init__(self, state: int | str) -> None:
        self.state = state


def test_an_attribute_that_was_written_first_does_not_compile_anew() -> None:
    def start(kept: Kept) -> int | str:
        kept.state = "running"
        return kept.state

    compiled = ag.compile(start, fallback="error")
    for state in (1, 2, 3):
        assert compiled(Kept(state)) == "running"
    assert len(compiled.specializations) == 1


@ag.do_not_convert
def called(function: Any, x: Any) -> Any:
    return function(x), function(x + 1.0)


def by_two_functions(x: Any, k: float) -> Any:
    def quotient(w: float) -> float:
        return k / w

    def shifted(w: float) -> float:
        return quotient(w) - x[0]

    return called(lambda w: shifted(w) + 1.0, 2.0)


def by_a_function_that_counts(x: Any, k: float) -> Any:
    count = 0

    def step() -> None:
        nonlocal count
        count += 1

    def counted(w: float) -> float:
        step()
        return w * k

    return called(counted, x[0]), count


@pytest.mark.parametrize("program", [by_two_functions, by_a_function_that_counts])
@pytest.mark.parametrize("fallback", ["warn", "error"])
def test_functions_given_to_python_have_what_the_functions_they_call_capture(program: Any, fallback: str) -> None:
    compiled = ag.compile(program, fallback=fallback)
    for x, k in ((np.array([1.5, 2.0]), 3.0), (np.array([0.5]), 2.0)):
        assert compiled(x, k) == program(x, k)


LIBRARY = {"__name__": "scipy.made_up"}
exec("class Filler:\n    def fill(self, values):\n        for name in values:\n            values[name] = float(values[name])\n", LIBRARY)


def filled(filler: Any, values: dict[str, Any]) -> Any:
    filler.fill(values)
    return values


@pytest.mark.parametrize("fallback", ["warn", "error"])
@pytest.mark.filterwarnings("ignore")
def test_a_dict_that_a_method_of_a_library_changes_is_changed(fallback: str) -> None:
    compiled = ag.compile(filled, fallback=fallback)
    for values in ({"a": 1, "b": 2.5}, {"a": 3, "b": 4}):
        mine, theirs = dict(values), dict(values)
        got, want = compiled(LIBRARY["Filler"](), mine), filled(LIBRARY["Filler"](), theirs)
        assert got is mine and repr(got) == repr(want)


def made_by_text(name: str) -> Any:
    text = "found = 1"
    for letter in name:
        text += f"\n{letter} = 2"
    scope: dict[str, Any] = {}
    exec(text, scope)
    return scope["found"] + scope.get("a", 0)


@pytest.mark.filterwarnings("ignore")
def test_code_in_a_text_of_the_run_is_run_by_python() -> None:
    compiled = ag.compile(made_by_text)
    with ag.config(strict=True):
        assert [compiled(name) for name in ("ab", "b")] == [made_by_text(name) for name in ("ab", "b")]
    with pytest.raises(ag.ConversionError, match="`exec` in compiled code"):
        ag.compile(made_by_text, fallback="error")("ab")
