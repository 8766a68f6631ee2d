"""What must hold of the assets, executed on what was stored."""

from collections import Counter

import dagster as dg
import pyarrow as pa
import pyarrow.compute as pc

from assets.partitions import rounds, synthesis
from assets.synthesis import gate_context
from assets.tables import outcomes_of, preview
from coworkenv_dagster.evaluation import contamination, held_out_suite
from coworkenv_dagster.gate import check
from coworkenv_dagster.repair import Fate
from coworkenv_dagster.schema import TaskSpec
from resources import Settings


@dg.asset_check(
    asset="repaired_environments",
    blocking=True,
    partitions_def=synthesis,
    description="Every environment that leaves repair passes the whole gate, on fresh state.",
)
def gate(repaired_environments: pa.Table, settings: Settings) -> dg.AssetCheckResult:
    """Runs the gate again on all that was accepted or repaired."""
    outcomes = outcomes_of(repaired_environments)
    specs = [outcome.spec for outcome in outcomes if outcome.fate is not Fate.REJECTED]
    surroundings = gate_context(settings, specs)
    reports = [check(spec, surroundings) for spec in specs]
    failed = [report for report in reports if not report.passed]
    kinds = Counter(finding.kind for report in failed for finding in report.findings)
    return dg.AssetCheckResult(
        passed=not failed,
        metadata={
            "checked": len(reports),
            "failed": len(failed),
            "findings": preview(("finding", "tasks"), kinds.most_common()),
        },
    )


@dg.asset_check(
    asset="repaired_environments",
    blocking=True,
    partitions_def=synthesis,
    additional_ins={"generated_tasks": dg.AssetIn()},
    description="Nothing is lost: generated = accepted + repaired + rejected, task by task.",
)
def conservation(repaired_environments: pa.Table, generated_tasks: pa.Table) -> dg.AssetCheckResult:
    """Compares the ids that went in with those that came out."""
    before = generated_tasks.column("task_id").to_pylist()
    after = repaired_environments.column("task_id").to_pylist()
    counts = Counter(repaired_environments.column("fate").to_pylist())
    unexplained = [
        row["task_id"]
        for row in repaired_environments.select(["task_id", "fate", "reason"]).to_pylist()
        if row["fate"] == Fate.REJECTED and not row["reason"]
    ]
    return dg.AssetCheckResult(
        passed=sorted(before) == sorted(after)
        and sum(counts.values()) == len(before)
        and not unexplained,
        metadata={"generated": len(before), "rejected_without_reason": len(unexplained), **counts},
    )


@dg.asset_check(
    asset="training_set",
    blocking=True,
    partitions_def=rounds,
    description="Nothing that is trained on is, or is near, a held-out task.",
)
def no_leakage(training_set: pa.Table, settings: Settings) -> dg.AssetCheckResult:
    """Compares the training tasks with the held-out suite."""
    specs = [TaskSpec.model_validate_json(t) for t in training_set.column("spec").to_pylist()]
    shared = contamination(specs, held_out_suite(settings.config.held_out_per_cell))
    return dg.AssetCheckResult(passed=shared.clean, metadata={"contamination": shared.sentence})


@dg.asset_check(
    asset="training_set",
    blocking=True,
    partitions_def=rounds,
    description="Every trajectory in the training set got the full score.",
)
def reference_floor(training_set: pa.Table) -> dg.AssetCheckResult:
    """Looks at the scores of the trajectories."""
    scores = training_set.column("score")
    lowest = pc.min(scores).as_py() if len(scores) else None
    return dg.AssetCheckResult(
        passed=lowest == 1.0, metadata={"episodes": len(scores), "lowest_score": lowest or 0.0}
    )


@dg.asset_check(
    asset="claw_eval_scores",
    blocking=True,
    partitions_def=rounds,
    description="Scores lie in [0, 1], and both policies were scored on the same tasks.",
)
def bounded_scores(claw_eval_scores: pa.Table) -> dg.AssetCheckResult:
    """Looks at every score, and at who was scored on what."""
    rows = claw_eval_scores.select(["policy", "task_hash", "trial", "score", "status"]).to_pylist()
    wrong = [r for r in rows if r["score"] is not None and not 0.0 <= r["score"] <= 1.0]
    played = {
        policy: {(r["task_hash"], r["trial"]) for r in rows if r["policy"] == policy}
        for policy in ("base", "trained")
    }
    missing = sum(row["score"] is None for row in rows)
    return dg.AssetCheckResult(
        passed=bool(rows)
        and not wrong
        and played["base"] == played["trained"]
        and missing <= len(rows) / 10,
        metadata={"scores": len(rows), "without_score": missing},
    )
