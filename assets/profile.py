"""What the promoted policy can do today."""

import dagster as dg
import pyarrow as pa

from assets.partitions import round_before, round_of, rounds
from assets.tables import preview, profile_table
from coworkenv_dagster.curriculum import CapabilityProfile, measure_profile
from coworkenv_dagster.evaluation import probe_suite
from coworkenv_dagster.promotion import promoted
from coworkenv_dagster.storage import write_text
from resources import MLflowTracking, Progress, Settings

promoted_policy = dg.AssetSpec(
    "promoted_policy",
    description="The policy a round starts from. The report of the round before names it, so the "
    "loop closes without a cycle; round 0 starts from the shipped base.",
    partitions_def=rounds,
    group_name="profile",
    kinds={"huggingface"},
    owners=["team:post-training"],
)


def _previous_profile(settings: Settings, round_key: str) -> CapabilityProfile | None:
    before = round_before(round_key)
    path = settings.home.profile(before) if before else None
    return (
        CapabilityProfile.model_validate_json(path.read_text()) if path and path.is_file() else None
    )


@dg.asset(
    deps=[promoted_policy],
    partitions_def=rounds,
    group_name="profile",
    kinds={"python", "transformers"},
    owners=["team:post-training"],
    retry_policy=dg.RetryPolicy(max_retries=1),
)
def capability_profile(
    context: dg.AssetExecutionContext,
    settings: Settings,
    tracking: MLflowTracking,
    progress: dg.ResourceParam[Progress],
) -> pa.Table:
    """The promoted policy's success on the frozen probe set, by capability and level."""
    from coworkenv_dagster.policies.local import TransformersPolicy

    round_key, config = round_of(context), settings.config
    start = promoted(settings.home, round_key)
    probes = probe_suite(config.probes_per_cell)
    progress.start("capability_profile", len(probes.tasks))
    with tracking.run(context, round_key) as run:
        profile = measure_profile(
            TransformersPolicy.from_checkpoint(
                start.path,
                temperature=config.temperature,
                max_new_tokens=config.max_new_tokens,
                name=start.name,
            ),
            probes.tasks,
            policy_hash=start.policy_hash,
            seed=config.round_seed(round_key),
            probe_hash=probes.hash,
            previous=_previous_profile(settings, round_key),
            batch_size=config.batch_size,
            on_done=lambda trajectory: progress.step("capability_profile"),
        )
        run.params({"policy": start.name, "policy_hash": start.policy_hash})
        run.metrics({f"p.{item.cell}".replace("/", "."): item.mean for item in profile.cells})
    write_text(settings.home.profile(round_key), profile.model_dump_json(indent=1))
    rows = [
        (item.capability.value, item.level, f"{item.passed}/{item.episodes}", item.mean)
        for item in profile.cells
    ]
    context.add_output_metadata(
        {
            "policy": start.name,
            "policy_hash": start.policy_hash,
            "probe_set": probes.hash,
            "pass_rate": sum(i.passed for i in profile.cells)
            / max(1, sum(i.episodes for i in profile.cells)),
            "cells": preview(("capability", "level", "passed", "P(success)"), rows, 18),
        }
    )
    return profile_table(profile)
