"""How big a round is, and where everything it makes is kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from coworkenv_dagster.errors import CoworkEnvError, StorageError
from coworkenv_dagster.hashing import content_hash, derive_seed


class RoundConfig(BaseModel):
    """The sizes of a round; equal configs and rounds give equal results on one machine."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    preset: str
    seed: int = 0
    candidates: int = Field(ge=1)
    """Tasks generated in all, shared out by the profile."""
    probes_per_cell: int = Field(ge=1)
    held_out_per_cell: int = Field(ge=1)
    trials: int = Field(ge=1)
    """Episodes for each held-out task."""
    temperature: float = Field(ge=0.0)
    """Sampling temperature of the policy when it is probed and scored."""
    recipe: str = "pocket"
    """Training recipe: a name in the package or a YAML file."""
    sft_steps: int | None = None
    """In place of the recipe's own number of steps."""
    batch_size: int = Field(default=64, ge=1)
    """Episodes live at a time."""
    max_new_tokens: int = Field(default=96, ge=1)
    """Most tokens of one reply of the policy."""
    promote: Literal["better", "always"] = "better"
    """When the trained checkpoint becomes the next round's policy: only if the comparison says
    it is better, or whatever it scores."""

    @property
    def config_hash(self) -> str:
        """Identity of these settings."""
        return content_hash(self.model_dump(mode="json"))

    def round_seed(self, round_key: str) -> int:
        """Gives the seed of one round."""
        return derive_seed(self.seed, "round", round_key)


PRESETS = {
    "pocket": RoundConfig(
        preset="pocket",
        candidates=2400,
        probes_per_cell=4,
        held_out_per_cell=8,
        trials=3,
        temperature=0.3,
    ),
    "tiny": RoundConfig(
        preset="tiny",
        candidates=36,
        probes_per_cell=1,
        held_out_per_cell=1,
        trials=1,
        temperature=0.0,
        sft_steps=4,
        promote="always",
    ),
}
"""Sizes by name: `pocket` for a laptop's ten minutes, `tiny` for tests."""


def round_config(preset: str | None = None) -> RoundConfig:
    """Gives a preset; by default the one COWORKENV_PRESET names, else `pocket`.

    COWORKENV_RECIPE puts another training recipe in its place.

    Raises:
        CoworkEnvError: No such preset.
    """
    name = preset or os.environ.get("COWORKENV_PRESET", "pocket")
    try:
        config = PRESETS[name]
    except KeyError:
        raise CoworkEnvError(
            f"no preset {name!r}", mend=f"Known presets: {', '.join(PRESETS)}"
        ) from None
    recipe = os.environ.get("COWORKENV_RECIPE")
    return config.model_copy(update={"recipe": recipe, "sft_steps": None}) if recipe else config


class Home(BaseModel):
    """The folder that holds every result; its parts are made on demand."""

    model_config = ConfigDict(frozen=True)

    root: Path

    @property
    def dagster(self) -> Path:
        """Dagster's instance."""
        return self.root / "dagster"

    @property
    def storage(self) -> Path:
        """Assets as Parquet."""
        return self.root / "storage"

    @property
    def tracking_uri(self) -> str:
        """MLflow's data base."""
        return f"sqlite:///{self.root / 'mlflow.db'}"

    @property
    def artifacts(self) -> Path:
        """MLflow's files."""
        return self.root / "mlartifacts"

    def profile(self, round_key: str) -> Path:
        """Gives the capability profile of a round, which the next round's evidence adds to."""
        return self.root / "profiles" / f"{round_key}.json"

    def checkpoint(self, round_key: str, method: str) -> Path:
        """Gives where a round's checkpoint stands."""
        return self.root / "checkpoints" / round_key / method

    def evaluation(self, round_key: str, policy: str) -> Path:
        """Gives where a policy's scores of a round stand."""
        return self.root / "evaluations" / round_key / policy

    def report(self, round_key: str) -> Path:
        """Gives where a round's report stands."""
        return self.root / "reports" / round_key

    def promotion(self, round_key: str) -> Path:
        """Gives the file that names the policy a round starts from."""
        return self.root / "policies" / f"{round_key}.json"

    def make(self) -> Home:
        """Makes the folder.

        Raises:
            StorageError: It can't be made or written to.
        """
        try:
            self.dagster.mkdir(parents=True, exist_ok=True)
            probe = self.root / ".writable"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise StorageError(
                f"can't write: {error.strerror or error}",
                where=str(self.root),
                mend="Free some space, or set COWORKENV_HOME to another folder",
            ) from error
        return self


def home() -> Home:
    """Gives the home: COWORKENV_HOME, else `.coworkenv` in the working directory."""
    return Home(root=Path(os.environ.get("COWORKENV_HOME", ".coworkenv")).absolute())
