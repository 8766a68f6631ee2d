"""Says in plain words whether one result is better than another, on the same tasks."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from statistics import fmean

from pydantic import BaseModel, ConfigDict

from coworkenv_dagster.errors import CoworkEnvError
from coworkenv_dagster.evaluation.bootstrap import Interval, mean_interval
from coworkenv_dagster.evaluation.result import EvaluationResult
from coworkenv_dagster.evaluation.rows import TrialRow
from coworkenv_dagster.evaluation.summary import OVERALL, by_task, mean_score
from coworkenv_dagster.hashing import derive_seed


class Change(StrEnum):
    """What a difference comes to."""

    BETTER = "better"
    """The whole 95 % interval lies above 0."""
    WORSE = "worse"
    """The whole 95 % interval lies below 0."""
    NO_DIFFERENCE = "no difference seen"


class Comparison(BaseModel):
    """The difference in Average Score of two policies on the same tasks."""

    model_config = ConfigDict(frozen=True)

    tasks: int
    """Tasks that have a score from both."""
    difference: float | None
    """Points on 0 to 100, the second minus the first; None without a common task."""
    interval: Interval | None
    """95 % paired-bootstrap interval over tasks; None with fewer than two tasks."""
    change: Change

    @property
    def sentence(self) -> str:
        """Says it, for example `better by 12.3 points (95 % interval 4.1 to 20.2, 144 tasks)`."""
        if self.difference is None:
            return f"{self.change.value}: no task has a score from both"
        count = f"{self.tasks} task{'s' if self.tasks != 1 else ''}"
        if self.interval is None:
            return f"{self.change.value}: {self.difference:+.1f} points on {count}, too few to tell"
        low, high = self.interval
        detail = f"95 % interval {low:.1f} to {high:.1f}, {count}"
        if self.change is Change.NO_DIFFERENCE:
            return f"{self.change.value}: {self.difference:+.1f} points ({detail})"
        return f"{self.change.value} by {abs(self.difference):.1f} points ({detail})"


def compare(
    first: EvaluationResult, second: EvaluationResult, *, seed: int = 0
) -> dict[str, Comparison]:
    """Compares two results by split (`overall` first) and by capability (`capability:NAME`).

    Raises:
        CoworkEnvError: The results are of different suites.
    """
    if first.suite_hash != second.suite_hash:
        raise CoworkEnvError(
            f"results of two different suites ({first.suite_hash}, {second.suite_hash}) "
            "can't be compared",
            where=f"{first.suite}, {second.suite}",
            mend="Evaluate both policies on the same version of the suite",
        )
    groups = [
        (OVERALL, "", ""),
        *((name, "split", name) for name in first.splits if name != OVERALL),
        *((f"capability:{name}", "capability", name) for name in first.capabilities),
    ]
    return {
        label: compare_rows(
            [row for row in first.rows if not key or getattr(row, key) == value],
            [row for row in second.rows if not key or getattr(row, key) == value],
            seed=derive_seed(seed, "difference", label),
        )
        for label, key, value in groups
    }


def compare_rows(first: Sequence[TrialRow], second: Sequence[TrialRow], *, seed: int) -> Comparison:
    """Compares two sets of trials, paired by task."""
    ours, theirs = by_task(second), by_task(first)
    differences = []
    for task, trials in theirs.items():
        before, after = mean_score(trials), mean_score(ours.get(task, []))
        if before is not None and after is not None:
            differences.append(100.0 * (after - before))
    interval = mean_interval(differences, seed)
    return Comparison(
        tasks=len(differences),
        difference=fmean(differences) if differences else None,
        interval=interval,
        change=_change(interval),
    )


def _change(interval: Interval | None) -> Change:
    if interval is None or interval[0] <= 0.0 <= interval[1]:
        return Change.NO_DIFFERENCE
    return Change.BETTER if interval[0] > 0.0 else Change.WORSE
