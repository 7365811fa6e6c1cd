"""What `ag.compile` takes, what it keeps, and the public names."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag


def scale(x: Any, factor: float = 2.0) -> Any:
    """Multiply."""
    return x * factor


def test_public_names_exist() -> None:
    assert all(hasattr(ag, name) for name in ag.__all__)
    assert ag.__all__ == sorted(ag.__all__, key=lambda name: (not name[0].isupper(), name))


def test_compile_works_with_and_without_parentheses() -> None:
    for compiled in (ag.compile(scale), ag.compile()(scale), ag.compile(fallback="error")(scale), ag.compile(scale, fallback="error")):
        assert compiled(np.ones(3)).tolist() == [2.0, 2.0, 2.0]


def test_compiled_function_keeps_name_docstring_signature_and_original() -> None:
    compiled = ag.compile(scale)
    assert (compiled.__name__, compiled.__doc__, compiled.__module__) == ("scale", "Multiply.", __name__)
    assert compiled.__wrapped__ is scale and inspect.signature(compiled) == inspect.signature(scale)
    assert repr(compiled) == "<compiled scale>"


def test_compiling_twice_compiles_the_original() -> None:
    assert ag.compile(ag.compile(scale)).__wrapped__ is scale


def test_lambdas_on_one_line_are_told_apart() -> None:
    f, g = ag.compile(lambda x: x + 1, fallback="error"), ag.compile(lambda x: x * 10, fallback="error")
    assert (f(2), g(2)) == (3, 20)


def test_partial_gives_its_arguments_as_data() -> None:
    weights = np.ones(9)
    f = ag.compile(functools.partial(scale, factor=3.0), fallback="error")
    g = ag.compile(functools.partial(lambda w, x: w @ x, weights), fallback="error")
    assert f(np.ones(9))[0] == 3.0 and f(np.ones(9), factor=4.0)[0] == 4.0
    assert g(np.ones(9)) == 9.0
    weights[0] = 11.0
    assert g(np.ones(9)) == 19.0


class Gain:
    def __init__(self, gain: Any) -> None:
        self.gain = gain

    def __call__(self, x: Any) -> Any:
        return self.gain * x

    @ag.compile(fallback="error")
    def apply(self, x: Any) -> Any:
        return self.gain * x

    @staticmethod
    @ag.compile(fallback="error")
    def static(x: Any) -> Any:
        return x + 1.0

    @ag.compile(fallback="error")
    @staticmethod
    def outer_static(x: Any) -> Any:
        return x + 2.0

    @classmethod
    @ag.compile(fallback="error")
    def made(cls, x: Any) -> Any:
        return cls.__name__, x + 3.0

    @property
    @ag.compile(fallback="error")
    def doubled(self) -> Any:
        return self.gain * 2.0

    def plain(self, x: Any) -> Any:
        return self.gain - x


class Louder(Gain):
    @ag.compile(fallback="error")
    def apply(self, x: Any) -> Any:
        return super().apply(x) * 10.0


def test_methods_of_every_kind() -> None:
    gain = Gain(np.full(10, 4.0))
    x = np.ones(10)
    assert gain.apply(x)[0] == 4.0 and Gain.apply(gain, x)[0] == 4.0
    assert gain.static(x)[0] == 2.0 and Gain.static(x)[0] == 2.0 and Gain.outer_static(x)[0] == 3.0 and gain.outer_static(x)[0] == 3.0
    assert gain.made(x)[0] == "Gain" and Louder.made(x)[0] == "Louder"
    assert gain.doubled[0] == 8.0
    assert Louder(np.full(10, 4.0)).apply(x)[0] == 40.0


def test_bound_method_reads_its_object_at_every_call() -> None:
    gain = Gain(np.full(10, 4.0))
    f, g, h = ag.compile(gain.plain, fallback="error"), ag.compile(gain, fallback="error"), gain.apply
    x = np.ones(10)
    assert (f(x)[0], g(x)[0], h(x)[0]) == (3.0, 4.0, 4.0)
    gain.gain = np.full(10, 6.0)
    assert (f(x)[0], g(x)[0], h(x)[0]) == (5.0, 6.0, 6.0)


def test_bound_methods_are_equal_where_their_objects_are_the_same() -> None:
    gain = Gain(1.0)
    assert gain.apply == gain.apply and hash(gain.apply) == hash(gain.apply)
    assert gain.apply != Gain(1.0).apply and gain.apply.__self__ is gain and gain.apply.__name__ == "apply"


def test_functions_and_methods_as_arguments() -> None:
    f = ag.compile(lambda function, x: function(x), fallback="error")
    x = np.ones(10)
    gain, other = Gain(np.full(10, 2.0)), Gain(np.full(10, 5.0))
    for _ in range(2):
        assert f(np.negative, x)[0] == -1.0 and f(scale, x)[0] == 2.0 and f(ag.compile(scale), x)[0] == 2.0
        assert f(gain, x)[0] == 2.0 and f(other, x)[0] == 5.0 and f(gain.plain, x)[0] == 1.0 and f(other.plain, x)[0] == 4.0
        assert f(gain.apply, x)[0] == 2.0 and f(functools.partial(scale, factor=7.0), x)[0] == 7.0
    gain.gain = np.full(10, 3.0)
    assert f(gain, x)[0] == 3.0 and f(gain.plain, x)[0] == 2.0 and f(gain.apply, x)[0] == 3.0


def test_compiled_functions_call_each_other_in_one_program() -> None:
    inner = ag.compile(scale, fallback="error")
    outer = ag.compile(lambda x: inner(x) + 1.0, fallback="error")
    assert outer(np.ones(10))[0] == 3.0
    assert not inner.specializations and "host_call" not in outer.graph(np.ones(10))


def test_convert_behaves_as_the_original() -> None:
    def count(items: Any) -> Any:
        found = []
        for item in items:
            if item is None:
                break
            found.append(str(item))
        else:
            found.append("end")
        return found

    converted = ag.convert(count)
    for items in ([1, 2], [1, None, 2], []):
        assert converted(items) == count(items)
    assert "ag__.for_stmt" in ag.to_source(count) and ag.to_source(ag.compile(count)) == ag.to_source(count)


@pytest.mark.parametrize("kind", [ag.SettingError, ag.CommandError])
def test_errors_are_value_errors_of_the_package(kind: type[Exception]) -> None:
    assert issubclass(kind, ag.AutographJitError) and issubclass(kind, ValueError)


def test_products_with_the_jacobian_in_compiled_code_and_nested():
    cube = lambda x: x * x * x  # noqa: E731
    slope = lambda f: lambda x: ag.jvp(f, (x,), (1.0,))[1]  # noqa: E731
    pulled = lambda f: lambda x: ag.vjp(f, x)[1](1.0)[0]  # noqa: E731
    for transform in (slope, pulled):
        compiled = ag.compile(transform(cube), fallback="error")
        assert compiled(2.0) == 12.0
        assert "none" in next(line for line in compiled.explain(2.0).splitlines() if "host calls" in line)
        assert transform(slope(cube))(2.0) == transform(pulled(cube))(2.0) == 12.0
    assert ag.compile(lambda x: ag.hvp(cube, (x,), (1.0,)), fallback="error")(2.0) == (12.0,)


def test_pullback_of_a_function_that_writes_its_argument():
    def f(x):
        x *= 2.0
        return np.sum(x * x)

    x = np.array([1.0, 2.0])
    value, pullback = ag.vjp(f, x)
    assert value == 20.0 and x.tolist() == [2.0, 4.0]
    np.testing.assert_array_equal(pullback(1.0)[0], [8.0, 16.0])


@pytest.mark.parametrize("given", [3, len, None, int])
def test_source_of_what_is_not_written_in_python(given):
    with pytest.raises(ag.SettingError, match="takes a function written in Python"):
        ag.to_source(given)


@pytest.mark.parametrize("names", [3, (1,), ["x", 2]])
def test_static_arguments_are_named(names):
    with pytest.raises(ag.SettingError, match="expected names of arguments"):
        ag.compile(np.sum, static_argnames=names)


def test_static_arguments_are_the_functions() -> None:
    def f(x, n, *, k=1):
        return x * n * k

    assert ag.compile(f, static_argnames=("n", "k"))(2.0, 3, k=4) == 24.0
    with pytest.raises(ag.SettingError, match="f has no argument 'm', but x, n, k"):
        ag.compile(f, static_argnames=("n", "m"))
    with pytest.raises(ag.SettingError, match="has no argument 'm'"):
        ag.compile(static_argnames="m")(f)
    assert ag.compile(lambda **named: named["m"], static_argnames="m")(m=3) == 3


def test_numbers_of_trips_and_functions_are_asked_for() -> None:
    with pytest.raises(ag.SettingError, match=r"ag.while_loop\(max_iterations=-1\)"):
        ag.while_loop(lambda x: x < 3, lambda x: x + 1, 0, max_iterations=-1)
    with pytest.raises(ag.SettingError, match="ag.custom_gradient takes a function"):
        ag.custom_gradient(3)
