"""Convolutions against loops, SciPy and central differences; their errors; how often they are compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import signal

import autograph_jit as ag
from autograph_jit.convolution import products
from tests.convolution import by_loops

# The shape of x without its channels, the window, channels, filters, and the options.
CASES: list[tuple[tuple[int, ...], tuple[int, ...], int, int, dict[str, Any]]] = [
    ((2, 9), (3,), 2, 3, {}),
    ((2, 9), (4,), 2, 3, {"strides": 2, "padding": "same"}),
    ((2, 11), (3,), 1, 2, {"dilation": 3, "padding": "same"}),
    ((2, 6, 5), (3, 2), 2, 4, {"strides": (2, 1), "padding": "same"}),
    ((2, 9, 6), (2, 3), 4, 6, {"dilation": (3, 2), "groups": 2}),
    ((2, 6, 7), (3, 3), 3, 3, {"padding": "same", "groups": 3}),
    ((2, 7, 6), (2, 3), 2, 6, {"strides": 3, "groups": 2}),
    ((3, 5, 5), (1, 1), 3, 2, {"strides": 2}),
    ((2, 3, 3), (5, 5), 1, 2, {"padding": "same"}),
    ((1, 4, 5, 3), (2, 2, 2), 2, 3, {"padding": "same"}),
    ((0, 6, 5), (2, 2), 2, 3, {"padding": "same"}),
    ((2, 5), (2,), 0, 3, {}),
]


def operands(case: Any, rng: np.random.Generator, dtype: Any = float) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    shape, window, channels, filters, options = case
    x = rng.standard_normal((*shape, channels)).astype(dtype)
    return x, rng.standard_normal((*window, channels // options.get("groups", 1), filters)).astype(dtype), options


def test_convolution_equals_loops(rng: np.random.Generator) -> None:
    for case in CASES:
        x, kernel, options = operands(case, rng)
        expected = by_loops.conv(x, kernel, **options)
        np.testing.assert_allclose(ag.conv(x, kernel, **options), expected, rtol=1e-12, atol=1e-12, err_msg=str(case))
        compiled = ag.compile(lambda x, kernel, options=options: ag.conv(x, kernel, **options), fallback="error")
        np.testing.assert_allclose(compiled(x, kernel), expected, rtol=1e-12, atol=1e-12, err_msg=str(case))


def test_transposed_convolution_is_the_transpose_of_the_convolution(rng: np.random.Generator) -> None:
    for case in CASES:
        x, kernel, options = operands(case, rng)
        if any(size % stride for size, stride in zip(x.shape[1:-1], by_loops.per_axis(options.get("strides", 1), x.ndim - 2))):
            continue  # arrays of several sizes have convolutions of one
        y = rng.standard_normal(by_loops.conv(x, kernel, **options).shape)
        for transpose in (ag.conv_transpose, ag.compile(ag.conv_transpose, fallback="error")):
            spread = transpose(y, kernel, **options)
            assert spread.shape == x.shape
            np.testing.assert_allclose(np.sum(spread * x), np.sum(y * by_loops.conv(x, kernel, **options)), rtol=1e-10, atol=1e-10)


def test_transposed_convolution_has_the_sizes_of_keras(rng: np.random.Generator) -> None:
    for size, window, stride, padding, expected in (
        (5, 3, 1, "valid", 7),
        (5, 3, 2, "valid", 11),
        (5, 2, 3, "valid", 15),
        (5, 3, 2, "same", 10),
        (5, 2, 3, "same", 15),
    ):
        result = ag.conv_transpose(rng.standard_normal((2, size, 4)), rng.standard_normal((window, 3, 4)), stride, padding)
        assert result.shape == (2, expected, 3)


def test_convolution_of_one_channel_is_the_correlation_of_scipy(rng: np.random.Generator) -> None:
    x, kernel = rng.standard_normal((8, 9)), rng.standard_normal((3, 5))
    for padding in ("valid", "same"):
        found = ag.conv(x[None, :, :, None], kernel[:, :, None, None], padding=padding)
        np.testing.assert_allclose(found[0, :, :, 0], signal.correlate2d(x, kernel, padding), rtol=1e-12, atol=1e-12)
    spread = ag.conv_transpose(x[None, :, :, None], kernel[:, :, None, None])
    np.testing.assert_allclose(spread[0, :, :, 0], signal.convolve2d(x, kernel, "full"), rtol=1e-12, atol=1e-12)


def test_result_has_the_common_dtype(rng: np.random.Generator) -> None:
    for x, kernel, result in (("f", "f", "f"), ("f", "d", "d"), ("i", "i", "i"), ("h", "f", "f")):
        arrays = rng.integers(0, 5, (2, 6, 2)).astype(x), rng.integers(0, 5, (3, 2, 2)).astype(kernel)
        for convolve in (ag.conv, ag.compile(ag.conv, fallback="error")):
            found = convolve(*arrays)
            assert found.dtype == result
            np.testing.assert_array_equal(found, by_loops.conv(*arrays))


def by_tape(function: Any, x: np.ndarray, kernel: np.ndarray, ct: np.ndarray) -> list[np.ndarray]:
    with ag.GradientTape() as tape:
        boxed = ag.Tensor(x), ag.Variable(kernel)
        tape.watch(boxed[0])
        loss = np.sum(function(*boxed) * ct)
    return [gradient.numpy() for gradient in tape.gradient(loss, list(boxed))]


def test_gradients_of_a_tape_equal_differences(rng: np.random.Generator) -> None:
    """Both operations are linear in each array: differences are exact but for rounding."""
    for case in CASES:
        x, kernel, options = operands(case, rng)
        for function, first in ((ag.conv, x), (ag.conv_transpose, np.zeros_like(ag.conv(x, kernel, **options)))):
            ct = rng.standard_normal(function(first, kernel, **options).shape)
            found = by_tape(lambda *arrays: function(*arrays, **options), first, kernel, ct)  # noqa: B023
            for gradient, place in zip(found, (0, 1)):
                along = rng.standard_normal(gradient.shape)
                moved = (along, kernel) if place == 0 else (first, along)
                np.testing.assert_allclose(
                    np.sum(gradient * along), np.sum(function(*moved, **options) * ct), rtol=1e-10, atol=1e-10, err_msg=str(case)
                )


def test_compiled_gradients_equal_those_of_a_tape(rng: np.random.Generator) -> None:
    for case in (CASES[1], CASES[4], CASES[5], CASES[6], CASES[10]):
        for dtype, tolerance in ((np.float64, 1e-12), (np.float32, 1e-4)):
            x, kernel, options = operands(case, rng, dtype)
            ct = rng.standard_normal(ag.conv(x, kernel, **options).shape).astype(dtype)
            gradient = ag.grad(lambda x, kernel, ct, options=options: np.sum(ag.conv(x, kernel, **options) * ct), (0, 1))
            expected = by_tape(lambda *arrays: ag.conv(*arrays, **options), x, kernel, ct)  # noqa: B023
            for found, other in zip(gradient(x, kernel, ct), expected):
                assert found.dtype == dtype
                np.testing.assert_allclose(found, other, rtol=tolerance, atol=tolerance, err_msg=str(case))


def test_derivatives_to_second_order_equal_central_differences(rng: np.random.Generator) -> None:
    x, kernel = rng.standard_normal((2, 9, 2)), rng.standard_normal((3, 2, 3))
    ag.testing.check_grads(lambda x, kernel: ag.conv(x, kernel, 2, "same") ** 2, (x, kernel), 2, "rev")
    ag.testing.check_grads(lambda x, kernel: ag.conv(x, kernel, 2), (x, kernel), 1, "fwd")
    ag.testing.check_grads(lambda x, kernel: ag.conv_transpose(x, kernel, 2, "same") ** 2, (x, np.swapaxes(kernel, 1, 2)), 2, "rev")
    depthwise = rng.standard_normal((3, 1, 4))
    ag.testing.check_grads(lambda x, kernel: ag.conv(x, kernel, groups=2) ** 2, (x, depthwise), 2, "rev")


def test_second_derivatives_of_nested_tapes(rng: np.random.Generator) -> None:
    x, kernel = rng.standard_normal((2, 7, 2)), rng.standard_normal((3, 2, 3))

    def slope(kernel: Any) -> Any:
        with ag.GradientTape() as tape:
            boxed = ag.Tensor(kernel) if not isinstance(kernel, ag.Tensor) else kernel
            tape.watch(boxed)
            loss = np.sum(ag.conv(x, boxed, padding="same") ** 3)
        return np.sum(tape.gradient(loss, boxed) ** 2)

    with ag.GradientTape() as outer:
        weights = ag.Variable(kernel)
        total = slope(weights)
    gradient = outer.gradient(total, weights).numpy()
    along = rng.standard_normal(kernel.shape)
    difference = (float(slope(kernel + 1e-5 * along)) - float(slope(kernel - 1e-5 * along))) / 2e-5
    np.testing.assert_allclose(np.sum(gradient * along), difference, rtol=1e-6)


def test_variables_are_kernels_in_compiled_code(rng: np.random.Generator) -> None:
    x, kernel = rng.standard_normal((2, 6, 6, 2)), ag.Variable(rng.standard_normal((3, 3, 2, 4)))

    @ag.compile(fallback="error")
    def step(x: Any) -> Any:
        with ag.GradientTape() as tape:
            loss = np.sum(ag.conv(x, kernel) ** 2)
        return tape.gradient(loss, kernel)

    expected = by_tape(lambda x, kernel: ag.conv(x, kernel), x, kernel.numpy(), 2 * ag.conv(x, kernel.numpy()))[1]
    np.testing.assert_allclose(step(x), expected, rtol=1e-12)


def test_derivative_that_nobody_wants_is_not_computed(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any) -> Any:
        raise AssertionError("the derivative by x is computed")

    monkeypatch.setattr(products, "spread", refuse)
    x, kernel = rng.standard_normal((2, 6, 2)), rng.standard_normal((3, 2, 3))
    for boxed in (x, ag.Tensor(x)):
        with ag.GradientTape() as tape:
            weights = ag.Variable(kernel)
            loss = np.sum(ag.conv(boxed, weights))
        assert tape.gradient(loss, weights).shape == kernel.shape
    assert ag.grad(lambda kernel: np.sum(ag.conv(x, kernel)))(kernel).shape == kernel.shape


def test_many_examples_are_convolved_in_parts(rng: np.random.Generator) -> None:
    """All windows have 547,560 elements: more than are laid out at a time."""
    some = rng.standard_normal((60, 13, 13, 2))
    x = np.concatenate([some, some, some])
    for kernel, groups in ((rng.standard_normal((3, 3, 2, 3)), 1), (rng.standard_normal((3, 3, 1, 2)), 2)):
        gradient = ag.grad(lambda x, kernel, groups=groups: np.sum(ag.conv(x, kernel, padding="same", groups=groups) ** 2), (0, 1))
        by_x, by_kernel = gradient(x, kernel)
        by_some, by_kernel_of_some = gradient(some, kernel)
        np.testing.assert_allclose(by_x, np.concatenate([by_some] * 3), rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(by_kernel, 3 * by_kernel_of_some, rtol=1e-10, atol=1e-10)
        one = slice(100, 101)
        np.testing.assert_allclose(by_x[one], gradient(x[one], kernel)[0], rtol=1e-10, atol=1e-10)


def test_one_compilation_serves_all_sizes(rng: np.random.Generator) -> None:
    convolve = ag.compile(lambda x, kernel: ag.conv(x, kernel, 2, "same"), fallback="error")
    for shape in ((10, 11, 12, 13), (20, 30, 9, 10), (9, 10, 11, 15)):
        batch, height, width, channels = shape
        x, kernel = rng.standard_normal((batch, height, width, channels)), rng.standard_normal((9, 10, channels, 11))
        patches = np.lib.stride_tricks.sliding_window_view(padded(x, (9, 10)), (9, 10), (1, 2))[:, ::2, ::2]
        np.testing.assert_allclose(convolve(x, kernel), np.einsum("nijcpq,pqcf->nijf", patches, kernel), rtol=1e-10, atol=1e-10)
    assert len(convolve.specializations) == 1


def padded(x: np.ndarray, window: tuple[int, int]) -> np.ndarray:
    """TensorFlow's padding for strides of 2."""
    missing = [max((-(-size // 2) - 1) * 2 + span - size, 0) for size, span in zip(x.shape[1:-1], window)]
    return np.pad(x, [(0, 0), *((n // 2, n - n // 2) for n in missing), (0, 0)])


def test_compiled_convolution_calls_no_python(rng: np.random.Generator) -> None:
    loss = lambda x, kernel: np.sum(ag.max_pool(ag.conv(x, kernel, padding="same")) ** 2)  # noqa: E731
    step = ag.compile(lambda x, kernel: ag.grad(loss, (0, 1))(x, kernel), fallback="error")
    x, kernel = rng.standard_normal((2, 12, 12, 9)), rng.standard_normal((3, 3, 9, 10))
    step(x, kernel)
    assert "host calls    none" in str(step.explain(x, kernel))


def test_what_does_not_fit_is_named_alike_in_python_and_in_compiled_code() -> None:
    x = np.ones((2, 20, 20, 12))
    cases: list[tuple[Any, Any, dict[str, Any], str]] = [
        (x, np.ones((3, 3, 11, 10)), {}, "x has 12 channels, the kernel and the groups take 11"),
        (x, np.ones((3, 3, 12, 10)), {"padding": "full"}, "padding='full'"),
        (x, np.ones((3, 3, 12, 10)), {"strides": 0}, "strides of 0"),
        (x, np.ones((3, 3, 12, 10)), {"dilation": 1.5}, "dilation=1.5"),
        (x, np.ones((3, 3, 12, 10)), {"strides": (1, 2, 3)}, "there are 2 spatial axes"),
        (x, np.ones((3, 3, 6, 11)), {"groups": 2}, "2 groups do not divide 11"),
        (x, np.ones((3, 30, 12, 11)), {}, "a window of 30 does not fit into the 20 elements of spatial axis 1"),
        (x, np.ones((3, 0, 12, 11)), {}, "no elements along spatial axis 1"),
        (x[:, :0], np.ones((3, 3, 12, 11)), {"padding": "same"}, "spatial axis 0 has no elements"),
        (x[0], np.ones((3, 3, 12, 11)), {}, "x has 3 axes and the kernel 4"),
        (x * 1j, np.ones((3, 3, 12, 11)), {}, "complex128"),
    ]
    for first, kernel, options, text in cases:
        for function in (ag.conv, ag.compile(lambda *args, options=options: ag.conv(*args, **options), fallback="error")):
            with pytest.raises((ag.ShapeError, ag.SettingError), match=text):
                function(first, kernel, **(options if function is ag.conv else {}))
    with pytest.raises(ag.ShapeError, match="conv_transpose: x has 12 channels, the kernel and the groups take 10"):
        ag.conv_transpose(x, np.ones((3, 3, 12, 10)))


def test_what_does_not_fit_is_raised_only_where_the_program_comes_to_it() -> None:
    @ag.compile(fallback="error")
    def convolved(x: Any, kernel: Any, wanted: Any) -> Any:
        if wanted > 0:
            return ag.conv(x, kernel, strides=0)
        return ag.conv(x, kernel)

    assert convolved(np.ones((1, 4, 1)), np.ones((2, 1, 1)), 0).shape == (1, 3, 1)
    with pytest.raises(ag.SettingError):
        convolved(np.ones((1, 4, 1)), np.ones((2, 1, 1)), 1)
