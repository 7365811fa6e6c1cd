"""The plain operators mean what Python means."""

from __future__ import annotations

import functools
import inspect

import pytest

from autograph_jit.tracing.plain import calls as plain_calls
from autograph_jit.tracing.plain import operators as plain
from autograph_jit.tracing.plain.patterns import match_class, match_mapping, match_sequence
from autograph_jit.tracing.plain.undefined import Undefined


def nothing():
    return ()


def ignore(values):
    assert values == ()


STATE = (nothing, ignore, ())


def test_for_asks_the_extra_test_before_the_next_item():
    items, seen = iter(range(5)), []
    plain.for_stmt(items, lambda: len(seen) < 2, seen.append, *STATE)
    assert (seen, next(items)) == ([0, 1], 2)


def test_finally_with_a_jump_drops_the_exception():
    def body():
        raise ValueError

    plain.try_stmt(body, (), None, lambda: True, *STATE)
    with pytest.raises(ValueError):
        plain.try_stmt(body, (), None, lambda: False, *STATE)


def test_handler_is_chosen_as_python_chooses():
    log = []

    def body():
        raise KeyError("k")

    handlers = ((lambda: (TypeError, LookupError), lambda e: log.append(e.args)), (None, lambda e: log.append("late")))
    plain.try_stmt(body, handlers, lambda: log.append("else"), None, *STATE)
    assert log == [("k",)]
    with pytest.raises(TypeError, match="catching classes that do not inherit"):
        plain.try_stmt(body, ((lambda: 3, log.append),), None, None, *STATE)


def test_operands_are_returned_and_the_rest_is_not_evaluated():
    def never():
        raise AssertionError

    assert plain.and_(lambda: 1, lambda: 0, never) == 0
    assert plain.or_(lambda: "", lambda: "x", never) == "x"
    assert plain.compare_chain(1, ("<", lambda: 0), ("<", never)) is False
    assert plain.compare_chain(1, ("<", lambda: 2), ("in", lambda: [2])) is True


def test_undefined_refuses_every_use():
    missing = Undefined("v")
    assert missing is Undefined("v")
    for use in (lambda: missing + 1, lambda: bool(missing), lambda: missing[0], lambda: iter(missing), lambda: missing()):
        with pytest.raises(UnboundLocalError, match="'v'"):
            use()


def test_reads_of_unbound_variables():
    with pytest.raises(UnboundLocalError, match="cannot access local variable 'v'"):
        plain.ld(Undefined("v"), "v")
    with pytest.raises(NameError, match="free variable 'v'"):
        plain.ld_free(Undefined("v"), "v")
    assert plain.state_of(lambda: not_a_name, "not_a_name") is Undefined("not_a_name")  # noqa: F821
    assert plain.ld(5, "v") == 5


@pytest.mark.parametrize(
    ("value", "before", "after", "message"),
    [
        ([1, 2, 3], 2, None, "too many values to unpack (expected 2)"),
        (iter([1]), 2, None, "not enough values to unpack (expected 2, got 1)"),
        ("a", 1, 1, "not enough values to unpack (expected at least 2, got 1)"),
        (5, 1, None, "cannot unpack non-iterable int object"),
    ],
)
def test_unpacking_errors(value, before, after, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        plain.unpack(value, before, after)
    assert str(caught.value) == message


def test_unpacking_with_a_star_gives_a_list():
    assert plain.unpack("abcd", 1, 1) == ("a", ["b", "c"], "d")


def test_global_names_fall_back_to_builtins():
    names = {"a": 1}
    assert plain.global_load(names, "len") is len
    assert plain.global_store(names, "b", 2) == names["b"] == 2
    plain.global_del(names, "a")
    for operation in (plain.global_load, plain.global_del):
        with pytest.raises(NameError, match="name 'a' is not defined"):
            operation(names, "a")


def test_keywords_given_twice():
    assert plain.merge_keywords({"a": 1}, {"b": 2}) == {"a": 1, "b": 2}
    with pytest.raises(TypeError, match="multiple values for keyword argument 'a'"):
        plain.merge_keywords({"a": 1}, {"a": 2})


def user(x):
    return x


class Callable_:
    def __call__(self, x):
        return x

    def method(self, x):
        return x


@pytest.fixture
def seen():
    found = []

    def converter(fn):
        found.append(fn)
        return fn

    plain.set_converter(converter)
    yield found
    plain.set_converter(None)


@pytest.mark.parametrize("fn", [user, functools.partial(user), Callable_(), Callable_().method])
def test_user_functions_are_converted_whatever_holds_them(fn, seen):
    assert plain.call(fn, (3,), None) == 3
    assert len(seen) == 1


def test_libraries_and_classes_are_not_converted(seen):
    assert plain.call(inspect.cleandoc, ("x",), None) == "x"
    assert isinstance(plain.call(Callable_, (), None), Callable_)
    assert seen == []
    assert plain_calls.is_library(functools.reduce) if inspect.isfunction(functools.reduce) else True


def test_mapping_and_sequence_patterns():
    assert match_sequence([1, 2, 3], 1, 1) == (1, [2], 3)
    assert match_sequence("ab", 2, None) is None
    assert match_mapping({"a": 1, "b": 2}, ("a",), True) == (1, {"b": 2})
    assert match_mapping({"a": 1}, ("b",), False) is None
    assert match_class(5, int, 1, ()) == (5,)
    assert match_class(5, str, 0, ()) is None
    with pytest.raises(TypeError, match="must be a class"):
        match_class(5, 5, 0, ())


def test_f_string_parts():
    assert plain.fstring("a", (1.5, "", ".2f"), ("x", "r", ">5")) == f"a{1.5:.2f}{'x'!r:>5}"
