"""What the gate says: findings with their evidence, gathered in a report."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict


class Severity(StrEnum):
    """Whether a finding keeps a task out."""

    ERROR = "error"
    WARNING = "warning"


class Outcome(StrEnum):
    """What became of a law on one task."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not_run"
    """The law needs something the task hasn't (a reference, a workspace that loads)."""


class Finding(BaseModel):
    """One way in which a task breaks a law."""

    model_config = ConfigDict(frozen=True)

    law: str
    """The law's name, for example `reference`."""
    kind: str
    """What exactly, for example `reference.completion`; repairs are chosen by it."""
    where: str
    """The part of the task at fault, as a path into the spec."""
    expected: str
    got: str
    severity: Severity = Severity.ERROR
    evidence: dict[str, Any] = {}
    """What the probe did: calls, messages to the user, credits of the checks."""

    @property
    def key(self) -> tuple[str, str]:
        """Kind and place: two findings with one key are the same finding."""
        return self.kind, self.where


class GateReport(BaseModel):
    """The gate's word on one task; equal tasks and contexts give equal reports."""

    model_config = ConfigDict(frozen=True)

    task_id: str
    task_hash: str
    laws: dict[str, Outcome]
    findings: tuple[Finding, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether no finding keeps the task out."""
        return all(finding.severity is not Severity.ERROR for finding in self.findings)
