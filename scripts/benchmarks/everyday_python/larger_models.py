"""Larger programs of classes: a ray tracer, a decision process, a scheduler of coroutines, a spreadsheet."""

from __future__ import annotations

import heapq
import math
import re
from collections import deque

from benchmarks.everyday_python.program import Program


class Vec:
    __slots__ = ("x", "y", "z")

    def __init__(self, x, y, z):
        self.x, self.y, self.z = float(x), float(y), float(z)

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return Vec(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self):
        return Vec(-self.x, -self.y, -self.z)

    def __mul__(self, other):
        if isinstance(other, Vec):
            return Vec(self.x * other.x, self.y * other.y, self.z * other.z)
        return Vec(self.x * other, self.y * other, self.z * other)

    __rmul__ = __mul__

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z

    def unit(self):
        return self * (1.0 / math.sqrt(self.dot(self)))

    def mirrored(self, normal):
        return self - 2.0 * self.dot(normal) * normal


class Ray:
    def __init__(self, start, direction):
        self.start = start
        self.direction = direction

    def at(self, distance):
        return self.start + distance * self.direction


class Body:
    def __init__(self, colour, shine):
        self.colour = colour
        self.shine = shine

    def hit(self, ray):
        raise NotImplementedError

    def normal(self, point):
        raise NotImplementedError


class Sphere(Body):
    def __init__(self, centre, radius, colour, shine=0.0):
        super().__init__(colour, shine)
        self.centre = centre
        self.radius = radius

    def hit(self, ray):
        offset = ray.start - self.centre
        half = offset.dot(ray.direction)
        rest = half * half - offset.dot(offset) + self.radius**2
        if rest < 0.0:
            return None
        for distance in (-half - math.sqrt(rest), -half + math.sqrt(rest)):
            if distance > 1e-6:
                return distance
        return None

    def normal(self, point):
        return (point - self.centre).unit()


class Floor(Body):
    def __init__(self, height, colour):
        super().__init__(colour, 0.1)
        self.height = height

    def hit(self, ray):
        if abs(ray.direction.y) < 1e-9:
            return None
        distance = (self.height - ray.start.y) / ray.direction.y
        return distance if distance > 1e-6 else None

    def normal(self, point):
        return Vec(0, 1, 0)


class Scene:
    def __init__(self, bodies, light):
        self.bodies = bodies
        self.light = light
        self.rays = 0

    def nearest(self, ray):
        self.rays += 1
        found = [(distance, k) for k, body in enumerate(self.bodies) if (distance := body.hit(ray)) is not None]
        if not found:
            return None
        distance, k = min(found)
        return distance, self.bodies[k]

    def colour(self, ray, depth=0):
        hit = self.nearest(ray)
        if hit is None:
            return Vec(0.2, 0.3, 0.5) * (0.5 + 0.5 * max(ray.direction.y, 0.0))
        distance, body = hit
        point = ray.at(distance)
        normal = body.normal(point)
        to_light = (self.light - point).unit()
        shadowed = self.nearest(Ray(point, to_light)) is not None
        brightness = 0.1 if shadowed else 0.1 + 0.9 * max(0.0, normal.dot(to_light))
        colour = body.colour * brightness
        if body.shine and depth < 3:
            mirrored = Ray(point, ray.direction.mirrored(normal).unit())
            colour = colour * (1.0 - body.shine) + self.colour(mirrored, depth + 1) * body.shine
        return colour


def trace_rays(width, height):
    bodies = [
        Sphere(Vec(0, 0, 5), 1.0, Vec(1, 0.2, 0.2), 0.3),
        Sphere(Vec(1.5, 0.5, 4), 0.5, Vec(0.2, 1, 0.2), 0.5),
        Sphere(Vec(-1.5, -0.4, 4.5), 0.6, Vec(0.2, 0.2, 1)),
        Floor(-1.0, Vec(0.8, 0.8, 0.7)),
    ]
    scene = Scene(bodies, Vec(-3, 5, 0))
    rows = []
    for j in range(height):
        row = ""
        for i in range(width):
            direction = Vec((i - width / 2) / width * 2, (height / 2 - j) / height, 1.5).unit()
            colour = scene.colour(Ray(Vec(0, 0, 0), direction))
            light = min(0.999, (colour.x + colour.y + colour.z) / 3.0)
            row += " .:-=+*#%@"[int(light * 10)]
        rows.append(row)
    return rows, scene.rays


class State:
    def __init__(self, place, reward=0.0, final=False):
        self.place = place
        self.reward = reward
        self.final = final
        self.value = 0.0

    def __repr__(self):
        return f"State{self.place}"


class GridWorld:
    MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
    SIDES = {"up": ("left", "right"), "down": ("left", "right"), "left": ("up", "down"), "right": ("up", "down")}

    def __init__(self, rows):
        self.states = {}
        for i, row in enumerate(rows):
            for j, letter in enumerate(row):
                if letter == "#":
                    continue
                reward = {"G": 1.0, "T": -1.0}.get(letter, -0.04)
                self.states[i, j] = State((i, j), reward, letter in "GT")

    def after(self, state, move):
        step = self.MOVES[move]
        return self.states.get((state.place[0] + step[0], state.place[1] + step[1]), state)

    def outcomes(self, state, move):
        yield 0.8, self.after(state, move)
        for side in self.SIDES[move]:
            yield 0.1, self.after(state, side)

    def worth(self, state, move):
        return sum(chance * other.value for chance, other in self.outcomes(state, move))


class ValueIteration:
    def __init__(self, world, discount=0.95, tolerance=1e-4):
        self.world = world
        self.discount = discount
        self.tolerance = tolerance
        self.sweeps = 0

    def sweep(self):
        change = 0.0
        for state in self.world.states.values():
            if state.final:
                value = state.reward
            else:
                value = state.reward + self.discount * max(self.world.worth(state, move) for move in self.world.MOVES)
            change = max(change, abs(value - state.value))
            state.value = value
        self.sweeps += 1
        return change

    def solve(self):
        while self.sweep() > self.tolerance:
            pass
        return {
            place: max(self.world.MOVES, key=lambda move: self.world.worth(state, move))
            for place, state in self.world.states.items()
            if not state.final
        }


def best_policy(rows):
    solver = ValueIteration(GridWorld(rows))
    policy = solver.solve()
    letters = {"up": "^", "down": "v", "left": "<", "right": ">"}
    lines = ["".join(letters.get(policy.get((i, j)), letter) for j, letter in enumerate(row)) for i, row in enumerate(rows)]
    return lines, solver.sweeps, solver.world.states[0, 0].value


def grid_rows(n):
    rows = ["".join("#" if (i * 3 + j * 5) % 7 == 6 else "." for j in range(n - 1)) + "T" for i in range(n - 1)]
    return ([*rows, "." * (n - 1) + "G"],)


class Sleep:
    def __init__(self, ticks):
        self.ticks = ticks


class Receive:
    pass


class Send:
    def __init__(self, target, message):
        self.target = target
        self.message = message


class Scheduler:
    """Tasks that are generators; they yield what they wait for."""

    def __init__(self):
        self.clock = 0
        self.ready = deque()
        self.asleep = []
        self.waiting = {}
        self.boxes = {}
        self.switches = 0

    def start(self, name, task):
        self.boxes[name] = deque()
        self.ready.append((name, task, None))

    def run(self):
        while self.ready or self.asleep:
            if not self.ready:
                self.clock, _, name, task = heapq.heappop(self.asleep)
                self.ready.append((name, task, None))
            name, task, value = self.ready.popleft()
            self.switches += 1
            try:
                self.serve(name, task, task.send(value))
            except StopIteration:
                del self.boxes[name]
        return self.clock

    def serve(self, name, task, request):
        match request:
            case Sleep(ticks=ticks):
                heapq.heappush(self.asleep, (self.clock + ticks, self.switches, name, task))
            case Receive():
                if self.boxes[name]:
                    self.ready.append((name, task, self.boxes[name].popleft()))
                else:
                    self.waiting[name] = task
            case Send(target=target, message=message):
                if target in self.waiting:
                    self.ready.append((target, self.waiting.pop(target), message))
                elif target in self.boxes:
                    self.boxes[target].append(message)
                self.ready.append((name, task, None))


def producer(name, count, pause):
    for k in range(count):
        yield Sleep(pause)
        yield Send("worker", (name, k))
    yield Send("worker", None)


def worker(producers, log):
    ended = 0
    while ended < producers:
        message = yield Receive()
        if message is None:
            ended += 1
            continue
        yield Sleep(1)
        log.append(message)


def run_tasks(count):
    scheduler, log = Scheduler(), []
    scheduler.start("worker", worker(2, log))
    scheduler.start("slow", producer("slow", count, 3))
    scheduler.start("quick", producer("quick", count, 2))
    return scheduler.run(), scheduler.switches, log[:4], len(log)


class Circular(Exception):
    pass


class Sheet:
    """Cells of numbers and formulas such as `=A1+2*sum(B1:B3)`, evaluated when asked for."""

    CELL = re.compile(r"([A-Z])(\d+)(?::([A-Z])(\d+))?")

    def __init__(self):
        self.formulas = {}
        self.values = {}
        self.active = set()

    def __setitem__(self, name, text):
        self.formulas[name] = text
        self.values.clear()

    def __getitem__(self, name):
        if name in self.values:
            return self.values[name]
        if name in self.active:
            raise Circular(name)
        self.active.add(name)
        try:
            text = self.formulas.get(name, "0")
            value = self.evaluate(text[1:]) if text.startswith("=") else float(text)
        finally:
            self.active.discard(name)
        self.values[name] = value
        return value

    def area(self, match):
        column, row, last_column, last_row = match.groups()
        if last_column is None:
            return [self[column + row]]
        columns = range(ord(column), ord(last_column) + 1)
        return [self[f"{chr(c)}{r}"] for c in columns for r in range(int(row), int(last_row) + 1)]

    def evaluate(self, text):
        total = 0.0
        for part in text.split("+"):
            product = 1.0
            for factor in part.split("*"):
                if factor.startswith("sum("):
                    product *= sum(self.area(self.CELL.match(factor[4:-1])))
                elif match := self.CELL.fullmatch(factor):
                    product *= self.area(match)[0]
                else:
                    product *= float(factor)
            total += product
        return total


def fill_sheet(rows):
    sheet = Sheet()
    for k in range(1, rows + 1):
        sheet[f"A{k}"] = str(k)
        sheet[f"B{k}"] = f"=A{k}*0.5+1"
        sheet[f"C{k}"] = f"=sum(B1:B{k})" if k % 2 else f"=C{k - 1}+2*A{k}"
    results = [sheet[f"C{k}"] for k in range(1, rows + 1)]
    sheet["A1"] = f"=C{rows}"
    try:
        sheet["C1"]
    except Circular as problem:
        return results[-1], sum(results), str(problem)
    return results[-1], sum(results), ""


PROGRAMS = (
    Program(trace_rays, lambda n: (2 * n, n), 16, 2),
    Program(best_policy, grid_rows, 9, 3),
    Program(run_tasks, lambda n: (n,), 300, 3),
    Program(fill_sheet, lambda n: (n,), 40, 4),
)
