"""Every differentiable operation and NumPy function × float32, float64, complex128 × forward, reverse × first, second order.

The expected derivatives are central differences in double precision; those in single precision are compared with those in double, two of
the four where one waits for the tests. Programs are traced as always and interpreted, which takes milliseconds where machine code takes a
second; `test_operations` and `test_library_gradients` compile theirs.
"""

import functools
import os
from dataclasses import dataclass, field

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.ir.derivative import STRUCTURAL, Unsupported
from autograph_jit.ir.graph import walk_block
from autograph_jit.ops.derivatives.library import FLAT_FUNCTIONS, RULES
from autograph_jit.ops.registry import OPS
from autograph_jit.runtime.settings import settings
from autograph_jit.tracing.arrays.register import FUNCTIONS
from autograph_jit.tracing.hosting.host_derivatives import HostDerivative
from tests.autodiff.samples import SAMPLES

IN_CI = bool(os.environ.get("CI"))
STEP = 1e-6
# A central difference with step h errs by h^2 / 6 times the third derivative and by 1e-16 / h: 1e-10 here, times the condition of a sample.
TOLERANCES = {1: 1e-6, 2: 1e-5}
# Single precision has 6e-8; samples lose up to 3 digits at first order and one more at second.
SINGLE_TOLERANCES = {1: 2e-4, 2: 2e-3}
# What no NumPy or Python function is staged as: second derivatives of loops over arrays whose sizes change
# (tests/autodiff/test_residuals.py) test the rules of lists that hold arrays.
# Lists that are compared by identity are Python's in what is differentiated.
# The last two are copies by then: test_custom.py, test_recompute.py; functions of the graph: tests/tracing/test_units.py.
UNREACHED = {"list_copy", "list_is_same", "call", "call_writing", "custom_result", "recomputed"}
# Of dicts and sets (tests/tracing/test_tables.py) and of texts, which have no derivative.
UNREACHED |= {name for name in OPS if name.startswith(("table_", "text_"))} | {"list_put", "list_keep", "list_of_object", "nested_objects"}
# Native functions that give truth values, positions and fresh constants, or steps.
FLAT_NATIVE = {
    np.allclose, np.any, np.argwhere, np.around, np.array_equal, np.fix, np.flatnonzero, np.fromfunction, np.histogram,
    np.identity, np.indices, np.isclose, np.iscomplex, np.isreal, np.ix_, np.ones, np.round,
}  # fmt: skip
# Called as ufuncs, which do not pass through the table.
UFUNCS = {np.matmul}


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setattr(settings, "backend", "interpreter")


def inner(xs, ys):
    """The real inner product of lists of arrays, complex numbers as pairs of reals."""
    return sum(float(np.sum(np.real(np.conj(x) * y))) for x, y in zip(xs, ys, strict=True))


def staged_inner(xs, ys):
    """The same for functions under differentiation."""
    total = 0.0
    for i in range(len(xs)):
        total = total + np.sum((np.conj(xs[i]) * ys[i]).real)
    return total


def moved(arguments, directions, step):
    return [x + step * t for x, t in zip(arguments, directions)]


def copied(arguments):
    return [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]


class Derivatives:
    """The four derivatives of one sample, each along the same random directions t and s, as numbers."""

    def __init__(self, sample, kind):
        self.key = sample, kind
        self.arguments, self.t, self.s = sample.arguments(kind), sample.directions(kind, 1), sample.directions(kind, 2)
        self.function, places = sample.function, tuple(range(len(sample.shapes)))
        with np.errstate(all="ignore"):
            self.result = np.asarray(self.function(*copied(self.arguments)))
        random = np.random.default_rng(3)
        weights = random.normal(size=(2, *self.result.shape))
        self.weights = weights[0] + 1j * weights[1] if np.iscomplexobj(self.result) else weights[0]
        self.gradient = ag.grad(self.loss, argnums=places)
        self.second_gradient = ag.grad(lambda *x: staged_inner(self.s, self.gradient(*x)), argnums=places)

    def loss(self, *arguments):
        return np.sum((np.conj(self.weights) * self.function(*arguments)).real)

    def first_reverse(self):
        if self.key not in COVERED:
            COVERED[self.key] = Coverage()
            COVERED[self.key].note(self)
        return self.along(self.gradient(*copied(self.arguments)))

    def along(self, gradient):
        """A gradient, which is of the kind of the arguments, along t."""
        for x, ct in zip(self.arguments, gradient, strict=True):
            assert np.shape(ct) == np.shape(x) and np.asarray(ct).dtype == np.asarray(x).dtype
        return inner(gradient, self.t)

    def first_forward(self):
        value, tangent = ag.jvp(self.function, tuple(copied(self.arguments)), tuple(self.t))
        np.testing.assert_allclose(value, self.result, rtol=1e-4 if np.asarray(self.arguments[0]).dtype == np.float32 else 1e-10)
        assert np.shape(tangent) == self.result.shape and np.asarray(tangent).dtype == self.result.dtype
        return inner([self.weights], [tangent])

    def second_reverse(self):
        return inner(self.second_gradient(*copied(self.arguments)), self.t)

    def gradient_and_second_forward(self):
        """The first derivative by reverse mode, and the second by both modes, of one program."""
        gradient, tangents = ag.jvp(self.gradient, tuple(copied(self.arguments)), tuple(self.t))
        return self.along(gradient), inner(self.s, tangents)

    def differences(self):
        """First and second derivative by central differences."""
        ends = [moved(self.arguments, self.t, sign * STEP) for sign in (1, -1)]
        with np.errstate(all="ignore"):
            first = [float(self.loss(*copied(end))) for end in ends]
        second = [inner(self.s, self.gradient(*end)) for end in ends]
        return {1: (first[0] - first[1]) / (2 * STEP), 2: (second[0] - second[1]) / (2 * STEP)}

    def all(self):
        others = {(1, "forward"): self.first_forward(), (2, "reverse"): self.second_reverse()}
        return others | self.of_each_rule() | {(1, "reverse"): self.first_reverse()}

    def of_each_rule(self):
        """A derivative that comes from the rules of reverse mode, and one from those of both modes."""
        first, second = self.gradient_and_second_forward()
        return {(1, "reverse"): first, (2, "forward"): second}


class InDouble(Derivatives):
    """The derivatives in double precision, each of them traced once; single precision rounds the arguments, within its tolerances."""

    def __init__(self, sample):
        super().__init__(sample, np.float64)
        self.found = self.all()


in_double = functools.lru_cache(maxsize=1)(InDouble)


@pytest.mark.parametrize("sample", SAMPLES, ids=[sample.name for sample in SAMPLES])
def test_derivatives(sample):
    for kind in sample.kinds:
        check_derivatives(sample, kind)


def check_derivatives(sample, kind):
    """The derivatives of one kind of numbers are those of central differences."""
    derivatives = in_double(sample) if kind is np.float64 else Derivatives(sample, kind)
    if kind is np.float32:
        found, expected, tolerances = (derivatives.all if IN_CI else derivatives.of_each_rule)(), in_double(sample).found, SINGLE_TOLERANCES
    else:
        found, differences = derivatives.found if kind is np.float64 else derivatives.all(), derivatives.differences()
        expected, tolerances = {(order, mode): differences[order] for order, mode in found}, TOLERANCES
    scale = max(1.0, *map(abs, expected.values()))
    for (order, mode), value in found.items():
        assert value == pytest.approx(expected[order, mode], rel=tolerances[order], abs=tolerances[order] * scale), (order, mode)


@dataclass
class Coverage:
    """The operations that samples have in their gradients, the library rules and the NumPy functions that they call."""

    operations: set = field(default_factory=set)
    rules: set = field(default_factory=set)
    functions: set = field(default_factory=set)

    def note(self, derivatives):
        """Trace a gradient, for the calls that follow too, and note what it has."""
        before = dict(FUNCTIONS)
        FUNCTIONS.update({function: recorded(function, rule, self.functions) for function, rule in before.items()})
        try:
            program = derivatives.gradient.compiled.prepare((*derivatives.arguments, {})).program
        finally:
            FUNCTIONS.update(before)
        for operation in walk_block(program.graph.block):
            self.operations.add(operation.name)
            derivative = operation.attributes.get("derivative") if operation.name == "host_call" else None
            if isinstance(derivative, HostDerivative):  # others are equivalents, which have samples of their own
                self.rules.add(derivative.rule)


COVERED = {}  # what the gradients of this process have, by sample and kind


@pytest.fixture(scope="module")
def coverage():
    for sample in SAMPLES:
        for kind in sample.kinds:
            if kind is not np.float32 and (sample, kind) not in COVERED:
                COVERED[sample, kind] = Coverage()
                COVERED[sample, kind].note(Derivatives(sample, kind))
    found = COVERED.values()
    return Coverage(*(set().union(*(getattr(one, part) for one in found)) for part in ("operations", "rules", "functions")))


def recorded(function, implementation, called):
    @functools.wraps(implementation)
    def record(*args, **kwargs):
        called.add(function)
        return implementation(*args, **kwargs)

    return record


def test_every_operation_with_a_rule_has_a_sample(coverage):
    for name, opdef in OPS.items():
        assert not isinstance(opdef.vjp, Unsupported) and (opdef.vjp is STRUCTURAL) == (opdef.jvp is STRUCTURAL)
    wanted = {name for name, opdef in OPS.items() if callable(opdef.vjp) or opdef.vjp is STRUCTURAL}
    assert wanted - coverage.operations == UNREACHED


def test_every_library_rule_has_a_sample(coverage):
    assert {function for function, rule in RULES.items() if rule not in coverage.rules} == set()
    assert FLAT_FUNCTIONS.isdisjoint(RULES)


def test_every_native_function_has_a_sample_or_no_derivative(coverage):
    assert {function for function in FUNCTIONS if function not in coverage.functions} == FLAT_NATIVE | UFUNCS
