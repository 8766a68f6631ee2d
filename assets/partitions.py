"""Rounds (time windows) and capabilities, and how they map onto each other."""

from __future__ import annotations

import os

import dagster as dg

from coworkenv_dagster.generation.plots import PLOTS

FIRST_ROUND = os.environ.get("COWORKENV_FIRST_ROUND", "2026-01-01")
"""The first round; fixed, so that round 0 is the same everywhere."""

CRON = os.environ.get("COWORKENV_ROUNDS_CRON", "0 0 * * *")
"""When a round ends and the next one begins."""

rounds = dg.TimeWindowPartitionsDefinition(
    cron_schedule=CRON, start=FIRST_ROUND, fmt="%Y-%m-%d", timezone="UTC"
)
capabilities = dg.StaticPartitionsDefinition([capability.value for capability in PLOTS])
synthesis = dg.MultiPartitionsDefinition({"round": rounds, "capability": capabilities})

ROUND_OF_SYNTHESIS = dg.MultiToSingleDimensionPartitionMapping(partition_dimension_name="round")


def round_of(context: dg.AssetExecutionContext | dg.AssetCheckExecutionContext) -> str:
    """Gives the round a context works on."""
    key = context.partition_key
    if isinstance(key, dg.MultiPartitionKey):
        return str(key.keys_by_dimension["round"])
    return str(key)


def capability_of(context: dg.AssetExecutionContext | dg.AssetCheckExecutionContext) -> str:
    """Gives the capability a context works on."""
    key = context.partition_key
    assert isinstance(key, dg.MultiPartitionKey)
    return str(key.keys_by_dimension["capability"])


def round_after(round_key: str) -> str:
    """Gives the round that follows, also when its time has not come yet."""
    window = rounds.time_window_for_partition_key(round_key)
    return str(window.end.strftime("%Y-%m-%d"))


def round_before(round_key: str) -> str | None:
    """Gives the round before; None for the first."""
    previous = rounds.get_prev_partition_window(
        rounds.time_window_for_partition_key(round_key).start
    )
    if previous is None or round_key <= FIRST_ROUND:
        return None
    return str(previous.start.strftime("%Y-%m-%d"))
