"""The training set and the checkpoint trained on it."""

import json
from collections import Counter
from typing import Any

import dagster as dg
import pyarrow as pa

from assets.partitions import ROUND_OF_SYNTHESIS, round_of, rounds
from assets.plots import curve_plot
from assets.tables import EPISODES, outcomes_of, preview
from coworkenv_dagster.environment import Environment
from coworkenv_dagster.episode import run_episode
from coworkenv_dagster.errors import TrainingError
from coworkenv_dagster.evaluation import contamination, held_out_suite
from coworkenv_dagster.hashing import derive_random
from coworkenv_dagster.policies.scripted import ReferencePolicy
from coworkenv_dagster.promotion import promoted
from coworkenv_dagster.repair import Fate
from resources import MLflowTracking, Progress, Settings


@dg.asset(
    partitions_def=rounds,
    ins={"repaired_environments": dg.AssetIn(partition_mapping=ROUND_OF_SYNTHESIS)},
    group_name="training",
    kinds={"python"},
    owners=["team:post-training"],
    code_version="1",
)
def training_set(
    context: dg.AssetExecutionContext,
    repaired_environments: dict[str, pa.Table],
    settings: Settings,
    tracking: MLflowTracking,
    progress: dg.ResourceParam[Progress],
) -> pa.Table:
    """Reference trajectories of the environments that passed, as conversations with tools."""
    round_key = round_of(context)
    specs = [
        outcome.spec
        for _, table in sorted(repaired_environments.items())
        for outcome in outcomes_of(table)
        if outcome.fate is not Fate.REJECTED
    ]
    if not specs:
        raise TrainingError(
            "no environment passed the gate",
            where=f"round {round_key}",
            mend="Look at the findings in validated_environments",
        )
    progress.start("training_set", len(specs))
    rows: list[dict[str, Any]] = []
    with tracking.run(context, round_key) as run:
        for spec in specs:
            trajectory = run_episode(ReferencePolicy(spec), Environment(spec))
            if trajectory.verdict.score == 1.0:
                rows.append(
                    {
                        "task_id": spec.task_id,
                        "content_hash": spec.content_hash,
                        "capability": spec.capability.value,
                        "level": spec.level,
                        "turns": trajectory.turns,
                        "score": trajectory.verdict.score,
                        "messages": json.dumps(trajectory.messages, ensure_ascii=False),
                        "tools": json.dumps(trajectory.tools, ensure_ascii=False),
                        "spec": spec.model_dump_json(),
                    }
                )
            progress.step("training_set")
        derive_random(settings.config.round_seed(round_key), "training_set").shuffle(rows)
        shared = contamination(specs, held_out_suite(settings.config.held_out_per_cell))
        by_capability = Counter(row["capability"] for row in rows)
        run.metrics({"episodes": len(rows), "turns": sum(row["turns"] for row in rows)})
        run.metrics({f"episodes.{name}": count for name, count in by_capability.items()})
    context.add_output_metadata(
        {
            "episodes": len(rows),
            "left_out": len(specs) - len(rows),
            "contamination": shared.sentence,
            "by_capability": preview(("capability", "episodes"), sorted(by_capability.items())),
        }
    )
    return pa.Table.from_pylist(rows, schema=EPISODES)


@dg.asset(
    partitions_def=rounds,
    deps=["promoted_policy"],
    group_name="training",
    kinds={"pytorch", "huggingface"},
    owners=["team:post-training"],
    pool="training",
    retry_policy=dg.RetryPolicy(max_retries=1),
)
def sft_checkpoint(
    context: dg.AssetExecutionContext,
    training_set: pa.Table,
    settings: Settings,
    tracking: MLflowTracking,
    progress: dg.ResourceParam[Progress],
) -> pa.Table:
    """The promoted policy, fine-tuned on the training set with the loss on its own tokens."""
    from coworkenv_dagster.training.recipe import load_recipe
    from coworkenv_dagster.training.sft import train_sft

    round_key, config = round_of(context), settings.config
    start = promoted(settings.home, round_key)
    recipe = load_recipe(config.recipe)
    if config.sft_steps is not None:
        sft = recipe.sft.model_copy(update={"steps": config.sft_steps})
        recipe = recipe.model_copy(update={"sft": sft})
    rows = [
        {"messages": json.loads(messages), "tools": json.loads(tools)}
        for messages, tools in zip(
            training_set.column("messages").to_pylist(),
            training_set.column("tools").to_pylist(),
            strict=True,
        )
    ]
    seen = [0]

    def told(step: int, total: int, loss: float) -> None:
        if not seen[0]:
            progress.start("sft_checkpoint", total)
        progress.step("sft_checkpoint", step - seen[0], f"loss {loss:.3f}")
        seen[0] = step

    with tracking.run(context, round_key) as run:
        run.params({"recipe": recipe.name, "parent": start.policy_hash, "episodes": len(rows)})
        checkpoint = train_sft(
            start.path,
            rows,
            recipe,
            settings.home.checkpoint(round_key, "sft"),
            seed=config.round_seed(round_key) % 2**31,
            progress=told,
        )
        run.metrics(checkpoint.metrics)
        run.curve("loss_curve", iter(checkpoint.loss_curve))
        version = tracking.register(
            run, checkpoint.path, policy_hash=checkpoint.content_hash, round_key=round_key
        )
    context.add_output_metadata(
        {
            "policy_hash": checkpoint.content_hash,
            "parent": checkpoint.parent_hash,
            "path": dg.MetadataValue.path(str(checkpoint.path)),
            "registry_version": version,
            **{name: float(value) for name, value in checkpoint.metrics.items()},
            "loss": curve_plot(checkpoint.loss_curve),
        }
    )
    row = {"path": str(checkpoint.path), "checkpoint": checkpoint.model_dump_json()}
    return pa.Table.from_pylist([row])
