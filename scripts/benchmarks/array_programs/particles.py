"""Particles: gravity by cells, particle meshes, plasmas, fluids by kernels, flocks, orbits, radiation through layers, random walks."""

from __future__ import annotations

import numpy as np

from benchmarks.array_programs.program import program


def gravity_by_cells(x, v, masses, cells, dt, steps):
    """Near neighbours one by one, all others by the sums of their cell; leapfrog in the unit square."""
    n = x.shape[0]
    x, v = x.copy(), v.copy()
    energies = np.zeros(steps)
    for step in range(steps):
        place = np.minimum((x * cells).astype(np.int64), cells - 1)
        label = place[:, 0] * cells + place[:, 1]
        mass = np.bincount(label, weights=masses, minlength=cells * cells)
        safe = np.where(mass > 0.0, mass, 1.0)
        cx = np.bincount(label, weights=masses * x[:, 0], minlength=cells * cells) / safe
        cy = np.bincount(label, weights=masses * x[:, 1], minlength=cells * cells) / safe
        a = np.zeros((n, 2))
        for i in range(n):
            rows, columns = np.arange(cells * cells) // cells, np.arange(cells * cells) % cells
            far = (np.abs(rows - place[i, 0]) > 1) | (np.abs(columns - place[i, 1]) > 1)
            dx, dy = cx[far] - x[i, 0], cy[far] - x[i, 1]
            weight = mass[far] / (dx * dx + dy * dy + 1e-3) ** 1.5
            a[i, 0] += (weight * dx).sum()
            a[i, 1] += (weight * dy).sum()
            near = ~far[label]
            d = x[near] - x[i]
            weight = masses[near] / ((d * d).sum(axis=1) + 1e-3) ** 1.5
            a[i] += (weight[:, None] * d).sum(axis=0)
        v += dt * a
        x += dt * v
        out = (x < 0.0) | (x >= 1.0)
        v[out] = -v[out]
        x = np.clip(x, 0.0, 1.0 - 1e-9)
        energies[step] = 0.5 * (masses * (v * v).sum(axis=1)).sum()
    return x, v, energies


def plasma(x, v, cells, length, dt, steps):
    """Two streams of electrons: charge by linear weights, the field by Fourier transform, positions and speeds in turns."""
    n = x.size
    dx = length / cells
    x, v = x.copy(), v.copy()
    k = 2.0 * np.pi * np.fft.fftfreq(cells, dx)
    k[0] = 1.0
    energy = np.zeros((steps, 2))
    for step in range(steps):
        x = np.mod(x + dt * v, length)
        left = (x / dx).astype(np.int64)
        share = x / dx - left
        left = left % cells
        right = (left + 1) % cells
        density = np.zeros(cells)
        np.add.at(density, left, 1.0 - share)
        np.add.at(density, right, share)
        density = density * cells / n - 1.0
        transformed = np.fft.fft(density) / (1j * k)
        transformed[0] = 0.0
        field = -np.real(np.fft.ifft(transformed))
        force = field[left] * (1.0 - share) + field[right] * share
        v = v - dt * force
        energy[step, 0] = 0.5 * np.sum(v * v) / n
        energy[step, 1] = 0.5 * np.sum(field * field) * dx
        if energy[step, 1] > 1e3:
            raise FloatingPointError("the field has blown up")
    histogram, _ = np.histogram(v, bins=20, range=(-5.0, 5.0))
    return x, v, energy, histogram


def smoothed_particles(x, v, masses, width, dt, steps):
    """A fluid by smoothed particles: density, pressure, viscosity, gravity, a floor and walls."""
    x, v = x.copy(), v.copy()
    norm = 10.0 / (7.0 * np.pi * width**2)
    lowest = np.zeros(steps)
    for step in range(steps):
        off = x[:, None, :] - x[None, :, :]
        r = np.sqrt((off * off).sum(axis=2))
        q = r / width
        kernel = np.where(q < 1.0, 1.0 - 1.5 * q**2 + 0.75 * q**3, np.where(q < 2.0, 0.25 * (2.0 - q) ** 3, 0.0)) * norm
        slope = np.where(q < 1.0, -3.0 * q + 2.25 * q**2, np.where(q < 2.0, -0.75 * (2.0 - q) ** 2, 0.0)) * norm / width
        density = kernel @ masses
        pressure = 50.0 * np.maximum(density / 1.0 - 1.0, 0.0)
        both = pressure / density**2
        strength = -(both[:, None] + both[None, :]) * slope * masses[None, :]
        direction = off / (r + 1e-9)[:, :, None]
        a = (strength[:, :, None] * direction).sum(axis=1)
        relative = v[None, :, :] - v[:, None, :]
        a += 0.1 * (relative * (masses[None, :] * kernel / density[None, :])[:, :, None]).sum(axis=1)
        a[:, 1] -= 9.81
        v = v + dt * a
        x = x + dt * v
        for axis in range(2):
            below = x[:, axis] < 0.0
            x[below, axis] = 0.0
            v[below, axis] *= -0.3
        lowest[step] = x[:, 1].min()
    return x, v, density, lowest


def lennard_jones(x, v, box, cutoff, dt, steps, temperature):
    """A liquid in a periodic box, velocity Verlet, rescaled to a temperature, with the radial distribution."""

    def forces(x):
        off = x[:, None, :] - x[None, :, :]
        off -= box * np.round(off / box)
        square = (off * off).sum(axis=2)
        np.fill_diagonal(square, 1e9)
        inside = square < cutoff * cutoff
        sixth = np.where(inside, 1.0 / square**3, 0.0)
        strength = 24.0 * (2.0 * sixth**2 - sixth) / square
        return (strength[:, :, None] * off).sum(axis=1), 2.0 * (sixth**2 - sixth).sum(), np.sqrt(square)

    a, potential, distance = forces(x)
    record = np.zeros((steps, 2))
    counts = np.zeros(20)
    for step in range(steps):
        v = v + 0.5 * dt * a
        x = np.mod(x + dt * v, box)
        a, potential, distance = forces(x)
        v = v + 0.5 * dt * a
        kinetic = 0.5 * (v * v).sum()
        if step % 5 == 4:
            v = v * np.sqrt(temperature * 1.5 * x.shape[0] / kinetic)
        record[step, 0], record[step, 1] = kinetic, potential
        bins = (distance[distance < cutoff] / cutoff * 20.0).astype(np.int64)
        counts += np.bincount(bins, minlength=20)[:20]
    edges = np.linspace(0.0, cutoff, 21)
    shells = 4.0 / 3.0 * np.pi * (edges[1:] ** 3 - edges[:-1] ** 3)
    return x, v, record, counts / (shells * x.shape[0] ** 2 / box**3 * steps)


def flock(x, v, radius, limit, dt, steps):
    """Birds that keep together, keep apart and fly as their neighbours do."""
    x, v = x.copy(), v.copy()
    order = np.zeros(steps)
    for step in range(steps):
        off = x[None, :, :] - x[:, None, :]
        off = off - np.round(off)
        distance = np.sqrt((off * off).sum(axis=2))
        near = (distance < radius) & (distance > 0.0)
        count = near.sum(axis=1)
        some = np.maximum(count, 1)[:, None]
        together = (off * near[:, :, None]).sum(axis=1) / some
        alike = (v[None, :, :] * near[:, :, None]).sum(axis=1) / some - v * (count > 0)[:, None]
        close = near & (distance < 0.3 * radius)
        apart = -(off * close[:, :, None]).sum(axis=1)
        v = v + dt * (0.8 * together + 1.2 * alike + 3.0 * apart)
        speed = np.sqrt((v * v).sum(axis=1))
        fast = speed > limit
        if fast.any():
            v[fast] *= (limit / speed[fast])[:, None]
        x = (x + dt * v) % 1.0
        mean = (v / (np.sqrt((v * v).sum(axis=1)) + 1e-12)[:, None]).mean(axis=0)
        order[step] = np.sqrt((mean * mean).sum())
    lonely = np.flatnonzero(count == 0)
    return x, v, order, lonely


def orbits(x, v, masses, end, tolerance):
    """Planets by the embedded pair of Bogacki and Shampine, whose error sets the step."""

    def rate(x):
        off = x[None, :, :] - x[:, None, :]
        cube = ((off * off).sum(axis=2) + np.eye(x.shape[0])) ** 1.5
        return (off * (masses[None, :] / cube)[:, :, None]).sum(axis=1)

    t, dt = 0.0, 0.01
    taken, refused = 0, 0
    a1 = rate(x)
    while t < end:
        dt = min(dt, end - t)
        v2, a2 = v + 0.5 * dt * a1, rate(x + 0.5 * dt * v)
        v3, a3 = v + 0.75 * dt * a2, rate(x + 0.75 * dt * v2)
        new_x = x + dt * (2.0 * v + 3.0 * v2 + 4.0 * v3) / 9.0
        new_v = v + dt * (2.0 * a1 + 3.0 * a2 + 4.0 * a3) / 9.0
        a4 = rate(new_x)
        off_x = dt * (-5.0 / 72.0 * v + v2 / 12.0 + v3 / 9.0 - new_v / 8.0)
        off_v = dt * (-5.0 / 72.0 * a1 + a2 / 12.0 + a3 / 9.0 - a4 / 8.0)
        error = max(np.abs(off_x).max(), np.abs(off_v).max())
        if error <= tolerance:
            t += dt
            x, v, a1 = new_x, new_v, a4
            taken += 1
        else:
            refused += 1
        dt *= min(4.0, max(0.2, 0.9 * (tolerance / (error + 1e-300)) ** (1.0 / 3.0)))
    spin = (masses * (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0])).sum()
    return x, v, taken, refused, spin


def radiation(absorption, scattering, emission, thickness, angles, weights, rounds):
    """Light through a slab by discrete ordinates; the scattered part is found by iteration."""
    layers, directions = absorption.size, angles.size
    extinction = absorption + scattering
    depth = extinction * thickness
    albedo = scattering / extinction
    mean = np.zeros(layers)
    up, down = np.zeros((layers + 1, directions)), np.zeros((layers + 1, directions))
    change = np.inf
    count = 0
    while change > 1e-8 and count < rounds:
        source = (1.0 - albedo) * emission + albedo * mean
        down[0, :] = 0.0
        for i in range(layers):
            through = np.exp(-depth[i] / angles)
            down[i + 1] = down[i] * through + source[i] * (1.0 - through)
        up[layers] = 0.3 * (down[layers] * angles * weights).sum() * 2.0 + 0.1
        for i in range(layers - 1, -1, -1):
            through = np.exp(-depth[i] / angles)
            up[i] = up[i + 1] * through + source[i] * (1.0 - through)
        centre = 0.25 * (down[:-1] + down[1:] + up[:-1] + up[1:])
        new = (centre * weights).sum(axis=1)
        change = np.abs(new - mean).max()
        mean = new
        count += 1
    flux = 2.0 * np.pi * ((up - down) * angles * weights).sum(axis=1)
    heating = (flux[:-1] - flux[1:]) / thickness
    return mean, flux, heating, count


def stars(n: int) -> tuple:
    rng = np.random.default_rng(61)
    return rng.random((n, 2)), 0.1 * rng.normal(size=(n, 2)), rng.random(n) / n, 4, 0.01, 2


def streams(n: int) -> tuple:
    rng = np.random.default_rng(62)
    return rng.random(n) * 12.0, np.where(np.arange(n) % 2 == 0, 2.0, -2.0) + 0.1 * rng.normal(size=n), 32, 12.0, 0.1, 10


def drops(n: int) -> tuple:
    rng = np.random.default_rng(63)
    return rng.random((n, 2)) + 0.02, np.zeros((n, 2)), np.full(n, 1.0 / n), 0.15, 0.002, 4


def liquid(n: int) -> tuple:
    rng = np.random.default_rng(64)
    x = np.stack(np.meshgrid(*[np.arange(n) * 1.3 + 0.5] * 3), axis=-1).reshape(-1, 3)
    return x, rng.normal(size=x.shape), 1.3 * n, 0.6 * n, 0.003, 6, 1.0


def birds(n: int) -> tuple:
    rng = np.random.default_rng(65)
    return rng.random((n, 2)), 0.1 * rng.normal(size=(n, 2)), 0.2, 0.1, 0.1, 8


def planets(n: int) -> tuple:
    angle, radius = np.arange(n) * 2.4, np.arange(n) * 0.7 + 1e-3
    x = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    speed = np.where(radius > 0.1, 1.0 / np.sqrt(radius), 0.0)
    return x, np.stack([-speed * np.sin(angle), speed * np.cos(angle)], axis=1), np.where(np.arange(n) == 0, 1.0, 1e-4), 0.5, 1e-6


def slab(n: int) -> tuple:
    angles, weights = np.polynomial.legendre.leggauss(4)
    height = np.linspace(0.0, 1.0, n)
    return 0.2 + height, 1.0 - 0.5 * height, 1.0 + height, 1.0 / n, 0.5 * (angles + 1.0), 0.5 * weights, 50


BENCHMARKS = (
    program(gravity_by_cells, stars, 30, 8),
    program(plasma, streams, 500, 40),
    program(smoothed_particles, drops, 40, 10),
    program(lennard_jones, liquid, 3, 2),
    program(flock, birds, 40, 10),
    program(orbits, planets, 6, 3),
    program(radiation, slab, 30, 6),
)
