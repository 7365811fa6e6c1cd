"""Programs of many instances: bodies, particles, agents, linked lists, trees, queues of tasks, accounts, points, meshes."""

from __future__ import annotations

import heapq
import math
from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.everyday_python.program import Program


class Body:
    def __init__(self, x, y, vx, vy, mass):
        self.x = x
        self.y = y
        self.vx = vx
        self.vy = vy
        self.mass = mass

    def attract(self, other, dt):
        dx = other.x - self.x
        dy = other.y - self.y
        square = dx * dx + dy * dy + 0.01
        pull = dt / (square * math.sqrt(square))
        self.vx += dx * other.mass * pull
        self.vy += dy * other.mass * pull
        other.vx -= dx * self.mass * pull
        other.vy -= dy * self.mass * pull

    def move(self, dt):
        self.x += self.vx * dt
        self.y += self.vy * dt


def some_bodies(n):
    return [Body(math.cos(k) * k, math.sin(k) * k, 0.1 * k % 1, 0.2 * k % 1, 1.0 + k % 3) for k in range(n)]


def orbit_bodies(bodies, steps, dt):
    for _ in range(steps):
        for i in range(len(bodies)):
            for j in range(i + 1, len(bodies)):
                bodies[i].attract(bodies[j], dt)
        for body in bodies:
            body.move(dt)
    return sum(0.5 * body.mass * (body.vx**2 + body.vy**2) for body in bodies)


class Particle:
    __slots__ = ("x", "y", "vx", "vy", "bounces")

    def __init__(self, x, y, vx, vy):
        self.x, self.y, self.vx, self.vy = x, y, vx, vy
        self.bounces = 0

    def step(self, dt):
        self.vy -= 9.81 * dt
        self.x += self.vx * dt
        self.y += self.vy * dt
        if self.y < 0.0:
            self.y = -self.y
            self.vy = -0.9 * self.vy
            self.bounces += 1


def bounce_particles(n, steps):
    particles = []
    for k in range(n):
        particles.append(Particle(0.0, 1.0 + k * 0.01, 1.0 + k % 7, 0.0))
    for _ in range(steps):
        for particle in particles:
            particle.step(0.01)
    highest = max(particles, key=lambda particle: particle.y)
    return sum(particle.bounces for particle in particles), highest.x, highest.y


class Vec:
    __slots__ = ("x", "y", "z")

    def __init__(self, x, y, z):
        self.x = x
        self.y = y
        self.z = z

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return Vec(self.x - other.x, self.y - other.y, self.z - other.z)

    def scaled(self, factor):
        return Vec(self.x * factor, self.y * factor, self.z * factor)

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z


class Sphere:
    def __init__(self, center, radius, shade):
        self.center = center
        self.radius = radius
        self.shade = shade

    def hit(self, origin, direction):
        offset = origin - self.center
        b = offset.dot(direction)
        inside = b * b - offset.dot(offset) + self.radius * self.radius
        if inside < 0.0:
            return None
        distance = -b - math.sqrt(inside)
        return distance if distance > 1e-6 else None


def trace_spheres(size, count):
    spheres = []
    for k in range(count):
        spheres.append(Sphere(Vec(math.cos(k) * 2.0, math.sin(2.0 * k) * 2.0, 6.0 + k % 5), 0.7, 0.2 + 0.1 * (k % 7)))
    total, hits = 0.0, 0
    origin = Vec(0.0, 0.0, 0.0)
    for row in range(size):
        for column in range(size):
            direction = Vec(column / size - 0.5, row / size - 0.5, 1.0)
            direction = direction.scaled(1.0 / math.sqrt(direction.dot(direction)))
            nearest, best = None, 1e30
            for sphere in spheres:
                distance = sphere.hit(origin, direction)
                if distance is not None and distance < best:
                    nearest, best = sphere, distance
            if nearest is not None:
                point = origin + direction.scaled(best)
                normal = (point - nearest.center).scaled(1.0 / nearest.radius)
                total += nearest.shade * max(0.0, -normal.dot(direction))
                hits += 1
    return total, hits


class Cell:
    def __init__(self, value, next):
        self.value = value
        self.next = next


def reverse_linked_list(n):
    head = None
    for k in range(n):
        head = Cell(k * 7919 % 10007, head)
    backwards = None
    while head is not None:
        following = head.next
        head.next = backwards
        backwards = head
        head = following
    total, place, node = 0, 0, backwards
    while node is not None:
        place += 1
        total += place * node.value
        node = node.next
    return total


class TreeNode:
    def __init__(self, key):
        self.key = key
        self.count = 1
        self.left = None
        self.right = None


def count_in_tree(keys, wanted):
    root = TreeNode(keys[0])
    for key in keys[1:]:
        node = root
        while True:
            if key == node.key:
                node.count += 1
                break
            if key < node.key:
                if node.left is None:
                    node.left = TreeNode(key)
                    break
                node = node.left
            else:
                if node.right is None:
                    node.right = TreeNode(key)
                    break
                node = node.right
    found = 0
    for key in wanted:
        node = root
        while node is not None and node.key != key:
            node = node.left if key < node.key else node.right
        if node is not None:
            found += node.count
    return found


@dataclass
class Person:
    x: float
    y: float
    infected: bool = False
    days: int = 0

    def wander(self, state):
        self.x = (self.x + (state % 1000) / 1000.0 - 0.5) % 20.0
        self.y = (self.y + (state // 1000 % 1000) / 1000.0 - 0.5) % 20.0


def spread_infection(n, days):
    people = [Person(k * 7.3 % 20.0, k * 3.1 % 20.0) for k in range(n)]
    people[0].infected = True
    state = 12345
    for _ in range(days):
        for person in people:
            state = (state * 1103515245 + 12345) % 2147483648
            person.wander(state)
        for person in people:
            if person.infected and person.days < 8:
                person.days += 1
                for other in people:
                    if not other.infected and (person.x - other.x) ** 2 + (person.y - other.y) ** 2 < 0.5:
                        other.infected = True
    return sum(person.infected for person in people), sum(person.days for person in people)


@dataclass(order=True)
class Task:
    priority: int
    number: int
    work: float


def serve_task_queue(n):
    queue = []
    for k in range(n):
        heapq.heappush(queue, Task(k * 7919 % 1009, k, 1.0 + k % 5))
    time, lateness = 0.0, 0.0
    while queue:
        task = heapq.heappop(queue)
        time += task.work
        lateness += max(0.0, time - task.priority)
        if task.work > 4.0:
            heapq.heappush(queue, Task(task.priority + 50, task.number, task.work - 2.0))
    return time, lateness


class BankAccount:
    def __init__(self, number):
        self.number = number
        self.balance = 100.0
        self.refused = 0

    def withdraw(self, amount):
        if amount > self.balance:
            self.refused += 1
            raise ValueError("not enough money")
        self.balance -= amount


def transfer_money(n, transfers):
    accounts = [BankAccount(k) for k in range(n)]
    state, failed = 1, 0
    for _ in range(transfers):
        state = (state * 1103515245 + 12345) % 2147483648
        giver, taker = accounts[state % n], accounts[state // 7 % n]
        amount = state % 97 + 0.5
        try:
            giver.withdraw(amount)
            taker.balance += amount
        except ValueError:
            failed += 1
    accounts.sort(key=lambda account: account.balance, reverse=True)
    return failed, accounts[0].number, accounts[0].balance, sum(account.refused for account in accounts)


Point = namedtuple("Point", "x y")


def longest_hull(n):
    points = []
    for k in range(n):
        points.append(Point(k * 7919 % 1009, k * 6101 % 1013))
    points = sorted(points, key=lambda p: p.x * 2000 + p.y)
    hull = []
    for p in points:
        while len(hull) >= 2:
            a, b = hull[-2], hull[-1]
            if (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0:
                break
            hull.pop()
        hull.append(p)
    return len(hull), sum(math.hypot(hull[k + 1].x - hull[k].x, hull[k + 1].y - hull[k].y) for k in range(len(hull) - 1))


class Crossing:
    def __init__(self, number):
        self.number = number
        self.roads = []
        self.distance = -1


def ways_between_places(n):
    crossings = [Crossing(k) for k in range(n)]
    for k in range(n):
        for step in (1, 7, 31):
            crossings[k].roads.append((k * step + step) % n)
    crossings[0].distance = 0
    queue = [crossings[0]]
    place = 0
    while place < len(queue):
        here = queue[place]
        place += 1
        for number in here.roads:
            other = crossings[number]
            if other.distance < 0:
                other.distance = here.distance + 1
                queue.append(other)
    return sum(crossing.distance for crossing in crossings), len(queue)


class Arrival(NamedTuple):
    time: float
    desk: int


def serve_customers(n, desks):
    events = []
    for k in range(n):
        heapq.heappush(events, Arrival(k * 37 % 1009 / 10.0, k % desks))
    free_at = [0.0] * desks
    waited = 0.0
    while events:
        event = heapq.heappop(events)
        start = max(event.time, free_at[event.desk])
        waited += start - event.time
        free_at[event.desk] = start + 0.9
    return waited, max(free_at)


@dataclass(frozen=True)
class Edge:
    source: int
    target: int
    weight: float


def relax_edges(n, rounds):
    edges = [Edge(k, (k * 3 + 1) % n, 1.0 + k % 11) for k in range(n)] + [Edge(k, (k + 1) % n, 9.0) for k in range(n)]
    best = [1e9] * n
    best[0] = 0.0
    for _ in range(rounds):
        changed = False
        for edge in edges:
            through = best[edge.source] + edge.weight
            if through < best[edge.target]:
                best[edge.target] = through
                changed = True
        if not changed:
            break
    return sum(best), max(best)


class Spring:
    def __init__(self, first, second, rest):
        self.first = first
        self.second = second
        self.rest = rest


def swing_springs(n, steps):
    masses = [Body(float(k), 0.0, 0.0, 0.0, 1.0) for k in range(n)]
    springs = [Spring(masses[k], masses[k + 1], 0.9) for k in range(n - 1)]
    for _ in range(steps):
        for spring in springs:
            a, b = spring.first, spring.second
            dx, dy = b.x - a.x, b.y - a.y
            length = math.sqrt(dx * dx + dy * dy)
            force = 0.05 * (length - spring.rest) / length
            a.vx += dx * force
            a.vy += dy * force
            b.vx -= dx * force
            b.vy -= dy * force
        for mass in masses:
            mass.vy -= 0.001
            if mass is not masses[0]:
                mass.move(0.1)
    return masses[n - 1].x, masses[n // 2].y


PROGRAMS = (
    Program(orbit_bodies, lambda n: (some_bodies(n), 5, 0.01), 100, 6),
    Program(bounce_particles, lambda n: (n, 100), 300, 5),
    Program(trace_spheres, lambda n: (n, 12), 40, 4),
    Program(reverse_linked_list, lambda n: (n,), 5000, 20),
    Program(count_in_tree, lambda n: ([k * 7919 % 1009 for k in range(n)], [k * 31 % 2000 for k in range(n)]), 2000, 20),
    Program(spread_infection, lambda n: (n, 20), 150, 12),
    Program(serve_task_queue, lambda n: (n,), 1500, 15),
    Program(transfer_money, lambda n: (n, 50 * n), 200, 10),
    Program(longest_hull, lambda n: (n,), 1000, 12),
    Program(ways_between_places, lambda n: (n,), 1500, 12),
    Program(serve_customers, lambda n: (n, 5), 1500, 12),
    Program(relax_edges, lambda n: (n, 30), 500, 12),
    Program(swing_springs, lambda n: (n, 40), 100, 12),
)
