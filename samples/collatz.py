"""The Collatz conjecture: how many steps of 3n + 1 and n / 2 lead to 1."""

from __future__ import annotations

import autograph_jit as ag


def collatz(n):
    """The number of steps from n to 1."""
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def longest(limit):
    """The number below `limit` with the longest way to 1, and its length."""
    best, most = 1, 0
    for n in range(1, limit):
        steps = collatz(n)
        if steps > most:
            best, most = n, steps
    return best, most


def example(limit: int = 1000) -> tuple:
    return (limit,)


def main() -> None:
    best, most = ag.compile(longest, fallback="error")(1_000_000)
    print(f"below a million, {best} takes the most steps: {most}")


if __name__ == "__main__":
    main()
