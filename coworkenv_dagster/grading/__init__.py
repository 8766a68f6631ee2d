"""Checks, dimensions, formulae and verdicts."""

from coworkenv_dagster.grading.grade import Judge, credit_of, grade
from coworkenv_dagster.grading.scoring import PASS_MARK
from coworkenv_dagster.grading.verdict import CheckResult, Status, Verdict

__all__ = ["PASS_MARK", "CheckResult", "Judge", "Status", "Verdict", "credit_of", "grade"]
