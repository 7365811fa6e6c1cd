"""L-BFGS: a whole minimization by SciPy, of a smooth loss without noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.optimize

import autograph_jit as ag


class LBFGS:
    """Limited-memory BFGS with a line search (Liu and Nocedal 1989; SciPy's L-BFGS-B), for losses that give the same value twice.

    max_iterations: of one `minimize`; tolerance: of the largest element of the gradient; history: how many steps the curvature is
    estimated from. Memory of float64: about 2 * history times the variables.
    """

    def __init__(self, max_iterations: int = 100, tolerance: float = 1e-5, history: int = 10) -> None:
        self.max_iterations, self.tolerance, self.history = max_iterations, tolerance, history

    def minimize(self, loss: Callable[[], Any], variables: Sequence[ag.Variable]) -> scipy.optimize.OptimizeResult:
        """Minimize the loss, a function without arguments of these variables, and leave them at the best point; gives SciPy's result
        (`fun`, `nit`, `success`, `message`). A loss compiled by `ag.compile` is compiled once, its gradient too.

        >>> x = ag.Variable(np.array([-1.0, 2.0]))
        >>> rosenbrock = lambda: (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
        >>> LBFGS(tolerance=1e-8).minimize(rosenbrock, [x]).success, x.numpy().round(4)
        (True, array([1., 1.]))
        """

        def value_and_gradient(point: Any) -> tuple[float, Any]:
            write(variables, point)
            with ag.GradientTape() as tape:
                value = loss()
            gradients = tape.gradient(value, variables, unconnected_gradients="zero")
            return float(np.asarray(value)), flat([np.asarray(gradient) for gradient in gradients])

        start = flat([variable.numpy() for variable in variables])
        options = {"maxiter": self.max_iterations, "gtol": self.tolerance, "ftol": 0.0, "maxcor": self.history}
        result = scipy.optimize.minimize(value_and_gradient, start, jac=True, method="L-BFGS-B", options=options)
        write(variables, result.x)
        return result


def flat(arrays: Sequence[Any]) -> Any:
    """All elements in one row of float64."""
    return np.concatenate([np.ravel(array).astype(np.float64) for array in arrays])


def write(variables: Sequence[ag.Variable], point: Any) -> None:
    """Assign the parts of a row to the variables."""
    start = 0
    for variable in variables:
        size = int(np.prod(variable.shape, dtype=np.int64))
        variable.assign(point[start : start + size].reshape(variable.shape).astype(variable.dtype))
        start += size
