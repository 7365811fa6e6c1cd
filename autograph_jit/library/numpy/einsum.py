"""einsum: the subscripts are read while tracing; operands are contracted from left to right by matrix products."""

from __future__ import annotations

from string import ascii_letters, ascii_lowercase, ascii_uppercase
from typing import Any

import numpy as np

from autograph_jit.library.numpy.linalg import expect_contractible, matmul, times
from autograph_jit.library.numpy.reductions import finish, reduce_value
from autograph_jit.tracing.arrays.array_like import as_array, is_sequence, size_operand, unwrap, wrap_result
from autograph_jit.tracing.arrays.indexing import numbers_in
from autograph_jit.tracing.arrays.register import implements, refuse
from autograph_jit.tracing.arrays.views import add_axes, basic_view, diagonal_view, permute, reshape
from autograph_jit.tracing.values.abstract import StagedArray, check
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, cast, shape_of
from autograph_jit.tracing.values.trace import constant, emit


class Term:
    """An operand with one label per axis."""

    __slots__ = ("array", "labels")

    def __init__(self, array: StagedArray, labels: str) -> None:
        self.array, self.labels = array, labels


def parse(subscripts: str, ranks: list[int]) -> tuple[list[str], str]:
    """The labels of each operand and of the result; an ellipsis is spelled out with labels of its own."""
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(ranks):
        raise ValueError(
            "more operands provided to einstein sum function than specified in the subscripts string"
            if len(inputs) < len(ranks)
            else "fewer operands provided to einstein sum function than specified in the subscripts string"
        )
    spare = [letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if letter not in text]
    longest = 0
    for part, rank in zip(inputs, ranks):
        if "..." in part:
            longest = max(longest, rank - len(part.replace("...", "")))
    dots = "".join(spare[:longest])
    found = [expand(part, rank, dots) for part, rank in zip(inputs, ranks)]
    if not arrow:
        letters = "".join(inputs).replace(".", "")
        right = dots + "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    else:
        right = right.replace("...", dots)
    if any(letter not in "".join(found) for letter in right):
        raise ValueError("einstein sum subscripts string included output subscript which never appeared in an input")
    return found, right


def expand(part: str, rank: int, dots: str) -> str:
    """One operand's labels."""
    if "..." in part:
        extra = rank - len(part.replace("...", ""))
        part = part.replace("...", dots[len(dots) - extra :] if extra else "")
    if len(part) > rank:
        raise ValueError("einstein sum subscripts string contains too many subscripts for operand 0")
    if len(part) < rank:
        raise ValueError(
            "operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to broadcast "
            "the extra dimensions."
        )
    return part


def take_diagonals(term: Term) -> Term:
    """A label that is repeated in one operand selects its diagonal."""
    labels, x = term.labels, term.array
    for letter in sorted(set(labels)):
        while labels.count(letter) > 1:
            one = labels.index(letter)
            other = labels.index(letter, one + 1)
            x = diagonal_view(x, 0, one, other)
            labels = "".join(label for k, label in enumerate(labels) if k not in (one, other)) + letter
    return Term(x, labels)


def expect_square(x: StagedArray, one: int, other: int, letter: str, operand: str) -> None:
    """Two axes of one label have one size."""
    if x.type.dims[one] != x.type.dims[other]:
        sizes = [size_operand(x, axis) for axis in (one, other)]
        text = f"dimensions in {operand} for collapsing index '{letter}' don't match ({{0}} != {{1}})"
        check(emit("equal", *sizes).result, ValueError, text, *sizes)


def sum_out(term: Term, kept: set[str]) -> Term:
    """Labels that nothing else needs are summed."""
    axes = tuple(k for k, label in enumerate(term.labels) if label not in kept)
    if not axes:
        return term
    value = reduce_value("sum", term.array.value, axes, False, None)
    return Term(as_array(wrap_result(value)), "".join(label for label in term.labels if label in kept))


def product(x: Term, y: Term, kept: set[str]) -> Term:
    """Two operands into one: labels of both that are kept are batches, the others of both are summed."""
    x, y = sum_out(x, kept | set(y.labels)), sum_out(y, kept | set(x.labels))
    shared = [label for label in x.labels if label in y.labels]
    refuse(any(x.array.type.dims[x.labels.index(label)] == 1 != y.array.type.dims[y.labels.index(label)] for label in shared))
    refuse(any(y.array.type.dims[y.labels.index(label)] == 1 != x.array.type.dims[x.labels.index(label)] for label in shared))
    expect_contractible(x.array, y.array, [x.labels.index(label) for label in shared], [y.labels.index(label) for label in shared])
    summed = [label for label in shared if label not in kept]
    batch = [label for label in shared if label in kept]
    rest_x, rest_y = ([label for label in term.labels if label not in shared] for term in (x, y))
    if not summed or not (rest_x or rest_y) or (batch and not (rest_x and rest_y)):  # sums of rows run in the nest of their products
        return sum_out(outer_product(x, y), kept)
    left, right = arranged(x, batch, rest_x, summed), arranged(y, batch, summed, rest_y)
    sizes = {label: size for term in (x, y) for label, size in zip(term.labels, shape_of(term.array))}
    result = matmul(left, right)
    labels = "".join(batch + rest_x + rest_y)
    return Term(reshape(as_array(result), tuple(sizes[label] for label in labels)), labels)


def arranged(term: Term, batch: list[str], rows: list[str], columns: list[str]) -> StagedArray:
    """An operand as a stack of matrices."""
    order = [term.labels.index(label) for label in batch + rows + columns]
    turned = permute(term.array, order) if order != list(range(len(order))) else term.array
    shape = shape_of(turned)
    b, r = len(batch), len(batch) + len(rows)
    if len(rows) == 1 and len(columns) == 1:
        return turned
    return reshape(turned, (*shape[:b], times(shape, list(range(b, r))), times(shape, list(range(r, len(shape))))))


def outer_product(x: Term, y: Term) -> Term:
    """The elementwise product, each operand stretched over the other's labels."""
    labels = x.labels + "".join(label for label in y.labels if label not in x.labels)
    left = add_axes(x.array, range(len(x.labels), len(labels)))
    order = sorted(range(len(y.labels)), key=lambda k: labels.index(y.labels[k]))
    turned = permute(y.array, order) if order != list(range(len(order))) else y.array
    present = {labels.index(label) for label in y.labels}
    right = (
        basic_view(turned, [("full",) if k in present else ("newaxis",) for k in range(len(labels))])
        if len(present) < len(labels)
        else turned
    )
    return Term(as_array(language.ufunc(np.multiply, "__call__", (left, right), {})), labels)


def with_subscripts(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arrays that are each followed by a list of labels, and a list for the result perhaps: the same with labels as letters."""
    count = len(operands) // 2
    inputs = [letters_of(labels) for labels in operands[1 : 2 * count : 2]]
    arrow = "" if len(operands) == 2 * count else f"->{letters_of(operands[-1])}"
    return (",".join(inputs) + arrow, *operands[: 2 * count : 2])


def letters_of(labels: Any) -> str:
    """A list of numbers below 52 and of ellipses as NumPy writes it: A to Z, then a to z."""
    numbers = numbers_in(labels)
    refuse(not is_sequence(numbers))
    refuse(not all(label is Ellipsis or (isinstance(label, int | np.integer) and 0 <= label < len(ascii_letters)) for label in numbers))
    return "".join("..." if label is Ellipsis else (ascii_uppercase + ascii_lowercase)[label] for label in numbers)


@implements(np.einsum)
def einsum(*operands: Any, out: Any = None, optimize: Any = False, dtype: Any = None, order: Any = "K", casting: Any = "safe") -> Any:
    refuse(not operands, dtype is not None)
    operands = operands if isinstance(operands[0], str) else with_subscripts(operands)
    arrays = [as_array(x) for x in operands[1:]]
    inputs, output = parse(operands[0], [x.ndim for x in arrays])
    refuse(any(label in "".join(inputs) and "..." in operands[0] and broadcast_ellipsis(arrays, inputs) for label in output))
    expect_sizes(arrays, inputs, output)
    common = np.result_type(*(x.dtype for x in arrays))
    refuse(common.kind == "b")
    terms = [take_diagonals(Term(array(cast(x.value, common)), labels)) for x, labels in zip(arrays, inputs)]
    result = terms[0]
    for k, term in enumerate(terms[1:], 1):
        later = set(output).union(*(other.labels for other in terms[k + 1 :]))
        result = product(result, term, later)
    result = sum_out(result, set(output))
    order_of = [result.labels.index(label) for label in output]
    final = permute(result.array, order_of) if order_of != list(range(len(order_of))) else result.array
    if final.value is arrays[0].value and len(arrays) == 1:
        final = basic_view(final, [("full",)] * final.ndim) if final.ndim else final
    return finish(unwrap(final), out)


def expect_sizes(arrays: list[StagedArray], inputs: list[str], output: str) -> None:
    """Axes of one label have one size, or 1."""
    sizes = [[size_operand(x, axis) for axis in range(x.ndim)] for x in arrays]
    known: dict[str, tuple[Any, Any]] = {}
    one = constant(np.int64(1))
    for number, (x, labels) in enumerate(zip(arrays, inputs)):
        for place, letter in enumerate(labels):
            if letter in labels[:place]:
                is_view = len(inputs) == 1 and set(labels[: place + 1]) <= set(output)
                expect_square(x, labels.index(letter), place, letter, "single operand" if is_view else f"operand {number}")
    for x, labels, operands in zip(arrays, inputs, sizes):
        for label, size, operand in zip(labels, x.type.dims, operands):
            before, first = known.setdefault(label, (size, operand))
            if size != before and 1 not in (size, before):
                fits = [emit("equal", *pair).result for pair in ((first, operand), (first, one), (operand, one))]
                good = emit("logical_or", fits[0], emit("logical_or", fits[1], fits[2]).result).result
                check(good, ValueError, mismatch_text(inputs, output), *(size for part in sizes for size in part))


def mismatch_text(inputs: list[str], output: str) -> str:
    """What NumPy says about sizes that differ: each operand's shape, and what it is among the axes of the loop over all labels."""
    order = output + "".join(sorted(set("".join(inputs)) - set(output)))
    position, parts = 0, []
    for labels in inputs:
        numbers = {label: "{" + str(position + k) + "}" for k, label in enumerate(labels)}
        position += len(labels)
        start = min((order.index(label) for label in labels), default=0)
        mapped = ",".join(numbers.get(label, "newaxis") for label in order[start:])
        comma, end = ("," if len(part) == 1 else "" for part in (labels, order))
        parts.append(f"({','.join(numbers.values())}{comma})->({mapped}{end})")
    return f"operands could not be broadcast together with remapped shapes [original->remapped]: {' '.join(parts)} "


def broadcast_ellipsis(arrays: list[StagedArray], inputs: list[str]) -> bool:
    """Whether axes of one label differ in size, so that one is stretched."""
    sizes: dict[str, Any] = {}
    for x, labels in zip(arrays, inputs):
        for label, size in zip(labels, x.type.dims):
            if sizes.setdefault(label, size) != size and 1 in (sizes[label], size):
                return True
    return False
