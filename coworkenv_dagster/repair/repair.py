"""Repair: mends a task by the gate's findings, or rejects it with its whole history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from coworkenv_dagster.gate import Finding, GateContext, GateReport, check
from coworkenv_dagster.repair.rules import RULES
from coworkenv_dagster.repair.weakening import is_weaker
from coworkenv_dagster.schema import TaskSpec

MAX_ROUNDS = 3


class Fate(StrEnum):
    """What became of a candidate."""

    ACCEPTED = "accepted"
    """It passed the gate as it was."""
    REPAIRED = "repaired"
    REJECTED = "rejected"


class Round(BaseModel):
    """One round of repair."""

    model_config = ConfigDict(frozen=True)

    findings: tuple[Finding, ...]
    """What the gate said of the version the round started from."""
    mends: tuple[str, ...]
    """Names of the rules applied."""
    refused: tuple[str, ...] = ()
    """Mends that were refused, with the reason."""
    version: str
    """Content hash of the version the round started from."""


class RepairOutcome(BaseModel):
    """The fate of one candidate, with every version's findings."""

    model_config = ConfigDict(frozen=True)

    fate: Fate
    spec: TaskSpec
    """The accepted version, or the last one that was tried."""
    report: GateReport
    """The gate's report on `spec`."""
    rounds: tuple[Round, ...] = ()
    reason: str = ""
    """Why it was rejected."""


def repair(
    spec: TaskSpec,
    report: GateReport,
    context: GateContext | None = None,
    *,
    max_rounds: int = MAX_ROUNDS,
) -> RepairOutcome:
    """Mends a task until the whole gate passes.

    Each round applies one rule for each finding, refuses what would weaken the task, and puts the
    new version before the whole gate. It ends in rejection after `max_rounds`, when no rule
    applies, or when a finding comes back.

    Args:
        spec: The candidate.
        report: The gate's report on it.
        context: What the gate compares with.
        max_rounds: Most rounds.
    """
    if report.passed:
        return RepairOutcome(fate=Fate.ACCEPTED, spec=spec, report=report)
    rounds: list[Round] = []
    seen = {finding.key for finding in report.findings}
    for _ in range(max_rounds):
        mended, mends, refused = _mend(spec, report.findings)
        rounds.append(
            Round(
                findings=report.findings,
                mends=tuple(mends),
                refused=tuple(refused),
                version=spec.content_hash,
            )
        )
        if not mends:
            kinds = dict.fromkeys(finding.kind for finding in report.findings)
            return _rejected(spec, report, rounds, refused or [f"no mend for {', '.join(kinds)}"])
        spec, report = mended, check(mended, context)
        if report.passed:
            return RepairOutcome(fate=Fate.REPAIRED, spec=spec, report=report, rounds=tuple(rounds))
        back = [finding.kind for finding in report.findings if finding.key in seen]
        if back:
            return _rejected(spec, report, rounds, [f"{kind} came back" for kind in back])
        seen |= {finding.key for finding in report.findings}
    return _rejected(spec, report, rounds, [f"still failing after {max_rounds} rounds"])


def repair_all(
    candidates: Iterable[tuple[TaskSpec, GateReport]],
    context: GateContext | None = None,
    *,
    on_done: Callable[[RepairOutcome], None] | None = None,
) -> list[RepairOutcome]:
    """Gives each candidate its fate, in order; nothing is dropped."""
    outcomes: list[RepairOutcome] = []
    for spec, report in candidates:
        outcome = repair(spec, report, context)
        outcomes.append(outcome)
        if on_done:
            on_done(outcome)
    return outcomes


def fates(outcomes: Iterable[RepairOutcome]) -> dict[Fate, int]:
    """Counts the fates; every fate is a key."""
    counts = Counter(outcome.fate for outcome in outcomes)
    return {fate: counts[fate] for fate in Fate}


def _mend(spec: TaskSpec, findings: Sequence[Finding]) -> tuple[TaskSpec, list[str], list[str]]:
    """Applies a rule for each finding; gives the new version, the mends and what was refused."""
    current = spec
    mends: list[str] = []
    refused: list[str] = []
    for finding in findings:
        rule = RULES.get(finding.kind)
        if rule is None:
            continue
        try:
            changed = rule(current, finding)
        except Exception as error:  # a spec so broken that the rule can't read it
            refused.append(f"{rule.__name__} failed: {type(error).__name__}: {error}"[:300])
            continue
        if changed is None:
            continue
        weaker = is_weaker(spec, changed)
        if weaker:
            refused.append(f"{rule.__name__} refused: {weaker}")
            continue
        current = changed
        mends.append(rule.__name__)
    if not mends:
        return spec, mends, refused
    provenance = spec.provenance.model_copy(
        update={
            "parent": spec.content_hash,
            "repairs": (*spec.provenance.repairs, *dict.fromkeys(mends)),
        }
    )
    return current.model_copy(update={"provenance": provenance}), mends, refused


def _rejected(
    spec: TaskSpec, report: GateReport, rounds: Sequence[Round], reasons: Sequence[str]
) -> RepairOutcome:
    return RepairOutcome(
        fate=Fate.REJECTED,
        spec=spec,
        report=report,
        rounds=tuple(rounds),
        reason="; ".join(dict.fromkeys(reasons)),
    )
