"""`EvaluationResult`: everything one policy did on one suite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from coworkenv_dagster.episode import Trajectory
from coworkenv_dagster.evaluation.rows import TrialRow
from coworkenv_dagster.evaluation.suites import Formula, Suite
from coworkenv_dagster.evaluation.summary import OVERALL, Summary, summaries, summarize
from coworkenv_dagster.hashing import derive_seed

if TYPE_CHECKING:
    import pandas as pd


class EvaluationResult(BaseModel):
    """What one policy scored on one suite, trial by trial."""

    model_config = ConfigDict(frozen=True)

    suite: str
    suite_hash: str
    suite_title: str
    score_label: str
    formula: Formula
    policy: str
    policy_hash: str
    seed: int
    trials: int
    judged: bool
    """Whether a judge scored the rubric parts."""
    splits: dict[str, Summary]
    """`overall` first, then the splits that occur."""
    capabilities: dict[str, Summary]
    skipped: tuple[tuple[str, str], ...] = ()
    """(task id, reason) of the suite's tasks that were not run."""
    notes: tuple[tuple[str, str], ...] = ()
    rows: tuple[TrialRow, ...] = ()
    trajectories: tuple[Trajectory, ...] = ()
    """One for each row, in the same order."""

    @property
    def overall(self) -> Summary:
        """The summary of all tasks."""
        return self.splits[OVERALL]

    def frame(self) -> pd.DataFrame:
        """Gives the rows as a data frame."""
        import pandas as pd  # 0.4 s: only those who ask for a frame pay

        return pd.DataFrame(
            [row.model_dump(mode="json") for row in self.rows],
            columns=list(TrialRow.model_fields),
        )

    def summary(self) -> dict[str, Any]:
        """Gives everything but rows and trajectories, as JSON values."""
        return self.model_dump(mode="json", exclude={"rows", "trajectories"})


def result_of(
    suite: Suite,
    played: Sequence[tuple[TrialRow, Trajectory]],
    *,
    policy: str,
    policy_hash: str,
    seed: int,
    trials: int,
    judged: bool,
) -> EvaluationResult:
    """Gives the result of played trials with its summaries."""
    rows = tuple(row for row, _ in played)
    overall = {OVERALL: summarize(rows, derive_seed(seed, "interval", OVERALL))}
    return EvaluationResult(
        suite=suite.name,
        suite_hash=suite.hash,
        suite_title=suite.title,
        score_label=suite.score_label,
        formula=suite.formula,
        policy=policy,
        policy_hash=policy_hash,
        seed=seed,
        trials=trials,
        judged=judged,
        splits={**overall, **summaries(rows, seed, "split")},
        capabilities=summaries(rows, seed, "capability"),
        skipped=suite.skipped,
        notes=suite.notes,
        rows=rows,
        trajectories=tuple(trajectory for _, trajectory in played),
    )
