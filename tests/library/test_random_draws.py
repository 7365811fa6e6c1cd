"""Native draws of random numbers: NumPy's streams, states and errors, from loops that do not call Python."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from tests.random_streams import SEED, TABLES, differences, state_of
from tests.tables import table

pytestmark = pytest.mark.native

NAN = float("nan")
WRONG = {
    np.random.Generator: {
        "uniform": ((1.0, 0.0), (0.0, np.inf), (0.0, NAN)),
        "normal": ((0.0, -1.0), (0.0, -0.0)),
        "lognormal": ((0.0, -1.0),),
        "exponential": ((-1.0,),),
        "standard_gamma": ((-0.5,),),
        "gamma": ((-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)),
        "beta": ((0.0, 1.0), (1.0, -1.0)),
        "chisquare": ((0.0,),),
        "f": ((0.0, 1.0), (1.0, 0.0)),
        "noncentral_chisquare": ((0.0, 1.0), (1.0, -1.0)),
        "standard_t": ((0.0,),),
        "pareto": ((0.0,),),
        "weibull": ((-1.0,),),
        "power": ((0.0,),),
        "rayleigh": ((-1.0,),),
        "laplace": ((0.0, -1.0),),
        "gumbel": ((0.0, -1.0),),
        "logistic": ((0.0, -1.0),),
        "vonmises": ((0.0, -1.0),),
        "wald": ((0.0, 1.0), (1.0, 0.0)),
        "poisson": ((-1.0,), (NAN,), (1e30,)),
        "geometric": ((0.0,), (NAN,), (1.5,)),
        "binomial": ((-1, 0.5), (5, 1.5), (5, NAN)),
        "integers": ((0,), (3, 3), (0, 0), (4, 2)),
    },
    np.random.RandomState: {
        "uniform": ((0.0, np.inf),),
        "laplace": ((0.0, -1.0),),
        "poisson": ((-1.0,), (1e30,)),
        "binomial": ((-1, 0.5), (5, 1.5)),
        "randint": ((0,), (3, 3), (0, 0)),
    },
}


def outcome(function, *args):
    try:
        return repr(function(*args))
    except (ValueError, OverflowError) as error:
        return type(error), str(error)


@table("kind", TABLES)
def test_streams_and_states_are_those_of_numpy_on_every_bit_generator(kind) -> None:
    assert list(differences(kind, 1000)) == []


@table("kind", WRONG)
def test_wrong_parameters_raise_the_errors_of_numpy(kind) -> None:
    for name, choices in WRONG[kind].items():

        def draw(rng, *parameters, name=name):
            first = rng.random()
            return first + getattr(rng, name)(*parameters)

        compiled = ag.compile(draw, fallback="error")
        for parameters in choices:
            expected, found = kind(np.random.PCG64(SEED)), kind(np.random.PCG64(SEED))
            assert outcome(compiled, found, *parameters) == outcome(draw, expected, *parameters), (name, parameters)
            assert state_of(found) == state_of(expected), (name, parameters)


def walk(rng, n):
    x = 0.0
    for _ in range(n):
        x += rng.normal(0.0, 0.5) if rng.random() < 0.5 else rng.integers(3)
    return x


def test_a_loop_that_draws_calls_no_python() -> None:
    compiled = ag.compile(walk, fallback="error")
    assert compiled(np.random.default_rng(1), 500) == walk(np.random.default_rng(1), 500)
    text = compiled.explain(np.random.default_rng(1), 500)
    assert "host calls    none" in text, text


def test_a_generator_lives_as_long_as_it_is_drawn_from() -> None:
    def draw(n):
        total = 0.0
        for seed in range(n):
            total += np.random.default_rng(seed).random()
            rng = np.random.Generator(np.random.MT19937(seed))
            for _ in range(3):
                total += rng.standard_normal()
        return total

    assert ag.compile(draw, fallback="error")(50) == draw(50)


SHARED = np.random.default_rng(5)


class Source:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def step(self, x):
        return x + self.rng.exponential(2.0)


def test_generators_are_those_of_the_call() -> None:
    def draw(source, n):
        x = 0.0
        for _ in range(n):
            x = source.step(x) + SHARED.random()
        return x

    compiled = ag.compile(draw, fallback="error")
    for seed in (1, 2, 3):
        SHARED.bit_generator.state = np.random.PCG64(9).state
        expected = draw(Source(seed), 20)
        SHARED.bit_generator.state = np.random.PCG64(9).state
        assert compiled(Source(seed), 20) == expected


def test_a_draw_whose_number_nobody_reads_is_made() -> None:
    def draw(rng, n):
        for _ in range(n):
            rng.random()
        return rng.random()

    assert ag.compile(draw, fallback="error")(np.random.default_rng(3), 10) == draw(np.random.default_rng(3), 10)


def test_draws_keep_their_order_among_two_names_of_a_generator() -> None:
    def draw(a, b, n):
        found = np.zeros(n)
        for k in range(n):
            found[k] = a.random() if k % 3 else b.standard_normal()
        return found

    compiled, rngs = ag.compile(draw, fallback="error"), [np.random.default_rng(3) for _ in range(2)]
    np.testing.assert_array_equal(compiled(rngs[0], rngs[0], 100), draw(rngs[1], rngs[1], 100))


@pytest.mark.parametrize(
    "draw",
    (
        lambda rng, n: rng.normal(0.0, 1.0, n, np.float64),
        lambda rng, n: rng.poisson(2.0, dtype=np.float64),
        lambda rng, n: rng.standard_exponential(n, np.float64, "zig"),
        lambda rng, n: rng.random(n, np.float64, None),
    ),
)
def test_options_are_those_that_numpy_takes(draw) -> None:
    for make in (np.random.default_rng, np.random.RandomState):
        found = []
        for run in (draw, ag.compile(draw)):
            try:
                found.append(repr(run(make(3), 4)))
            except TypeError as error:
                found.append((type(error), str(error).splitlines()[0]))
        assert found[0] == found[1]


def test_an_exception_leaves_the_state_that_python_leaves() -> None:
    def draw(rng, x):
        total = 0.0
        for k in range(100):
            total += rng.random() * x[k]
        return total

    states = []
    for run in (draw, ag.compile(draw, fallback="error")):
        rng = np.random.default_rng(3)
        with pytest.raises(IndexError):
            run(rng, np.ones(50))
        states.append(rng.bit_generator.state)
    assert states[0] == states[1]


def test_the_address_of_a_stream_is_asked_for_in_front_of_loops() -> None:
    def draw(n):
        rng, total = np.random.default_rng(1), 0.0
        for k in range(n):
            if k % 3:
                total += rng.random()
            else:
                total += rng.normal()
        return total

    compiled = ag.compile(draw, fallback="error")
    assert compiled(20) == draw(20)
    before, _, loop = str(compiled.graph(20)).partition("for_loop")
    assert "bit_generator" in before and "bit_generator" not in loop


PLACES, SCALES = np.linspace(0.0, 1.0, 5), np.linspace(0.5, 2.0, 5)
WITH_ARRAYS = [
    lambda rng, m, s: (rng.normal(m, s), rng.normal(m, 1.5, size=(3, 5)), rng.random()),
    lambda rng, m, s: (rng.normal(m[:, None], s), rng.laplace(m, s), rng.random()),
    lambda rng, m, s: (rng.uniform(m, m + s), rng.exponential(s), rng.poisson(s * 10), rng.random()),
    lambda rng, m, s: (rng.normal(np.arange(3), np.ones(3, np.float32)), rng.normal(m[:0], s[:0]), rng.random()),
    lambda rng, m, s: rng.normal(m, s, size=4),
    lambda rng, m, s: rng.normal(m, -s),
    lambda rng, m, s: rng.poisson(-s),
    lambda rng, m, s: rng.uniform(m, m + np.inf),
    lambda rng, m, s: rng.normal(m[:3], s),
]
OF_GENERATORS_ONLY = [
    lambda rng, m, s: (rng.gamma(m, s), rng.beta(s, s), rng.standard_gamma(s), rng.random()),
    lambda rng, m, s: (rng.geometric(s / 4), rng.lognormal(m, s, (2, 5)), rng.random()),
    lambda rng, m, s: rng.geometric(s * 4),
]


def test_draws_with_arrays_of_parameters_are_those_of_numpy() -> None:
    for kind, programs in ((np.random.default_rng, WITH_ARRAYS + OF_GENERATORS_ONLY), (np.random.RandomState, WITH_ARRAYS)):
        for number, program in enumerate(programs):
            expected, found = (outcome(run, kind(4), PLACES, SCALES) for run in (program, ag.compile(program, fallback="error")))
            np.testing.assert_equal(found, expected, err_msg=f"{kind.__name__} {number}")
