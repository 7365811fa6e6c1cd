"""Tests of ops/registry.py: every operation of the contract is there, once, and complete."""

import pytest

import autograph_jit.ops  # noqa: F401
from autograph_jit.errors import GraphError
from autograph_jit.ir.derivative import FLAT
from autograph_jit.ir.opdef import Effect, OpDef
from autograph_jit.ir.types import I64
from autograph_jit.ops.registry import OPS, define_op, get

NAMES = """
constant cast add subtract multiply divide floor_divide remainder fmod power negative positive absolute sign sqrt cbrt square reciprocal
exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh hypot floor ceil
trunc rint copysign nextafter signbit isnan isinf isfinite maximum minimum fmax fmin heaviside logaddexp logaddexp2 degrees radians
ldexp spacing conjugate less less_equal greater greater_equal equal not_equal logical_and logical_or logical_not logical_xor bitwise_and
bitwise_or bitwise_xor invert left_shift right_shift gcd lcm real imag angle complex where pyint_add pyint_subtract pyint_multiply check
pyint_truncate basic_index transpose reshape broadcast_to real_view imag_view diagonal as_strided dim stride load store assign copy
empty full array_constant arange concat is_same overlaps reduce arg_reduce scan matmul sort argsort searchsorted gather scatter
mask_select nonzero mask_assign list_new list_push list_pop list_get list_set list_len list_to_array list_insert list_clear list_copy
host_call raise_ tally cond while_loop for_loop try_ chain_product linear_recurrence stop_gradient recomputed custom_result
""".split()


@pytest.mark.parametrize("name", NAMES)
def test_operation_is_defined_under_its_name(name):
    opdef = get(name)
    assert isinstance(opdef, OpDef) and opdef.name == name


def test_only_operations_that_may_fail_say_when_they_do():
    assert [name for name, opdef in OPS.items() if opdef.fails is not None and not opdef.may_fail] == []


def test_unknown_name_is_refused():
    with pytest.raises(GraphError, match="no operation is named 'frobnicate'"):
        get("frobnicate")


def test_name_is_defined_once():
    add = get("add")
    with pytest.raises(GraphError, match="defined twice"):
        define_op("add", infer=add.infer, eager=add.eager, kernel=add.kernel, effect=Effect.PURE, may_fail=False, derivative=FLAT)


@pytest.mark.parametrize("name", ["cond", "try_", "while_loop", "for_loop"])
def test_region_operations_have_no_value_outside_a_graph(name):
    with pytest.raises(GraphError, match="no value outside a graph"):
        get(name).eager()


def test_results_of_region_operations_are_stated():
    assert get("try_").infer((), {"results": (I64,)}) == (I64,)
    assert get("for_loop").infer((I64,) * 4, {}) == (I64,)
