"""Signals and images: pipelines of filters, wavelets, tomography, beamforming, splines, deconvolution, spectrograms, ray marching."""

from __future__ import annotations

import numpy as np

from benchmarks.array_programs.program import program


def find_edges(image, sigma, low, high):
    """Canny's way: smoothing, gradients, thinning along the gradient, two thresholds joined by growth."""
    reach = int(3.0 * sigma + 0.5)
    taps = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    taps /= taps.sum()
    padded = np.pad(image, reach, mode="edge")
    rows = np.zeros((padded.shape[0], image.shape[1]))
    for k in range(taps.size):
        rows += taps[k] * padded[:, k : k + image.shape[1]]
    smooth = np.zeros(image.shape)
    for k in range(taps.size):
        smooth += taps[k] * rows[k : k + image.shape[0]]
    gx, gy = np.zeros(image.shape), np.zeros(image.shape)
    gx[:, 1:-1] = 0.5 * (smooth[:, 2:] - smooth[:, :-2])
    gy[1:-1, :] = 0.5 * (smooth[2:, :] - smooth[:-2, :])
    strength = np.sqrt(gx * gx + gy * gy)
    flat = np.abs(gx) > np.abs(gy)
    inner = strength[1:-1, 1:-1]
    across = np.maximum(strength[1:-1, :-2], strength[1:-1, 2:])
    along = np.maximum(strength[:-2, 1:-1], strength[2:, 1:-1])
    peak = np.zeros(image.shape, dtype=np.bool_)
    peak[1:-1, 1:-1] = inner >= np.where(flat[1:-1, 1:-1], across, along)
    edges = peak & (strength > high)
    weak = peak & (strength > low)
    while True:
        grown = edges.copy()
        grown[1:, :] |= edges[:-1, :]
        grown[:-1, :] |= edges[1:, :]
        grown[:, 1:] |= edges[:, :-1]
        grown[:, :-1] |= edges[:, 1:]
        grown &= weak | edges
        if np.array_equal(grown, edges):
            break
        edges = grown
    return edges, strength.max(), edges.sum()


def denoise_by_wavelets(signal, levels):
    """Daubechies' four taps, soft thresholds from the finest details, and the way back."""
    root = np.sqrt(3.0)
    low = np.array([1.0 + root, 3.0 + root, 3.0 - root, 1.0 - root]) / (4.0 * np.sqrt(2.0))
    high = low[::-1] * np.array([1.0, -1.0, 1.0, -1.0])
    smooth = signal
    details = []
    for _ in range(levels):
        a, d = np.zeros(smooth.size // 2), np.zeros(smooth.size // 2)
        for k in range(4):
            shifted = np.roll(smooth, -k)[::2]
            a += low[k] * shifted
            d += high[k] * shifted
        details.append(d)
        smooth = a
    noise = np.median(np.abs(details[0])) / 0.6745
    threshold = noise * np.sqrt(2.0 * np.log(signal.size))
    kept = 0
    for level in range(levels - 1, -1, -1):
        d = details[level]
        d = np.sign(d) * np.maximum(np.abs(d) - threshold, 0.0)
        kept += np.count_nonzero(d)
        out = np.zeros(2 * d.size)
        for k in range(4):
            up = np.zeros(2 * d.size)
            up[::2] = low[k] * smooth + high[k] * d
            out += np.roll(up, k)
        smooth = out
    return smooth, kept, threshold


def tomography(image, angles, rounds, relax):
    """Line integrals by nearest cells, and the image back from them, one angle after the other (Kaczmarz)."""
    n = image.shape[0]
    centre = (n - 1) / 2.0
    y, x = np.mgrid[0:n, 0:n]
    x, y = x - centre, y - centre
    sinogram = np.zeros((angles.size, n))
    bins = np.zeros((angles.size, n * n), dtype=np.int64)
    for k in range(angles.size):
        s = x * np.cos(angles[k]) + y * np.sin(angles[k]) + centre
        bins[k] = np.clip(np.round(s), 0, n - 1).astype(np.int64).ravel()
        sinogram[k] = np.bincount(bins[k], weights=image.ravel(), minlength=n)
    found = np.zeros(n * n)
    errors = np.zeros(rounds)
    for r in range(rounds):
        for k in range(angles.size):
            rays = np.bincount(bins[k], weights=found, minlength=n)
            hits = np.maximum(np.bincount(bins[k], minlength=n), 1)
            found += relax * ((sinogram[k] - rays) / hits)[bins[k]]
        found = np.maximum(found, 0.0)
        errors[r] = np.sqrt(((found - image.ravel()) ** 2).mean())
        if r > 0 and errors[r] > errors[r - 1]:
            relax *= 0.5
    return found.reshape(n, n), sinogram, errors


def beamform(samples, spacing, angles, sources):
    """Directions of arrival by delay-and-sum, by Capon and by the noise space (MUSIC), and the peaks of the last."""
    sensors, count = samples.shape
    covariance = samples @ samples.conj().T / count
    covariance = covariance + 1e-3 * np.trace(covariance).real / sensors * np.eye(sensors)
    inverse = np.linalg.inv(covariance)
    values, vectors = np.linalg.eigh(covariance)
    noise = vectors[:, : sensors - sources]
    positions = np.arange(sensors) * spacing
    power = np.zeros((3, angles.size))
    for k in range(angles.size):
        steering = np.exp(2j * np.pi * positions * np.sin(angles[k]))
        power[0, k] = np.real(steering.conj() @ covariance @ steering) / sensors**2
        power[1, k] = 1.0 / np.real(steering.conj() @ inverse @ steering)
        outside = noise.conj().T @ steering
        power[2, k] = 1.0 / np.sum(np.abs(outside) ** 2)
    decibels = 10.0 * np.log10(power / power.max(axis=1, keepdims=True))
    peaks = []
    for k in range(1, angles.size - 1):
        if power[2, k] > power[2, k - 1] and power[2, k] > power[2, k + 1] and decibels[2, k] > -20.0:
            peaks.append(angles[k])
    return decibels, np.array(peaks), values


def cubic_spline(x, y, at):
    """A natural spline: the second derivatives by elimination, values, slopes and the integral."""
    n = x.size
    h = x[1:] - x[:-1]
    slope = (y[1:] - y[:-1]) / h
    diagonal, right = np.ones(n), np.zeros(n)
    diagonal[1:-1] = 2.0 * (h[:-1] + h[1:])
    right[1:-1] = 6.0 * (slope[1:] - slope[:-1])
    for i in range(2, n - 1):
        factor = h[i - 1] / diagonal[i - 1]
        diagonal[i] -= factor * h[i - 1]
        right[i] -= factor * right[i - 1]
    second = np.zeros(n)
    for i in range(n - 2, 0, -1):
        second[i] = (right[i] - h[i] * second[i + 1]) / diagonal[i]
    piece = np.clip(np.searchsorted(x, at) - 1, 0, n - 2)
    width = h[piece]
    a, b = (x[piece + 1] - at) / width, (at - x[piece]) / width
    bend = ((a**3 - a) * second[piece] + (b**3 - b) * second[piece + 1]) * width**2 / 6.0
    values = a * y[piece] + b * y[piece + 1] + bend
    slopes = slope[piece] + ((3.0 * b**2 - 1.0) * second[piece + 1] - (3.0 * a**2 - 1.0) * second[piece]) * width / 6.0
    integral = np.sum(0.5 * h * (y[1:] + y[:-1]) - h**3 * (second[1:] + second[:-1]) / 24.0)
    return values, slopes, integral


def deconvolve(image, kernel, rounds, smoothness):
    """Richardson and Lucy with a penalty on total variation, by shifted sums."""

    def blur(a, k):
        reach = k.shape[0] // 2
        padded = np.pad(a, reach, mode="wrap")
        out = np.zeros_like(a)
        for i in range(k.shape[0]):
            for j in range(k.shape[1]):
                out += k[i, j] * padded[i : i + a.shape[0], j : j + a.shape[1]]
        return out

    flipped = kernel[::-1, ::-1]
    guess = np.full_like(image, image.mean())
    misfit = np.zeros(rounds)
    for r in range(rounds):
        predicted = blur(guess, kernel)
        ratio = image / np.maximum(predicted, 1e-12)
        correction = blur(ratio, flipped)
        if smoothness > 0.0:
            gx, gy = np.roll(guess, -1, 1) - guess, np.roll(guess, -1, 0) - guess
            length = np.sqrt(gx**2 + gy**2 + 1e-8)
            px, py = gx / length, gy / length
            curvature = px - np.roll(px, 1, 1) + py - np.roll(py, 1, 0)
            correction = correction / np.maximum(1.0 - smoothness * curvature, 0.1)
        guess = guess * correction
        misfit[r] = np.sum(predicted - image * np.log(np.maximum(predicted, 1e-12)))
    return guess, misfit


def pitch_track(signal, rate, size, hop, lowest, highest):
    """Frames, windows, the power spectrum, autocorrelation for the pitch with a parabola through its peak, loudness."""
    frames = 1 + (signal.size - size) // hop
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(size) / size)
    first, last = int(rate / highest), int(rate / lowest)
    pitch, loudness, centre = np.zeros(frames), np.zeros(frames), np.zeros(frames)
    frequencies = np.arange(size // 2 + 1) * rate / size
    for f in range(frames):
        part = signal[f * hop : f * hop + size]
        part = part - part.mean()
        loudness[f] = 10.0 * np.log10(np.mean(part * part) + 1e-12)
        spectrum = np.abs(np.fft.rfft(part * window)) ** 2
        centre[f] = np.sum(frequencies * spectrum) / (np.sum(spectrum) + 1e-12)
        likeness = np.fft.irfft(np.abs(np.fft.rfft(part, 2 * size)) ** 2)[:size]
        likeness = likeness / (likeness[0] + 1e-12)
        best = first + int(np.argmax(likeness[first:last]))
        if likeness[best] > 0.4 and loudness[f] > -50.0:
            below, here, above = likeness[best - 1], likeness[best], likeness[best + 1]
            shift = 0.5 * (below - above) / (below - 2.0 * here + above)
            pitch[f] = rate / (best + shift)
    voiced = pitch > 0.0
    mean = pitch[voiced].mean() if voiced.any() else 0.0
    return pitch, loudness, centre, mean


def march_rays(width, height, light, steps):
    """A picture of a ball and a floor by distances: all rays at once, those that have arrived wait; shading and shadows."""

    def distance(p):
        ball = np.sqrt((p[..., 0] ** 2) + (p[..., 1] - 0.2) ** 2 + (p[..., 2] - 3.0) ** 2) - 1.0
        return np.minimum(ball, p[..., 1] + 1.0)

    u, v = np.meshgrid(np.linspace(-1.0, 1.0, width), np.linspace(0.75, -0.75, height))
    rays = np.stack([u, v, np.full_like(u, 1.5)], axis=-1)
    rays = rays / np.sqrt((rays**2).sum(axis=-1, keepdims=True))
    light = light / np.sqrt(light @ light)
    t = np.zeros(u.shape)
    active = np.ones(u.shape, dtype=np.bool_)
    for _ in range(steps):
        d = distance(t[..., None] * rays)
        active = active & (d > 1e-3) & (t < 20.0)
        if not active.any():
            break
        t = np.where(active, t + d, t)
    hit = t < 20.0
    p = t[..., None] * rays
    normal = np.zeros_like(p)
    for axis in range(3):
        step = np.zeros(3)
        step[axis] = 1e-4
        normal[..., axis] = (distance(p + step) - distance(p - step)) / 2e-4
    shade = np.maximum(normal @ light, 0.0)
    s = np.full(u.shape, 0.02)
    for _ in range(steps):
        s = s + np.clip(distance(p + s[..., None] * light), 0.0, 1.0)
    free = distance(p + s[..., None] * light) > 0.5
    return np.where(hit, 0.1 + 0.9 * shade * free, 0.0), hit.sum()


def picture(n: int) -> np.ndarray:
    y, x = np.mgrid[0:n, 0:n] / n
    return ((x - 0.5) ** 2 + (y - 0.4) ** 2 < 0.08) + 0.3 * (x > 0.7) + 0.02 * np.random.default_rng(71).random((n, n))


def heard(n: int) -> tuple:
    rng = np.random.default_rng(72)
    steering = np.exp(2j * np.pi * np.arange(n)[:, None] * 0.5 * np.sin(np.array([0.3, -0.5])))
    noise = rng.normal(size=(n, 60)) + 1j * rng.normal(size=(n, 60))
    return steering @ rng.normal(size=(2, 60)) + 0.1 * noise, 0.5, np.linspace(-1.5, 1.5, 61), 2


def knots(n: int) -> tuple:
    x = np.cumsum(0.5 + np.random.default_rng(73).random(n))
    return x, np.sin(x), np.linspace(x[0], x[-1], 100)


def voice(n: int) -> tuple:
    t = np.arange(n) / 8000.0
    return np.sin(2.0 * np.pi * 200.0 * t) + 0.4 * np.sin(2.0 * np.pi * 400.0 * t), 8000.0, 256, 128, 80.0, 500.0


def noisy(n: int) -> np.ndarray:
    return np.sin(np.arange(n) * 0.05) + 0.1 * np.random.default_rng(74).normal(size=n)


BENCHMARKS = (
    program(find_edges, lambda n: (picture(n), 1.0, 0.03, 0.08), 48, 16),
    program(denoise_by_wavelets, lambda n: (noisy(n), 4), 256, 64),
    program(tomography, lambda n: (picture(n), np.linspace(0.0, np.pi, 12, endpoint=False), 4, 0.8), 24, 8),
    program(beamform, heard, 8, 5),
    program(cubic_spline, knots, 30, 6),
    program(deconvolve, lambda n: (picture(n) + 0.1, np.outer([1, 2, 1], [1, 2, 1]) / 16.0, 5, 0.01), 24, 8),
    program(pitch_track, voice, 2000, 600),
    program(march_rays, lambda n: (4 * n // 3, n, np.array([1.0, 2.0, -1.0]), 40), 24, 8),
)
