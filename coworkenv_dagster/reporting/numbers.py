"""The report as JSON, for machines."""

from __future__ import annotations

from typing import Any

from coworkenv_dagster.evaluation.summary import OVERALL, summarize
from coworkenv_dagster.reporting.data import PolicyScores, ReportData
from coworkenv_dagster.schema import Split

ALWAYS = (OVERALL, Split.GENERAL.value, Split.MULTI_TURN.value)
"""Groups that are there even when the suite has no task in them (their averages are null)."""


def report_json(data: ReportData) -> dict[str, Any]:
    """Gives the report's numbers as JSON values.

    `scores.{base,trained}.{overall,general,multi_turn}.average_score` lie on 0 to 100, the
    dimensions and pass rates on 0 to 1; `synthesis` is null where nothing was generated.
    """
    return {
        "round": data.round,
        "suite": {
            "title": data.suite,
            "hash": data.suite_hash,
            "score_label": data.score_label,
            "trials": data.trials,
            "seed": data.seed,
        },
        "scores": {"base": _scores(data.base), "trained": _scores(data.trained)},
        "differences": {
            name: comparison.model_dump(mode="json")
            for name, comparison in data.comparisons.items()
        },
        "synthesis": data.synthesis.model_dump(mode="json") if data.synthesis else None,
        "curve": [point.model_dump(mode="json") for point in data.curve],
        "stages": [stage.model_dump(mode="json") for stage in data.stages],
        "remarks": list(data.remarks),
        "facts": data.facts,
    }


def _scores(scores: PolicyScores) -> dict[str, Any]:
    empty = {name: summarize((), 0) for name in ALWAYS}
    return {
        "policy": scores.policy,
        **{
            name: summary.model_dump(mode="json")
            for name, summary in {**empty, **scores.splits}.items()
        },
        "capabilities": {
            name: summary.model_dump(mode="json") for name, summary in scores.capabilities.items()
        },
    }
