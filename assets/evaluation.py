"""Scores before and after training, the round's report, and what the next round starts from."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow as pa

from assets.partitions import ROUND_OF_SYNTHESIS, round_after, round_of, rounds
from assets.tables import first_findings, outcomes_of, preview, tasks_table
from coworkenv_dagster.evaluation import (
    Change,
    EvaluationResult,
    compare,
    evaluate,
    held_out_suite,
    load_result,
    save_result,
)
from coworkenv_dagster.evaluation.storage import rows_table
from coworkenv_dagster.promotion import Promotion, promote, promoted
from coworkenv_dagster.repair import Fate, RepairOutcome, fates
from coworkenv_dagster.reporting.data import CurvePoint, FindingYield, StageCost, SynthesisYield
from resources import MLflowTracking, Progress, Settings


@dg.asset(
    name="held_out_suite",
    group_name="evaluation",
    kinds={"python"},
    owners=["team:post-training"],
    code_version="1",
)
def held_out_tasks(context: dg.AssetExecutionContext, settings: Settings) -> pa.Table:
    """The tasks scores are reported on: own seeds, own entities, never trained on."""
    suite = held_out_suite(settings.config.held_out_per_cell)
    context.add_output_metadata({"suite_hash": suite.hash, "tasks": len(suite.tasks)})
    return tasks_table(suite.tasks)


@dg.asset(
    partitions_def=rounds,
    deps=["promoted_policy", "held_out_suite"],
    group_name="evaluation",
    kinds={"python", "transformers"},
    owners=["team:post-training"],
)
def claw_eval_scores(
    context: dg.AssetExecutionContext,
    sft_checkpoint: pa.Table,
    settings: Settings,
    tracking: MLflowTracking,
    progress: dg.ResourceParam[Progress],
) -> pa.Table:
    """Scores by Claw-Eval's formula on the held-out suite, before and after training."""
    from coworkenv_dagster.policies.local import TransformersPolicy

    round_key, config = round_of(context), settings.config
    start = promoted(settings.home, round_key)
    trained = json.loads(sft_checkpoint.column("checkpoint")[0].as_py())["content_hash"]
    suite = held_out_suite(config.held_out_per_cell)
    policies = (
        ("base", start.path, start.policy_hash),
        ("trained", Path(sft_checkpoint.column("path")[0].as_py()), trained),
    )
    progress.start("claw_eval_scores", len(policies) * len(suite.tasks) * config.trials)
    results: dict[str, EvaluationResult] = {}
    with tracking.run(context, round_key) as run:
        for label, path, policy_hash in policies:
            folder = settings.home.evaluation(round_key, label)
            results[label] = evaluate(
                TransformersPolicy.from_checkpoint(
                    path,
                    temperature=config.temperature,
                    max_new_tokens=config.max_new_tokens,
                    name=label,
                ),
                suite,
                seed=config.round_seed(round_key),
                trials=config.trials,
                batch_size=config.batch_size,
                policy_hash=policy_hash,
                store=folder / "blocks",
                on_done=lambda row: progress.step("claw_eval_scores"),
            )
            save_result(results[label], folder)
            run.metrics(
                {
                    f"{label}.{group}.average_score".replace(":", "."): summary.average_score
                    for group, summary in (
                        *results[label].splits.items(),
                        *results[label].capabilities.items(),
                    )
                }
            )
    comparison = compare(results["base"], results["trained"])
    context.add_output_metadata(
        {
            "suite": suite.title,
            "suite_hash": suite.hash,
            "overall": comparison["overall"].sentence,
            "scores": preview(
                ("group", "base", "trained", "difference"),
                [
                    (
                        group,
                        f"{results['base'].splits[group].average_score or 0:.1f}",
                        f"{results['trained'].splits[group].average_score or 0:.1f}",
                        comparison[group].sentence,
                    )
                    for group in results["trained"].splits
                ],
            ),
        }
    )
    tables = [
        rows_table(result.rows).append_column("policy", pa.array([label] * len(result.rows)))
        for label, result in results.items()
    ]
    return pa.concat_tables(tables)


@dg.asset(
    partitions_def=rounds,
    ins={"repaired_environments": dg.AssetIn(partition_mapping=ROUND_OF_SYNTHESIS)},
    group_name="evaluation",
    kinds={"html"},
    owners=["team:post-training"],
)
def round_report(
    context: dg.AssetExecutionContext,
    claw_eval_scores: pa.Table,
    sft_checkpoint: pa.Table,
    repaired_environments: dict[str, pa.Table],
    settings: Settings,
    tracking: MLflowTracking,
    progress: dg.ResourceParam[Progress],
) -> pa.Table:
    """One page on the round; it names the policy the next round starts from."""
    from coworkenv_dagster.reporting import report_data, write_report

    round_key, home = round_of(context), settings.home
    progress.start("round_report", 1)
    base = load_result(home.evaluation(round_key, "base"))
    trained = load_result(home.evaluation(round_key, "trained"))
    checkpoint = json.loads(sft_checkpoint.column("checkpoint")[0].as_py())
    outcomes = [o for _, t in sorted(repaired_environments.items()) for o in outcomes_of(t)]
    with tracking.run(context, round_key) as run:
        data = report_data(
            base,
            trained,
            round=round_key,
            synthesis=_yields(outcomes),
            curve=[CurvePoint(step=step, loss=loss) for step, loss in checkpoint["loss_curve"]],
            stages=_costs(context, round_key, checkpoint, base, trained),
            facts={
                "Policy before": base.policy_hash,
                "Policy after": trained.policy_hash,
                "Recipe": f"{checkpoint['recipe'].get('name', '')}, {checkpoint['method']}",
                "MLflow run": run.run_id,
                "Dagster run": context.run_id,
            },
        )
        paths = write_report(data, home.report(round_key))
        run.artifact(paths["html"])
        run.artifact(paths["json"])
        chosen = _choose(context, settings, round_key, base, trained)
        tracking.alias(chosen.policy_hash, "promoted")
    progress.step("round_report")
    overall = data.comparisons["overall"]
    context.add_output_metadata(
        {
            "report": dg.MetadataValue.path(str(paths["html"])),
            "overall": overall.sentence,
            "promoted": f"{chosen.name} for round {chosen.round}: {chosen.reason}",
        }
    )
    return pa.Table.from_pylist([{name: str(path) for name, path in paths.items()}])


def _choose(
    context: dg.AssetExecutionContext,
    settings: Settings,
    round_key: str,
    base: EvaluationResult,
    trained: EvaluationResult,
) -> Promotion:
    """Promotes the trained checkpoint when the comparison says so, else carries the old one on."""
    comparison = compare(base, trained)["overall"]
    following = round_after(round_key)
    if comparison.change is Change.BETTER or settings.config.promote == "always":
        chosen = Promotion(
            round=following,
            path=settings.home.checkpoint(round_key, "sft"),
            policy_hash=trained.policy_hash,
            name=f"sft of {round_key}",
            origin=round_key,
            reason=comparison.sentence,
        )
    else:
        before = promoted(settings.home, round_key)
        reason = f"kept: {comparison.sentence}"
        chosen = before.model_copy(update={"round": following, "reason": reason})
    promote(settings.home, chosen)
    context.log_event(
        dg.AssetMaterialization(
            "promoted_policy",
            partition=following,
            description=chosen.reason,
            metadata={
                "policy": chosen.name,
                "policy_hash": chosen.policy_hash,
                "path": dg.MetadataValue.path(str(chosen.path)),
            },
        )
    )
    return chosen


def _yields(outcomes: list[RepairOutcome]) -> SynthesisYield:

    counts = fates(outcomes)
    found: Counter[str] = Counter()
    mended: Counter[str] = Counter()
    for outcome in outcomes:
        kinds = first_findings(outcome)
        found.update(kinds)
        if outcome.fate is Fate.REPAIRED:
            mended.update(kinds)
    rescued = Counter(len(o.rounds) for o in outcomes if o.fate is Fate.REPAIRED)
    rejected = Counter(o.reason for o in outcomes if o.fate is Fate.REJECTED)
    return SynthesisYield(
        generated=len(outcomes),
        accepted=counts[Fate.ACCEPTED],
        repaired=counts[Fate.REPAIRED],
        rejected=counts[Fate.REJECTED],
        rescued_in_round=dict(sorted(rescued.items())),
        findings=tuple(
            FindingYield(kind=kind, tasks=count, repaired=mended[kind])
            for kind, count in found.most_common()
        ),
        rejected_for=dict(rejected.most_common()),
    )


def _costs(
    context: dg.AssetExecutionContext,
    round_key: str,
    checkpoint: dict[str, Any],
    base: EvaluationResult,
    trained: EvaluationResult,
) -> list[StageCost]:
    """Gives what each stage took, from the instance's own record of its steps."""
    played = sum(row.tokens for result in (base, trained) for row in result.rows)
    tokens = {
        "sft_checkpoint": int(checkpoint["metrics"].get("tokens", 0)),
        "claw_eval_scores": played,
    }
    seconds = stage_seconds(context.instance, round_key)
    return [
        StageCost(stage=STAGES[stage], seconds=spent, tokens=tokens.get(stage, 0))
        for stage, spent in seconds.items()
    ]


STAGES = {
    "capability_profile": "Profile",
    "generated_tasks": "Generation",
    "validated_environments": "Gate",
    "repaired_environments": "Repair",
    "training_set": "Training set",
    "sft_checkpoint": "SFT",
    "claw_eval_scores": "Held-out scores",
}
"""What the report calls the stages, by asset."""


def stage_seconds(instance: dg.DagsterInstance, round_key: str) -> dict[str, float]:
    """Gives the seconds of each stage's latest steps of a round, summed over its partitions."""
    spent: dict[str, float] = {}
    for stage in STAGES:
        records = instance.fetch_materializations(dg.AssetKey(stage), limit=200).records
        seen: set[str] = set()
        for record in records:
            partition = record.partition_key or ""
            if partition in seen or round_key not in partition.split("|"):
                continue
            seen.add(partition)
            for stats in instance.get_run_step_stats(record.run_id, [stage]):
                if stats.start_time and stats.end_time:
                    spent[stage] = spent.get(stage, 0.0) + stats.end_time - stats.start_time
    return spent
