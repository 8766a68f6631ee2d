"""Reports of rounds: one HTML page for people, JSON for machines."""

from coworkenv_dagster.reporting.data import (
    CurvePoint,
    FindingYield,
    PolicyScores,
    ReportData,
    StageCost,
    SynthesisYield,
    TaskReplay,
    report_data,
)
from coworkenv_dagster.reporting.figures import draw_figures
from coworkenv_dagster.reporting.numbers import report_json
from coworkenv_dagster.reporting.page import round_report, write_report

__all__ = [
    "CurvePoint",
    "FindingYield",
    "PolicyScores",
    "ReportData",
    "StageCost",
    "SynthesisYield",
    "TaskReplay",
    "draw_figures",
    "report_data",
    "report_json",
    "round_report",
    "write_report",
]
