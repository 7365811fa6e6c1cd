"""Products of the chain rule that end in others: zero where their cotangents are, and looked at together."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu import blocks
from autograph_jit.backends.cpu.arithmetic import chains
from autograph_jit.backends.cpu.nests import elementwise


def roots(x, w):
    total = 0.0
    for i in range(len(x)):
        r = np.sqrt(x[i])
        s = r * w[i]
        total += s * s * s + s * w[i]
    return total


def forces(x, w):
    out = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(len(x)):
            d = x[i] - x[j]
            out[i] += w[j] * d / (np.sqrt(np.abs(d)) * np.abs(d))
            out[j] -= w[i] * np.log(np.abs(d)) * w[j]
    return np.sum(out * w)


def carried(x, w):
    y = 0.5
    for i in range(len(x)):
        y = y * np.sqrt(x[i]) * w[i] + np.log(x[i]) * w[i] + 0.25
    return y


def ended_by_branch(x, w):
    total = 0.0
    for i in range(len(x)):
        y = np.sqrt(x[i]) * w[i]
        if y > 0.4:
            y = y * y * w[i]
        total += y * np.sqrt(x[i])
    return total


X = np.array([0.0, 1.0, 4.0, 0.0, 0.25, 9.0])
WEIGHTS = {
    "zero where partial derivatives are infinite": np.array([0.0, 0.5, 2.0, 0.0, 0.3, 1.0]),
    "infinite derivatives": np.array([1.0, 0.5, 2.0, 0.0, 0.3, 1.0]),
    "no number": np.array([0.0, 0.5, np.nan, 0.0, 0.3, 1.0]),
}


def eagerly(function, x, w):
    with np.errstate(all="ignore"), ag.GradientTape() as tape:
        variables = ag.Variable(x), ag.Variable(w)
        value = function(*variables)
    with np.errstate(all="ignore"):
        return [np.asarray(each) for each in tape.gradient(value, variables)]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("function", [roots, carried, ended_by_branch])
def test_gradients_are_those_of_the_tape(function, dtype, weights):
    x, w = X.astype(dtype), WEIGHTS[weights].astype(dtype)
    found = ag.grad(function, argnums=(0, 1))(x, w)
    for mine, theirs in zip(found, eagerly(function, x, w)):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5 if dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("function", [roots, forces, carried, ended_by_branch])
def test_gradients_are_those_of_products_that_all_ask(function, weights, monkeypatch):
    def gradients():
        return ag.grad(lambda x, w: function(x, w), argnums=(0, 1))(X, WEIGHTS[weights])

    asking = []

    def emit_asking(e, operation):
        asking.append(operation)
        return chains.emit_chained(e, operation, is_quick=False)

    found = gradients()
    monkeypatch.setattr(blocks, "chains_of", lambda e, block: [])
    monkeypatch.setattr(elementwise, "emit_alone", emit_asking)
    for mine, theirs in zip(found, gradients()):
        np.testing.assert_allclose(mine, theirs, rtol=1e-13)
    assert asking


def test_zero_cotangents_give_zero():
    x, w = X, WEIGHTS["zero where partial derivatives are infinite"]
    found = ag.grad(roots)(x, w)
    assert np.all(found[w == 0] == 0) and np.all(np.isfinite(found))
    expected = [1.5 * np.sqrt(a) * b**3 + 0.5 * b**2 / np.sqrt(a) for a, b in zip(x, w) if b]
    np.testing.assert_allclose(found[w != 0], expected, rtol=1e-13)


def pulled(x):
    total = 0.0
    for i in range(len(x) - 1):
        d = x[i + 1] - x[i]
        r = d * d + 0.1
        f = 1.0 / (r * np.sqrt(r))
        total += f * d * x[i] * np.sin(d)
    return total


def test_one_look_for_many_products():
    gradient = ag.compile(lambda x: ag.grad(pulled)(x))
    gradient(np.random.default_rng(3).standard_normal(20))
    (executable,) = gradient.specializations[0].executables.values()
    looks = set(re.findall(r"^(no_number[.\d]*):", executable.llvm, re.MULTILINE))
    assert executable.llvm.count(" fmul ") > 20 and 0 < len(looks) <= 4
