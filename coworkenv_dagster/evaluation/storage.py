"""Keeps results on disk: written whole or not at all, and checked when read back."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from coworkenv_dagster.episode import Trajectory
from coworkenv_dagster.errors import StorageError
from coworkenv_dagster.evaluation.result import EvaluationResult
from coworkenv_dagster.evaluation.rows import TrialRow
from coworkenv_dagster.hashing import canonical_json, content_hash
from coworkenv_dagster.storage import atomic_path

SUMMARY_FILE = "summary.json"
ROWS_FILE = "results.parquet"
TRAJECTORIES_FILE = "trajectories.jsonl.gz"

Played = list[tuple[TrialRow, Trajectory]]
"""Finished trials with their episodes."""

_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("task_id", "task_hash", "capability")),
        ("level", pa.int64()),
        ("split", pa.string()),
        ("trial", pa.int64()),
        ("seed", pa.int64()),
        ("status", pa.string()),
        ("score", pa.float64()),
        ("completion", pa.float64()),
        ("safety", pa.float64()),
        ("robustness", pa.float64()),
        ("passed", pa.bool_()),
        ("native_completion", pa.float64()),
        ("scored_weight", pa.float64()),
        ("floor_free", pa.float64()),
        ("turns", pa.int64()),
        ("tokens", pa.int64()),
        ("prompt_tokens", pa.int64()),
        ("retried", pa.bool_()),
        ("error", pa.string()),
    ]
)


def rows_table(rows: Iterable[TrialRow]) -> pa.Table:
    """Gives rows as an Arrow table with a fixed schema."""
    return pa.Table.from_pylist([row.model_dump(mode="json") for row in rows], schema=_SCHEMA)


def save_result(result: EvaluationResult, folder: Path) -> None:
    """Writes results.parquet, trajectories.jsonl.gz and, last, summary.json.

    Each file appears whole or not at all; the summary holds the others' checksums, so files of
    two different writings are told apart.

    Raises:
        StorageError: The folder can't be written to.
    """
    sink = io.BytesIO()
    pq.write_table(rows_table(result.rows), sink)
    files = {ROWS_FILE: sink.getvalue(), TRAJECTORIES_FILE: _packed(result.trajectories)}
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    for name, data in files.items():
        _write(folder / name, data)
    summary = {**result.summary(), "files": sums}
    text = json.dumps(summary, ensure_ascii=False, indent=2) + "\n"
    _write(folder / SUMMARY_FILE, text.encode())


def load_result(folder: Path) -> EvaluationResult:
    """Reads back what `save_result` wrote.

    Raises:
        StorageError: A file is missing, damaged, or of another writing.
    """
    try:
        summary = json.loads((folder / SUMMARY_FILE).read_bytes())
        sums = summary.pop("files")
        files = {name: (folder / name).read_bytes() for name in (ROWS_FILE, TRAJECTORIES_FILE)}
        for name, data in files.items():
            if hashlib.sha256(data).hexdigest() != sums[name]:
                raise StorageError(
                    "the file differs from its recorded checksum",
                    where=str(folder / name),
                    mend="Run the evaluation again",
                )
        rows = pq.read_table(io.BytesIO(files[ROWS_FILE])).to_pylist()
        return EvaluationResult.model_validate(
            {**summary, "rows": rows, "trajectories": _unpacked(files[TRAJECTORIES_FILE])}
        )
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise StorageError(
            f"the result can't be read: {_short(error)}",
            where=str(folder),
            mend="Give a folder that `coworkenv eval` wrote, or run the evaluation again",
        ) from error


class BlockStore:
    """Keeps finished blocks of episodes, so that a killed evaluation goes on where it was.

    A block's name is the hash of everything that determines its episodes; one that can't be read
    counts as absent.

    Args:
        folder: Where results are kept; blocks go to a folder in it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "blocks"

    def load(self, key: dict[str, Any]) -> Played | None:
        """Gives the block of a key, or None when it isn't there."""
        try:
            lines = gzip.decompress(self._path(key).read_bytes()).decode().split("\n")
            return [
                (TrialRow.model_validate(pair["row"]), Trajectory.model_validate(pair["episode"]))
                for pair in map(json.loads, lines)
            ]
        except (OSError, ValueError, KeyError, EOFError, ValidationError):
            return None

    def save(self, key: dict[str, Any], played: Played) -> None:
        """Keeps a finished block.

        Raises:
            StorageError: The folder can't be written to.
        """
        lines = (
            canonical_json(
                {"row": row.model_dump(mode="json"), "episode": episode.model_dump(mode="json")}
            )
            for row, episode in played
        )
        _write(self._path(key), gzip.compress("\n".join(lines).encode(), 6, mtime=0))

    def _path(self, key: dict[str, Any]) -> Path:
        return self._folder / f"{content_hash(key)}.jsonl.gz"


def _write(path: Path, data: bytes) -> None:
    with atomic_path(path) as temporary:
        temporary.write_bytes(data)


def _packed(trajectories: Sequence[Trajectory]) -> bytes:
    lines = (canonical_json(episode.model_dump(mode="json")) for episode in trajectories)
    return gzip.compress("\n".join(lines).encode(), 6, mtime=0)


def _unpacked(data: bytes) -> list[Trajectory]:
    text = gzip.decompress(data).decode()
    return [Trajectory.model_validate_json(line) for line in text.split("\n") if line]


def _short(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
