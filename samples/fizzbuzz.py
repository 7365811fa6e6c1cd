"""FizzBuzz: a loop of run-time length that prints, and counts, what it says."""

from __future__ import annotations

import autograph_jit as ag


def fizzbuzz(limit):
    """Say the numbers up to `limit`; return how many were replaced by a word."""
    words = 0
    for n in range(1, limit + 1):
        if n % 15 == 0:
            print("FizzBuzz")
        elif n % 3 == 0:
            print("Fizz")
        elif n % 5 == 0:
            print("Buzz")
        else:
            print(n)
            continue
        words += 1
    return words


def example(limit: int = 20) -> tuple:
    return (limit,)


def main() -> None:
    words = ag.compile(fizzbuzz, fallback="error")(*example())
    print(f"{words} words")


if __name__ == "__main__":
    main()
