"""What each process of `mpiexec` runs: results are those of one process, in all of them, and so is an error of one. Prints its rank."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

import autograph_jit as ag
from autograph_jit import nn

x = np.arange(12.0).reshape(6, 2)
y = x @ [1.0, -2.0] + 1.0


@ag.compile
def error(w, x, y):
    if x[0, 0] > 8.0:
        raise ValueError("this part is refused")
    return np.mean((x @ w - y) ** 2)


world = MPI.COMM_WORLD
divided, alone = ag.distributed.value_and_grad(error, world, parts=3), ag.value_and_grad(error)
w = np.array([0.5, 0.25])
results = world.allgather(divided(w, x, y))
for value, gradient in results:
    assert value == results[0][0] and (gradient == results[0][1]).all()
for mine, theirs in zip(results[0], alone(w, x, y)):
    np.testing.assert_allclose(mine, theirs, rtol=1e-12)
try:
    divided(w, x + 2.0, y)
except ValueError as refused:
    assert "this part is refused" in str(refused)
else:
    raise AssertionError("the error of one part was lost")

nn.set_seed(world.Get_rank())
model = nn.Sequential([nn.Dense(1)])  # of other weights in each process: those of the first count
step = ag.distributed.train_step(model, nn.losses.mean_squared_error, ag.optim.SGD(0.01), world)
losses = [float(step(x, y[:, None])) for _ in range(50)]
states = world.allgather([losses, *(variable.numpy().tolist() for variable in model.variables)])
assert states[0] == states[1] and losses[-1] < 0.1 * losses[0]
print(world.Get_rank())
