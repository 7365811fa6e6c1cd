"""The operators that converted code calls as `ag__`: Python's meaning, overlaid by the staged one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from autograph_jit.library import meaning
from autograph_jit.library.directives import functional  # noqa: F401
from autograph_jit.library.numpy import protocol  # noqa: F401
from autograph_jit.library.python import (  # noqa: F401  (their functions register themselves)
    buffers,
    caches,
    clocks,
    complex_functions,
    copies,
    dataclasses,
    deques,
    dict_methods,
    distances,
    functions,
    heaps,
    iteration,
    iterators,
    math_functions,
    named_tuples,
    number_bytes,
    numbers,
    operator_functions,
    random_numbers,
    reductions,
    regular_expressions,
    selections,
    special_methods,
    sums,
    translation,  # noqa: F401
    tuples,
    types,
)
from autograph_jit.library.python import texts as text_builtins  # noqa: F401
from autograph_jit.library.scipy import forms  # noqa: F401
from autograph_jit.tracing.containers import cell_tables
from autograph_jit.tracing.control import branches, generators, kept_generators, loops, tries, walks
from autograph_jit.tracing.expressions import (
    access,
    calls,
    comparison,
    frame_calls,
    library_containers,
    literals,
    patterns,
    spreading,
    text,
    text_methods,  # noqa: F401
    unpacking,
    updating,
    variables,
)
from autograph_jit.tracing.hosting import exceptions
from autograph_jit.tracing.objects import opaque as objects  # noqa: F401
from autograph_jit.tracing.plain import operators as plain
from autograph_jit.tracing.values import language
from autograph_jit.tracing.values.abstract import Undefined
from autograph_jit.tracing.values.faults import acts_for_program

STAGED: dict[str, Any] = {
    "if_stmt": branches.if_stmt,
    "if_exp": branches.if_exp,
    "and_": branches.and_,
    "or_": branches.or_,
    "not_": branches.not_,
    "while_stmt": loops.while_stmt,
    "for_stmt": loops.for_stmt,
    "try_stmt": tries.try_stmt,
    "with_stmt": tries.with_stmt,
    "raised": exceptions.raised,
    "compare": comparison.compare,
    "compare_chain": comparison.compare_chain,
    "getattr_": access.getattr_,
    "setattr_": access.setattr_,
    "delattr_": access.delattr_,
    "getitem": access.getitem,
    "setitem": access.setitem,
    "delitem": access.delitem,
    "iop": updating.iop,
    "unpack": unpacking.unpack,
    "converted": variables.converted,
    "state_of": variables.state_of,
    "ld": variables.ld,
    "outer": variables.outer,
    "returned": variables.returned,
    "ld_free": variables.ld_free,
    "lambda_": variables.lambda_,
    "deleted": variables.deleted,
    "spread": spreading.spread,
    "spread_items": spreading.spread_items,
    "spread_arguments": spreading.spread_arguments,
    "spread_mapping": spreading.spread_mapping,
    "spread_keywords": spreading.spread_keywords,
    "call_in_frame": frame_calls.call_in_frame,
    "set_add": literals.set_add,
    "Undefined": Undefined,
    "global_load": variables.global_load,
    "global_store": variables.global_store,
    "global_del": variables.global_del,
    "except_groups": tries.except_groups,
    "call": calls.call,
    "look_up": calls.look_up,
    "len_of_two": library_containers.len_of_two,
    "made_here": library_containers.made_here,
    "decorator": calls.decorator,
    "yielded": generators.yielded,
    "left_of": generators.left_of,
    "is_over": generators.is_over,
    "resumed": kept_generators.resumed,
    "has_frame": kept_generators.has_frame,
    "kept": kept_generators.kept_variable,
    "kept_perhaps": kept_generators.kept_perhaps,
    "paused": kept_generators.paused,
    "given_out": kept_generators.given_out,
    "leaked": kept_generators.leaked,
    "walked": walks.walked,
    "next_item": walks.next_item,
    "is_item": walks.is_item,
    "item_taken": walks.item_taken,
    "returned_by": walks.returned_by,
    "range_parts": walks.range_parts,
    "match_sequence": patterns.match_sequence,
    "match_mapping": patterns.match_mapping,
    "match_class": patterns.match_class,
    "fstring": text.fstring,
    "modulo": text.modulo,
    "new_cell": cell_tables.new_cell,
    "new_list": literals.new_list,
    "new_dict": literals.new_dict,
    "new_dict_of": literals.new_dict_of,
    "new_set": literals.new_set,
    "new_tuple": literals.new_tuple,
    "list_append": literals.list_append,
    "genexp": literals.genexp,
    "assert_stmt": literals.assert_stmt,
}

operators_namespace = SimpleNamespace(**plain.hooks())
for _name, _operator in STAGED.items():
    setattr(operators_namespace, _name, _operator)
for _name, _operator in vars(operators_namespace).items():
    if not _name.endswith("_stmt"):
        acts_for_program(_operator)


language.install(meaning)
acts_for_program(plain.unpack)
for display in (plain.new_dict_of, plain.new_set):
    acts_for_program(display)  # asks items for their hashes
