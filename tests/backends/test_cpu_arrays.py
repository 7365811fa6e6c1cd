"""Array operations of compiled graphs agree with the eager rules: elementwise, views, assignment, reductions, lists."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.errors import GraphError
from autograph_jit.ir.dims import atom
from autograph_jit.ir.opdef import Pointwise
from autograph_jit.ir.types import ListType, ScalarType
from autograph_jit.ops.registry import OPS, get
from tests.backends.building import B1, F8, I8, M, Maker, N, array, check, compare

K = atom("d9")
DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"]
LAYOUTS = [("C", "C"), ("A", "A")]


def values_of(dtype: str, count: int, seed: int) -> np.ndarray:
    rng, dtype_ = np.random.default_rng(seed), np.dtype(dtype)
    if dtype_.kind == "b":
        return rng.integers(0, 2, count).astype(bool)
    if dtype_.kind in "iu":
        low = -9 if dtype_.kind == "i" else 0
        return rng.integers(low, 10, count).astype(dtype_)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 0.5, -2.5, 1.0]
    real = np.concatenate([special, rng.normal(size=count)])[:count]
    if dtype_.kind == "c":
        return (rng.normal(size=count) + 1j * rng.normal(size=count)).astype(dtype_)
    return rng.permutation(real).astype(dtype_)


def pointwise_ops(dtype: str) -> list[str]:
    """Elementwise operations without attributes that take operands of one dtype only."""
    found = []
    for name, opdef in OPS.items():
        if not isinstance(opdef.kernel, Pointwise) or name in ("constant", "cast", "where", "ldexp"):
            continue
        for count in (1, 2):
            try:
                opdef.infer((ScalarType(np.dtype(dtype)),) * count, {})
            except GraphError:
                continue
            found.append(f"{name} {count}")
    return found


SKIPPED_INTEGER = {"power", "left_shift", "right_shift"}  # negative exponents and counts are excluded by tracing


@pytest.mark.parametrize("dtype", DTYPES)
def test_elementwise_operations_agree_on_arrays_and_scalars(dtype):
    m = Maker()
    x, y = m.param(array(N, dtype=dtype)), m.param(array(N, dtype=dtype))
    p, q = m.param(ScalarType(np.dtype(dtype))), m.param(ScalarType(np.dtype(dtype)))
    results = []
    for entry in pointwise_ops(dtype):
        name, count = entry.split()
        left, right = (x, p), (y, q)
        if name in SKIPPED_INTEGER and np.dtype(dtype).kind in "iu":
            left, right = (x, p), tuple(m.op("absolute", value) for value in right)
            if "shift" in name:
                limit = m.const(7, dtype)
                right = tuple(m.op("minimum", value, limit) for value in right)
        results += [m.op(name, *operands[: int(count)]) for operands in zip(left, right)]
    with np.errstate(all="ignore"):
        scalars = values_of(dtype, 40, 3)[-2:]
        compare(m.done(*results), values_of(dtype, 23, 1), values_of(dtype, 23, 2), scalars[0], scalars[1], layouts=("C", "C", "C", "C"))


@pytest.mark.parametrize("source", DTYPES)
def test_casts_agree(source):
    m = Maker()
    x, p = m.param(array(N, dtype=source)), m.param(ScalarType(np.dtype(source)))
    results = [m.op("cast", value, dtype=np.dtype(target)) for target in DTYPES for value in (x, p)]
    numbers = np.array([0, 1, 3, 100, 7.75, 0.25]).astype(source)
    compare(m.done(*results), numbers, numbers[2])


@pytest.mark.parametrize("layouts", LAYOUTS)
def test_chain_is_one_kernel_and_broadcasts(layouts):
    m = Maker()
    x, y = m.param(array(N, M)), m.param(array(M))
    row = m.op("multiply", y, y)
    graph = m.done(m.op("subtract", m.op("add", m.op("multiply", x, x), row), m.const(1.0)))
    executable = compare(graph, np.arange(6.0).reshape(2, 3), np.arange(3.0), layouts=layouts)
    assert executable.kernels.count("kernel") == 1


def test_unproved_sizes_broadcast_at_run_time_or_fail():
    m = Maker()
    x, y = m.param(array(N, atom("d8"))), m.param(array(K))
    graph = m.done(m.op("add", m.op("multiply", x, y), y))
    executable = compare(graph, np.arange(6.0).reshape(2, 3), np.arange(3.0))
    check(executable, graph, np.arange(6.0).reshape(2, 3), np.arange(1.0))
    check(executable, graph, np.ones((2, 1)), np.arange(4.0))
    check(executable, graph, np.arange(6.0).reshape(2, 3), np.arange(2.0))


def test_strided_and_reversed_arguments():
    m = Maker()
    x, y = m.param(array(N, M)), m.param(array(N, M))
    graph = m.done(m.op("add", x, y), m.op("reduce", x, op="sum", axes=(0, 1), keepdims=False))
    base = np.arange(24.0).reshape(4, 6)
    executable = compare(graph, base[::2, ::-2], base[1:3, :3])
    check(executable, graph, base[:, :0], base[:, 3:3])
    check(executable, graph, base.T[2:], base.T[:4])


SLICES = [
    slice(None),
    slice(1, -1),
    slice(-3, None),
    slice(None, None, 2),
    slice(None, None, -1),
    slice(5, 1, -2),
    slice(-100, 100, 3),
    slice(100, -100, -3),
    slice(3, 2),
    slice(2, 9),
]


@pytest.mark.parametrize("key", SLICES, ids=str)
@pytest.mark.parametrize("literal", [True, False])
def test_slices_follow_python(key, literal):
    m = Maker()
    x = m.param(array(N, M))
    given = [number for number in (key.start, key.stop, key.step) if number is not None]
    operands = [m.integer(number) if literal else m.param(I8) for number in given]
    item = ("slice", key.start is not None, key.stop is not None, key.step is not None)
    view = m.op("basic_index", x, *operands, items=(item, ("full",)), dims=(K, M))
    m.do("assign", view, m.const(9.0))
    graph = m.done(view, m.op("dim", view, axis=0), m.op("reduce", view, op="sum", axes=(0,), keepdims=False))
    for count in (0, 1, 2, 3, 7):
        if count < 2:
            continue
        compare(graph, np.arange(count * 2.0).reshape(count, 2), *(() if literal else given))


def test_zero_step_and_integer_items():
    m = Maker()
    x, i, step = m.param(array(N, M)), m.param(I8), m.param(I8)
    view = m.op("basic_index", x, i, step, items=(("newaxis",), ("int",), ("slice", False, False, True)), dims=(1, K))
    graph = m.done(view, m.op("copy", view))
    executable = compare(graph, np.arange(6.0).reshape(2, 3), -1, -2)
    check(executable, graph, np.arange(6.0).reshape(2, 3), 1, 0)
    check(executable, graph, np.arange(6.0).reshape(2, 3), 2, 1)


def test_views_of_an_argument_share_its_memory():
    m = Maker()
    x = m.param(array(N, N))
    turned, line = m.op("transpose", x, perm=(1, 0)), m.op("diagonal", x, offset=1, axis1=0, axis2=1, dims=(K,))
    m.do("assign", line, m.const(-1.0))
    graph = m.done(turned, line)
    executable = compare(graph, np.arange(9.0).reshape(3, 3))
    argument = np.arange(9.0).reshape(3, 3).copy()
    results = executable(argument)
    assert np.shares_memory(results[0], argument) and results[0].base is argument


@pytest.mark.parametrize("layout", ["C", "A"])
@pytest.mark.parametrize("shape", [(6,), (3, 2), (-1,), (2, -1), (4,), (-1, 4), (2, 3, 1)])
def test_reshape_views_or_copies_as_numpy(shape, layout):
    m = Maker()
    x = m.param(array(N, M))
    dims = tuple(atom(f"d{k}") for k in range(len(shape)))
    flat = m.op("reshape", x, *(m.integer(size) for size in shape), dims=dims)
    m.do("assign", flat, m.const(5.0))
    graph = m.done(flat)
    executable = compare(graph, np.arange(6.0).reshape(2, 3), layouts=(layout,))
    if layout == "A":
        check(executable, graph, np.arange(6.0).reshape(3, 2).T)
        check(executable, graph, np.arange(24.0).reshape(4, 6)[::2, ::2])


def test_broadcast_to_repeats_or_fails():
    m = Maker()
    x, n = m.param(array(K)), m.param(I8)
    graph = m.done(m.op("add", m.op("broadcast_to", x, m.integer(2), n, dims=(2, atom("d4"))), m.const(1.0)))
    executable = compare(graph, np.arange(3.0), 3)
    check(executable, graph, np.arange(1.0), 4)
    check(executable, graph, np.arange(3.0), 4)


def test_complex_parts_are_views():
    m = Maker()
    x = m.param(array(N, dtype="c16"))
    m.do("assign", m.op("imag_view", x), m.op("real_view", x))
    compare(m.done(m.op("imag_view", x)), np.arange(3) + 1j)


@pytest.mark.parametrize(("to", "source"), [((1, None), (0, -1)), ((0, -1), (1, None)), ((0, None), (0, None)), ((2, None), (0, -2))])
def test_assignment_acts_as_if_the_source_were_read_first(to, source):
    m = Maker()
    x = m.param(array(N))

    def part(start, stop):
        operands = [m.integer(start)] + ([m.integer(stop)] if stop is not None else [])
        return m.op("basic_index", x, *operands, items=(("slice", True, stop is not None, False),), dims=(K,))

    m.do("assign", part(*to), m.op("multiply", part(*source), m.const(2.0)))
    graph = m.done()
    executable = compare(graph, np.arange(9.0))
    check(executable, graph, np.arange(18.0)[::-2])


def test_assignment_refuses_other_shapes():
    m = Maker()
    x, y = m.param(array(N)), m.param(array(K, atom("d8")))
    m.do("assign", x, y)
    graph = m.done()
    executable = compare(graph, np.zeros(3), np.ones((1, 3)))
    check(executable, graph, np.zeros(3), np.ones((2, 3)))
    check(executable, graph, np.zeros(3), np.ones((1, 2)))
    check(executable, graph, np.zeros(3), np.ones((1, 1)))


def test_arguments_that_overlap_are_assigned_correctly():
    m = Maker()
    x, y = m.param(array(N)), m.param(array(N))
    m.do("assign", x, m.op("add", y, y))
    graph = m.done()
    executable = compare(graph, np.zeros(3), np.ones(3))
    memory = np.arange(6.0)
    executable(memory[1:], memory[:-1])
    assert memory.tolist() == [0.0, 0.0, 2.0, 4.0, 6.0, 8.0]


def test_fused_operation_reads_before_a_later_write():
    m = Maker()
    x = m.param(array(N))
    t = m.op("add", x, x)
    m.do("assign", x, m.const(0.0))
    graph = m.done(m.op("multiply", t, t))
    compare(graph, np.arange(4.0))


REDUCTIONS = [
    ("sum", "f8"),
    ("sum", "i8"),
    ("sum", "c16"),
    ("sum", "f4"),
    ("prod", "f8"),
    ("prod", "u1"),
    ("min", "f8"),
    ("max", "f4"),
    ("max", "i2"),
    ("min", "u8"),
    ("min", "?"),
    ("any", "?"),
    ("all", "?"),
    ("and", "i4"),
    ("or", "i4"),
    ("xor", "u2"),
    ("max", "c16"),
]


@pytest.mark.parametrize(("op", "dtype"), REDUCTIONS)
@pytest.mark.parametrize("layout", ["C", "A"])
def test_reductions_agree_over_every_set_of_axes(op, dtype, layout):
    m = Maker()
    x = m.param(array(N, M, atom("s2"), dtype=dtype))
    sets = [((), False), ((0,), True), ((1,), False), ((2,), False), ((0, 2), False), ((1, 2), True), ((0, 1, 2), False), ((0, 1, 2), True)]
    results = [m.op("reduce", x, op=op, axes=axes, keepdims=keep) for axes, keep in sets]
    graph = m.done(*results)
    data = values_of(dtype, 60, 5).reshape(3, 4, 5)
    executable = compare(graph, data, layouts=(layout,))
    if layout == "A":
        check(executable, graph, data[:, ::-2].T)
        check(executable, graph, data[1:1])


@pytest.mark.parametrize("count", [2, 511, 512, 513, 5000, 100_003])
def test_sum_is_as_accurate_as_pairwise(count):
    m = Maker()
    x = m.param(array(N))
    executable = compare(m.done(m.op("reduce", m.op("multiply", x, x), op="sum", axes=(0,), keepdims=False)), np.ones(count))
    data = np.random.default_rng(0).normal(size=count) ** 2
    exact = float(np.sum((data * data).astype(np.longdouble)))
    assert abs(executable(data)[0] - exact) <= max(2 * abs(np.sum(data * data) - exact), 4e-16 * exact)


def test_maximum_of_nothing_fails():
    m = Maker()
    x = m.param(array(K))
    graph = m.done(m.op("reduce", x, op="max", axes=(0,), keepdims=False))
    executable = compare(graph, np.arange(3.0))
    check(executable, graph, np.zeros(0))
    check(executable, graph, np.array([1.0, np.nan, 2.0]))


def test_fresh_arrays():
    m = Maker()
    n = m.param(I8)
    zeros, sevens = m.op("full", m.const(0.0), n, m.integer(2), dims=(K, 2)), m.op("full", m.const(7), n, dims=(K,))
    literal = m.op("array_constant", value=np.arange(6, dtype="i4").reshape(2, 3))
    m.do("store", literal, m.const(9, "i4"), m.integer(0), m.integer(1))
    graph = m.done(zeros, sevens, literal, m.op("empty", n, m.integer(0), dtype=np.dtype("f8"), dims=(K, 0)))
    executable = compare(graph, 3)
    check(executable, graph, 0)
    check(executable, graph, -1)


def test_questions_about_memory():
    m = Maker()
    x, y = m.param(array(N)), m.param(array(N))
    graph = m.done(m.op("is_same", x, y), m.op("overlaps", x, y), m.op("is_same", x, x), m.op("stride", y, axis=0))
    base = np.arange(8.0)
    for arguments in ((base, base), (base[1:], base[:-1]), (base[:4], base[4:]), (base[::2], base[1::2])):
        executable = compare(graph, np.zeros(2), np.zeros(2))
        assert [bool(found) for found in executable(*arguments)[:2]] == [
            arguments[0] is arguments[1],
            bool(np.may_share_memory(*arguments)),
        ]


def test_lists_grow_shrink_and_become_arrays():
    m = Maker()
    items, n = m.param(ListType(F8)), m.param(I8)
    fresh = m.op("list_new", elem=F8)

    def body(i):
        m.do("list_push", fresh, m.op("cast", i, dtype=np.dtype("f8")))
        return []

    m.count(m.integer(0), n, m.integer(1), [], body)
    m.do("list_insert", fresh, m.integer(-2), m.const(-5.0))
    m.do("list_set", fresh, m.integer(-1), m.const(8.5))
    popped = m.op("list_pop", fresh, m.integer(1))
    copied = m.op("list_copy", fresh)
    m.do("list_clear", fresh)
    graph = m.done(
        items, fresh, copied, popped, m.op("list_len", copied), m.op("list_to_array", copied, dims=(K,)), m.op("list_get", items, n)
    )
    executable = compare(graph, [float(k) for k in range(20)], 9)
    check(executable, graph, [1.0], 9)


@pytest.mark.parametrize("index", [0, 5, -1])
def test_pop_from_a_list_that_is_too_short(index):
    m = Maker()
    items = m.param(ListType(I8))
    graph = m.done(m.op("list_pop", items, m.integer(index)))
    for given in ([], [1, 2]):
        compare(graph, given)


def test_operation_without_a_rule_runs_its_eager_rule():
    m = Maker()
    x = m.param(array(N))
    graph = m.done(m.op("sort", x, axis=0))
    executable = compare(graph, np.arange(5.0))
    assert executable.host_calls == ("sort",) and get("sort").may_fail is False


def test_bool_results():
    m = Maker()
    p, q = m.param(B1), m.param(F8)
    compare(m.done(m.op("where", p, q, m.const(2.0)), m.op("logical_not", p)), True, 3.0)


def test_arrays_that_are_too_large_fail_as_in_numpy_whatever_is_known_of_their_sizes() -> None:
    makers = (
        lambda n, m: np.empty((n, m)),
        lambda n, m: np.empty((n, 1 << 50, m)),
        lambda n, m: np.empty((n, 0, m)),
        lambda n, m: np.empty(n * m),
        lambda n, m: np.empty((2, 3, 4)),
        lambda n, m: np.empty((1 << 40, 1 << 40)),
        lambda n, m: np.empty((n, m), np.int8),
    )
    for make in makers:
        compiled = ag.compile(make, fallback="error")
        for sizes in ((3, 4), (0, 5), (1 << 30, 1 << 29), (1 << 31, 1 << 31), (1 << 33, 1 << 33), (0, 1 << 61)):
            with np.errstate(all="ignore"):
                wanted = outcome_of(make, sizes)
            assert outcome_of(compiled, sizes) == wanted, (makers.index(make), sizes)


def outcome_of(make, sizes):
    """The shape and bytes of an array, or the kind of the error."""
    try:
        made = make(*sizes)
    except (ValueError, MemoryError, OverflowError) as error:
        return MemoryError if isinstance(error, MemoryError) else type(error)
    return made.shape, made.nbytes
