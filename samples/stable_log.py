"""log(1 + exp(x)): the chain rule gives nan where exp overflows; with a gradient of its own the function is right everywhere."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag


def log1pexp_by_chain_rule(x):
    return np.log(1.0 + np.exp(x))


@ag.custom_gradient
def log1pexp(x):
    def gradient(ct):
        return ct / (1.0 + np.exp(-x))

    return np.log(1.0 + np.exp(x)), gradient


def slopes(x):
    """The derivative by the chain rule, the derivative by the rule of its own, and the derivative of that."""
    return ag.grad(log1pexp_by_chain_rule)(x), ag.grad(log1pexp)(x), ag.grad(ag.grad(log1pexp))(x)


def example() -> tuple:
    return (np.float32(100.0),)


def main() -> None:
    compiled = ag.compile(slopes, fallback="error")
    for x in (np.float32(0.0), *example()):
        chain_rule, own, second = compiled(x)
        print(f"x = {x:5}: by the chain rule {chain_rule}, by its own rule {own}, second derivative {second}")


if __name__ == "__main__":
    main()
