"""Tables between assets: models as JSON beside the columns people look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import dagster as dg
import pyarrow as pa

from coworkenv_dagster.curriculum import CapabilityProfile
from coworkenv_dagster.gate import GateReport
from coworkenv_dagster.repair import RepairOutcome
from coworkenv_dagster.schema import TaskSpec

TASKS = pa.schema(
    [
        ("task_id", pa.string()),
        ("content_hash", pa.string()),
        ("capability", pa.string()),
        ("level", pa.int64()),
        ("split", pa.string()),
        ("structure", pa.string()),
        ("request", pa.string()),
        ("spec", pa.string()),
    ]
)
REPORTS = pa.schema(
    [
        ("task_id", pa.string()),
        ("content_hash", pa.string()),
        ("passed", pa.bool_()),
        ("findings", pa.list_(pa.string())),
        ("report", pa.string()),
    ]
)
OUTCOMES = pa.schema(
    [
        ("task_id", pa.string()),
        ("content_hash", pa.string()),
        ("capability", pa.string()),
        ("level", pa.int64()),
        ("fate", pa.string()),
        ("rounds", pa.int64()),
        ("first_findings", pa.list_(pa.string())),
        ("mends", pa.list_(pa.string())),
        ("reason", pa.string()),
        ("outcome", pa.string()),
    ]
)
EPISODES = pa.schema(
    [
        ("task_id", pa.string()),
        ("content_hash", pa.string()),
        ("capability", pa.string()),
        ("level", pa.int64()),
        ("turns", pa.int64()),
        ("score", pa.float64()),
        ("messages", pa.string()),
        ("tools", pa.string()),
        ("spec", pa.string()),
    ]
)


def tasks_table(specs: Iterable[TaskSpec]) -> pa.Table:
    """Gives tasks as a table."""
    rows = [
        {
            "task_id": spec.task_id,
            "content_hash": spec.content_hash,
            "capability": spec.capability.value,
            "level": spec.level,
            "split": spec.split.value,
            "structure": spec.provenance.structure,
            "request": spec.request,
            "spec": spec.model_dump_json(),
        }
        for spec in specs
    ]
    return pa.Table.from_pylist(rows, schema=TASKS)


def tasks_of(table: pa.Table) -> list[TaskSpec]:
    """Reads tasks back."""
    return [TaskSpec.model_validate_json(text) for text in table.column("spec").to_pylist()]


def reports_table(reports: Iterable[GateReport]) -> pa.Table:
    """Gives gate reports as a table."""
    rows = [
        {
            "task_id": report.task_id,
            "content_hash": report.task_hash,
            "passed": report.passed,
            "findings": [finding.kind for finding in report.findings],
            "report": report.model_dump_json(),
        }
        for report in reports
    ]
    return pa.Table.from_pylist(rows, schema=REPORTS)


def reports_of(table: pa.Table) -> list[GateReport]:
    """Reads gate reports back."""
    return [GateReport.model_validate_json(text) for text in table.column("report").to_pylist()]


def outcomes_table(outcomes: Iterable[RepairOutcome]) -> pa.Table:
    """Gives repair outcomes as a table."""
    rows = [
        {
            "task_id": outcome.spec.task_id,
            "content_hash": outcome.spec.content_hash,
            "capability": outcome.spec.capability.value,
            "level": outcome.spec.level,
            "fate": outcome.fate.value,
            "rounds": len(outcome.rounds),
            "first_findings": first_findings(outcome),
            "mends": [mend for item in outcome.rounds for mend in item.mends],
            "reason": outcome.reason,
            "outcome": outcome.model_dump_json(),
        }
        for outcome in outcomes
    ]
    return pa.Table.from_pylist(rows, schema=OUTCOMES)


def outcomes_of(table: pa.Table) -> list[RepairOutcome]:
    """Reads repair outcomes back."""
    return [RepairOutcome.model_validate_json(t) for t in table.column("outcome").to_pylist()]


def first_findings(outcome: RepairOutcome) -> list[str]:
    """Gives the kinds of findings a candidate started with, each once."""
    if not outcome.rounds:
        return []
    return sorted({finding.kind for finding in outcome.rounds[0].findings})


def profile_table(profile: CapabilityProfile) -> pa.Table:
    """Gives a profile as one row a cell, with the whole profile in the schema's metadata."""
    rows = []
    for item in profile.cells:
        low, high = item.interval
        rows.append(
            {
                "capability": item.capability.value,
                "level": item.level,
                "episodes": item.episodes,
                "passed": item.passed,
                "unscored": item.unscored,
                "mean": item.mean,
                "low": low,
                "high": high,
                "mean_score": item.mean_score,
            }
        )
    table = pa.Table.from_pylist(rows)
    return table.replace_schema_metadata({"profile": profile.model_dump_json()})


def profile_of(table: pa.Table) -> CapabilityProfile:
    """Reads a profile back."""
    return CapabilityProfile.model_validate_json(table.schema.metadata[b"profile"])


def preview(columns: Sequence[str], rows: Iterable[Sequence[Any]], limit: int = 10) -> Any:
    """Gives the first rows as a table for people."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    for index, row in enumerate(rows):
        if index == limit:
            break
        lines.append("| " + " | ".join(_cell(value) for value in row) + " |")
    return dg.MetadataValue.md("\n".join(lines))


def _cell(value: Any) -> str:
    text = f"{value:.2f}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")[:160]
