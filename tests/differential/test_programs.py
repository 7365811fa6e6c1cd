"""Every program gives compiled what Python gives."""

from __future__ import annotations

import pytest

from tests.differential import (
    algorithms_programs,
    array_api_programs,
    arrays_programs,
    builtin_call_programs,
    class_programs,
    container_class_programs,
    errors_programs,
    everyday_programs,
    exchange_programs,
    exit_programs,
    faults_programs,
    features_programs,
    found_object_programs,
    found_programs,
    generator_programs,
    growing_programs,
    iterator_programs,
    laboratory_programs,
    language_programs,
    large_int_programs,
    larger_programs,
    manager_programs,
    memory_order_programs,
    mixed_programs,
    numpy_option_programs,
    outside_programs,
    protocol_programs,
    recursion_programs,
    refusals_programs,
    repeated_programs,
    science_programs,
    scipy_programs,
    special_method_programs,
    spread_programs,
    text_programs,
)
from tests.differential.harness import Program, differences

KNOWN = {
    "results_alias_arguments": "the base of an array is not known to compiled code: refused",
}
MODULES = (
    language_programs,
    outside_programs,
    class_programs,
    generator_programs,
    iterator_programs,
    arrays_programs,
    errors_programs,
    exchange_programs,
    exit_programs,
    repeated_programs,
    science_programs,
    array_api_programs,
    algorithms_programs,
    faults_programs,
    features_programs,
    found_object_programs,
    found_programs,
    mixed_programs,
    special_method_programs,
    spread_programs,
    text_programs,
    manager_programs,
    refusals_programs,
    large_int_programs,
    recursion_programs,
    memory_order_programs,
    growing_programs,
    larger_programs,
    builtin_call_programs,
    numpy_option_programs,
    scipy_programs,
    laboratory_programs,
    everyday_programs,
    protocol_programs,
    container_class_programs,
)
PROGRAMS = [program for module in MODULES for program in module.PROGRAMS]


NATIVE = {
    "long_loop": "its trips take the interpreter seconds",
    "deep_recursion_with_new_numbers_in_every_call": "the interpreter takes more of Python's stack than machine code",
}


def expected(program: Program) -> pytest.param:
    """A program with its marks, where it is known to differ, or is compiled always."""
    known = KNOWN.get(program.name)
    marks = [pytest.mark.xfail(strict=True, reason=known)] if known else []
    marks += [pytest.mark.native] if program.name in NATIVE else []
    return pytest.param(program, id=program.name, marks=marks)


@pytest.mark.parametrize("program", [expected(program) for program in PROGRAMS])
def test_compiled_program_does_what_python_does(program: Program) -> None:
    assert differences(program) is None
