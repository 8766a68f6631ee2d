"""The code location: assets, checks, automation and resources put together."""

from __future__ import annotations

import os
from typing import Any

import dagster as dg

from assets import automation, checks, evaluation, profile, synthesis, training
from coworkenv_dagster.config import home
from resources import MLflowTracking, NoProgress, ParquetIOManager, Settings

# `include_specs` matters: without it automation would see no external asset to wait for.
lineage: list[Any] = list(
    dg.load_assets_from_modules([profile, synthesis, training, evaluation], include_specs=True)
)
asset_checks = dg.load_asset_checks_from_modules([checks])

_CARRIED = {
    "generated_tasks",
    "validated_environments",
    "repaired_environments",
    "training_set",
    "sft_checkpoint",
    "claw_eval_scores",
    "round_report",
}


def _with_automation(spec: dg.AssetSpec) -> dg.AssetSpec:
    name = spec.key.to_user_string()
    if name in _CARRIED:
        return spec.replace_attributes(automation_condition=automation.CARRY_ON)
    if name == "held_out_suite":
        return spec.replace_attributes(automation_condition=automation.ONCE)
    return spec


automated = dg.map_asset_specs(_with_automation, lineage)


def resources() -> dict[str, object]:
    """Gives the resources for the home that the environment names."""
    place = home()
    return {
        "io_manager": ParquetIOManager(
            base=os.environ.get("COWORKENV_STORAGE", str(place.storage))
        ),
        "settings": Settings(
            home_path=str(place.root), preset=os.environ.get("COWORKENV_PRESET", "pocket")
        ),
        "tracking": MLflowTracking(
            uri=os.environ.get("MLFLOW_TRACKING_URI", place.tracking_uri),
            artifacts=str(place.artifacts),
        ),
        "progress": NoProgress(),
    }


defs = dg.Definitions(
    assets=automated,
    asset_checks=asset_checks,
    jobs=[automation.open_round_job],
    schedules=[automation.open_round],
    sensors=[
        dg.AutomationConditionSensorDefinition(
            "carry_rounds_on",
            target=dg.AssetSelection.all(),
            default_status=dg.DefaultSensorStatus.RUNNING,
        )
    ],
    resources=resources(),
    executor=dg.in_process_executor,
)
