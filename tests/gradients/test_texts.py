"""Numbers with a derivative that library functions write into texts and bytes, or round."""

from __future__ import annotations

import io
import json
import pickle
import struct

import pytest

import autograph_jit as ag


def dumped(x):
    return x * len(json.dumps({"a": x, "b": [x, {"c": 1}]}))


def dumped_list(x):
    values = []
    while len(values) < 3:
        values.append(x * len(values))
    return x * len(json.dumps(values)) + values[2]


def written(x):
    file = io.StringIO()
    json.dump([x, 2.0], file)
    return x * len(file.getvalue())


def packed(x):
    return x * len(struct.pack("d", x))


def pickled(x):
    return x * (len(pickle.dumps(x)) > 3)


@pytest.mark.parametrize("function", [dumped, dumped_list, written, packed, pickled])
def test_texts_of_numbers_are_constants(function):
    value, slope = ag.value_and_grad(function)(1.5)
    assert value == function(1.5)
    assert slope == pytest.approx(function(1.5) / 1.5)


def test_bytes_of_numbers_are_constants():
    assert ag.grad(packed)(1.5) == 8.0


@pytest.mark.parametrize(
    "function",
    [
        lambda x: json.loads(json.dumps(x)) * x,
        lambda x: struct.unpack("d", struct.pack("d", x))[0] * x,
        lambda x: pickle.loads(pickle.dumps(x)) * x,
    ],
)
def test_numbers_are_not_read_back(function):
    with pytest.raises(ag.ConversionError, match="passes through text"):
        ag.grad(function)(1.5)


def test_rounding_to_digits_is_flat():
    assert ag.value_and_grad(lambda x: round(x, 2) * x)(1.234) == pytest.approx((1.23 * 1.234, 1.23))
    assert ag.jvp(lambda x: round(x, 1) * x, (1.26,), (1.0,))[1] == pytest.approx(1.3)
