from __future__ import annotations

import pytest

from coworkenv_dagster.evaluation.evaluate import evaluate
from coworkenv_dagster.evaluation.suites import Suite
from coworkenv_dagster.reporting import (
    CurvePoint,
    FindingYield,
    ReportData,
    StageCost,
    SynthesisYield,
    report_data,
)
from coworkenv_dagster.schema import ForbiddenTool
from tests.evaluation.conftest import Wavering, small_suite

HOSTILE = "<script>alert('x')</script><img src=x onerror=alert(1)>"


def hostile_suite() -> Suite:
    """Gives a suite whose texts try to break out of the page wherever they can."""
    tasks = [
        task.model_copy(
            update={
                "task_id": f'{task.task_id}"><script>1</script>',
                "request": f"{task.request} {HOSTILE}",
                "forbidden": (ForbiddenTool(tool="helpdesk_get_ticket", reason=HOSTILE),),
            }
        )
        for task in small_suite(8).tasks
    ]
    return Suite("builtin", tuple(tasks), title="Held-out suite (built in)")


@pytest.fixture(scope="session")
def data() -> ReportData:
    suite = hostile_suite()
    return report_data(
        evaluate(Wavering(0.3), suite, seed=1),
        evaluate(Wavering(0.9, error=0.15), suite, seed=1),
        round="2026-03-01",
        synthesis=SynthesisYield(
            generated=100,
            accepted=70,
            repaired=20,
            rejected=10,
            rescued_in_round={1: 15, 2: 5},
            findings=(FindingYield(kind="reference.completion", tasks=12, repaired=9),),
            rejected_for={HOSTILE: 10},
        ),
        curve=[CurvePoint(step=n, loss=2.0 / (n + 1)) for n in range(20)],
        stages=[StageCost(stage="sft_checkpoint", seconds=200.0, tokens=1_234_567)],
        remarks=[f"A remark {HOSTILE}"],
        facts={"MLflow": f"run {HOSTILE}"},
    )
