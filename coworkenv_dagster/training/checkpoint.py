"""Checkpoints: a model folder with `checkpoint.json`, which says how it came to be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from coworkenv_dagster.errors import CheckpointError
from coworkenv_dagster.hashing import content_hash
from coworkenv_dagster.pocket.folder import hash_checkpoint

RECORD = "checkpoint.json"

__all__ = ["RECORD", "Checkpoint", "hash_checkpoint", "read_checkpoint", "write_record"]


class Checkpoint(BaseModel):
    """A trained model folder and its lineage."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    path: Path = Field(exclude=True)
    """The model folder."""
    content_hash: str
    """Identity of weights, config and tokenizer."""
    parent_hash: str
    """Identity of the model that training started from."""
    method: str
    """How it was trained, for example `sft`."""
    recipe: dict[str, Any]
    """The recipe's fields."""
    data_hash: str
    """Identity of the training rows, in order."""
    seed: int
    metrics: dict[str, float] = Field(default_factory=dict)
    """For example `loss`, `steps`, `seconds`, `rows`, `left_out`."""
    loss_curve: tuple[tuple[int, float], ...] = ()
    """(step, mean loss since the point before)."""

    @property
    def inputs_hash(self) -> str:
        """Identity of everything that decides the result: parent, method, recipe, data, seed."""
        return inputs_hash(self.parent_hash, self.method, self.recipe, self.data_hash, self.seed)


def inputs_hash(
    parent_hash: str, method: str, recipe: dict[str, Any], data_hash: str, seed: int
) -> str:
    """Gives the identity of a training run before it has run."""
    return content_hash([parent_hash, method, recipe, data_hash, seed])


def read_checkpoint(path: Path | str, *, verify: bool = True) -> Checkpoint:
    """Reads a checkpoint folder.

    Args:
        path: The folder.
        verify: Whether to compare the files with the recorded hash.

    Raises:
        CheckpointError: The folder is missing, incomplete, or differs from its record.
    """
    folder = Path(path)
    record = folder / RECORD
    if not record.is_file():
        raise CheckpointError(
            f"the folder has no {RECORD}",
            where=str(folder),
            mend="It is no finished checkpoint of this program: train it again",
        )
    try:
        found = Checkpoint(path=folder, **json.loads(record.read_text()))
    except (ValidationError, ValueError, TypeError) as error:
        raise CheckpointError(
            f"the record can't be read ({error})", where=str(record), mend="Train it again"
        ) from error
    if verify and hash_checkpoint(folder) != found.content_hash:
        raise CheckpointError(
            "the files differ from the recorded hash",
            where=str(folder),
            mend="It was changed or damaged: train it again",
        )
    return found


def write_record(checkpoint: Checkpoint, folder: Path) -> None:
    """Writes `checkpoint.json` into a model folder."""
    text = json.dumps(checkpoint.model_dump(mode="json"), indent=1, ensure_ascii=False)
    (folder / RECORD).write_text(text + "\n")
