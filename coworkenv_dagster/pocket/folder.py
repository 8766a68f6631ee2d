"""Model folders: which files make a model what it is, and their hashes."""

from __future__ import annotations

import hashlib
from pathlib import Path

from coworkenv_dagster.errors import CheckpointError

IDENTITY = (
    "*.safetensors",
    "*.safetensors.index.json",
    "config.json",
    "generation_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.json",
    "merges.txt",
    "chat_template.jinja",
    "adapter_config.json",
)
"""Globs of the files that decide what a model says; notes beside them do not count."""


def file_hash(path: Path) -> str:
    """Gives the SHA-256 of a file in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def hash_checkpoint(path: Path) -> str:
    """Gives the identity of a model folder: 16 hex digits over weights, config and tokenizer.

    Raises:
        CheckpointError: The folder is missing or holds no weights or no config.
    """
    if not path.is_dir():
        raise CheckpointError(
            "there is no such model folder",
            where=str(path),
            mend="Check the path, or train or download the model first",
        )
    files = sorted({file for glob in IDENTITY for file in path.glob(glob)})
    if not any(file.suffix == ".safetensors" for file in files):
        raise CheckpointError(
            "the model folder has no *.safetensors file",
            where=str(path),
            mend="It may be incomplete: copy or train it again",
        )
    if not any(file.name in ("config.json", "adapter_config.json") for file in files):
        raise CheckpointError(
            "the model folder has no config.json",
            where=str(path),
            mend="It may be incomplete: copy or train it again",
        )
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.name}\0{file_hash(file)}\0".encode())
    return digest.hexdigest()[:16]
