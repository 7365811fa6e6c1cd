"""Simulations: queues of events, agents, random draws, epidemics, traffic, particles, order books, lifts, dice."""

from __future__ import annotations

import bisect
import heapq
import itertools
import math
import random
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from benchmarks.everyday_python.program import Program


@dataclass(order=True)
class Event:
    time: float
    number: int
    kind: str = field(compare=False)
    client: int = field(compare=False)


def serve_clients(count, counters, seed):
    """A bank with several counters: arrivals and departures from a heap of events."""
    source = random.Random(seed)
    numbers = itertools.count()
    events, time = [], 0.0
    for client in range(count):
        time += source.expovariate(1.0)
        heapq.heappush(events, Event(time, next(numbers), "arrive", client))
    free, waiting, arrived, waits = counters, deque(), {}, []
    while events:
        event = heapq.heappop(events)
        if event.kind == "arrive":
            arrived[event.client] = event.time
            waiting.append(event.client)
        else:
            free += 1
        while free and waiting:
            client = waiting.popleft()
            waits.append(event.time - arrived[client])
            free -= 1
            heapq.heappush(events, Event(event.time + source.expovariate(0.55), next(numbers), "leave", client))
    return len(waits), sum(waits) / len(waits), max(waits)


class Person:
    def __init__(self, wealth):
        self.wealth = wealth
        self.trades = 0

    def give(self, other, amount):
        amount = min(amount, self.wealth)
        self.wealth -= amount
        other.wealth += amount
        self.trades += 1


def exchange_of_wealth(people, rounds, seed):
    """Everybody gives a coin to somebody; how unequal it gets (Gini's coefficient)."""
    source = random.Random(seed)
    for _ in range(rounds):
        for person in people:
            if person.wealth > 0:
                person.give(source.choice(people), 1)
    wealth = sorted(person.wealth for person in people)
    n, total = len(wealth), sum(wealth)
    gini = sum((2 * k - n - 1) * value for k, value in enumerate(wealth, 1)) / (n * total)
    return round(gini, 9), wealth[-3:], sum(person.trades for person in people)


def pi_by_random(n, seed):
    source = random.Random(seed)
    inside = 0
    for _ in range(n):
        x, y = source.random(), source.random()
        if x * x + y * y <= 1.0:
            inside += 1
    return 4.0 * inside / n


def walk_by_generator(rng, steps):
    """Draws of NumPy's generator in a loop: where a walk ends, and how far it was away."""
    x = y = furthest = 0.0
    for _ in range(steps):
        angle = 2.0 * math.pi * rng.random()
        length = rng.exponential(1.0)
        x += length * math.cos(angle)
        y += length * math.sin(angle)
        furthest = max(furthest, math.hypot(x, y))
    return x, y, furthest


def epidemic(contacts, days, seed):
    """Healthy, ill and immune on a dict of contacts."""
    source = random.Random(seed)
    state = dict.fromkeys(contacts, "healthy")
    state[0] = state[1] = "ill"
    history = []
    for _ in range(days):
        following = dict(state)
        for person, others in contacts.items():
            if state[person] != "ill":
                continue
            for other in others:
                if state[other] == "healthy" and source.random() < 0.3:
                    following[other] = "ill"
            if source.random() < 0.25:
                following[person] = "immune"
        state = following
        history.append(sum(1 for value in state.values() if value == "ill"))
    return history, max(history)


def contacts_of(n):
    return ({k: [(k + 1) % n, (k * 3 + 2) % n, (k + n // 2) % n] for k in range(n)}, 30, 4)


def traffic(length, cars, steps, seed):
    """Nagel and Schreckenberg's ring of 1992 on a list with None for an empty place."""
    source = random.Random(seed)
    road = [None] * length
    for k in range(cars):
        road[k * length // cars] = 0
    moved = 0
    for _ in range(steps):
        following = [None] * length
        for place, speed in enumerate(road):
            if speed is None:
                continue
            gap = 1
            while road[(place + gap) % length] is None and gap <= 5:
                gap += 1
            speed = min(speed + 1, 5, gap - 1)
            if speed and source.random() < 0.2:
                speed -= 1
            following[(place + speed) % length] = speed
            moved += speed
        road = following
    return moved / (cars * steps), "".join("." if speed is None else str(speed) for speed in road)


class Particle:
    def __init__(self, place, velocity, mass):
        self.place = list(place)
        self.velocity = list(velocity)
        self.mass = mass

    def energy(self):
        return 0.5 * self.mass * sum(v * v for v in self.velocity)


def particles_in_a_box(particles, steps, dt):
    hits = 0
    for _ in range(steps):
        for particle in particles:
            for axis in range(2):
                particle.place[axis] += particle.velocity[axis] * dt
                if not 0.0 <= particle.place[axis] <= 1.0:
                    particle.velocity[axis] = -particle.velocity[axis]
                    hits += 1
        for i, one in enumerate(particles):
            for other in particles[i + 1 :]:
                dx, dy = one.place[0] - other.place[0], one.place[1] - other.place[1]
                if dx * dx + dy * dy < 0.0004:
                    one.velocity, other.velocity = other.velocity, one.velocity
                    hits += 1
    return hits, sum(particle.energy() for particle in particles)


def some_particles(n):
    return [Particle((k * 0.37 % 1.0, k * 0.61 % 1.0), (0.3 - k % 5 * 0.1, 0.2 + k % 3 * 0.1), 1.0 + k % 2) for k in range(n)], 20, 0.05


class OrderBook:
    def __init__(self):
        self.bids, self.asks, self.trades = [], [], []

    def add(self, side, price, amount):
        own, others = (self.bids, self.asks) if side == "buy" else (self.asks, self.bids)
        while amount and others:
            best = others[-1] if side == "sell" else others[0]
            if (side == "buy" and best[0] > price) or (side == "sell" and best[0] < price):
                break
            traded = min(amount, best[1])
            self.trades.append((best[0], traded))
            amount -= traded
            best[1] -= traded
            if not best[1]:
                others.remove(best)
        if amount:
            bisect.insort(own, [price, amount])


def trade_all(orders):
    book = OrderBook()
    for side, price, amount in orders:
        book.add(side, price, amount)
    turnover = sum(price * amount for price, amount in book.trades)
    return len(book.trades), turnover, len(book.bids), len(book.asks), book.bids[-1:], book.asks[:1]


def some_orders(n):
    return ([("buy" if k % 2 else "sell", 100 + (k * 37) % 21 - 10, (k * 13) % 9 + 1) for k in range(n)],)


def lift(calls, floors):
    """A lift that goes on in its direction while there is a call, with sets and a small machine of states."""
    floor, direction, travelled, served = 0, 1, 0, []
    pending = set()
    calls = deque(calls)
    while calls or pending:
        if calls:
            pending.add(calls.popleft())
        if floor in pending:
            pending.remove(floor)
            served.append(floor)
        ahead = [other for other in pending if (other - floor) * direction > 0]
        if not ahead:
            direction = -direction
        if pending:
            floor = min(max(floor + direction, 0), floors - 1)
            travelled += 1
    return travelled, len(served), served[-5:]


def dice_game(players, goal, seed):
    """Pig: roll until the sum of the turn is 20 or a one falls."""
    source = random.Random(seed)
    scores = dict.fromkeys(players, 0)
    for turn in itertools.count(1):
        for player in players:
            total = 0
            while total < 20:
                roll = source.randint(1, 6)
                if roll == 1:
                    total = 0
                    break
                total += roll
            scores[player] += total
            if scores[player] >= goal:
                return player, turn, scores
    return None


def forest_fire(size, steps, seed):
    random.seed(seed)
    forest = [["tree" if random.random() < 0.6 else "" for _ in range(size)] for _ in range(size)]
    forest[size // 2][size // 2] = "fire"
    for _ in range(steps):
        burning = [(i, j) for i in range(size) for j in range(size) if forest[i][j] == "fire"]
        for i, j in burning:
            forest[i][j] = "ash"
            for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                if 0 <= a < size and 0 <= b < size and forest[a][b] == "tree":
                    forest[a][b] = "fire"
    return {kind: sum(row.count(kind) for row in forest) for kind in ("tree", "fire", "ash", "")}


PROGRAMS = (
    Program(serve_clients, lambda n: (n, 2, 1), 600, 6),
    Program(exchange_of_wealth, lambda n: ([Person(10) for _ in range(n)], 30, 6), 100, 4),
    Program(pi_by_random, lambda n: (n, 3), 20000, 10),
    Program(walk_by_generator, lambda n: (np.random.default_rng(11), n), 5000, 10),
    Program(epidemic, contacts_of, 150, 8),
    Program(traffic, lambda n: (n, n // 4, 40, 2), 120, 12),
    Program(particles_in_a_box, some_particles, 24, 4),
    Program(trade_all, some_orders, 1500, 20),
    Program(lift, lambda n: ([(k * 7) % 13 for k in range(n)], 13), 800, 6),
    Program(dice_game, lambda n: (["ann", "bob", "cleo"], n, 8), 3000, 30),
    Program(forest_fire, lambda n: (n, n, 12), 30, 5),
)
