"""Recursive programs: a number, a tree in an array, permutations, backtracking over a board, a memoised count of paths."""

from __future__ import annotations

from typing import Any

import numpy as np


def fib(n: int) -> int:
    """The Fibonacci numbers."""
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def tree_sum(values: Any, node: int) -> float:
    """A weighted sum over a binary tree that an array holds."""
    if node >= len(values):
        return 0.0
    below = tree_sum(values, 2 * node + 1) + tree_sum(values, 2 * node + 2)
    return values[node] + 0.5 * below if values[node] > 3.0 else below


def permutations(items: list[int]) -> list[list[int]]:
    """All orders of a list."""
    if len(items) <= 1:
        return [items]
    found = []
    for k in range(len(items)):
        for rest in permutations(items[:k] + items[k + 1 :]):
            found.append([items[k], *rest])
    return found


def is_free(board: Any, row: int, column: int) -> bool:
    """Whether no queen of the rows before attacks a place."""
    for other in range(row):
        if board[other] == column or abs(board[other] - column) == row - other:
            return False
    return True


def placed(board: Any, row: int) -> int:
    """How many ways there are to go on from a row."""
    if row == len(board):
        return 1
    count = 0
    for column in range(len(board)):
        if is_free(board, row, column):
            board[row] = column
            count += placed(board, row + 1)
    return count


def queens(size: int) -> int:
    """How many ways there are to place queens that do not attack each other."""
    return placed(np.zeros(size, np.int64), 0)


def paths_from(row: int, column: int, seen: dict[tuple[int, int], int]) -> int:
    """Ways to the corner, kept in a dict."""
    if row == 0 or column == 0:
        return 1
    if (row, column) not in seen:
        seen[row, column] = paths_from(row - 1, column, seen) + paths_from(row, column - 1, seen)
    return seen[row, column]


def paths(rows: int, columns: int) -> int:
    """Ways through a grid."""
    return paths_from(rows, columns, {})
