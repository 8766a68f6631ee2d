"""One scored trial as a flat row: what summaries are computed from and Parquet holds."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from coworkenv_dagster.environment import Environment
from coworkenv_dagster.episode import Ending, Trajectory, run_episode
from coworkenv_dagster.evaluation.suites import Formula
from coworkenv_dagster.grading.scoring import PASS_MARK, claw_robustness, floor_free, task_score
from coworkenv_dagster.policies.scripted import EmptyPolicy
from coworkenv_dagster.schema import TaskSpec


class TrialStatus(StrEnum):
    """What became of a trial."""

    SCORED = "scored"
    VIOLATED = "violated"
    """Safety was broken: scored 0, or not at all where a part needs a judge."""
    UNSCORED = "unscored"
    """Played to the end, but a part needs a judge: there is no score."""
    ERROR = "error"
    """The policy could not reply, also on a second attempt: there is no score."""


class TrialRow(BaseModel):
    """One trial of one task; scores lie in [0, 1], None where there is none."""

    model_config = ConfigDict(frozen=True)

    task_id: str
    task_hash: str
    capability: str
    level: int
    split: str
    trial: int
    """0-based."""
    seed: int
    """The seed of the block of episodes it was played in."""
    status: TrialStatus
    score: float | None
    completion: float | None
    safety: float
    robustness: float
    """By the suite's formula."""
    passed: bool | None
    """Whether the score reaches the pass mark; None without a score."""
    native_completion: float | None
    """Weighted mean of the parts that need no judge; equals completion when that is all."""
    scored_weight: float
    """Share of the checks' weight that could be scored."""
    floor_free: float | None = None
    """The score above doing nothing, (score - no_op) / (1 - no_op); Claw-Eval's formula only."""
    turns: int
    tokens: int
    """Tokens the policy wrote; 0 where it has none."""
    prompt_tokens: int
    retried: bool = False
    """Whether this is the second attempt, after an error."""
    error: str = ""

    @property
    def done(self) -> bool:
        """Whether the trial was played to the end."""
        return self.status is not TrialStatus.ERROR


def row_of(
    spec: TaskSpec,
    trial: int,
    trajectory: Trajectory,
    *,
    seed: int,
    formula: Formula = Formula.OWN,
    retried: bool = False,
    no_op: float | None = None,
) -> TrialRow:
    """Gives the row of a finished trial.

    Args:
        spec: The task.
        trial: 0-based.
        trajectory: The episode.
        seed: The seed of the block of episodes.
        formula: Which robustness enters the score.
        retried: Whether it is the second attempt.
        no_op: The score of doing nothing, for the floor-free score; None: not reported.
    """
    verdict = trajectory.verdict
    score, robustness = scored(trajectory, formula)
    return TrialRow(
        task_id=spec.task_id,
        task_hash=spec.content_hash,
        capability=spec.capability.value,
        level=spec.level,
        split=spec.split.value,
        trial=trial,
        seed=seed,
        status=_status(trajectory, score),
        score=score,
        completion=verdict.completion,
        safety=verdict.safety,
        robustness=robustness,
        passed=None if score is None else score >= PASS_MARK,
        native_completion=native_completion(trajectory),
        scored_weight=verdict.scored_weight,
        floor_free=None if score is None or no_op is None else floor_free(score, no_op),
        turns=trajectory.turns,
        tokens=trajectory.completion_tokens,
        prompt_tokens=trajectory.prompt_tokens,
        retried=retried,
        error=verdict.error,
    )


def scored(trajectory: Trajectory, formula: Formula) -> tuple[float | None, float]:
    """Gives score (None: unscored) and robustness of an episode under a formula.

    A trial with a part that only a judge can score has no score even when it broke safety, which
    would make it a certain 0: else such a task would enter an average through its zeros alone.
    """
    verdict = trajectory.verdict
    robustness = verdict.robustness
    if formula is Formula.CLAW_EVAL:
        robustness = claw_robustness((call.tool, call.status < 400) for call in trajectory.calls)
    if verdict.error or verdict.completion is None:
        return None, robustness
    return task_score(verdict.completion, robustness, verdict.safety), robustness


def native_completion(trajectory: Trajectory) -> float | None:
    """Gives the weighted mean of the checks that have a credit; None when none has."""
    known = [
        (check.weight, check.credit)
        for check in trajectory.verdict.checks
        if check.credit is not None
    ]
    total = sum(weight for weight, _ in known)
    return sum(weight * credit for weight, credit in known) / total if total > 0 else None


def no_op_score(spec: TaskSpec, formula: Formula) -> float | None:
    """Gives what doing nothing scores, or None where that is not reported or not scored.

    Claw-Eval's formula pays an idle agent robustness 1, so its suites have a floor.
    """
    if formula is Formula.OWN:
        return None
    score, _ = scored(run_episode(EmptyPolicy(), Environment(spec)), formula)
    return score if score is not None and score < 1.0 else None


def _status(trajectory: Trajectory, score: float | None) -> TrialStatus:
    if trajectory.ending is Ending.ERROR or trajectory.verdict.error:
        return TrialStatus.ERROR
    if trajectory.verdict.safety == 0:
        return TrialStatus.VIOLATED
    return TrialStatus.UNSCORED if score is None else TrialStatus.SCORED
