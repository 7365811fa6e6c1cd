"""Records and pipelines: itertools, reduce, groups, joins, frames, structured arrays, sorting with keys, calendars, packing, schedules."""

from __future__ import annotations

import heapq
import itertools
import operator
from collections import ChainMap, Counter, defaultdict, deque, namedtuple
from functools import cache, partial, reduce

import numpy as np

from benchmarks.everyday_python.program import Program

Sale = namedtuple("Sale", "region product amount price")


def some_sales(n):
    regions, products = ("north", "south", "east", "west"), ("tea", "coffee", "cocoa")
    return ([Sale(regions[k * 7 % 4], products[k * 5 % 3], k % 9 + 1, 2.5 + k % 4) for k in range(n)],)


def report_sales(sales):
    """Groups of named tuples by a sort and groupby."""
    key = operator.attrgetter("region", "product")
    report = []
    for (region, product), group in itertools.groupby(sorted(sales, key=key), key=key):
        group = list(group)
        report.append((region, product, len(group), sum(sale.amount * sale.price for sale in group)))
    best = max(report, key=operator.itemgetter(3))
    return report, best


def join_records(clients, orders):
    """Two lists of dicts, joined by a key, and totals by country."""
    by_number = {client["number"]: client for client in clients}
    totals, lost = defaultdict(float), []
    for order in orders:
        client = by_number.get(order["client"])
        if client is None:
            lost.append(order)
            continue
        totals[client["country"]] += order["sum"]
        client["orders"] = client.get("orders", 0) + 1
    return dict(sorted(totals.items(), key=lambda entry: -entry[1])), len(lost)


def clients_and_orders(n):
    clients = [{"number": k, "country": ("fr", "de", "it", "es", "pt")[k % 5]} for k in range(n // 4 + 1)]
    return clients, [{"client": k * 3 % (n // 3 + 1), "sum": 1.5 * (k % 50)} for k in range(n)]


class Frame:
    """A table of named columns, as small as it can be."""

    def __init__(self, columns):
        self.columns = {name: list(values) for name, values in columns.items()}

    def __len__(self):
        return len(next(iter(self.columns.values())))

    def __getitem__(self, key):
        if isinstance(key, str):
            return self.columns[key]
        return Frame({name: [value for value, keep in zip(values, key) if keep] for name, values in self.columns.items()})

    def __setitem__(self, name, values):
        self.columns[name] = list(values)

    def group_by(self, name):
        groups = defaultdict(list)
        for place, value in enumerate(self.columns[name]):
            groups[value].append(place)
        for value, places in groups.items():
            yield value, Frame({other: [values[k] for k in places] for other, values in self.columns.items()})

    def mean(self, name):
        return sum(self.columns[name]) / len(self)


def summarise_frame(columns):
    frame = Frame(columns)
    frame["worth"] = [amount * price for amount, price in zip(frame["amount"], frame["price"])]
    dear = frame[[value > 10.0 for value in frame["worth"]]]
    return {kind: (len(group), group.mean("worth"), max(group["price"])) for kind, group in dear.group_by("kind")}


def frame_columns(n):
    kinds, amounts = ["abc"[k % 3] for k in range(n)], [k % 13 for k in range(n)]
    return ({"kind": kinds, "amount": amounts, "price": [1.0 + k % 7 * 0.5 for k in range(n)]},)


def staff_by_structured_array(staff):
    """A loop over the rows of a structured array."""
    totals, oldest = {}, ("", -1)
    for row in staff:
        name, team = str(row["name"]), int(row["team"])
        totals[team] = totals.get(team, 0.0) + float(row["pay"])
        if row["age"] > oldest[1]:
            oldest = (name, int(row["age"]))
    staff["pay"] *= 1.02
    return totals, oldest, float(staff["pay"].sum())


def staff_of(n):
    rows = [(f"person{k}", k % 5, 20 + k * 7 % 41, 1000.0 + k) for k in range(n)]
    return (np.array(rows, dtype=[("name", "U12"), ("team", "i4"), ("age", "i4"), ("pay", "f8")]),)


def compose(*functions):
    return reduce(lambda f, g: lambda x: g(f(x)), functions)


def pipeline_of_functions(values):
    change = compose(partial(operator.mul, 3), lambda x: x + 1, str, len)
    doubled = map(change, filter(lambda value: value % 2, values))
    pairs = itertools.pairwise(itertools.accumulate(doubled))
    chunks = itertools.zip_longest(*[iter(b - a for a, b in pairs)] * 4, fillvalue=0)
    return reduce(lambda total, chunk: total * 31 % 1000003 + sum(chunk), chunks, 7)


def read_lines(count):
    for k in range(count):
        yield f"{k % 24:02d}:00 {'ERROR' if k % 7 == 0 else 'INFO'} service{k % 5} took {k * 13 % 400} ms"


def errors_only(lines):
    for line in lines:
        if " ERROR " in line:
            yield line


def fields(lines):
    for line in lines:
        clock, _, service, _, duration, _ = line.split()
        yield clock, service, int(duration)


def slowest_errors(count):
    """Generators behind each other."""
    slow, by_service = [], Counter()
    for clock, service, duration in fields(errors_only(read_lines(count))):
        by_service[service] += 1
        heapq.heappush(slow, (duration, clock, service))
        if len(slow) > 5:
            heapq.heappop(slow)
    return sorted(slow, reverse=True), by_service.most_common(2)


def flatten(nested):
    for item in nested:
        if isinstance(item, list):
            yield from flatten(item)
        else:
            yield item


def flat_statistics(nested):
    flat = list(flatten(nested))
    return len(flat), sum(flat), max(flat)


def nested_list(n):
    nested = []
    for k in range(n):
        nested = [k, nested, [k, k + 1]] if k % 3 else [nested, k]
    return (nested,)


def josephus(count, step):
    circle, gone = deque(range(1, count + 1)), []
    while circle:
        circle.rotate(1 - step)
        gone.append(circle.popleft())
    return gone[-1], gone[:5]


def largest_in_windows(values, width):
    """The greatest of each window by a deque of places."""
    places, found = deque(), []
    for place, value in enumerate(values):
        while places and values[places[-1]] <= value:
            places.pop()
        places.append(place)
        if places[0] <= place - width:
            places.popleft()
        if place >= width - 1:
            found.append(values[places[0]])
    return sum(found), found[:8]


def merge_intervals(intervals):
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return len(merged), sum(end - start for start, end in merged), merged[:3]


def sort_in_many_ways(people):
    by_age = sorted(people, key=lambda person: (-person[1], person[0]))
    by_name = sorted(people, key=lambda person: person[0][::-1])
    people.sort(key=operator.itemgetter(2), reverse=True)
    return by_age[:3], by_name[:3], people[:3], sorted({len(name) for name, _, _ in people})


def people_of(n):
    return ([(f"{'abcdefg'[k * 3 % 7]}{k * 17 % 1000}", k * 31 % 90, (k * 7.3) % 11.0) for k in range(n)],)


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_lines(year, month):
    """A month as lines, from the day of the week of 1 January 1900."""
    lengths = [31, 29 if is_leap(year) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    days = sum(366 if is_leap(y) else 365 for y in range(1900, year)) + sum(lengths[: month - 1])
    cells = ["  "] * (days % 7) + [f"{day:2d}" for day in range(1, lengths[month - 1] + 1)]
    return [" ".join(cells[k : k + 7]) for k in range(0, len(cells), 7)]


def unlucky_fridays(first, last):
    found = []
    for year in range(first, last):
        for month in range(1, 13):
            for line in month_lines(year, month):
                if line[12:14] == "13":
                    found.append((year, month))
    return len(found), found[:5]


def pack_bins(sizes, room):
    """First fit with decreasing sizes; the bins as lists."""
    bins = []
    for size in sorted(sizes, reverse=True):
        for content in bins:
            if sum(content) + size <= room:
                content.append(size)
                break
        else:
            bins.append([size])
    return len(bins), bins[0], sum(room - sum(content) for content in bins)


def ways_to_pay(amount, coins):
    @cache
    def ways(rest, kinds):
        if rest == 0:
            return 1
        if rest < 0 or kinds == 0:
            return 0
        return ways(rest, kinds - 1) + ways(rest - coins[kinds - 1], kinds)

    return ways(amount, len(coins))


def most_lectures(lectures):
    """The most lectures that do not overlap, and rooms for all of them."""
    chosen, end = [], 0
    for start, finish, name in sorted(lectures, key=lambda lecture: lecture[1]):
        if start >= end:
            chosen.append(name)
            end = finish
    rooms = []
    for start, finish, _ in sorted(lectures):
        if rooms and rooms[0] <= start:
            heapq.heapreplace(rooms, finish)
        else:
            heapq.heappush(rooms, finish)
    return chosen, len(rooms)


def settle_options(defaults, files, given):
    """Options from several dicts, the later ones first, nested names with dots."""
    chain = ChainMap(given, *reversed(files), defaults)
    tree = {}
    for name in sorted(chain):
        *path, last = name.split(".")
        node = tree
        for part in path:
            node = node.setdefault(part, {})
        node[last] = chain[name]
    return tree, len(chain)


def options_of(n):
    defaults = {f"part{k % 9}.key{k}": k for k in range(n)}
    return defaults, [{name: -value for name, value in defaults.items() if value % m == 0} for m in (2, 3, 5)], {"part1.key1": "mine"}


def venn(first, second, third):
    """Sets that are arguments."""
    only = first - second - third
    shared = (first & second) | (second & third) | (first & third)
    growing = set()
    for member in first | second | third:
        if member not in shared and member % 3:
            growing.add(member * 2)
    return len(only), len(shared), sorted(growing)[:5], first.isdisjoint(growing), len(first ^ third)


PROGRAMS = (
    Program(report_sales, some_sales, 1500, 10),
    Program(join_records, clients_and_orders, 3000, 12),
    Program(summarise_frame, frame_columns, 2000, 12),
    Program(staff_by_structured_array, staff_of, 1000, 6),
    Program(pipeline_of_functions, lambda n: (list(range(n)),), 3000, 20),
    Program(slowest_errors, lambda n: (n,), 3000, 20),
    Program(flat_statistics, nested_list, 60, 5),
    Program(josephus, lambda n: (n, 7), 2000, 10),
    Program(largest_in_windows, lambda n: ([k * 7919 % 1009 for k in range(n)], 16), 5000, 20),
    Program(merge_intervals, lambda n: ([(k * 37 % 5000, k * 37 % 5000 + k % 9) for k in range(n)],), 2000, 10),
    Program(sort_in_many_ways, people_of, 1500, 10),
    Program(unlucky_fridays, lambda n: (2000, 2000 + n), 20, 1),
    Program(pack_bins, lambda n: ([k * 31 % 67 + 3 for k in range(n)], 100), 200, 8),
    Program(ways_to_pay, lambda n: (n, (1, 2, 5, 10, 20, 50)), 150, 12),
    Program(most_lectures, lambda n: ([(k * 13 % 500, k * 13 % 500 + k % 17 + 1, f"talk{k}") for k in range(n)],), 1500, 8),
    Program(settle_options, options_of, 600, 6),
    Program(venn, lambda n: (set(range(0, n, 2)), set(range(0, n, 3)), set(range(n // 2, n))), 6000, 20),
)
