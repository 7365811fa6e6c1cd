"""Generators that are advanced somewhere else than where they are made."""

from __future__ import annotations

import copy
import heapq
import types
from collections import deque
from collections.abc import Iterator
from typing import Any

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees, conversion_error


def counter(n: Any) -> Iterator[Any]:
    while True:
        yield n
        n += 1


def down(n: Any) -> Any:
    while n > 0:
        yield n
        n -= 1
    return n - 7


def nested(n: Any) -> Iterator[Any]:
    for i in range(1, n):
        for j, (x, y) in enumerate(zip([1, 2, 3], range(i, 9, 2))):
            if x == y:
                continue
            yield i * 100 + j * 10 + x
        if i == 4:
            return


def chained(a: Any, b: Any) -> Iterator[Any]:
    yield from down(a)
    left = yield from down(b)
    yield 1000 + left
    yield from [5, 6]


def averages() -> Any:
    total, count, value = 0.0, 0, None
    while True:
        got = yield value
        total += got
        count += 1
        value = total / count


def sections(lines: Any) -> Iterator[Any]:
    for line in lines:
        if line.startswith("["):
            section = line[1:-1]
            continue
        yield section, line


def guarded(items: Any) -> Iterator[Any]:
    iterator = iter(items)
    while True:
        try:
            item = next(iterator)
        except StopIteration:
            return
        yield item + 1


def odd(items: Any) -> Iterator[Any]:
    for item in items:
        if item % 2:
            yield item


def leaking(n: Any) -> Iterator[Any]:
    items = down(n)
    while True:
        yield next(items)


def dividing(n: Any) -> Iterator[Any]:
    while True:
        yield 10 // n
        n -= 1


def with_parameters(a: Any, b: Any = 2, *rest: Any, c: Any = 3) -> Iterator[Any]:
    while a < 20:
        yield a + b * c + len(rest)
        a += b


def in_a_loop(n: Any) -> Any:
    ids, total = counter(5), 0
    for k in range(n):
        total += next(ids) * k
    return total


def round_robin(n: Any) -> Any:
    queue, out = deque([down(n), down(n // 2), down(2 * n)]), []
    while queue:
        task = queue.popleft()
        try:
            out.append(next(task))
            queue.append(task)
        except StopIteration as stop:
            out.append(stop.value)
    return out


def of_two_functions(n: Any) -> Any:
    queue, out = deque([down(n), counter(n)]), []
    for _ in range(3 * n):
        task = queue.popleft()
        item = next(task, None)
        if item is not None:
            out.append(item)
            queue.append(task)
    return out


def in_a_dict(n: Any) -> Any:
    made, total = {f"g{k}": down(k) for k in range(n)}, 0
    for _ in range(3):
        for name in made:
            total = total * 3 + next(made[name], 1)
    return total


def sent(n: Any) -> Any:
    means, out = averages(), []
    next(means)
    for k in range(n):
        out.append(means.send(k * 0.5))
    return out


def sent_too_early(n: Any) -> Any:
    means, out = averages(), []
    for k in range(n):
        try:
            means.send(k if k else 1.0)
        except TypeError as error:
            out.append(str(error))
            next(means)
    return out


def merged(xs: Any, ys: Any) -> Any:
    a, b, out = odd(xs), odd(ys), []
    x, y = next(a, None), next(b, None)
    while x is not None or y is not None:
        if y is None or x is not None and x <= y:
            out.append(x)
            x = next(a, None)
        else:
            out.append(y)
            y = next(b, None)
    return out


def all_of(make: Any, *args: Any) -> Any:
    made, out = make(*args), []
    for _ in range(12):
        try:
            out.append(next(made))
        except StopIteration:
            out.append("stop")
        except (RuntimeError, UnboundLocalError, ZeroDivisionError) as error:
            out.append(str(error))
    return out


def started(n: Any) -> Any:
    made = nested(n)
    first = next(made)
    total = 0
    for item in made:
        total += item
        if item > 200:
            break
    return first, total, list(made), next(made, "over")


def what_it_is(n: Any) -> Any:
    a, b = down(n), [down(k) for k in range(n)]
    first = next(a), next(b[2])
    same = a is a, a is b[0], b[1] is b[1], b[0] == b[1], iter(a) is a
    return first, same, bool(a), isinstance(a, types.GeneratorType), isinstance(b[0], list), type(b[2]).__name__, hasattr(a, "x")


def given_to_builtins(n: Any) -> Any:
    a, b = down(n), down(n + 2)
    next(a), next(b)
    pairs = list(zip(a, a, b))
    x, *rest = b
    return pairs, x, rest, sum(down(n)), 2 in down(n)


class Source:
    def __init__(self, items: Any) -> None:
        self.items, self.total = items, 0
        self.walk = self.through()

    def through(self) -> Iterator[Any]:
        for item in self.items:
            self.total += item
            yield item * self.total

    def get(self) -> Any:
        return next(self.walk, None)


def of_an_attribute(items: Any) -> Any:
    source, out = Source(items), []
    while (item := source.get()) is not None:
        out.append(item)
    return out, source.total


def capturing(n: Any, step: Any) -> Any:
    items = [k * step for k in range(n)]

    def walk(k: Any) -> Iterator[Any]:
        while k < n:
            yield items[k] + step
            k += 1

    made = [walk(k) for k in range(3)]
    return [next(made[k % 3], -1) for k in range(2 * n)]


class Wait:
    def __init__(self, ticks: Any) -> None:
        self.ticks = ticks


class Ask:
    pass


def asking(n: Any, log: Any) -> Any:
    for _ in range(n):
        answer = yield Ask()
        yield Wait(2)
        log.append(answer)


def waiting(n: Any, log: Any) -> Any:
    while n:
        yield Wait(n)
        n -= 1
    log.append(-1)


def scheduled(n: Any) -> Any:
    log: list[int] = []
    queue, clock = deque([(asking(n, log), None), (waiting(n, log), None)]), 0
    while queue:
        task, value = queue.popleft()
        try:
            request = task.send(value)
        except StopIteration:
            continue
        if isinstance(request, Ask):
            queue.append((task, clock))
        else:
            clock += request.ticks
            queue.append((task, None))
    return clock, log


class Down:
    def __init__(self, n: Any) -> None:
        self.n = n

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.n < 1:
            raise StopIteration
        self.n -= 1
        return self.n


def beside_itself(n: Any) -> Any:
    numbers, others = Down(n), Down(n - 2)
    return list(zip(numbers, numbers)), list(zip(others, down(n)))


def until_none(n: Any) -> Any:
    numbers, out = down(n), []
    while (number := next(numbers, None)) is not None:
        out.append(number)
    return out


def misused(n: Any) -> Any:
    made, texts = down(n), []
    for use in (len, lambda x: x[0], lambda x: x + n):
        try:
            use(made)
        except TypeError as error:
            texts.append(str(error))
    try:
        made.limit = n
    except AttributeError as error:
        texts.append(str(error))
    return texts


@table(
    "function, arguments",
    [
        *[(function, (7,)) for function in (beside_itself, until_none, misused)],
        *[(function, (6,)) for function in (in_a_loop, round_robin, of_two_functions, in_a_dict, sent, sent_too_early, scheduled)],
        *[(function, (5,)) for function in (started, what_it_is, given_to_builtins)],
        (merged, ([1, 4, 5, 9], [2, 3, 11])),
        (of_an_attribute, ([1, 2, 3, 4],)),
        (capturing, (5, 3)),
    ],
)
def test_generators_that_are_kept_do_what_they_do_in_python(function: Any, arguments: Any) -> None:
    assert_agrees(function, arguments)


@table(
    "make, arguments",
    [
        *[(nested, (5,)), (chained, (2, 3)), (leaking, (2,)), (dividing, (2,)), (with_parameters, (1, 3, 5)), (guarded, ([1, 2, 3],))],
        *[(sections, (lines,)) for lines in (["[a]", "x", "[b]", "y", "z"], ["y", "[a]", "x"])],
    ],
)
def test_each_step_gives_what_it_gives_in_python(make: Any, arguments: Any) -> None:
    assert_agrees(lambda *given: all_of(make, *given), arguments)


def test_nothing_of_it_calls_python() -> None:
    compiled = ag.compile(in_a_loop, fallback="error")
    assert compiled(9) == in_a_loop(9)
    calls = [line for line in str(compiled.graph(9)).splitlines() if "host_call" in line]
    assert all("raise StopIteration" in line for line in calls)


def closed(n: Any) -> Any:
    made = down(n)
    for _ in range(2):
        next(made)
    made.close()
    return next(made, 0)


def copied(n: Any) -> Any:
    made = down(n)
    for _ in range(2):
        next(made)
    return next(copy.copy(made))


def left(n: Any) -> Any:
    made = down(n)
    for _ in range(2):
        next(made)
    return made


def changing(n: Any) -> Any:
    step, total = 1, 0

    def walk() -> Iterator[Any]:
        k = 0
        while True:
            yield k
            k += step

    made = walk()
    for k in range(n):
        total += next(made)
        step = k
    return total


def asking_first(made: Any, k: Any) -> Iterator[Any]:
    while k:
        yield next(made[0]) + k
        k -= 1


def advancing_its_like(n: Any) -> Any:
    made: list[Any] = []
    made.append(asking_first(made, 0))
    made.append(asking_first(made, n))
    return [next(made[1], -1) for _ in range(n)]


def inside_try(n: Any) -> Any:
    def walk() -> Iterator[Any]:
        k = 0
        while k < n:
            try:
                yield k
            finally:
                k += 1

    made, total = walk(), 0
    for _ in range(n):
        total += next(made)
    return total


@table(
    "function, text",
    [
        (closed, "`close` of a generator"),
        (copied, "`copy` of a generator"),
        (left, "leaves the compiled function"),
        (changing, "captures change"),
        (advancing_its_like, "advances one of the same function"),
        (inside_try, "asked for items in several places"),
    ],
)
def test_what_a_kept_generator_has_not_is_refused(function: Any, text: str) -> None:
    assert text in str(conversion_error(function, 4))


def counted(name: str, to: int, ticks: int) -> Any:
    for _ in range(to):
        yield Wait(ticks)


def asking_often(n: int) -> Any:
    while n:
        _ = yield Ask()
        n -= 1


class Turns:
    def __init__(self) -> None:
        self.ready: Any = deque()
        self.waiting: Any = {}
        self.clock = 0

    def start(self, name: str, task: Any) -> None:
        self.ready.append((name, task, None))

    def run(self) -> Any:
        while self.ready:
            name, task, value = self.ready.popleft()
            try:
                self.serve(name, task, task.send(value))
            except StopIteration:
                self.clock += 1
        return self.clock

    def serve(self, name: str, task: Any, request: Any) -> None:
        match request:
            case Wait(ticks=ticks):
                self.clock += ticks
                self.ready.append((name, task, None))
            case Ask():
                self.waiting[name] = task


def two_tasks(n: int) -> Any:
    turns = Turns()
    turns.start("asking", asking_often(2))
    turns.start("counted", counted("counted", n, 3))
    return turns.run()


def test_generators_that_count_to_a_number_of_the_run_are_one_program() -> None:
    made = ag.compile(two_tasks, fallback="error")
    assert [made(n) for n in (5, 9, 30)] == [two_tasks(n) for n in (5, 9, 30)]
    assert "compiled      1 program" in made.explain()


def turn_by_turn(n: int, m: int) -> Any:
    queue, found = deque(letters_to(each, k) for each, k in (("a", n), ("b", m), ("c", 2))), []
    while queue:
        task = queue.popleft()
        try:
            found.append(next(task))
            queue.append(task)
        except StopIteration:
            found.append("end")
    return found


def letters_to(letter: str, n: int) -> Any:
    for k in range(n):
        yield letter * k


def by_their_times(n: int, m: int) -> Any:
    heap: list[Any] = [(0, 0, letters_to("x", n)), (0, 1, letters_to("y", m))]
    found = []
    while heap:
        time, place, task = heapq.heappop(heap)
        item = next(task, None)
        if item is not None:
            found.append((time, item))
            heapq.heappush(heap, (time + len(item) + 1, place, task))
    return found


def test_containers_of_generators_are_one_program_for_all_numbers() -> None:
    for function in (turn_by_turn, by_their_times):
        made = ag.compile(function, fallback="error")
        for numbers in ((5, 3), (2, 9), (20, 1), (0, 4)):
            assert made(*numbers) == function(*numbers)
        assert "compiled      1 program" in made.explain()


class Rate:
    def __init__(self, v: Any) -> None:
        self.v = v


def test_a_generator_that_is_sent_values_reads_the_object_of_the_call() -> None:
    def f(rate: Rate, n: int) -> Any:
        def scaled() -> Any:
            given = yield n
            yield given + rate.v

        made = scaled()
        next(made)
        return made.send(5)

    compiled = ag.compile(f, fallback="error")
    assert [compiled(Rate(v), 3) for v in (4, 3, 5)] == [9, 8, 10]


def steps_sent(n: Any) -> Any:
    got = yield n
    while n < 9:
        n += 1 if got is None else got
        got = yield n


def left_by_the_run(xs: Any) -> Any:
    g, t = steps_sent(7), len(xs)
    for x in g:
        if t > 3:
            break
    return x, next(g, 5)


def left_among_others(xs: Any) -> Any:
    g, h, t, total = steps_sent(5), steps_sent(6), len(xs), 0
    for k, (x, _) in enumerate(zip(g, range(9))):
        total += k * x
        if t > 3:
            break
    for x, y in zip(h, h):
        total += x * y
        if t > x:
            break
    return total, next(g, 5), next(h, 5)


def test_loop_that_the_run_leaves_goes_on_behind_it_where_it_was() -> None:
    for function in (left_by_the_run, left_among_others):
        assert_agrees(function, list(range(12)), list(range(2)), list(range(7)))
