"""Objects of the standard library that change are made, entered and asked when the program runs, not while it is traced."""

from __future__ import annotations

import array
import contextlib
import hashlib
import io
import queue
import random
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.transform import Rotation
from scipy.stats import qmc

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees

LOCK, LOG = threading.Lock(), io.StringIO()
X, Y = np.array([3.0, -1.0, 2.0]), np.array([4.0, 0.0, 1.0])


def text_of(x: Any) -> Any:
    file = io.StringIO()
    file.write(f"{x[0]};")
    file.write("end")
    return file.getvalue()


def numbers_of(x: Any) -> Any:
    numbers = array.array("d", [1.0])
    for value in x:
        numbers.append(value)
    return list(numbers), len(numbers)


def bytes_of(x: Any) -> Any:
    found = bytearray(3)
    for i in range(3):
        found[i] = int(abs(x[i]))
    return bytes(found)


def digest_of(x: Any) -> Any:
    found = hashlib.sha256(b"start")
    found.update(x.tobytes())
    return found.hexdigest()


def waiting(x: Any) -> Any:
    line, total = queue.Queue(), 0.0
    for value in x:
        line.put(value)
    while not line.empty():
        total += line.get()
    return total


def drawn(x: Any) -> Any:
    source, total = random.Random(5), 0.0
    for _ in range(int(x[0])):
        total += source.random()
    return total, source.randint(0, 100)


def drawn_globally(x: Any) -> Any:
    random.seed(7)
    total = 0.0
    for _ in range(int(x[0])):
        total += random.random()
    return total


def locked(x: Any) -> Any:
    own = threading.Lock()
    with LOCK, own:
        seen = LOCK.locked(), own.locked(), x[0]
    return seen, LOCK.locked(), own.locked()


def locked_and_failing(x: Any) -> Any:
    with LOCK:
        return x[int(x[0])]


def called_back(x: Any) -> Any:
    with contextlib.ExitStack() as stack:
        stack.callback(print, "left")
        return x[int(x[0])]


def suppressed(x: Any) -> Any:
    found = []
    for i in range(5):
        with contextlib.suppress(IndexError, KeyError):
            found.append(x[i])
    with contextlib.suppress(ValueError):
        return found, x[int(x[0])]


OWN = (
    text_of, numbers_of, bytes_of, digest_of, waiting, drawn, drawn_globally, locked, locked_and_failing, called_back, suppressed,
)  # fmt: skip


@pytest.mark.parametrize("function", OWN)
def test_every_call_has_objects_of_its_own(function: Any) -> None:
    assert_agrees(function, X, Y, X, np.array([1.0, 2.0, 3.0]))


def test_an_object_from_outside_is_used_by_every_call() -> None:
    @ag.compile(fallback="error")
    def logged(x: Any) -> Any:
        LOG.write("called;")
        return x + 1.0

    for _ in range(3):
        logged(X)
    assert LOG.getvalue() == "called;" * 3


def test_files_are_opened_when_the_program_runs(tmp_path: Path) -> None:
    path = str(tmp_path / "numbers")

    def f(x: Any) -> Any:
        with open(path, "w") as file:
            for value in x:
                file.write(f"{value}\n")
        with open(path) as file:
            return [float(line) for line in file]

    assert_agrees(f, X, Y, X)


def test_a_generator_computes_with_values_of_the_run_that_it_is_sent() -> None:
    def f(x: Any) -> Any:
        def total() -> Any:
            found = 0.0
            while True:
                found += yield found

        running = total()
        next(running)
        running.send(x[0])
        return running.send(x[1])

    assert_agrees(f, X, Y)


def test_a_list_of_objects_is_shuffled() -> None:
    def f(x: Any) -> Any:
        items = [1, "b", 2.0, None, [x[0]]]
        random.Random(3).shuffle(items)
        return items

    assert ag.compile(f, fallback="error")(X) == f(X)


def test_groups_of_exceptions_are_refused() -> None:
    def f(x: Any) -> Any:
        caught = 0
        try:
            if x[0] > 1.0:
                raise ExceptionGroup("some", [ValueError("a")])
        except* ValueError:
            caught = 1
        return caught

    with pytest.raises(ag.ConversionError, match="except"):
        ag.compile(f, fallback="error")(X)
    with pytest.warns(Warning):
        assert ag.compile(f)(X) == 1


def filled(n: int, x: Any) -> Any:
    matrix = sp.lil_matrix((n, n))
    for k in range(n):
        matrix[k, k] = x[k]
        matrix[k, 0] += 1.0
    return matrix.toarray()


def assembled(n: int, x: Any) -> Any:
    rows, columns, values = [], [], []
    for k in range(n):
        rows.append(k)
        columns.append(n - 1 - k)
        values.append(x[k])
    return sp.coo_matrix((values, (rows, columns)), shape=(n, n)).tocsr()[0:2].toarray()


@pytest.mark.parametrize("function", [filled, assembled])
def test_sparse_matrices_are_made_by_each_call(function: Any) -> None:
    compiled = ag.compile(function, fallback="error")
    for x in (X, Y, X):
        np.testing.assert_array_equal(compiled(3, x), function(3, x))


def times_sparse(matrix: Any, x: Any) -> Any:
    y = x
    for _ in range(3):
        y = matrix @ y + 0.5 * (y @ matrix)
    return y, matrix * x, (-matrix + matrix * 2.0).toarray(), abs(matrix).sum(), (matrix @ matrix)[0, 0]


def solved_by_conjugate_gradients(matrix: Any, b: Any) -> Any:
    x, r = np.zeros(len(b)), b.copy()
    p, rest, steps = r, r @ r, 0
    while rest > 1e-20 and steps < 10:
        q = matrix @ p
        alpha = rest / (p @ q)
        x = x + alpha * p
        r = r - alpha * q
        p, rest = r + (r @ r) / rest * p, r @ r
        steps += 1
    return x, steps


@pytest.mark.parametrize("function", [times_sparse, solved_by_conjugate_gradients])
def test_operators_of_sparse_matrices_belong_to_the_run(function: Any) -> None:
    compiled = ag.compile(function, fallback="error")
    for scale in (1.0, 2.0, 3.0):
        matrix = sp.csr_matrix(np.diag([2.0, 3.0, 4.0]) * scale)
        for got, wanted in zip(compiled(matrix, X), function(matrix, X), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-12)


def masked(x: Any) -> Any:
    found = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    found[0] = x[0]
    return found.sum(), found.filled(-1.0)


def polynomial(x: Any) -> Any:
    found = np.poly1d([1.0, 2.0])
    found[0] = x[0]
    return found(3.0), found.coeffs


def of_matrices(x: Any) -> Any:
    found = np.matrix([[1.0, 2.0], [3.0, 4.0]])
    found[0, 0] = x[0]
    return found * found, type(found).__name__


def of_records(x: Any) -> Any:
    found = np.rec.array([(1, 2.0), (3, 4.0)], dtype=[("a", int), ("b", float)])
    found.b[0] = x[0]
    return found.b.sum(), found.a


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("function", [masked, polynomial, of_matrices, of_records])
def test_numpys_other_arrays_are_made_by_each_call(function: Any) -> None:
    compiled = ag.compile(function, fallback="error")
    for x in (X, Y, X):
        got, wanted = compiled(x), function(x)
        assert [type(part) for part in got] == [type(part) for part in wanted]
        for mine, theirs in zip(got, wanted, strict=True):
            np.testing.assert_array_equal(mine, theirs)


SCRIPT = """
import autograph_jit as ag

SEEN = []

@ag.do_not_convert
def see(*values):
    SEEN.append(values)

def f(n):
    rows = []
    for k in range(n):
        rows.append(k)
    see(n, rows, (rows, (1.5, rows)))
"""


def test_a_script_calls_what_is_not_converted_with_the_program(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(SCRIPT, str(path), "exec"), scope)
    ag.compile(scope["f"], fallback="error")(2)
    assert scope["SEEN"] == [(2, [0, 1], ([0, 1], (1.5, [0, 1])))]


def drawn_matrix() -> Any:
    return sp.random(4, 4, density=0.5).toarray()


def drawn_points() -> Any:
    return qmc.Sobol(2).random(4)


def drawn_vectors() -> Any:
    return qmc.MultivariateNormalQMC([0.0, 0.0]).random(2)


def drawn_rotation() -> Any:
    return Rotation.random().as_quat()


@table("function", [drawn_matrix, drawn_points, drawn_vectors, drawn_rotation], ids=lambda each: each.__name__)
def test_what_scipy_draws_is_drawn_by_each_call(function: Any) -> None:
    compiled = ag.compile(function, fallback="error")
    assert not np.array_equal(compiled(), compiled())


def test_a_trace_draws_nothing() -> None:
    drawn: list[Any] = []
    for function in (drawn_rotation, ag.compile(drawn_rotation, fallback="error")):
        np.random.seed(3)
        drawn.append([function(), function()])
    assert np.array_equal(*drawn)
