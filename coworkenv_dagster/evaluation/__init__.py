"""Scores one can trust: suites, trials, intervals, comparisons, results on disk."""

from coworkenv_dagster.evaluation.builtin import held_out_suite, probe_suite
from coworkenv_dagster.evaluation.catalog import load_suite
from coworkenv_dagster.evaluation.claw_eval import claw_eval_suite
from coworkenv_dagster.evaluation.compare import Change, Comparison, compare
from coworkenv_dagster.evaluation.contamination import Contamination, contamination
from coworkenv_dagster.evaluation.evaluate import evaluate
from coworkenv_dagster.evaluation.result import EvaluationResult
from coworkenv_dagster.evaluation.rows import TrialRow, TrialStatus
from coworkenv_dagster.evaluation.storage import load_result, save_result
from coworkenv_dagster.evaluation.suites import Formula, Suite
from coworkenv_dagster.evaluation.summary import Summary

__all__ = [
    "Change",
    "Comparison",
    "Contamination",
    "EvaluationResult",
    "Formula",
    "Suite",
    "Summary",
    "TrialRow",
    "TrialStatus",
    "claw_eval_suite",
    "compare",
    "contamination",
    "evaluate",
    "held_out_suite",
    "load_result",
    "load_suite",
    "probe_suite",
    "save_result",
]
