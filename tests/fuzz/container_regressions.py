"""Programs in which fuzzing found a fault of lists and dicts that paths of control flow leave; a comment says what went wrong."""

from __future__ import annotations

import numpy as np

from tests.differential.harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


class Shield:
    """A context manager that swallows exceptions of one kind."""

    def __init__(self, kind):
        self.kind = kind
        self.count = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.count += 1
        if error is not None:
            self.text = str(error), kind.__name__
        return kind is self.kind


@program(lambda: (np.ones(3), 0), lambda: (np.ones(3), 1))
def dict_in_a_tuple_that_leaves_a_branch(x, n):  # an object of the package stood in it
    found = {"a": 0.125}
    for _ in range(n):
        return 0
    found["a"] -= x
    return 1, found


@program(lambda: (np.ones(3), 0), lambda: (np.ones(3), 9))
def list_in_a_tuple_and_under_its_name(x, n):  # the two were different lists, one with an object of the package
    found = [1.0]
    if n > 2:
        result = 0
    else:
        found[0] = x
        result = (1, found)
    return result, found


@program(lambda: (np.ones(3), 0), lambda: (np.ones(3), 9))
def list_that_a_branch_changed_and_left(x, n):  # the element had the type that it had before
    found = [1.0]
    if n > 2:
        result = [0.0]
    else:
        found[0] = x[0]
        result = found
    return result


@program(lambda: (np.ones(3), 0), lambda: (np.ones(3), 3))
def list_in_a_tuple_that_leaves_a_loop(x, n):
    found, result = [1.0], 0
    for _ in range(n):
        found[0] = x + found[0]
        result = (1, found)
    return result


@program(lambda: (np.ones(3), 0), lambda: (np.ones(3), 1))
def list_in_a_tuple_that_leaves_a_handler(x, n):
    found, result = [1.0], 0
    try:
        result = 1 // n
    except ZeroDivisionError:
        found[0] = x
        result = (1, found)
    return result


@program(
    lambda: (np.array([7, 2.0]), 3),
    lambda: (np.array([np.nan, 2]), 3),
    lambda: (np.array([1.0, np.nan]), 1),
    lambda: (np.array([1.0, 3]), 1),
    lambda: (np.array([1.0, 3]), 0),
    lambda: (np.array([1.0, np.nan]), 0),
)
def manager_that_a_path_changed(x, n):  # it was refused
    z, found = 0, []
    manager = Shield(ZeroDivisionError) if n else Shield(ValueError)
    try:
        with Shield(ZeroDivisionError) as shield:
            z = 7 // n
            z += int(x[0])
        z += shield.count
        with manager as entered:
            z += int(x[1])
            z //= n - 1
        found.append(entered.count)
    except ValueError as error:
        print(repr(error))
        x[...] *= 2
    except ZeroDivisionError as error:
        print(repr(error), manager.count, manager.text)
    return x, z, found, manager.count


@program(lambda: (np.array([1.0, -2.0, 3.0, 4.0]),), lambda: (-np.ones(2),), lambda: (np.arange(9.0),))
def zip_of_a_range_and_what_the_data_leave(x):  # the range was asked for an item by a number of the run
    found = 0.0
    for e, i in zip(x[x > 0], range(4)):
        found += e * i
    for weight, e in zip((1, 2, 3), x[x > 2]):
        found += weight * e
    return found, [e + i for i, e in zip(range(2), x[x > 0])]


@program(lambda: (np.array([7, 2.0]), 3), lambda: (np.array([5.0, 2, 3]), -3))
def lists_of_the_data_sorted(x, n):  # the trace was asked which of two numbers is the smaller one
    a, b, c, d, e = list(x), [n, 2, -n], [(x[0], n), (x[1], 2), (x[0], 1)], [x[0], x[1], 0.5], [3, 1, 2]
    a.sort()
    b.sort(reverse=True)
    c.sort()
    d.sort(key=lambda v: -v)
    e.sort()
    total = 0
    for value in d:
        total += value
    return a, b, c, d, e, total, a[0]


@program(lambda: (np.arange(6.0), 1, [0, 1, -3]), lambda: (np.arange(6.0), 0, [0, 1, -3]), lambda: (np.arange(6.0), 0, [2.5]))
def bounds_that_a_path_decides(x, n, items):  # objects and numbers of two types were no integers; None was an error
    start = n if n else 2.5
    stop = 4 if n else None
    found = [x[:stop], x[stop::-1]]
    for use in (lambda: x[start::3], lambda: x[1:start]):
        try:
            found.append(use())
        except TypeError as error:
            found.append(str(error))
    if n:
        n = max(items)
    else:
        items.insert(0, 1)
        n = max(items)
    x[n::3] *= 0
    return found, x


@program(lambda: (np.ones((2, 4)), 5), lambda: (np.ones((2, 4)), 50), lambda: (np.ones((1, 3)), 5))
def array_that_a_path_makes_a_number(y, n):  # it left as two objects
    row = kept = y[0]
    fresh = other = y * 2
    if n > 10:
        row = 0
        fresh = "none"
    return row, kept, fresh, other, y


@program(lambda: (np.array([0.5, 2.0]), 2, np.inf), lambda: (np.array([0.5, 2.0]), 0, 1.0), lambda: (np.array([0.5]), 3, 1.0))
def list_that_a_path_makes_beside_one_that_leaves(x, n, limit):  # the caller got the numbers of the other way out, which were not set
    for value in x:
        if value >= limit:
            return n, n
    first = [n]
    second = []
    if n:
        second = first + [1]
    return first, second, limit


@program(lambda: (np.array([3.25]), np.arange(10.0).reshape(2, 5)), lambda: (np.array([1.0]), np.ones((1, 1))))
def read_only_views_under_two_names(x, y):  # they left as two objects
    wide = same = np.broadcast_to(x, 2)
    line = other = np.diagonal(y)
    return wide, same, line, other, (line, wide)


@program(lambda: (np.ones((2, 4)), 5), lambda: (np.ones((2, 4)), 50), lambda: (np.ones((1, 3)), 0))
def array_in_a_list_that_a_path_makes(y, n):  # the list held another object than the name, and two for one array
    made = y * 2
    row, whole = made[0], y[:]
    found = [made, made, row, row, whole]
    if n > 10:
        found = 0
    return found, made, row, whole, y


@program(lambda: (np.ones(3), 0), lambda: (np.ones(3), 5))
def arrays_in_a_dict_that_a_loop_fills(x, n):  # each entry was an object of its own
    found, kept = {}, x + 1
    for k in range(n):
        found[f"whole {k}"] = kept
        found[f"sorted {k}"] = np.sort(kept)
    return found, kept, found.get("whole 1"), found.get("sorted 4")


@program(lambda: (np.arange(5.0), 7), lambda: (np.arange(5.0), 1), lambda: (np.arange(2.0), -2), lambda: (np.arange(2.0), 3))
def functions_of_which_the_run_picks(x, n):  # it was refused: the list, or dict, went to Python with closures over numbers of the run
    steps = [lambda v: v + n, lambda v: v * n, abs, np.sin]
    named = {"add": lambda v: v + n, "times": lambda v: v * n}
    total = 0.0
    for i, e in enumerate(x):
        total += steps[(n + i) % 5 - 1](e)
    key = "times" if n > 2 else "power" if n < 0 else "add"
    return total, named.get(key, abs)(-2.5), {1: 2, 3: 0.5}.get(n, -7), {1: x, 2: x * 2}.get(n), steps[n](2.0)


@program(lambda: (np.ones(2), 2.5), lambda: (np.zeros(2), 2.5))
def dict_in_a_tuple_on_one_path_only(x, r):  # it was refused: the dict, by then Python's, was asked for its values
    found = {"a": r, "b": r}
    if x.all():
        return (found,)
    return found


@program(lambda: (np.ones(2), 2.5), lambda: (np.ones(2), 0.5))
def list_of_arrays_that_the_data_leave_empty(x, r):  # the error was the package's own
    found = []
    for t in x:
        if t > r:
            found.append(x * t)
    unused = np.stack(found) * 2
    if x[0] > 5:
        return unused
    return np.stack(found)


@program(lambda: (3,), lambda: (-1,), lambda: (0,))
def cause_of_the_run(n):  # Python took the stand-in of the cause for no exception
    def check(v):
        if v != -1:
            raise ValueError(v, f"bad {v}") from KeyError(v)
        return v + 1

    try:
        return check(n)
    except (ArithmeticError, LookupError):
        return "never"
    except ValueError as error:
        return str(error), repr(error.__cause__)


class Series:
    def __init__(self, values):
        self.values = values

    @property
    def peak(self):
        best = self.values[0]
        for value in self.values:
            if value > best:
                best = value
        return best


class Doubled(Series):
    @property
    def peak(self):
        return super().peak * 2


@program(lambda: (np.array([1.0, 3, 2]),), lambda: (np.array([1.0, 3, 2, 7]),))
def property_of_the_base_class(x):  # it was refused: the getter ran as plain Python
    return Doubled(x * 2).peak


@program(lambda: (np.array([1.0, 3, 2]), 12), lambda: (np.array([1.0, 3, 2, 7]), -3), lambda: (np.zeros(4), 2), lambda: (np.zeros(0), 2))
def name_that_a_condition_may_assign(x, n):  # a value of one trip was read in the next one, where it was not defined
    last = 0
    for i in range(len(x)):
        z = 5
        while (e := z - 3) > n:
            z -= 1
            if z < 0:
                break
        x[i] += e
        if x[i] > 5:
            break
        if n > 3 and (last := i) or (0 < n < (w := i + 4)):
            continue
        x[0] -= last
    return x, last, z if len(x) else None, e if len(x) else None


class Link:
    """A node of a list."""

    def __init__(self, value):
        self.value, self.next = value, self


@program(lambda: (np.array([1.0, 2.0]), 5), lambda: (np.array([1.0]), 1))
def instances_that_refer_to_each_other(x, n):  # they were looked through without end
    first, second = Link(n), Link(x[0])
    first.next, second.next = second, first
    total, here, seen = 0.0, first, []
    for e in x:
        seen.append(isinstance(here, Link) and hasattr(here, "value") and not hasattr(here, "other"))
        here.value += e
        total += here.next.value
    return total, seen, first == second, first.next.next is first, first.value


@program(lambda: (np.array([1.0, 2.0]), 5), lambda: (np.array([1.0]), 1))
def ring_that_the_data_walk(x, n):  # their description did not end, and what the data chose could be called
    ring = [Link(value) for value in (1.0, n, 3)]
    for i in range(3):
        ring[i].next = ring[(i + 1) % 3]
    here, total = ring[0], 0
    for _ in range(n):
        total += here.value
        here = here.next
    return total, callable(here), type(here).__name__


@program(lambda: (np.array([[1.0, 2.0], [3.0, 4.0]], np.float32), 1), lambda: (np.array([[1.0, 2.0]], np.float32), 0))
def dtype_and_items_of_an_object(x, n):  # refused
    m = x if n > 0 else [1, 2, n]
    found = [np.zeros(2, getattr(m, "dtype", float)), np.ones((2,), dtype=getattr(m, "dtype", int)), list(reversed(m))]
    for e in reversed(m):
        found.append(e)
    return found, next(reversed(m))


@program(lambda: (np.arange(4.0), 0), lambda: (np.arange(4.0), 1))
def object_gone_through_by_map(x, n):  # it was asked for attributes of the package's
    o = {0: x[1:], 1: [3, 1]}[n]
    return list(map(str, o)), [t + 1 for t in map(float, o)], getattr(o, "missing", n)


@program(lambda: ({i: i * i % 7 for i in range(70)}, 12), lambda: ({0: 1, 5: 2}, 12))
def entries_counted_and_removed(d, n):  # from a seed that was once wrong
    t, m = 0, {}
    for i in range(n):
        v = t % 50
        m[i % 4] = i * 7 % 12
        t += len(d)
        d[v % 7] = d.get(v % 7, 0) + 1
        if i in m:
            del m[i]
    if n * n % 13 in d:
        del d[n * n % 13]
    for a, b in d.items():
        t += a * b
    return t, m, d


@program(lambda: (12,), lambda: (0,))
def buffer_that_grows_by_items_and_bytes(n):  # from a seed that was once wrong
    t, buf = 0, bytearray()
    for i in range(n):
        buf.append(i & 255)
        if buf:
            buf[-1] = i * 7 % 12 + 1
        buf += (t & 65535).to_bytes(2, "little")
    for a in buf:
        t += a
    buf.extend(b"ab")
    return t, buf


@program(*((lambda n=n: ([(f"k{k % 6}", [k, "x", None][k % 3]) for k in range(n)], 12)) for n in (70, 40, 2)))
def a_dict_in_pairs_of_the_callers(pairs, n):  # asked for rows that it had given up
    one = {"id": 0, "name": "a"}
    for i in range(n):
        pairs.append((f"n{i}", one))
    one["id"] += len(pairs)
    return one, pairs[-1][1] is one


@program(*((lambda n=n: (n,)) for n in (0, 3, 12)))
def sets_that_python_made_take_the_place_of_others(n):  # all trips, and all calls, had one
    s, t, made = set(), set(), {}
    for i in range(n):
        s.add(i)
        s = set() & set()
        t.add(i)
        t = {1} | {2} if i % 2 else {3} & {4}
        made[i] = 1
        made = dict.fromkeys([1])
    return sorted(s), sorted(t), made
