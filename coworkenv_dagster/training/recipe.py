"""Training recipes: what a run of training does, as a value read from YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from coworkenv_dagster.errors import TrainingError

FOLDER = Path(__file__).parent / "recipes"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LoraRecipe(_Part):
    """Low-rank adapters in place of full training (peft)."""

    rank: int = Field(default=16, ge=1)
    alpha: int = Field(default=32, ge=1)
    dropout: float = Field(default=0.0, ge=0.0, lt=1.0)
    target_modules: str | tuple[str, ...] = "all-linear"
    merge: bool = True
    """Write merged weights, so that a checkpoint can be served without peft."""


class SftRecipe(_Part):
    """Supervised fine-tuning."""

    steps: int = Field(default=0, ge=0)
    """Optimiser steps; 0: as many as `epochs` takes."""
    epochs: float = Field(default=1.0, gt=0.0)
    batch_tokens: int = Field(default=4096, ge=64)
    """Tokens in a batch, at most; episodes of like length are batched together."""
    learning_rate: float = Field(default=1e-3, gt=0.0)
    schedule: Literal["cosine", "linear", "constant"] = "cosine"
    warmup_steps: int = Field(default=10, ge=0)
    weight_decay: float = Field(default=0.01, ge=0.0)
    max_grad_norm: float = Field(default=1.0, gt=0.0)
    gradient_accumulation: int = Field(default=1, ge=1)
    save_steps: int = Field(default=100, ge=1)
    """An interrupted run goes on from the last multiple."""


class TrainingRecipe(_Part):
    """All that a round's training does with one model."""

    name: str
    precision: Literal["fp32", "bf16"] = "fp32"
    device: Literal["cpu", "cuda", "auto"] = "cpu"
    max_length: int = Field(default=1024, ge=16)
    """Tokens of an episode; longer ones are left out and counted, never cut."""
    lora: LoraRecipe | None = None
    """None: all weights are trained."""
    gradient_checkpointing: bool = False
    sft: SftRecipe = SftRecipe()


def load_recipe(name_or_path: str | Path) -> TrainingRecipe:
    """Reads a recipe by the name of a shipped one, or from a YAML file.

    Raises:
        TrainingError: There is no such recipe, or it has a wrong field.
    """
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml"):
        path = FOLDER / f"{name_or_path}.yaml"
    if not path.is_file():
        shipped = ", ".join(sorted(item.stem for item in FOLDER.glob("*.yaml")))
        raise TrainingError(
            "there is no such recipe",
            where=str(name_or_path),
            mend=f"Give a YAML file or one of: {shipped}",
        )
    try:
        return TrainingRecipe(**yaml.safe_load(path.read_text()))
    except (ValidationError, TypeError, yaml.YAMLError) as error:
        raise TrainingError(
            f"the recipe can't be read ({error})", where=str(path), mend="Mend the named fields"
        ) from error
