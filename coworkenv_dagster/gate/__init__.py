"""The grading-consistency gate: laws that are executed on every environment."""

from coworkenv_dagster.gate.check import check, check_all
from coworkenv_dagster.gate.laws import LAWS, Law
from coworkenv_dagster.gate.report import Finding, GateReport, Outcome, Severity
from coworkenv_dagster.gate.subject import DuplicateIndex, GateContext

__all__ = [
    "LAWS",
    "DuplicateIndex",
    "Finding",
    "GateContext",
    "GateReport",
    "Law",
    "Outcome",
    "Severity",
    "check",
    "check_all",
]
