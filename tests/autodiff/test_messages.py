"""Tests of what users of gradients are told: each message names the user's line, the reason and the remedy."""

from __future__ import annotations

import struct

import numpy as np
import pytest
import scipy.optimize

import autograph_jit as ag
from autograph_jit.autodiff.tapes.objects import ObjectTape
from autograph_jit.tensor.recorded import Recorded, unseen_loss

X = np.array([1.0, 2.0])
N = np.arange(2)


class Holder:
    def __init__(self):
        self.w = X


def squares(x):
    return np.sum(x * x)


def product(x, y):
    return np.sum(x * y)


def nothing(x):
    x * 2


def doubled(x):
    return x * 2


def sometimes(x):
    if x[0] > 1.5:
        return np.sum(x)


def recorded(shape=None, watched=True):
    x = ag.Variable(X)
    with ag.GradientTape(persistent=True) as tape:
        y = x * x
    return tape, x, y


CASES = {
    "integers": (lambda: ag.grad(squares)(N), "argument 0 needs floats, not int64", "astype(float)"),
    "an integer": (lambda: ag.grad(lambda x: x * x)(3), "argument 0 needs floats, not int64", "float()"),
    "a bool": (lambda: ag.grad(lambda x: x * x)(True), "argument 0 needs floats, not bool", "float()"),
    "integers in a structure": (lambda: ag.grad(lambda p: p[0] * p[1])([1.0, 2]), "needs floats, not int64", "choose other argnums"),
    "integers by name": (lambda: ag.grad(product, argnums="y")(X, y=N), "argument 'y' needs floats", "astype(float)"),
    "an object": (lambda: ag.grad(lambda p: np.sum(p.w))(Holder()), "not an object of type Holder", "use ag.GradientTape"),
    "a text": (lambda: ag.grad(lambda x: 1.0)("a"), "not a text", "pass the arrays"),
    "loss array": (lambda: ag.grad(doubled)(X), "needs a scalar, doubled returns an array of rank 1", "np.sum"),
    "loss complex": (lambda: ag.grad(lambda x: np.sum(x) * 1j)(X), "the lambda returns a complex number", "its real part"),
    "loss tuple": (lambda: ag.grad(lambda x: (np.sum(x), "a"))(X), "returns a tuple of 2", "has_aux=True"),
    "loss list": (lambda: ag.grad(lambda x: [np.sum(x)])(X), "returns a list of 1", "return one number"),
    "loss None": (lambda: ag.grad(nothing)(X), "nothing returns None", "return one number"),
    "loss text": (lambda: ag.value_and_grad(lambda x: "text")(X), "returns a text", "return one number"),
    "no pair": (lambda: ag.grad(squares, has_aux=True)(X), "squares must return a pair", "leave has_aux out"),
    "three": (lambda: ag.grad(lambda x: (x[0], 1, 2), has_aux=True)(X), "it returns a tuple of 3", "the loss first"),
    "pair turned": (lambda: ag.grad(lambda x: ("a", x[0]), has_aux=True)(X), "returns a text", "a pair (loss, anything)"),
    "position": (lambda: ag.grad(product, argnums=5)(X, X), "argument 5 of argnums", "it has the parameters x, y"),
    "name": (lambda: ag.grad(product, argnums="z")(X, y=X), "argument 'z' of argnums", "1 by position and y by name"),
    "kind of argnums": (lambda: ag.grad(product, argnums=1.0)(X, X), "names an argument by float", "give a position, a name"),
    "twice": (lambda: ag.grad(product, argnums=(0, "x"))(X, X), "names an argument twice", "name each argument once"),
    "jacobian position": (lambda: ag.jacobian(doubled, 3)(X), "argument 3 of argnums", "parameters x"),
    "jacobian of a structure": (lambda: ag.jacobian(lambda p: p["a"])({"a": X}), "not a dict of 1", "ag.vjp"),
    "jacobian of a tuple": (lambda: ag.jacobian(lambda x: (x, x))(X), "the lambda returns a tuple of 2", "return one array"),
    "hessian of an array": (lambda: ag.hessian(doubled)(X), "needs a scalar, doubled returns", "np.sum"),
    "tangents": (lambda: ag.jvp(product, (X, X), (X,)), "1 tangents for arguments of 2", "structure of the arguments"),
    "shape of a tangent": (lambda: ag.jvp(squares, (X,), (np.ones(3),)), "another shape", "of shape (3,), the argument an array"),
    "integer tangent": (lambda: ag.jvp(squares, (X,), (N,)), "along a tangent needs floats", "astype(float)"),
    "no tuple": (lambda: ag.jvp(squares, X, X), "ag.jvp takes the tuple of the arguments", "ag.jvp(f, (x,), (t,))"),
    "no tuple to hvp": (lambda: ag.hvp(squares, X, X), "ag.hvp takes the tuple", "ag.hvp(f, (x,), (t,))"),
    "shape of a cotangent": (lambda: ag.vjp(doubled, X)[1](np.ones(3)), "float64 of shape (3,), its result is an array", "in the shape"),
    "cotangents": (lambda: ag.vjp(doubled, X)[1]((X, X)), "2 cotangents for a result of 1", "structure of the result"),
    "no result": (lambda: ag.vjp(nothing, X)[1](1.0), "for a result of 0", "the function returns None"),
    "a text as a cotangent": (lambda: ag.vjp(squares, X)[1]("a"), "a cotangent is a text", "give a number or array"),
    "no function": (lambda: ag.grad(squares(X))(X), "gradient of float64: a function is needed", "ag.grad(f)(x), not ag.grad(f(x))"),
    "tape without target": (lambda: recorded()[0].gradient(None, X), "given no target", "inside the with statement"),
    "weights": (lambda: recorded()[0].gradient(recorded()[2], X, [1.0, 2.0]), "2 output_gradients for 1", "structure of the target"),
    "jacobian of several": (lambda: recorded()[0].jacobian([X], X), "taken of one Tensor", "found list"),
    "watching integers": (lambda: ag.GradientTape().watch(ag.asarray(N)), "watches Tensors of floats, not int64", "dtype=float"),
    "watching an array": (lambda: ag.GradientTape().watch(X), "watches Tensors of floats, not ndarray", "ag.asarray"),
    "a parameter": (lambda: ag.gradients_function(product, params=["q"])(X, X), "argument 'q'", "parameters x, y"),
    "in compiled code": (lambda: ag.compile(lambda n: ag.grad(squares)(n), fallback="error")(N), "needs floats, not int64", "astype"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_message_names_the_line_and_the_remedy(case):
    run, what, more = CASES[case]
    with pytest.raises(ag.ConversionError) as caught:
        run()
    error = caught.value
    assert what in error.what + error.why and more in str(error)
    assert error.span is not None and error.span.filename == __file__ and error.why and error.remedy


def test_loss_that_the_run_finds_to_be_none():
    gradient = ag.grad(sometimes)
    assert gradient(np.array([2.0, 3.0])).tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match="the gradient needs a scalar: sometimes returned None here"):
        gradient(X)


def test_weights_of_another_shape_than_the_target():
    tape, x, y = recorded()
    with pytest.raises(ag.ConversionError, match=r"output_gradients of shape \(3,\) for a target of shape \(2,\)"):
        tape.gradient(y, x, output_gradients=np.ones(3))
    np.testing.assert_array_equal(tape.gradient(y, x, output_gradients=2.0).numpy(), 4.0 * X)


def test_second_call_names_the_remedy():
    x = ag.Variable(1.0)
    with ag.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(ag.ConversionError, match="already called on this tape") as caught:
        tape.gradient(y, x)
    assert "persistent=True" in str(caught.value) and "test_messages.py" in str(caught.value)


def changing(x, weights):
    weights["sum"] = x.sum()
    return x.sum() * 2


def test_a_dict_that_is_differentiated_and_changed_is_refused():  # the caller's stayed as it was
    weights = {"sum": 1.0}
    with pytest.raises(ag.ConversionError, match="is an argument that is differentiated, and is changed"):
        ag.grad(ag.compile(changing, fallback="error"), argnums=(0, 1))(X, weights)
    assert ag.grad(changing)(X, weights).tolist() == [2.0] * X.size and weights["sum"] == X.sum()


def test_an_array_that_python_makes_of_a_list_is_no_result_of_a_jacobian():
    def in_order(x):
        found = [value * value for value in x]
        found.sort()
        return np.array(found)

    with pytest.raises(ag.NotDifferentiable, match="an array that Python makes of a list"):
        ag.jacobian(in_order)(np.array([3.0, 1.0, 2.0]))


def test_a_reversed_list_has_a_jacobian():
    def backwards(x):
        found = []
        for value in x:
            if value > 0:
                found.append(value * x[0])
        found.reverse()
        return np.array(found)

    found = ag.jacobian(backwards)(np.array([3.0, -1.0, 2.0]))
    np.testing.assert_allclose(found, [[2.0, 0.0, 3.0], [6.0, 0.0, 0.0]])


def test_code_in_c_that_goes_on_after_a_lost_derivative_is_not_believed():
    """`struct.pack` puts an error of its own in the place of any other, as SciPy does once its callback has failed."""
    number = Recorded(np.asarray(2.0))
    with pytest.raises(struct.error):
        struct.pack("d", number)
    assert isinstance(unseen_loss(), ag.NotDifferentiable) and unseen_loss() is None
    with pytest.raises(ag.NotDifferentiable):
        float(number)
    assert unseen_loss() is None
    with pytest.raises(ag.NotDifferentiable, match="becomes a float in Python code"):
        ObjectTape().forward(lambda x: struct.pack("d", x), [True], [False], [2.0])


def test_a_callback_of_scipy_refuses_a_derivative():
    """SciPy goes on after the exception, and Python calls that a SystemError."""
    with pytest.raises(ag.NotDifferentiable, match="becomes a float in Python code"):
        ag.grad(lambda a: scipy.optimize.brentq(lambda x: x * x - a, 0.0, 10.0))(2.0)
