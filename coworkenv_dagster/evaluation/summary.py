"""Summaries of trials: Average Score, dimensions, pass@3 and pass^3, by split and capability."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from pydantic import BaseModel, ConfigDict

from coworkenv_dagster.evaluation.bootstrap import Interval, mean_interval
from coworkenv_dagster.evaluation.rows import TrialRow
from coworkenv_dagster.grading.scoring import pass_at_k, pass_hat_k
from coworkenv_dagster.hashing import derive_seed

OVERALL = "overall"
K = 3
"""The k of pass@k and pass^k."""


class Summary(BaseModel):
    """What a group of tasks scored; averages are of the tasks' means over their trials."""

    model_config = ConfigDict(frozen=True)

    tasks: int
    scored_tasks: int
    """Tasks with at least one score; the averages are over these."""
    episodes: int
    errors: int
    """Episodes without a score because the policy could not reply."""
    unscored: int
    """Episodes without a score because a part needs a judge."""
    average_score: float | None
    """0 to 100; errors are left out. None when nothing was scored."""
    interval: Interval | None
    """95 % bootstrap interval of `average_score`; None with fewer than two tasks."""
    average_score_errors_as_zero: float | None
    """0 to 100: the other denominator, every errored episode counted as a 0; None without any."""
    completion: float | None
    """Mean, 0 to 1."""
    safety: float | None
    """Mean, 0 to 1."""
    robustness: float | None
    """Mean, 0 to 1."""
    pass_at_3: float | None
    """Mean estimate, 0 to 1, that at least one of three trials passes."""
    pass_hat_3: float | None
    """Mean estimate, 0 to 1, that all three trials pass."""
    pass_tasks: int
    """Tasks with at least three scored trials; pass@3 and pass^3 are over these."""
    native_completion: float | None
    """Mean, 0 to 1, of the parts that need no judge; not a score of the suite."""
    scored_weight: float | None
    """Mean share, 0 to 1, of the checks' weight that needs no judge."""
    floor_free_score: float | None = None
    """0 to 100: above doing nothing; Claw-Eval's formula only."""


def summarize(rows: Iterable[TrialRow], seed: int) -> Summary:
    """Gives the summary of rows; the seed is the bootstrap's."""
    tasks = by_task(rows)
    listed = [row for trials in tasks.values() for row in trials]
    averages = [score for trials in tasks.values() if (score := mean_score(trials)) is not None]
    errors = sum(1 for row in listed if not row.done)
    enough = [scores for trials in tasks.values() if len(scores := passes(trials)) >= K]
    interval = mean_interval([100 * score for score in averages], seed)
    return Summary(
        tasks=len(tasks),
        scored_tasks=len(averages),
        episodes=len(listed),
        errors=errors,
        unscored=sum(1 for row in listed if row.done and row.score is None),
        average_score=_times_100(_mean(averages)),
        interval=interval,
        average_score_errors_as_zero=_times_100(_with_zeros(tasks)) if errors else None,
        completion=_task_mean(tasks, lambda row: row.completion),
        safety=_task_mean(tasks, lambda row: row.safety),
        robustness=_task_mean(tasks, lambda row: row.robustness),
        pass_at_3=_mean([pass_at_k(len(p), sum(p), K) for p in enough]),
        pass_hat_3=_mean([pass_hat_k(len(p), sum(p), K) for p in enough]),
        pass_tasks=len(enough),
        native_completion=_task_mean(tasks, lambda row: row.native_completion),
        scored_weight=_task_mean(tasks, lambda row: row.scored_weight),
        floor_free_score=_times_100(_task_mean(tasks, lambda row: row.floor_free)),
    )


def summaries(rows: Sequence[TrialRow], seed: int, key: str) -> dict[str, Summary]:
    """Gives a summary for each value of a row's field (`split` or `capability`), in order."""
    groups: dict[str, list[TrialRow]] = defaultdict(list)
    for row in rows:
        groups[getattr(row, key)].append(row)
    return {
        name: summarize(groups[name], derive_seed(seed, "interval", key, name))
        for name in sorted(groups)
    }


def by_task(rows: Iterable[TrialRow]) -> dict[str, list[TrialRow]]:
    """Groups rows by task hash, in the order of first occurrence."""
    tasks: dict[str, list[TrialRow]] = defaultdict(list)
    for row in rows:
        tasks[row.task_hash].append(row)
    return dict(tasks)


def mean_score(trials: Iterable[TrialRow]) -> float | None:
    """Gives the mean score of a task's scored trials; None when none is."""
    return _mean([row.score for row in trials if row.score is not None])


def passes(trials: Iterable[TrialRow]) -> list[bool]:
    """Gives whether each scored trial passed."""
    return [row.passed for row in trials if row.passed is not None]


def _task_mean(
    tasks: dict[str, list[TrialRow]], value: Callable[[TrialRow], float | None]
) -> float | None:
    """Gives the mean over tasks of the mean over their played trials."""
    means = [
        _mean([v for row in trials if row.done and (v := value(row)) is not None])
        for trials in tasks.values()
    ]
    return _mean([mean for mean in means if mean is not None])


def _with_zeros(tasks: dict[str, list[TrialRow]]) -> float | None:
    """Gives the mean over tasks with every errored trial counted as 0."""
    means = [
        _mean([0.0 if not row.done else row.score or 0.0 for row in counted])
        for trials in tasks.values()
        if (counted := [row for row in trials if not row.done or row.score is not None])
    ]
    return _mean([mean for mean in means if mean is not None])


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _times_100(value: float | None) -> float | None:
    return None if value is None else 100.0 * value
