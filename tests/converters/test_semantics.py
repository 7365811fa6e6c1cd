"""Every construct, converted with the plain operators, does what Python does: same value, exception, prints and log."""

from __future__ import annotations

import contextlib
import functools
import io
import sys
import warnings
from collections import namedtuple

import pytest

from autograph_jit.converters.pipeline import convert_function
from autograph_jit.tracing.plain import operators as plain

SCALE = 3
PROGRAMS = []


def program(*calls):
    def register(fn):
        PROGRAMS.extend(pytest.param(fn, args, id=f"{fn.__name__}{args!r}") for args in calls or [()])
        return fn

    return register


@pytest.fixture(autouse=True)
def converting_calls():
    plain.set_converter(lambda fn: convert_function(fn, plain))
    yield
    plain.set_converter(None)


def outcome(fn, args):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            return fn(*args), None, out.getvalue()
        except Exception as error:
            return None, (type(error), str(error)), out.getvalue()


# Loops and jumps


@program((0,), (3,), (7,))
def break_and_else(n):
    log = []
    for i in range(n):
        if i == 5:
            log.append("break")
            break
        if i % 2:
            continue
        log.append(i)
    else:
        log.append("else")
    return log


@program()
def break_takes_no_further_item():
    items = iter(range(10))
    for v in items:
        if v == 3:
            break
    return list(items)


@program((4,), (20,))
def return_from_two_loops(limit):
    for i in range(4):
        j = 0
        while True:
            j += 1
            if i * j > limit:
                return i, j
            if j > 5:
                break
    return None


@program((1,), (-1,), (0,))
def fall_off_the_end(x):
    if x > 0:
        return "positive"
    elif x < 0:
        y = -x
        if y > 5:
            return y


@program((2,), (5,), (9,))
def while_else_with_continue(n):
    log = []
    while n > 0:
        n -= 2
        if n == 1:
            continue
        if n == 5:
            break
        log.append(n)
    else:
        log.append("else")
        return log
    return log, "broke"


@program()
def code_after_return_still_makes_a_local():
    def inner():
        return x  # noqa: F821
        x = 1

    try:
        inner()
    except UnboundLocalError:
        return "unbound"


@program((0,), (1,), (2,), (3,))
def else_of_inner_loop_jumps(k):
    log = []
    for i in range(4):
        for j in range(3):
            if j == k:
                break
            log.append((i, j))
        else:
            continue
        log.append("after")
        if i == 2:
            return log
    else:
        log.append("outer else")
    return log


# Exceptions


@program((0,), (1,), ("a",), (None,))
def every_part_of_try(x):
    log = []
    try:
        log.append(1 / x)
    except ZeroDivisionError as error:
        log.append(str(error))
        return log
    except TypeError:
        log.append("type")
    else:
        log.append("else")
    finally:
        log.append("finally")
    return log, "end"


@program((0,), (1,), (2,), (3,))
def jumps_out_of_finally(k):
    log = []
    for i in range(3):
        try:
            log.append(i)
            if k == 0:
                return log, "try"
            if k == 1:
                raise ValueError(i)
            if k == 2:
                break
        finally:
            log.append("finally")
            if i < 2 and k < 3:
                continue
            if k == 1:
                return log, "finally"
    return log


@program()
def pending_return_is_dropped_by_an_exception():
    def inner():
        try:
            try:
                return "lost"
            finally:
                [][0]
        except IndexError:
            pass

    return inner()


@program()
def context_cause_and_bare_raise():
    out = []
    try:
        try:
            {}["k"]
        except KeyError as error:
            raise ValueError("v") from error
    except ValueError as error:
        out.append((repr(error.__cause__), error.__suppress_context__))
    try:
        try:
            1 / 0
        except ZeroDivisionError:
            raise
    except ArithmeticError as error:
        out.append(repr(error))
    return out, sys.exc_info()


@program()
def except_name_is_deleted():
    error = "before"
    try:
        raise ValueError
    except ValueError as error:
        pass
    return error


@program()
def except_of_a_non_exception():
    try:
        raise ValueError
    except 3:
        return "caught"


@program((1,), (2,))
def with_flow(k):
    log = []

    @contextlib.contextmanager
    def scope(name):
        log.append("+" + name)
        try:
            yield name
        except KeyError:
            log.append("swallowed")
        finally:
            log.append("-" + name)

    for i in range(3):
        with scope("a") as a, scope("b"):
            if i == k:
                return log, a
            if i == 1:
                raise KeyError(i)
        log.append("after")
    return log


@program(("quiet",), ("loud",))
def return_void_because_leaving_failed(mode):
    @contextlib.contextmanager
    def leaving():
        yield
        if mode == "loud":
            raise KeyError("leaving")

    log = []
    for i in range(2):
        with contextlib.suppress(KeyError), leaving():
            log.append(i)
            return log, "returned"
        log.append("after")
    with contextlib.suppress(KeyError):
        try:
            return log, "second"
        finally:
            {}[mode]
    return log, "end"


@program()
def exception_groups():
    hits = []
    try:
        raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
    except* ValueError as group:
        for e in group.exceptions:
            hits.append(e.args)
    except* TypeError:
        hits.append("type")
    return hits


@program((1, 1), (1, 2), (0, 0))
def assertions(a, b):
    # pytest rewrites the assertions of this file, so the text under test is that of a plain comparison
    scope = {}
    exec("def check(a, b):\n    assert a == b, f'{a} and {b}'\n    assert a\n    return a", scope)
    return scope["check"](a, b)


# Names


@program((True,), (False,))
def unbound_after_a_branch(flag):
    if flag:
        v = 1
    return v


@program((0,), (2,))
def unbound_after_a_loop(n):
    for i in range(n):
        last = i
    del n
    try:
        return last, i, n  # noqa: F821
    except UnboundLocalError as error:
        return str(error)


@program()
def closures_see_later_values():
    fs = []
    for i in range(3):
        fs.append(lambda: i)
        fs.append(lambda i=i: i)
        if i > 0:

            def g():
                return i, late

            fs.append(g)
    late = "late"
    i = 10
    return [f() for f in fs]


@program()
def nonlocal_in_a_called_closure():
    total = 0

    def add(v):
        nonlocal total
        if v > 1:
            total += v
        return total

    for v in range(4):
        if add(v) > 2:
            total *= 2
    return total


@program()
def global_names():
    global _counter
    _counter = 1
    for _ in range(2):
        _counter += 1
    (_counter := _counter * 10)
    found = globals()["_counter"]
    del _counter
    try:
        _counter
    except NameError as error:
        return found, str(error)


@program((2, 3))
def locals_of_the_function(a, b, *rest, key=None):
    c = a + b
    for i in range(2):
        if i:
            d = sorted(locals())
    return d, sorted(vars()), dir(), eval("a + c"), "e" in locals()


@program()
def walrus_everywhere():
    out = []
    n = 0
    while (n := n + 1) < 5 and (m := n * 2) < 8:
        out.append((n, m))
    if out and (k := len(out)) > 1 or (j := 5):
        out.append(k)
    squares = [y for x in range(5) if (y := x * x) > 3]
    chain = 0 < (p := 3) < (q := 7)
    choice = (r := 1) if n > 100 else (r := 2)
    return out, squares, y, chain, p, q, choice, r, (lambda: (z := 4) + z)()


@program()
def comprehension_scopes():
    x = "outer"
    a = [x for x in range(3)]
    b = {x: [x + y for y in range(x)] for x in a if x}
    c = {y % 2 for y in a}
    d = sum(v * SCALE for v in a)
    e = [[(i, j) for j in a if j > i] for i in a]
    f = [lambda: k for k in a][0]()
    return x, a, b, c, d, e, f


@program()
def generator_expression_is_lazy():
    log = []

    def note(v):
        log.append(v)
        return v

    g = (note(v) for v in [1, 2, 3] if v != 2)
    log.append("made")
    return next(g), log, list(g)


# Expressions


@program()
def order_of_evaluation():
    log = []

    def t(v):
        log.append(v)
        return v

    class Box:
        def __eq__(self, other):
            return type(other).__name__ == "Box"

    box = Box()
    t([0, 0])[t(1)] = t("value first")
    t(box).a = t("attribute")
    t({})[t("k")] = t(box).b = t("chain")
    x = [1, 2]
    x[t(0)] += t(5)
    t(box).a += t("!")
    {t("k1"): t("v1"), **{t("k2"): t("v2")}}
    t(1) < t(2) > t(5) < t(6)
    (t(0) or t("") or t("or")) and t("and")
    t(print)(*[t("arg")], end=t("\n"), **{t("sep"): t("")})
    del t(x)[t(0)]
    return log, x, box.a


@program()
def index_changes_while_value_is_computed():
    x, i = [0, 0, 0], 0

    def step():
        nonlocal i
        i += 1
        return i

    x[i] = step()
    x[i] += step()
    return x, i


@program()
def f_string_parts_in_order():
    items = [1]

    def grow():
        items.append(2)
        return "grown"

    return f"{items}{grow()}{items!r:>{len(items) + 10}}|{SCALE:05.1f}{{}}"


@program()
def stars():
    def f(a, /, b=2, *c, d=4, **e):
        return a, b, c, d, e

    first, *middle, (last, *rest) = [1, 2, 3, (4, 5, 6)]
    try:
        f(1, d=1, **{"d": 2})
    except TypeError as error:
        kind = type(error)
    return f(*middle, *rest, **{"d": 0}, z=1), [*middle, 0, *rest], {**{"a": 1}, "b": 2}, (*middle,), {*rest}, last, kind


@program(([1],), ([1, 2, 3],), (5,), ("ab",), ({"x": 1, "y": 2},))
def unpacking_errors(value):
    a, b = value
    return a, b


@program()
def augmented_targets():
    a = b = [1]
    a += [2]
    a *= 2
    n = 7
    n //= 2
    n **= 2
    n <<= 1
    n |= 1
    return a, b, a is b, n


@program()
def slices():
    x = list(range(10))
    x[1:3] = "ab"
    del x[-2:]
    return x[::2], x[:-1][2:], x[slice(1, 2)]


@program()
def private_names():
    class Hidden:
        __count = 0

        def __init__(self):
            self.__value = 1

        def bump(self, __by=2):
            while self.__value < 10:
                self.__value *= __by
                Hidden.__count += 1
            return self.__value, {k for k in self.__dict__}

    return Hidden().bump(), Hidden._Hidden__count


@program()
def class_bodies():
    name = "function"

    class Base:
        log = [name]
        for i in range(3):
            if i == 1:
                continue
            log.append(i)
        double = [v * 2 for v in log[1:]]

        def __init__(self, n):
            self.n = n

        def method(self):
            return [self.n, name, __class__.__name__]

        @staticmethod
        def static(v):
            return v if v else name

        @property
        def prop(self):
            for v in range(5):
                if v == self.n:
                    return v

    class Derived(Base):
        def method(self):
            text = f"{super().method()}"
            return [text for _ in range(1)], super().prop

    return Derived(2).method(), Base.log, Base.double, Base.static(0), Derived.__qualname__, Derived.method.__qualname__


@program()
def decorated_functions():
    log = []

    def deco(tag):
        log.append(tag)

        def wrap(fn):
            @functools.wraps(fn)
            def inner(*a, **k):
                log.append(tag)
                return fn(*a, **k)

            return inner

        return wrap

    @deco("a")
    @deco("b")
    def work(n, acc=[]) -> int:
        """Doc."""
        acc.append(n)
        return len(acc)

    return work(1), work(2), work.__doc__, work.__name__, work.__annotations__, log


@program()
def lambdas_with_statements():
    make = lambda n, *, k=SCALE: [v * k for v in range(n)]
    return make(3), make(2, k=1), make.__name__, make.__kwdefaults__, (lambda: (lambda x: {x: x for x in [x]})(5))()


@program()
def calls_that_read_their_frame():
    P = namedtuple("P", "x y")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(1):
            warnings.warn("here")
    return P.__module__, P(1, 2), seen[0].filename, sys._getframe().f_globals["__name__"]


@program()
def nested_generators():
    def count(n):
        for i in range(n):
            got = yield i
            if got:
                return got

    def outer():
        total = yield from count(2)
        yield total, shared

    shared = 1
    out = list(outer())
    if shared:
        later = [shared]
    return out, list(v for v in later), count.__qualname__


@program()
def recursion():
    def depth(tree):
        if not isinstance(tree, list):
            return 0
        return 1 + max([depth(t) for t in tree], default=0)

    return depth([1, [2, [3]], []])


@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_converted_function_does_what_python_does(fn, args):
    converted = convert_function(fn, plain)
    assert converted is not fn
    want = outcome(fn, args)
    for _ in range(2):
        assert outcome(converted, args) == want
