"""Programs that raise, catch, clean up: exceptions by data, partial writes before them, their order with what is printed."""

from __future__ import annotations

import contextlib

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


class Overdrawn(Exception):
    """An exception with state."""

    def __init__(self, amount, limit=0.0):
        super().__init__(f"overdrawn by {amount:.2f}")
        self.amount, self.limit = amount, limit


class Account:
    """A balance that refuses."""

    def __init__(self, balance):
        self.balance = balance
        self.log = []

    def withdraw(self, amount):
        if amount > self.balance:
            raise Overdrawn(amount - self.balance)
        self.balance -= amount
        self.log.append(amount)


@program(lambda: (np.array([1.0, 5.0, 2.0, 90.0, 1.0]),), lambda: (np.array([1.0]),), lambda: (np.array([200.0]),))
def refused_withdrawals(amounts):
    account = Account(10.0)
    short = 0.0
    for a in amounts:
        try:
            account.withdraw(a)
        except Overdrawn as e:
            short += e.amount
    return account.balance, short, account.log


class Linked(ValueError):
    """An exception that refers to itself, so that no later one is made at its address while it lives."""

    def __init__(self, amount):
        super().__init__("too much")
        self.amount, self.origin = amount, [self]


@program(lambda: (np.array([1.0, 5.0, 2.0, 90.0, 1.0]),), lambda: (np.array([-1.0]),))
def sum_of_refused(amounts):
    total = 0.0
    for a in amounts:
        try:
            if a > 1.5:
                raise Linked(a)
        except Linked as e:
            total += e.amount
    return total


@program(lambda: (np.array([1.0, 5.0, 90.0, 1.0]), Account(20.0)), lambda: (np.array([1.0]), Account(3.0)))
def withdrawals_of_argument(amounts, account):
    for a in amounts:
        account.withdraw(a)
    return account.balance


@program(lambda: (np.array([1.0, -1.0, 2.0]), 0), lambda: (np.array([1.0, 1.0, 2.0]), 7), lambda: (np.ones(3), -4), lambda: (np.ones(3), 2))
def index_out_of_bounds_after_writes(x, k):
    x[0] = 50.0
    x[k] = 7.0
    x[1] = 60.0
    return x.sum()


@program(lambda: (rnd(1, 5), 5), lambda: (rnd(1, 5), 6), lambda: (rnd(1, 2), 4))
def loop_runs_past_the_end(x, n):
    total = 0.0
    for i in range(n):
        total += x[i]
        x[i] = total
    return total


@program(lambda: (rnd(2, 3), rnd(3, 3)), lambda: (rnd(2, 3), rnd(3, 4)), lambda: (rnd(2, 1), rnd(3, 4)))
def shapes_do_not_match(a, b):
    a[0] = 1.0
    c = a + b
    a[0] = 2.0
    return c


@program(lambda: (3, 0), lambda: (3, 2), lambda: (0.0, 0.0), lambda: (1.5, 0.0))
def division_by_zero(a, b):
    return a / b, a // b, a % b


@program(lambda: (np.array([2.0, 0.0, 4.0]),), lambda: (np.array([0.0]),), lambda: (np.array([3.0]),))
def zero_division_caught_in_loop(x):
    bad = 0
    total = 0.0
    for v in x:
        try:
            total += 1.0 / float(v)
        except ZeroDivisionError:
            bad += 1
        else:
            total += 100.0
        finally:
            total += 0.5
    return total, bad


@program(lambda: (rnd(4, 6), 3), lambda: (rnd(4, 6), 9), lambda: (rnd(4, 1), 1))
def index_error_caught_in_loop(x, stride):
    misses = 0
    total = 0.0
    for i in range(0, 3 * stride, stride):
        try:
            total += x[i]
            total += x[i + 1]
        except IndexError as e:
            misses += 1
            last = str(e)
    return total, misses, last if misses else "none"


@program(lambda: (0.5,), lambda: (-0.5,), lambda: (5.0,))
def nested_handlers(x):
    trail = []
    try:
        trail.append("a")
        try:
            if x < 0:
                raise ValueError("negative")
            if x > 1:
                raise KeyError("large")
            trail.append("b")
        except KeyError:
            trail.append("c")
            raise
        finally:
            trail.append("d")
    except ValueError as e:
        trail.append(str(e))
    except LookupError as e:
        trail.append(type(e).__name__)
    return trail


@program(lambda: (0.5,), lambda: (-0.5,), lambda: (5.0,))
def return_from_finally_paths(x):
    log = []

    def run():
        try:
            if x < 0:
                return "early"
            if x > 1:
                raise ValueError("big")
        except ValueError:
            return "caught"
        finally:
            log.append("done")
        return "end"

    return run(), log


@program(lambda: (np.array([1.0, 2.0, -3.0, 4.0]),), lambda: (np.ones(2),))
def break_and_continue_through_finally(x):
    log = []
    total = 0.0
    for v in x:
        try:
            if v < 0:
                break
            if v > 1.5:
                continue
            total += v
        finally:
            log.append(v)
    return total, log


@program(lambda: (0.5,), lambda: (-0.5,))
def raise_from_cause(x):
    try:
        if x < 0:
            raise KeyError("inner")
    except KeyError as e:
        raise RuntimeError("outer") from e
    return x


@program(lambda: (rnd(5, 4),), lambda: (np.abs(rnd(5, 4)) + 1,))
def exception_carries_data(x):
    try:
        for i, v in enumerate(x):
            if v < 0:
                raise Overdrawn(-v, limit=i)
    except Overdrawn as e:
        return e.amount, e.limit
    return None


@program(lambda: (rnd(6, 4),), lambda: (np.ones(2),))
def custom_exception_leaves(x):
    for v in x:
        if v < 0:
            raise Overdrawn(abs(v))
    return x.sum()


@program(lambda: ({"a": 1.0}, "a", 0.5), lambda: ({"a": 1.0}, "b", 0.5), lambda: ({"a": 1.0}, "b", -0.5))
def missing_key(d, key, x):
    if x > 0:
        return d[key] + x
    return d.get(key, x)


@program(lambda: ([1.0, 2.0], 1), lambda: ([1.0, 2.0], 2), lambda: ([1.0, 2.0], -3))
def list_index(items, k):
    items[0] = 9.0
    return items[k]


@program(lambda: (np.array([3, 1, 2]), 2), lambda: (np.array([3, 1, 2]), 5))
def list_remove_and_index(x, v):
    items = x.tolist()
    items.remove(v)
    return items, items.index(3)


@program(lambda: (np.ones((2, 3)),), lambda: (np.ones((3, 3)),))
def linalg_error(a):
    b = a.copy()
    b[0] = 0.0
    return np.linalg.inv(b @ np.ones((a.shape[1], a.shape[1])))


@program(lambda: (np.zeros((2, 2)),), lambda: (np.eye(2),))
def linalg_error_caught(a):
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return None


@program(lambda: (np.zeros(0),), lambda: (np.ones(1),))
def empty_maximum(x):
    return x.max()


@program(lambda: (np.zeros(0),), lambda: (np.ones(1),))
def empty_builtin_max(x):
    return max(x), min(v for v in x)


@program(lambda: (np.ones(6), 4), lambda: (np.ones(6), 3), lambda: (np.ones(6), 0))
def bad_reshape(x, n):
    return x.reshape(n, -1)


@program(lambda: (np.ones((2, 3)), np.ones((2, 3))), lambda: (np.ones((2, 3)), np.ones((3, 2))))
def bad_product(a, b):
    return a @ b


@program(lambda: (np.ones(3), 0), lambda: (np.ones(3), 1), lambda: (np.ones(3), -1))
def zero_steps(x, k):
    total = 0.0
    for i in range(0, 3, k):
        total += x[i]
    return total, x[::k]


@program(lambda: (np.ones(3),), lambda: (np.ones(1),), lambda: (np.zeros(0),))
def ambiguous_truth(x):
    if x:
        return 1
    return 0


@program(lambda: (np.array([1, 2]), 0.5), lambda: (np.array([1.0, 2.0]), 0.5))
def casting_refused(x, v):
    x += v
    return x


@program(
    lambda: (np.array([200], dtype=np.uint8), 300),
    lambda: (np.array([200], dtype=np.uint8), 3),
    lambda: (np.array([200], dtype=np.uint8), -1),
)
def python_int_out_of_bounds(x, v):
    x[0] = v
    return x + v


@program(lambda: (4.0,), lambda: (-4.0,))
def math_domain(x):
    import math

    return math.sqrt(x), math.log(x)


@program(lambda: ("12",), lambda: ("x",))
def parse_number(text):
    try:
        return int(text)
    except ValueError as e:
        return str(e)


@program(lambda: (rnd(7, 5), 2.0), lambda: (rnd(7, 5), -9.0))
def assertion_in_loop(x, bound):
    total = 0.0
    for v in x:
        assert v < bound, "too large"
        total += v
        print("ok")
    return total


class Resource:
    """Suppresses some exceptions, by data."""

    def __init__(self, log, suppress):
        self.log, self.suppress = log, suppress

    def __enter__(self):
        self.log.append("enter")
        return self

    def __exit__(self, kind, value, trace):
        self.log.append("none" if kind is None else kind.__name__)
        return self.suppress and kind is ValueError


@program(lambda: (np.array([1.0, -1.0, 2.0]), True), lambda: (np.array([1.0, -1.0]), False), lambda: (np.ones(2), False))
def with_suppresses_in_loop(x, suppress):
    log = []
    total = 0.0
    try:
        for v in x:
            with Resource(log, suppress):
                if v < 0:
                    raise ValueError("negative")
                total += v
    except ValueError:
        log.append("outside")
    return total, log


@program(lambda: (rnd(8, 4), 2), lambda: (rnd(8, 4), 8))
def contextlib_suppress(x, k):
    v = -1.0
    with contextlib.suppress(IndexError):
        v = x[k]
    return v


@program(lambda: (0.5,), lambda: (-0.5,))
def unbound_local_by_data(x):
    if x > 0:
        y = 1.0
    return y


@program(lambda: (None, 1.0), lambda: (2.0, 1.0))
def none_plus_number(a, b):
    return a + b


@program(lambda: (1.0, -1.0), lambda: (1.0, 1.0))
def attribute_of_none_by_data(x, k):
    r = None
    if k > 0:
        r = Account(x)
    return r.balance


@program(lambda: (np.arange(4.0), 2), lambda: (np.arange(4.0), 4))
def unpacking_wrong_length(x, n):
    a, b = x[:n]
    return a + b


@program(lambda: (rnd(9, 3), 1), lambda: (rnd(9, 3), 2))
def too_many_indices(x, k):
    if k == 1:
        return x[0]
    return x[0, 0]


@program(lambda: (5,), lambda: (0,), lambda: (-2,))
def negative_sizes(n):
    return np.zeros(n).sum() + len(np.arange(n))


@program(lambda: (np.array([1.0, np.nan]),), lambda: (np.array([1.0, 2.0]),))
def nan_to_int(x):
    total = 0
    for v in x:
        total += int(v)
    return total


@program(lambda: (2**62,), lambda: (5,))
def integer_overflow_raises_or_is_exact(n):
    t = n
    for _ in range(3):
        t = t * 2
    return t > n


@program(lambda: (0.5, 3), lambda: (2.0, 3))
def retry_until(x, limit):
    attempts = 0
    while True:
        attempts += 1
        try:
            if x * attempts < 1.0:
                raise TimeoutError(f"attempt {attempts}")
            return attempts, x * attempts
        except TimeoutError:
            if attempts >= limit:
                raise


@program(lambda: (rnd(10, 9),), lambda: (np.ones(2),))
def generator_raises(x):
    def checked():
        for v in x:
            if v < -0.5:
                raise ValueError("bad value")
            yield v

    total = 0.0
    for v in checked():
        total += v
    return total


@program(lambda: (rnd(11, 3), 1), lambda: (rnd(11, 3), 5))
def exception_in_called_function(x, k):
    def pick(i):
        return x[i] * 2

    def safe(i):
        try:
            return pick(i)
        except IndexError:
            return -1.0

    return safe(k), safe(0), pick(k)


@program(lambda: (np.ones(3), 0.5), lambda: (np.ones(3), -0.5))
def partial_update_visible(x, k):
    items = [1.0]
    try:
        for i in range(3):
            x[i] = 10.0 + i
            items.append(x[i])
            if i == 1 and k < 0:
                raise RuntimeError("stop")
    except RuntimeError:
        pass
    return x, items


@program(lambda: (np.ones(3), 0.5), lambda: (np.ones(3), -0.5))
def exception_group_free_reraise(x, k):
    try:
        if k < 0:
            x[10] = 1.0
    except IndexError:
        x[0] = -1.0
        raise
    finally:
        x[1] = -2.0
    return x


@program(lambda: (np.ones(3), 2**60), lambda: (np.ones(3), 2**59), lambda: (np.ones(3), 2))
def repeated_too_often(x, n):
    return np.repeat(x, n)


@program(lambda: (0.5, 0), lambda: (0.0, 0), lambda: (2, 1))
def range_of_what_may_be_a_float(r, n):
    items = [2]
    if r:
        items.insert(2, r)
    n += sum(items)
    for _ in range(n):
        pass
    range(n)
    return n


@program(lambda: (0.5, 3), lambda: (2, 0), lambda: (2, 5))
def unused_results_that_fail(r, n):
    items = [3]
    if r:
        items.insert(2, r)
    pow(2, items[-1], n)
    round(items[0], items[-1])
    return len(items)


@program(lambda: (2.5, np.arange(3.0)))
def attribute_errors_have_a_name(x, a):
    names = []
    for value in (x, a, [x], "text"):
        try:
            value.volume
        except AttributeError as error:
            names.append((error.name, str(error)))
    try:
        x.height
    except AttributeError as error:
        names.append(error.name)
    return names
