"""Percentile-bootstrap intervals over tasks, from a generator with an explicit seed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RESAMPLES = 4000
LEVEL = 0.95

Interval = tuple[float, float]
"""Lower and upper end."""


def mean_interval(values: Sequence[float], seed: int) -> Interval | None:
    """Gives the 95 % interval of a mean; None with fewer than two values.

    The values are one a task: trials of one task are not independent, so tasks are resampled.
    For a difference between two policies give the tasks' differences (a paired bootstrap).
    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13.
    """
    if len(values) < 2:
        return None
    data = np.asarray(values, dtype=float)
    rng = np.random.Generator(np.random.PCG64(seed))
    means = np.empty(RESAMPLES)
    rows = max(1, 2_000_000 // len(data))  # bounds the memory of one draw to some 16 MB
    for start in range(0, RESAMPLES, rows):
        size = min(rows, RESAMPLES - start)
        picked = rng.integers(len(data), size=(size, len(data)))
        means[start : start + size] = data[picked].mean(axis=1)
    tail = (1.0 - LEVEL) / 2.0
    low, high = np.quantile(means, [tail, 1.0 - tail])
    return float(low), float(high)
