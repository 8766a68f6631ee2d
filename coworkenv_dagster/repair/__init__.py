"""Repair: mends from the gate's findings, never by weakening; nothing is dropped in silence."""

from coworkenv_dagster.repair.repair import (
    MAX_ROUNDS,
    Fate,
    RepairOutcome,
    Round,
    fates,
    repair,
    repair_all,
)
from coworkenv_dagster.repair.rules import RULES
from coworkenv_dagster.repair.weakening import is_weaker

__all__ = [
    "MAX_ROUNDS",
    "RULES",
    "Fate",
    "RepairOutcome",
    "Round",
    "fates",
    "is_weaker",
    "repair",
    "repair_all",
]
