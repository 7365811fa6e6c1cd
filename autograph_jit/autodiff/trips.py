"""How many trips a counted loop makes."""

from __future__ import annotations

import numpy as np

from autograph_jit.staging.lift import scalar
from autograph_jit.staging.trace import constant, emit
from autograph_jit.staging.values import StagedScalar


def trip_count(start: StagedScalar, stop: StagedScalar, step: StagedScalar) -> StagedScalar:
    """max(0, ceil((stop - start) / step)) for a step of either sign."""
    span = emit("subtract", stop.value, start.value).result
    one = constant(np.int64(1))
    positive = emit("greater", step.value, constant(np.int64(0))).result
    bias = emit("where", positive, emit("subtract", step.value, one).result, emit("add", step.value, one).result).result
    count = emit("floor_divide", emit("add", span, bias).result, step.value).result
    return scalar(emit("maximum", count, constant(np.int64(0))).result)
