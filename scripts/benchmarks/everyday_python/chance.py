"""Programs of chance: Monte Carlo, walks, a Markov chain, prices, the bootstrap, cards and dice, by NumPy's generators and Python's."""

from __future__ import annotations

import math
import random

import numpy as np

from benchmarks.everyday_python.program import Program


def pi_by_generator(rng, n):
    inside = 0
    for _ in range(n):
        x, y = rng.random(), rng.random()
        if x * x + y * y < 1.0:
            inside += 1
    return 4.0 * inside / n


def farthest_of_a_walk(rng, n):
    place = farthest = 0
    for _ in range(n):
        place += 1 if rng.random() < 0.5 else -1
        farthest = max(farthest, abs(place))
    return farthest, place


def metropolis(rng, n, width):
    """Samples of a double well."""
    x, accepted, total = 0.0, 0, 0.0
    for _ in range(n):
        y = x + rng.uniform(-width, width)
        if rng.random() < math.exp(min(0.0, (x * x - 1.0) ** 2 - (y * y - 1.0) ** 2)):
            x = y
            accepted += 1
        total += x * x
    return total / n, accepted / n


def asian_option(rng, paths, steps):
    total = 0.0
    for _ in range(paths):
        price, mean = 100.0, 0.0
        for _ in range(steps):
            price *= math.exp(-0.0002 + 0.02 * rng.standard_normal())
            mean += price
        total += max(mean / steps - 100.0, 0.0)
    return total / paths


def bootstrap(rng, x, rounds):
    means = []
    for _ in range(rounds):
        total = 0.0
        for _ in range(len(x)):
            total += x[rng.integers(0, len(x))]
        means.append(total / len(x))
    means.sort()
    return means[rounds // 20], means[-rounds // 20]


def queue_of_one_server(rng, n):
    clock = free_at = waited = 0.0
    for _ in range(n):
        clock += rng.exponential(1.0)
        begins = max(clock, free_at)
        waited += begins - clock
        free_at = begins + rng.exponential(0.8)
    return waited / n


def weather(rng, days):
    """A Markov chain of three states."""
    chances = np.array([[0.7, 0.2, 0.1], [0.3, 0.4, 0.3], [0.2, 0.3, 0.5]])
    counts, today = [0, 0, 0], 0
    for _ in range(days):
        today = rng.choice(3, p=chances[today])
        counts[today] += 1
    return counts


def first_derangement(rng, n):
    """How many shuffles it takes until no card is in its place."""
    for k in range(1, 1000):
        cards = np.arange(n)
        rng.shuffle(cards)
        if not np.any(cards == np.arange(n)):
            return k, cards
    return 0, None


def ruin(seed, n, goal):
    """A gambler plays until nothing or the goal is left."""
    np.random.seed(seed)
    ruined = rounds = 0
    for _ in range(n):
        money = goal // 2
        while 0 < money < goal:
            money += 1 if np.random.rand() < 0.49 else -1
            rounds += 1
        ruined += money == 0
    return ruined / n, rounds


def sums_of_dice(seed, n):
    source = random.Random(seed)
    counts = [0] * 19
    for _ in range(n):
        counts[source.randint(1, 6) + source.randint(1, 6) + source.randint(1, 6)] += 1
    return counts


def shared_birthdays(seed, people, n):
    random.seed(seed)
    shared = 0
    for _ in range(n):
        seen = np.zeros(365, dtype=bool)
        for _ in range(people):
            day = random.randrange(365)
            if seen[day]:
                shared += 1
                break
            seen[day] = True
    return shared / n


def shuffled_hands(seed, n):
    """How often the top card is higher than the next one."""
    source = random.Random(seed)
    deck, higher = list(range(52)), 0
    for _ in range(n):
        source.shuffle(deck)
        higher += deck[0] % 13 > deck[1] % 13
    return higher


PROGRAMS = (
    Program(pi_by_generator, lambda n: (np.random.default_rng(1), n), 20000, 10),
    Program(farthest_of_a_walk, lambda n: (np.random.default_rng(2), n), 20000, 10),
    Program(metropolis, lambda n: (np.random.default_rng(3), n, 0.8), 20000, 10),
    Program(asian_option, lambda n: (np.random.default_rng(4), n, 50), 400, 3),
    Program(bootstrap, lambda n: (np.random.default_rng(5), np.arange(float(n)) ** 0.5, 60), 300, 5),
    Program(queue_of_one_server, lambda n: (np.random.default_rng(6), n), 20000, 10),
    Program(weather, lambda n: (np.random.default_rng(7), n), 2000, 5),
    Program(first_derangement, lambda n: (np.random.default_rng(8), n), 2000, 5),
    Program(ruin, lambda n: (9, n, 20), 200, 3),
    Program(sums_of_dice, lambda n: (10, n), 10000, 10),
    Program(shared_birthdays, lambda n: (11, 23, n), 500, 5),
    Program(shuffled_hands, lambda n: (12, n), 300, 3),
)
