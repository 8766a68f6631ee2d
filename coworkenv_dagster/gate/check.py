"""Runs the laws on tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from coworkenv_dagster.gate import static as _static
from coworkenv_dagster.gate.laws import LAWS, Law
from coworkenv_dagster.gate.report import Finding, GateReport, Outcome, Severity
from coworkenv_dagster.gate.subject import GateContext, Subject
from coworkenv_dagster.schema import TaskSpec

# The cheap static law is registered by importing its module; it runs first.
_ORDER = sorted(LAWS.values(), key=lambda item: item.probe is not _static.static)


def check(spec: TaskSpec, context: GateContext | None = None) -> GateReport:
    """Puts one task before the gate: executes every law that can be run on it.

    A law that needs an environment or a reference the task hasn't is reported as not run.
    """
    subject = Subject(spec, context or GateContext())
    laws: dict[str, Outcome] = {}
    findings: list[Finding] = []
    for item in _ORDER:
        if not _runnable(item, subject):
            laws[item.name] = Outcome.NOT_RUN
            continue
        found = _probe(item, subject)
        findings.extend(found)
        failed = any(finding.severity is Severity.ERROR for finding in found)
        laws[item.name] = Outcome.FAILED if failed else Outcome.PASSED
    return GateReport(
        task_id=spec.task_id,
        task_hash=spec.content_hash,
        laws=laws,
        findings=tuple(findings),
    )


def check_all(
    specs: Iterable[TaskSpec],
    context: GateContext | None = None,
    *,
    on_done: Callable[[GateReport], None] | None = None,
) -> Iterator[GateReport]:
    """Puts tasks before the gate one by one, in order."""
    for spec in specs:
        report = check(spec, context)
        if on_done:
            on_done(report)
        yield report


def _probe(item: Law, subject: Subject) -> list[Finding]:
    """Runs a law's probe; a task on which the probe itself fails doesn't stop the others."""
    try:
        return list(item.probe(subject))
    except Exception as error:
        return [
            Finding(
                law=item.name,
                kind=f"{item.name}.probe_failed",
                where="task",
                expected="a task the probe can be played on",
                got=f"{type(error).__name__}: {error}"[:300],
            )
        ]


def _runnable(item: Law, subject: Subject) -> bool:
    if item.needs_environment and subject.environment is None:
        return False
    return not (item.needs_reference and subject.spec.reference is None)
