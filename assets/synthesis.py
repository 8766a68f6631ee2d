"""Candidates, the gate on each of them, and repair of what failed."""

from collections import Counter

import dagster as dg
import pyarrow as pa

from assets.partitions import ROUND_OF_SYNTHESIS, capability_of, round_of, synthesis
from assets.tables import (
    first_findings,
    outcomes_table,
    preview,
    profile_of,
    reports_of,
    reports_table,
    tasks_of,
    tasks_table,
)
from coworkenv_dagster.curriculum import allocate, cells_by_capability
from coworkenv_dagster.evaluation import held_out_suite
from coworkenv_dagster.gate import GateContext, check_all
from coworkenv_dagster.generation import Pool, ProceduralAuthor
from coworkenv_dagster.generation.near_duplicates import NearDuplicates
from coworkenv_dagster.repair import Fate, fates, repair_all
from coworkenv_dagster.schema import Capability, TaskSpec
from resources import MLflowTracking, Progress, Settings


def gate_context(settings: Settings, specs: list[TaskSpec]) -> GateContext:
    """Gives what the gate compares a set of tasks with: the held-out suite and the set itself."""
    held_out, others = NearDuplicates(), NearDuplicates(earlier_only=True)
    for spec in held_out_suite(settings.config.held_out_per_cell).tasks:
        held_out.add(spec)
    for spec in specs:
        others.add(spec)
    return GateContext(held_out=held_out, others=others)


@dg.asset(
    partitions_def=synthesis,
    ins={"capability_profile": dg.AssetIn(partition_mapping=ROUND_OF_SYNTHESIS)},
    group_name="synthesis",
    kinds={"python"},
    owners=["team:simulation"],
    code_version="1",
)
def generated_tasks(
    context: dg.AssetExecutionContext,
    capability_profile: pa.Table,
    settings: Settings,
    tracking: MLflowTracking,
    progress: dg.ResourceParam[Progress],
) -> pa.Table:
    """Candidate tasks, as many for each cell as the profile says are worth learning from."""
    round_key, capability = round_of(context), Capability(capability_of(context))
    config = settings.config
    seed = config.round_seed(round_key)
    shares = allocate(profile_of(capability_profile), config.candidates, seed=seed)
    mine = cells_by_capability(shares).get(capability, {})
    progress.start("generated_tasks", sum(mine.values()))
    specs: list[TaskSpec] = []
    with tracking.run(context, round_key) as run:
        for spec in ProceduralAuthor(Pool.TRAIN).candidates(mine, seed):
            specs.append(spec)
            progress.step("generated_tasks")
        run.metrics({f"level_{cell.level}": count for cell, count in mine.items()})
        structures = len({spec.provenance.structure for spec in specs})
        run.metrics({"generated": len(specs), "structures": structures})
    context.add_output_metadata(
        {
            "generated": len(specs),
            "structures": structures,
            "by_level": {str(cell.level): count for cell, count in mine.items()},
            "examples": preview(
                ("task", "level", "request"),
                [(spec.task_id, spec.level, spec.request) for spec in specs],
            ),
        }
    )
    return tasks_table(specs)


@dg.asset(
    partitions_def=synthesis,
    group_name="synthesis",
    kinds={"python"},
    owners=["team:simulation"],
    code_version="1",
)
def validated_environments(
    context: dg.AssetExecutionContext,
    generated_tasks: pa.Table,
    settings: Settings,
    tracking: MLflowTracking,
    progress: dg.ResourceParam[Progress],
) -> pa.Table:
    """The gate's report on every candidate: each law executed, each finding kept."""
    specs = tasks_of(generated_tasks)
    progress.start("validated_environments", len(specs))
    with tracking.run(context, round_of(context)) as run:
        reports = list(
            check_all(
                specs,
                gate_context(settings, specs),
                on_done=lambda report: progress.step("validated_environments"),
            )
        )
        passed = sum(report.passed for report in reports)
        kinds = Counter(kind for r in reports for kind in {f.kind for f in r.findings})
        run.metrics({"checked": len(reports), "passed": passed})
        run.metrics({f"finding.{kind}": count for kind, count in kinds.items()})
    context.add_output_metadata(
        {
            "checked": len(reports),
            "passed": passed,
            "first_pass_rate": passed / max(1, len(reports)),
            "findings": preview(("finding", "tasks"), kinds.most_common(), 20),
        }
    )
    return reports_table(reports)


@dg.asset(
    partitions_def=synthesis,
    group_name="synthesis",
    kinds={"python"},
    owners=["team:simulation"],
    code_version="1",
)
def repaired_environments(
    context: dg.AssetExecutionContext,
    generated_tasks: pa.Table,
    validated_environments: pa.Table,
    settings: Settings,
    tracking: MLflowTracking,
    progress: dg.ResourceParam[Progress],
) -> pa.Table:
    """Every candidate with its fate: accepted, repaired and gated again, or rejected with why."""
    specs, reports = tasks_of(generated_tasks), reports_of(validated_environments)
    progress.start("repaired_environments", len(specs))
    with tracking.run(context, round_of(context)) as run:
        outcomes = repair_all(
            zip(specs, reports, strict=True),
            gate_context(settings, specs),
            on_done=lambda outcome: progress.step("repaired_environments"),
        )
        counts = fates(outcomes)
        run.metrics({fate.value: count for fate, count in counts.items()})
    mended = Counter(
        (kind, outcome.fate.value) for outcome in outcomes for kind in first_findings(outcome)
    )
    context.add_output_metadata(
        {
            **{fate.value: count for fate, count in counts.items()},
            "repair_yield": counts[Fate.REPAIRED]
            / max(1, counts[Fate.REPAIRED] + counts[Fate.REJECTED]),
            "by_finding": preview(
                ("finding", "fate", "tasks"),
                [(kind, fate, count) for (kind, fate), count in sorted(mended.items())],
                30,
            ),
            "rejected_because": preview(
                ("task", "reason"),
                [(o.spec.task_id, o.reason) for o in outcomes if o.fate is Fate.REJECTED],
            ),
        }
    )
    return outcomes_table(outcomes)
