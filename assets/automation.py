"""What opens a round and what carries it through.

A schedule opens the round: it makes sure the round has a policy to start from and asks for its
profile. Declarative automation asks for every later asset as soon as what it needs is there and
the blocking checks on it have passed.
"""

import dagster as dg

from assets.partitions import CRON, round_before, rounds
from coworkenv_dagster.config import home
from coworkenv_dagster.promotion import base_promotion, promote, rounds_with_policy

CARRY_ON = (
    dg.AutomationCondition.eager().without(dg.AutomationCondition.in_latest_time_window())
    & dg.AutomationCondition.all_deps_blocking_checks_passed()
).with_label("carry the round on")
"""Eager, for any round (rounds need not be the latest), and never past a failed blocking check."""

ONCE = (
    dg.AutomationCondition.missing()
    & ~dg.AutomationCondition.in_progress()
    & ~dg.AutomationCondition.execution_failed()
).with_label("made once")
"""As soon as it isn't there; a failure waits for a person."""

open_round_job = dg.define_asset_job(
    "open_round",
    selection=dg.AssetSelection.assets("capability_profile"),
    partitions_def=rounds,
    description="Measures the profile of a round; automation carries the round on from there.",
)


def seed_round(instance: dg.DagsterInstance, round_key: str) -> str | None:
    """Makes sure a round has a policy to start from; gives why not, or None when it has one.

    The first round starts from the shipped base. A later one starts from what the round before
    promoted. When the rounds in between were never opened, the newest promotion is carried on;
    when the round before was opened and has promoted nothing, it failed, and stops this one.
    """
    place = home()
    known = rounds_with_policy(place)
    if round_key in known:
        return None
    earlier = [key for key in known if key < round_key]
    before = round_before(round_key)
    if not earlier:
        chosen = base_promotion(round_key)
    elif before is not None and before in known:
        return f"round {before} was opened but has promoted no policy: finish or mend it first"
    else:
        from coworkenv_dagster.promotion import promoted

        last = promoted(place, earlier[-1])
        chosen = last.model_copy(
            update={"round": round_key, "reason": f"carried on from round {earlier[-1]}"}
        )
    promote(place, chosen)
    instance.report_runless_asset_event(
        dg.AssetMaterialization(
            "promoted_policy",
            partition=round_key,
            description=chosen.reason,
            metadata={"policy": chosen.name, "policy_hash": chosen.policy_hash},
        )
    )
    return None


@dg.schedule(
    job=open_round_job,
    cron_schedule=CRON,
    execution_timezone="UTC",
    description="Opens the round whose time window has just ended.",
)
def open_round(
    context: dg.ScheduleEvaluationContext,
) -> dg.RunRequest | dg.SkipReason:
    """Opens the latest round."""
    with dg.partition_loading_context(effective_dt=context.scheduled_execution_time):
        round_key = rounds.get_last_partition_key()
    if round_key is None:
        return dg.SkipReason("no round has ended yet")
    problem = seed_round(context.instance, round_key)
    if problem:
        return dg.SkipReason(problem)
    return dg.RunRequest(run_key=round_key, partition_key=round_key)
