"""Which policy a round starts from: one small file a round, written by the round before."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from coworkenv_dagster.config import Home
from coworkenv_dagster.errors import CheckpointError
from coworkenv_dagster.storage import write_text


class Promotion(BaseModel):
    """A policy that was chosen for a round."""

    model_config = ConfigDict(frozen=True)

    round: str
    """The round that starts from it."""
    path: Path
    """The model folder."""
    policy_hash: str
    name: str
    """What reports call it, for example `base` or `sft of 2026-01-01`."""
    origin: str = ""
    """The round it was trained in; empty for the shipped base."""
    reason: str = ""
    """Why it was chosen."""


def promote(home: Home, promotion: Promotion) -> None:
    """Chooses the policy of a round; an earlier choice for the same round is replaced."""
    write_text(home.promotion(promotion.round), promotion.model_dump_json(indent=1) + "\n")


def promoted(home: Home, round_key: str) -> Promotion:
    """Gives the policy a round starts from.

    Raises:
        CheckpointError: None was promoted for the round, or its folder is gone.
    """
    path = home.promotion(round_key)
    try:
        found = Promotion.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CheckpointError(
            f"no policy was promoted for round {round_key}",
            where=str(path),
            mend="Finish the round before it, or open the round with `coworkenv run --round "
            f"{round_key}`",
        ) from None
    except (OSError, ValidationError) as error:
        raise CheckpointError(
            f"the promotion can't be read ({error})", where=str(path), mend="Run the round again"
        ) from error
    if not found.path.is_dir():
        raise CheckpointError(
            "the promoted checkpoint is gone",
            where=str(found.path),
            mend="Restore the folder, or train the round that made it again",
        )
    return found


def base_promotion(round_key: str) -> Promotion:
    """Gives the policy a first round starts from: COWORKENV_BASE, else the shipped base.

    Raises:
        CheckpointError: The folder isn't a model, or the shipped base is damaged.
    """
    from coworkenv_dagster.pocket import base_path
    from coworkenv_dagster.training.checkpoint import hash_checkpoint

    chosen = os.environ.get("COWORKENV_BASE")
    path = Path(chosen).absolute() if chosen else base_path()
    return Promotion(
        round=round_key,
        path=path,
        policy_hash=hash_checkpoint(path),
        name="base",
        reason=f"the model of COWORKENV_BASE ({path.name})" if chosen else "the shipped base",
    )


def rounds_with_policy(home: Home) -> list[str]:
    """Gives the rounds a policy was promoted for, oldest first."""
    folder = home.promotion("x").parent
    return sorted(path.stem for path in folder.glob("*.json")) if folder.is_dir() else []
