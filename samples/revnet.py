"""A reversible residual network on images of CIFAR's shape: training keeps the same few activations however deep it is.

`python -m samples.revnet` trains it on patterns with noise, for 120 steps or as many as are given, with two blocks a stage or as many as
follow. With `memory` it prints the bytes of a training step at three depths, by inversion and by ordinary backpropagation, and draws them
if the name of a picture follows, which needs matplotlib (`pip install 'autograph-jit[docs]'`); with `time` the seconds of a step of both,
measured in turn.
"""

from __future__ import annotations

import ctypes
import sys
import time
from pathlib import Path

import numpy as np

import autograph_jit as ag
from autograph_jit import nn

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
M_MMAP_THRESHOLD = -3


def make_data(size, seed=0):
    """Images (size, 32, 32, 3) of ten patterns with noise, and their labels."""
    rng = np.random.default_rng(seed)
    patterns, labels = rng.standard_normal((10, 32, 32, 3)), rng.integers(0, 10, size)
    return (patterns[labels] + rng.standard_normal((size, 32, 32, 3))).astype(np.float32), labels


class RevNet(nn.Model):
    """Stages of reversible blocks of 3 x 3 convolutions, each stage with half the height and width and twice the channels."""

    def __init__(self, depth=2, channels=16, stages=2, inverts=True, dtype="float32"):
        super().__init__(dtype=dtype)
        self.inverts = inverts
        self.parts = []
        for width in (channels << stage for stage in range(stages)):
            blocks = [nn.ReversibleBlock(residual(width // 2, dtype), residual(width // 2, dtype)) for _ in range(depth)]
            self.parts += [nn.Conv2D(width, 3, 2, "same", dtype=dtype), nn.ReversibleSequential(blocks)]
        self.head = nn.Dense(10, dtype=dtype)

    def call(self, x, training=False):
        for part in self.parts:
            if isinstance(part, nn.ReversibleSequential):
                x = part(x, training=training) if self.inverts else part.plain(x, training)
            else:
                x = part(x)
        return self.head(np.mean(x, axis=(1, 2)))


def residual(channels, dtype):
    """What a block adds to one half of the channels."""
    return nn.Sequential([nn.BatchNormalization(dtype=dtype), nn.Activation("relu"), nn.Conv2D(channels, 3, padding="same", dtype=dtype)])


def make_step(model, optimizer):
    """A compiled training step: returns the loss before it."""

    @ag.compile(fallback="error", compile_seconds=120)
    def step(x, y):
        with ag.GradientTape() as tape:
            loss = np.mean(nn.losses.sparse_categorical_crossentropy(y, model(x, training=True), from_logits=True))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    return step


def made(inverts, depth, channels=16, stages=2):
    """A model and its step, all Variables made; the same weights however it is differentiated."""
    nn.set_seed(0)
    model, optimizer = RevNet(depth, channels, stages, inverts), ag.optim.SGD(0.05)
    model(np.zeros((1, 32, 32, 3), np.float32))
    optimizer.build(model.trainable_variables)
    return model, make_step(model, optimizer)


def train(steps, inverts=True, depth=1, channels=8, batch=16, stages=2):
    """The losses of so many steps."""
    model, step = made(inverts, depth, channels, stages)
    data = make_data(batch * 4)
    batches = [pair for _ in range(steps) for pair in nn.batches(data, batch)][:steps]
    return [float(step(*pair)) for pair in batches]


def resident(field):
    """Bytes that the system's status of this process has under a name: VmRSS now, VmHWM at the peak."""
    return 1024 * int(next(line for line in STATUS.read_text().splitlines() if line.startswith(field)).split()[1])


def peak_of(step, *arguments):
    """Bytes beyond those before, at the peak of a call; large arrays get pages of their own, which go back when they are freed."""
    system = ctypes.CDLL(None)
    system.mallopt(M_MMAP_THRESHOLD, 1 << 17)
    for _ in range(2):
        step(*arguments)
    system.malloc_trim(0)
    CLEAR.write_text("5")
    before = resident("VmRSS")
    step(*arguments)
    return resident("VmHWM") - before


def print_memory(picture=None, depths=(1, 2, 4), batch=256):
    """Peaks less the gradients of the parameters, as numbers and as bars, and in a picture."""
    x, y = make_data(batch)
    peaks = {True: [], False: []}
    print(f"{'blocks':>6}  {'inverted MB':>12}  {'ordinary MB':>12}")
    for depth in depths:
        for inverts, found in peaks.items():
            model, step = made(inverts, depth, stages=1)
            found.append((peak_of(step, x, y) - 4 * sum(v.size for v in model.trainable_variables)) / 1e6)
        inverted, ordinary = peaks[True][-1], peaks[False][-1]
        print(f"{depth:6}  {inverted:12.1f}  {ordinary:12.1f}  {'#' * round(inverted / 4)} {'.' * round(ordinary / 4)}", flush=True)
    if picture is not None:
        draw(picture, depths, peaks[True], peaks[False])


def draw(picture, depths, inverted, ordinary):
    """Both curves in a file."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 nothing else here needs it
    except ImportError as error:
        raise ag.MissingExtraError("a picture is matplotlib's: pip install 'autograph-jit[docs]', or leave the name out") from error
    axes = (figure := Figure(figsize=(5, 3), layout="constrained")).add_subplot()
    for label, peaks in (("by inversion", inverted), ("ordinary backpropagation", ordinary)):
        axes.plot(depths, peaks, "o-", label=label)
    axes.set(xlabel="reversible blocks", ylabel="MB of a training step", ylim=(0, None), xticks=depths)
    axes.legend()
    figure.savefig(picture)


def print_times(depth=2, batch=64, rounds=40):
    """Seconds of a step, both programs in turn."""
    x, y = make_data(batch)
    steps = [made(inverts, depth)[1] for inverts in (True, False)]
    times = np.zeros((rounds, 2))
    for row in [None, None, *times]:
        for number, step in enumerate(steps):
            begin = time.perf_counter()
            step(x, y)
            if row is not None:
                row[number] = time.perf_counter() - begin
    inverted, ordinary = np.median(times, axis=0)
    ratio = np.median(times[:, 0] / times[:, 1])
    print(f"inverted {1e3 * inverted:.2f} ms, ordinary {1e3 * ordinary:.2f} ms, {100 * (ratio - 1):.0f} % longer")


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else "120"
    if what == "memory":
        print_memory(*sys.argv[2:3])
    elif what == "time":
        print_times()
    else:
        losses = train(steps=int(what), depth=int(sys.argv[2]) if len(sys.argv) > 2 else 2, channels=16, batch=32)
        print(f"loss {np.mean(losses[:4]):.3f} at first, {np.mean(losses[-4:]):.3f} after {len(losses)} steps")


if __name__ == "__main__":
    main()
