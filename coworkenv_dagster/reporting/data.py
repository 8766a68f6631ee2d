"""What a round's report is made from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from coworkenv_dagster.episode import Trajectory
from coworkenv_dagster.evaluation.compare import Comparison, compare
from coworkenv_dagster.evaluation.result import EvaluationResult
from coworkenv_dagster.evaluation.rows import TrialRow, TrialStatus
from coworkenv_dagster.evaluation.summary import Summary, by_task, mean_score


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PolicyScores(_Value):
    """What one policy scored."""

    policy: str
    splits: dict[str, Summary]
    """`overall` first."""
    capabilities: dict[str, Summary]


class FindingYield(_Value):
    """How repair fared with the tasks that had one kind of finding."""

    kind: str
    tasks: int = Field(ge=0)
    """Tasks whose first gate report has it."""
    repaired: int = Field(ge=0)
    """Those of them that passed the gate after repair."""


class SynthesisYield(_Value):
    """What became of the generated tasks; nothing disappears.

    Raises:
        ValueError: The parts do not add up to what was generated.
    """

    generated: int = Field(ge=0)
    accepted: int = Field(ge=0)
    """Passed the gate as they were."""
    repaired: int = Field(ge=0)
    """Passed it after repair."""
    rejected: int = Field(ge=0)
    rescued_in_round: dict[int, int] = Field(default_factory=dict)
    """Repaired tasks by the repair round (1 to 3) in which they passed."""
    findings: tuple[FindingYield, ...] = ()
    rejected_for: dict[str, int] = Field(default_factory=dict)
    """Rejected tasks by the reason that was left."""

    @model_validator(mode="after")
    def _conserved(self) -> Self:
        parts = self.accepted + self.repaired + self.rejected
        if parts != self.generated:
            raise ValueError(f"generated {self.generated}, but the parts add up to {parts}")
        return self


class CurvePoint(_Value):
    """One point of the learning curve."""

    step: int = Field(ge=0)
    loss: float | None = None
    """Training loss, nats a token."""
    eval_loss: float | None = None
    """Loss on episodes held back from training, nats a token."""


class StageCost(_Value):
    """What a stage of the round took."""

    stage: str
    seconds: float = Field(ge=0.0)
    tokens: int = Field(default=0, ge=0)
    """Tokens processed or written, 0 where a stage has none."""


class TaskReplay(_Value):
    """A task with the conversation of the trained policy's worst trial."""

    task_id: str
    capability: str
    level: int
    split: str
    base_score: float | None
    """Mean over trials, 0 to 100."""
    trained_score: float | None
    """Mean over trials, 0 to 100."""
    row: TrialRow
    """The trial that is shown."""
    episode: Trajectory

    @property
    def request(self) -> str:
        """The user's first message, on one line."""
        asked = (m["content"] for m in self.episode.messages if m["role"] == "user")
        return " ".join(str(next(asked, "")).split()) or self.task_id

    @property
    def outcome(self) -> str:
        """Passed, failed, safety broken, unscored or error."""
        match self.row.status:
            case TrialStatus.SCORED:
                return "passed" if self.row.passed else "failed"
            case TrialStatus.VIOLATED:
                return "safety broken"
            case TrialStatus.UNSCORED:
                return "unscored"
            case _:
                return "error"


class ReportData(_Value):
    """Everything the report of a round shows."""

    round: str
    """The round's name, for example `2026-03-01`."""
    suite: str
    """What the suite is called in the report."""
    suite_hash: str
    score_label: str = "Average score"
    trials: int
    seed: int
    base: PolicyScores
    trained: PolicyScores
    comparisons: dict[str, Comparison]
    """Trained minus base, by split and by `capability:NAME`."""
    synthesis: SynthesisYield | None = None
    curve: tuple[CurvePoint, ...] = ()
    stages: tuple[StageCost, ...] = ()
    replays: tuple[TaskReplay, ...] = ()
    """Weakest first."""
    remarks: tuple[str, ...] = ()
    """Sentences a reader should know, for example what limits the gain."""
    facts: dict[str, str] = Field(default_factory=dict)
    """Label to text for the foot of the page, for example the MLflow run."""


def report_data(
    base: EvaluationResult,
    trained: EvaluationResult,
    *,
    round: str,
    synthesis: SynthesisYield | None = None,
    curve: Sequence[CurvePoint] = (),
    stages: Sequence[StageCost] = (),
    remarks: Sequence[str] = (),
    facts: dict[str, str] | None = None,
    replays_per_capability: int = 4,
) -> ReportData:
    """Gives a report's data from two results on the same suite.

    Args:
        base: The policy the round started from.
        trained: The policy it ended with.
        round: The round's name.
        synthesis: Yields of generation, gate and repair.
        curve: The learning curve.
        stages: What each stage took.
        remarks: Sentences a reader should know.
        facts: Label to text for the foot of the page.
        replays_per_capability: The weakest tasks of each capability that can be replayed.

    Raises:
        CoworkEnvError: The results are of different suites.
    """
    return ReportData(
        round=round,
        suite=trained.suite_title,
        suite_hash=trained.suite_hash,
        score_label=trained.score_label,
        trials=trained.trials,
        seed=trained.seed,
        base=_scores(base),
        trained=_scores(trained),
        comparisons=compare(base, trained, seed=trained.seed),
        synthesis=synthesis,
        curve=tuple(curve),
        stages=tuple(stages),
        replays=_replays(base, trained, replays_per_capability),
        remarks=tuple(remarks),
        facts=facts or {},
    )


def _scores(result: EvaluationResult) -> PolicyScores:
    return PolicyScores(
        policy=result.policy, splits=result.splits, capabilities=result.capabilities
    )


def _replays(
    base: EvaluationResult, trained: EvaluationResult, count: int
) -> tuple[TaskReplay, ...]:
    """Gives each capability's weakest tasks and, for contrast, its best one; weakest first."""
    before = by_task(base.rows)
    episodes = dict(zip(trained.rows, trained.trajectories, strict=True))
    groups: dict[str, list[TaskReplay]] = {}
    for task, trials in by_task(trained.rows).items():
        shown = min(trials, key=lambda row: (row.score is None, row.score or 0.0, row.trial))
        groups.setdefault(shown.capability, []).append(
            TaskReplay(
                task_id=shown.task_id,
                capability=shown.capability,
                level=shown.level,
                split=shown.split,
                base_score=_points(before.get(task, [])),
                trained_score=_points(trials),
                row=shown,
                episode=episodes[shown],
            )
        )
    chosen = []
    for group in groups.values():
        ordered = sorted(group, key=_weakness)
        best = ordered[-1:] if len(ordered) > count else []
        chosen.extend([*ordered[:count], *best])
    return tuple(sorted(chosen, key=_weakness))


def _weakness(replay: TaskReplay) -> tuple[bool, float, str]:
    score = replay.trained_score
    return score is None, score or 0.0, replay.task_id


def _points(trials: Sequence[TrialRow]) -> float | None:
    mean = mean_score(trials)
    return None if mean is None else 100.0 * mean
