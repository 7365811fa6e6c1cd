"""Long containers of numbers are not taken apart where Python is quicker; what is worth it stays compiled."""

from __future__ import annotations

import bisect
import copy
import enum
import operator
import re
import sys
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.ir.in_c import SEARCHED
from autograph_jit.runtime import early, lines_in_python
from autograph_jit.runtime.costs import ADAPTED, INLINED, JOINED, WRITTEN
from autograph_jit.runtime.costs import cost_of as cost_of_operation
from autograph_jit.runtime.figures import cost_by_line
from autograph_jit.runtime.preferences import cost_of, is_for_other_content
from autograph_jit.runtime.trips import ASSUMED_TRIPS, assumed_runs
from autograph_jit.syntax.line_times import CALLING, USUAL, lines_of
from autograph_jit.tracing.expressions import access
from tests.tables import table

COEFFICIENTS = tuple(0.5**i for i in range(100))


def squares(v: Any) -> Any:
    total = 0.0
    for x in v:
        total += x * x
    return total


def by_keys(v: Any) -> Any:
    total = 0.0
    for key in v:
        total += v[key]
    return total


def positive(v: Any) -> Any:
    total = 0.0
    for x in v:
        if x > 0:
            total += x
    return total


def horner(v: Any, x: Any) -> Any:
    for c in v:
        x = x * 0.5 + c
    return x


def captured(x: Any) -> Any:
    total = x * 0.0
    for c in COEFFICIENTS:
        total = total * x + c
    return total


def worked(v: Any) -> Any:
    total = 0.0
    for x in v:
        total += ((x * x + 1.0) * x - 2.0) / (x * x + 3.0)
    return total


FLOATS = [0.5 * i for i in range(100)]
MIXED = [i if i % 2 else Fraction(i, 2) for i in range(5000)]
IN_PYTHON = [
    (squares, MIXED[:100]),
    (squares, MIXED),
    (squares, tuple(MIXED)),
    (by_keys, dict(enumerate(MIXED[:100]))),
    *([(sum, MIXED[:100])] if sys.version_info < (3, 12) else []),  # from then on it keeps errors, and that work is taken for Python's
]
COMPILED = [
    (squares, ([i if i % 2 else 0.5 * i for i in range(900)],)),
    (squares, (FLOATS,)),
    (squares, (tuple(FLOATS),)),
    (horner, (FLOATS[:4], np.ones(5))),
    (horner, (FLOATS, np.ones(5))),
    (captured, (0.5,)),
    (captured, (np.ones(3),)),
    (worked, (FLOATS,)),
]


def test_long_containers_of_numbers_are_left_to_python_with_one_warning() -> None:
    def total(v: Any) -> Any:
        return sum(v)

    for function, v in IN_PYTHON:
        compiled = ag.compile(total if function is sum else function)
        with pytest.warns(UserWarning, match="(?s)slower than Python.*a call would take about.*pass arrays") as told:
            assert compiled(v) == function(v)
        assert len(told) == 1 and "test_costs.py:" in str(told[0].message)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert [compiled(v) for _ in range(2)] == [function(v)] * 2
            assert compiled(np.array(FLOATS)) == function(np.array(FLOATS)) if function is squares else True
        assert "would be slower than Python" in compiled.explain()


def test_what_is_worth_it_stays_compiled() -> None:
    for function, arguments in COMPILED:
        compiled = ag.compile(function)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.testing.assert_allclose(compiled(*arguments), function(*arguments), rtol=1e-12)
        assert len(compiled.specializations) == 1, function


def test_where_python_is_no_choice_nothing_is_refused() -> None:
    assert ag.compile(squares, fallback="error")(FLOATS) == squares(FLOATS)
    assert ag.grad(squares)(FLOATS) == [2 * x for x in FLOATS]


TABLE = {f"k{i}": f"v{i}" for i in range(900)}


def test_a_table_that_each_call_would_be_compared_with_is_left_to_python() -> None:
    def look(key: Any) -> Any:
        return TABLE.get(key, key)

    compiled = ag.compile(look)
    with pytest.warns(UserWarning, match="slower than Python"):
        assert compiled("k5") == "v5"
    assert compiled("none") == "none" and not compiled.specializations


class Flagged:
    def __init__(self, x: float) -> None:
        self.flag, self.x, self.parts = True, x, {"flags": (x, True)}


def flagged(a: Any) -> int:
    return 1 if a.flag else 2


def picked(a: Any) -> int:
    return 1 if a.parts["flags"][1] else 2


def shifted(x: Any, y: Any) -> Any:
    return [x + 1.0, {"y": y, "made": Flagged(x)}], y


def last_ones(n: int, count: int) -> int:
    kept: dict[int, int] = {}
    for k in range(n):
        kept[k] = k
        if len(kept) > count:
            for first in kept:
                break
            del kept[first]
    return len(kept)


def larger(x: Any, y: Any) -> Any:
    return x[0] if x[0] > y[0] else y[0]


@table(
    "function, arguments, is_left",
    [
        (flagged, (Flagged(1.0),), False),  # native code reads attributes
        (picked, (Flagged(1.0),), True),  # what is in containers in them takes longer than Python
        (shifted, (1.0, 2.0), False),  # a call that native code lets in, and a result that code can be written for
        (larger, (np.ones(3), np.zeros(3)), False),
        (last_ones, (300, 100), True),  # a loop that ends in its first trip reads one item, and renumbers all
        (lambda x, how: x if how.flag else x * 2.0, (np.ones(3), Flagged(1.0)), False),  # another path may work on the array
    ],
)
def test_what_a_call_checks_and_makes_is_part_of_its_cost(function: Any, arguments: tuple[Any, ...], is_left: bool) -> None:
    compiled = ag.compile(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            compiled(*arguments)
    assert bool(compiled.refusals.reasons) is is_left and len(compiled.specializations) == (not is_left)


def test_a_result_that_code_is_written_for_costs_less_than_one_that_is_rebuilt() -> None:
    def with_a_set(x: Any, y: Any) -> Any:
        return {x + 1.0, y}

    costs = []
    for function in (shifted, with_a_set):
        compiled = ag.compile(function, fallback="error")
        assert str(compiled(1.0, 2.0)) and compiled.specializations
        costs.append(cost_of(compiled.specializations[0].program))
    assert not costs[0].is_slower and costs[1].compiled > costs[0].compiled


def test_what_only_raises_runs_in_python_and_refuses_no_other_arguments() -> None:
    def root(x: Any, how: str) -> Any:
        if how not in ("scaled", "plain"):
            raise ValueError(f"no such way: {how}")
        return x * 2.0 if how == "scaled" else x

    compiled = ag.compile(root)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for how in ("other", "another"):
            for _ in range(3):
                with pytest.raises(ValueError, match=f"no such way: {how}") as raised:
                    compiled(np.ones(3), how)
        assert raised.traceback[-1].frame.code.raw is root.__code__
        assert compiled(np.ones(3), "scaled").tolist() == [2.0] * 3
        assert [made.program.is_left for made in compiled.specializations] == [True, True, False]
    assert not any(made.executables for made in compiled.specializations[:2])
    with pytest.raises(ValueError, match="no such way: x"):
        ag.compile(root, fallback="error")(np.ones(3), "x")
    with pytest.warns(UserWarning, match="every content"):
        for how in "abcd":
            with pytest.raises(ValueError, match=f"no such way: {how}"):
                compiled(np.ones(3), how)
    assert compiled(np.ones(3), "scaled").tolist() == [2.0] * 3 and len(compiled.specializations) == 1


def test_lists_in_lists_of_other_lengths_are_another_content_also_where_lists_must_differ() -> None:
    def first_of_each(nested: Any) -> Any:
        return [item[0] for item in nested]

    def rows(count: int) -> Any:
        return [[float(k), [k]] for k in range(count)]

    compiled = ag.compile(first_of_each, fallback="error")
    assert compiled(rows(3)) == first_of_each(rows(3))
    (made,) = compiled.specializations
    assert any(guard.kind == "apart" for guard in made.program.guards)
    assert is_for_other_content(made.program, (rows(2), {})) and not is_for_other_content(made.program, (np.ones(3), {}))


def test_native_work_before_an_exception_stays_compiled() -> None:
    def last(x: Any) -> Any:
        total = 0.0
        for i in range(len(x)):
            total = total * 0.5 + x[i]
        raise ArithmeticError(total)

    compiled = ag.compile(last)
    for _ in range(2):
        with pytest.raises(ArithmeticError, match="1.9999"):
            compiled(np.ones(20))
    assert compiled.specializations[0].executables


class Limited:
    def __init__(self, most: float) -> None:
        self.most = most


def negative(x: Any) -> Any:
    return -x


def within(x: Any, limit: Any) -> str:
    if limit.most is None:
        raise ValueError("no limit")
    return repr(x) + ascii(x) + repr(x)


@table(
    "function, calls",
    [
        (negative, [("a",)] * 4),
        (within, [(1, Limited(None)), *[(1, Limited(2.0))] * 3, (1, Limited(None))]),  # type: ignore[arg-type]
    ],
)
def test_calls_that_raise_reach_no_code_of_the_package(function: Any, calls: list[Any]) -> None:
    compiled, reached = ag.compile(function), set()

    def look(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            reached.add(frame.f_code.co_filename)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for turn, args in enumerate(calls):
            sys.setprofile(look if turn == len(calls) - 1 else None)
            try:
                compiled(*args)
            except (TypeError, ValueError):
                pass
            finally:
                sys.setprofile(None)
    assert reached == {__file__}


def test_other_arguments_than_those_that_raise_are_compiled() -> None:
    compiled = ag.compile(negative)
    for _ in range(3):
        with pytest.raises(TypeError, match="bad operand type for unary -: 'str'"):
            compiled("a")
    with pytest.raises(TypeError, match="bad operand type for unary -: 'list'"):
        compiled([])
    assert compiled(2.0) == -2.0 and compiled.specializations[-1].executables


def test_what_python_does_in_c_is_no_reason_to_compile() -> None:
    def placed(bounds: list[float], x: float) -> int:
        return bisect.bisect(bounds, x)

    def placed_in_python(bounds: list[float], x: float) -> int:
        low, high = 0, len(bounds)
        while low < high:
            middle = (low + high) // 2
            if x < bounds[middle]:
                high = middle
            else:
                low = middle + 1
        return low

    def key(x: float) -> float:
        return ((x * 0.5 + 1.0) * x - 2.0) * x

    def placed_by_key(bounds: list[float], x: float) -> int:
        return bisect.bisect(bounds, x, key=key)

    bounds = [0.5, 1.5, 2.5]
    kinds = {}
    for function in (placed, placed_in_python, placed_by_key):
        program = ag.compile(function, fallback="error").prepare((bounds, 1.0, {})).program
        kinds[function] = [operation.for_c for operation in program.graph.walk() if operation.name in ("multiply", "floor_divide")]
    assert kinds[placed] == [SEARCHED] and kinds[placed_in_python] == [None]
    assert kinds[placed_by_key].count(SEARCHED) == 1 and kinds[placed_by_key].count(None) >= 3
    compiled = ag.compile(placed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert compiled(bounds, 1.0) == 1 and compiled.specializations == []


def test_what_seldom_comes_counts_for_little() -> None:
    def words(text: str) -> Any:
        found, current = [], ""
        for letter in text:
            if letter.isalpha():
                current += letter.upper()
            elif current:
                found.append(current)
                current = ""
        return found

    compiled = ag.compile(words)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in ("it was the 7th day ", "and über\u0394 nobody ", "" * 3):
            assert compiled(text) == words(text)
    assert len(compiled.specializations) == 1


def test_numbers_of_texts_in_a_try_stay_compiled() -> None:
    def read(words: list[str]) -> list[float]:
        found = []
        for word in words:
            try:
                found.append(float(word))
            except ValueError as e:
                found.append(-float(len(e.args[0])))
        return found

    compiled = ag.compile(read)
    words = [f"{k % 50}.{k}" for k in range(300)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k in range(40):
            assert compiled(words) == read(words) and compiled([*words[k:], "x" * k]) == read([*words[k:], "x" * k])
    assert len(compiled.specializations) == 1


def test_operations_on_tensors_take_python_longer_than_those_on_arrays() -> None:
    costs = []
    for x in (np.ones(3), ag.asarray(np.ones(3))):
        compiled = ag.compile(lambda x: x * 2.0 + x, fallback="error")
        compiled(x)
        costs.append(cost_of(compiled.specializations[0].program))
    assert costs[1].python - costs[0].python == pytest.approx(2 * 1.5e-6)
    assert costs[1].compilation == pytest.approx(costs[0].compilation, abs=1e-3)


def test_calls_with_texts_and_lists_of_python_need_nothing_in_between() -> None:
    def largest(words: list[str]) -> Any:
        groups: dict[str, list[str]] = {}
        for word in words:
            groups.setdefault(f"{len(word):e}", []).append(word)
        return sorted((sorted(group) for group in groups.values()), key=lambda group: (-len(group), group))

    program = ag.compile(largest, fallback="error").prepare((["ab", "c", "de"], {})).program
    calls = [operation for operation in program.graph.walk() if operation.name == "host_call"]
    labels = {cost_of_operation(call): call.attributes["label"] for call in calls}
    assert ADAPTED not in labels and labels[WRITTEN] == "f-string"


def test_what_joins_texts_counts_as_python_does() -> None:
    def told(n: int) -> str:
        return f"{n} of {n + 1}"

    (joined,) = [x for x in ag.compile(told, fallback="error").prepare((5, {})).program.graph.walk() if x.name == "concat"]
    assert cost_of_operation(joined) == JOINED


WORDS = [f"w{k * 37 % 500}" for k in range(300)]
FRACTIONS = [k * 7919 % 1009 * 0.5 for k in range(300)]
PEOPLE = [(word, k * 31 % 90, k * 7.3 % 11.0) for k, word in enumerate(WORDS)]


def made_and_ordered(n: int) -> Any:
    rows = []
    for i in range(n):
        rows.append((i * 7919 % n, i))
    rows.sort()
    return rows[0]


def sorted_alone(v: Any) -> Any:
    return sorted(v)


def ordered_in_place(people: list[Any]) -> Any:
    people.sort(key=operator.itemgetter(2), reverse=True)
    return people[:3]


def middles(v: list[float]) -> float:
    total = 0.0
    for i in range(0, len(v) - 10, 10):
        total += sorted(v[i : i + 10], key=lambda x: -x)[5]
    return total


@table(
    "function, v, in_python",
    [
        (sorted_alone, WORDS, True),
        (lambda v: sorted(v, key=len), WORDS, True),
        (sorted_alone, FRACTIONS, True),
        (lambda v: sorted(v, key=operator.itemgetter(2)), PEOPLE, True),
        (ordered_in_place, PEOPLE, True),
        (lambda v: max(v, key=operator.itemgetter(1)), PEOPLE, True),
        (lambda v: sorted(v, key=lambda x: x[::-1]), WORDS, False),
        (lambda v: sorted(v, key=lambda x: -x), FRACTIONS, False),
        (lambda v: sorted(v, key=lambda x: x % 7), list(range(300)), False),
        (lambda v: min(v, key=lambda x: (x - 100.0) ** 2), FRACTIONS, False),
        (lambda v: sorted(range(len(v)), key=lambda i: v[i])[:4], FRACTIONS, False),
        (middles, FRACTIONS, False),
        (made_and_ordered, 300, False),
    ],
)
def test_what_python_sorts_quicker_is_left_to_it(function: Any, v: Any, in_python: bool) -> None:
    compiled = ag.compile(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(5):
            assert compiled(copy.copy(v)) == function(copy.copy(v))
    assert ("run in Python" in compiled.explain()) is in_python


def test_calls_that_the_trace_goes_into_take_python_their_time() -> None:
    def half(x: float) -> float:
        return x * 0.5

    def by_call(v: Any) -> Any:
        total = 0.0
        for i in range(len(v)):
            total += half(v[i])
        return total

    def written_out(v: Any) -> Any:
        total = 0.0
        for i in range(len(v)):
            total += v[i] * 0.5
        return total

    costs = [cost_of(ag.compile(function, fallback="error").prepare((np.ones(9), {})).program) for function in (by_call, written_out)]
    assert costs[0].python - costs[1].python == pytest.approx(ASSUMED_TRIPS * INLINED.python, rel=0.1)
    assert costs[0].compiled == pytest.approx(costs[1].compiled)


def frequencies(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for letter in text:
        found[letter] = found.get(letter, 0) + 1
    return found


def test_a_program_that_gains_by_long_containers_alone_leaves_short_ones_to_python() -> None:
    long, short = "abcde fgh" * 40, "abca"
    compiled = ag.compile(frequencies)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for text in (long, short) * 3:
            assert compiled(text) == frequencies(text)
    matching = [made.program.matches((text, {})) for made in compiled.specializations for text in (long, short)]
    assert matching == [True, False] and "a str has more than 64 items" in compiled.explain()


def areas(pairs: list[tuple[float, float]]) -> float:
    total = 0.0
    for width, height in pairs:
        total += width * height
    return total


def test_few_tuples_of_which_a_call_gains_little_are_pythons() -> None:
    pairs = [(i * 0.5, 2.0) for i in range(1000)]
    with pytest.warns(UserWarning, match="would hardly be faster than Python"):
        assert ag.compile(areas)(pairs[:32]) == areas(pairs[:32])
    compiled, searching = ag.compile(areas), ag.compile(lambda few: [areas(few) * k for k in range(100)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled(pairs) == areas(pairs)
        assert searching(pairs[:32]) == [areas(pairs[:32]) * k for k in range(100)]


def test_what_goes_through_a_list_of_few_reads_few() -> None:
    compiled = ag.compile(lambda v: [x * 2.0 for x in v])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled([1.0, 2.0] * 5) == [2.0, 4.0] * 5
    (made,) = compiled.specializations
    assert made.program.matches(([1.0] * 5, {})) and made.program.matches(([1.0] * 500, {}))


def covers(rows: dict[str, list[tuple[int, int]]]) -> Any:
    fields: dict[tuple[int, int], set[str]] = {}
    for name, members in rows.items():
        for member in members:
            fields.setdefault(member, set()).add(name)

    def search(chosen: list[str]) -> int:
        if not fields:
            return 1
        found, first = 0, min(fields, key=lambda member: (len(fields[member]), member))
        for name in sorted(fields[first]):
            removed = [fields.pop(member) for member in rows[name] if member in fields]
            if len(removed) == len(rows[name]):
                found += search([*chosen, name])
            for member, names in zip(rows[name], removed):
                fields[member] = names
        return found

    return search([])


def test_a_trace_that_takes_a_short_container_apart_before_it_finds_a_loop_is_not_refused() -> None:
    rows = {f"up{j}": [(0, j), (1, j)] for j in range(8)} | {f"flat{i}{j}": [(i, j), (i, j + 1)] for i in range(2) for j in range(7)}
    compiled = ag.compile(covers)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [compiled(rows) for _ in range(3)] == [covers(rows)] * 3
    assert compiled.specializations


def merged(pairs: Any) -> Any:
    found: set[int] = set()
    for a, b in pairs:
        found |= {a, b}
        if len(found) > 40:
            found -= {a, b}
    return len(found)


def found_by_names(parents: dict[str, str], names: list[str]) -> Any:
    total = 0
    for name in names:
        while parents[name] != name:
            parents[name] = parents[parents[name]]
            name = parents[name]
        total += len(name)
    return total


def first_numbers(texts: list[str]) -> int:
    pattern = re.compile(r"(\d+)-(\d+)")
    return sum(int(found.group(2)) for text in texts if (found := pattern.match(text)))


def inside(function: Any, *arguments: Any) -> list[Any]:
    """The operations of a program that stand in loops."""
    graph = ag.compile(function, fallback="error").prepare((*arguments, {})).program.graph
    return [operation for operation in graph.walk() if operation.block is not graph.block]


def test_sets_of_few_items_are_not_left_to_python() -> None:
    program = ag.compile(merged, fallback="error").prepare(([(i * 7 % 30, i * 5 % 23) for i in range(60)], {})).program
    assert not cost_of(program).is_slower


def test_texts_of_containers_are_not_entered_again_where_paths_meet() -> None:
    names = [f"name {k}" for k in range(20)]
    operations = inside(found_by_names, {name: names[k // 2] for k, name in enumerate(names)}, names)
    assert {"table_find", "list_get"} <= {operation.name for operation in operations}
    assert not [operation for operation in operations if operation.name == "text_reference"]


def test_what_is_laid_out_for_a_pattern_is_no_slice_of_python() -> None:
    slices = [operation for operation in inside(first_numbers, ["12-3", "x", "4-56"] * 5) if operation.name == "basic_index"]
    assert slices and all(cost_of_operation(operation).python < 1e-7 for operation in slices if operation.results[0].type.dtype.kind == "i")


def test_a_program_whose_traces_are_given_up_for_long_is_left_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(early, "MOST_SPENT", 0.0)
    pairs = [(i * 7 % 30, i * 5 % 23) for i in range(60)]
    with pytest.warns(UserWarning, match="to compile this takes too long(.|\n)*traces were given up"):
        assert ag.compile(merged)(pairs) == merged(pairs)


class Machine:
    def __init__(self) -> None:
        self.steps, self.limit, self.is_open = 0, 10, True


def of_a_machine(n: int) -> int:
    machine = Machine()
    for _ in range(n):
        if machine.is_open and machine.limit * 2 - machine.limit == 10 and machine.limit is not None:
            machine.steps += machine.limit - machine.limit // 2
    return machine.steps


def test_python_takes_the_instructions_of_lines_that_leave_few_operations(monkeypatch) -> None:
    compiled = ag.compile(of_a_machine, fallback="error")
    assert compiled(5) == of_a_machine(5)
    program = compiled.specializations[0].program
    found = cost_of(program)
    assert sum(line.cost.python for line in cost_by_line(program.graph, assumed_runs)) <= found.python
    monkeypatch.setattr(lines_in_python, "seconds_of_line", lambda line: 0.0)
    of_operations = cost_of(program)
    assert found.python > 2 * of_operations.python and found.compiled == of_operations.compiled


class Light(enum.Enum):
    RED = 1
    GREEN = 2


def of_lights(n: int) -> int:
    light, changes = Light.RED, 0
    for i in range(n):
        if i % 3 == 0:
            light = Light.GREEN if light is Light.RED else Light.RED
            changes += 1
    return changes


def test_members_of_enumerations_take_python_what_finding_them_takes(monkeypatch) -> None:
    found = []
    for calls in (0, 4):
        monkeypatch.setattr(access, "MEMBER_FOUND", calls)
        compiled = ag.compile(of_lights, fallback="error")
        assert compiled(7) == of_lights(7)
        found.append(cost_of(compiled.specializations[0].program).python)
    assert found[1] - found[0] > 50 * 4 * INLINED.python, "a hundred trips, half of which take the branch"


def seconds_by_line(function: Any) -> list[float]:
    """What the lines of a function take, the first one the line of `def`."""
    found = lines_of(function.__code__, function.__name__)
    first = function.__code__.co_firstlineno
    return [found.get((__file__, function.__name__, first + place), 0.0) for place in range(6)]


def test_instructions_of_loops_are_those_of_a_trip() -> None:
    def goes(xs: Any) -> int:
        total = 0
        for x in sorted(reversed(list(xs))):
            total += x
        while total > 5 and total < 10_000:
            total += len(xs)
        return total

    _, _, of_for, added, of_while, called = seconds_by_line(goes)
    assert 0 < of_for < CALLING and USUAL <= added < CALLING
    assert 2 * USUAL <= of_while < 4 * USUAL, "the test stands twice in the code, and each trip comes by one"
    assert called > CALLING


def test_a_list_that_is_empty_at_first_is_no_content_of_its_own() -> None:
    def count_up(log: Any, n: int) -> Any:
        total = 0.0
        for i in range(n):
            total += i * 0.5
            if total > 100.0:
                total -= 100.0
        log.append(total)
        return total

    compiled, log = ag.compile(count_up), []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for calls in range(1, 8):
            assert compiled(log, 1000) == log[-1] and len(log) == calls
    assert len(compiled.specializations) <= 3
