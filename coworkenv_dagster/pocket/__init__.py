"""The embedded base model: about a million parameters, made here, trained on made-up data only.

`pocket` is a four-to-six-layer Qwen3 with a byte-level BPE tokenizer and a compact chat template.
It was pretrained by `make_base` on random sequences to repeat, look-ups in made-up tables, and
chats with made-up tools. It has seen none of the product's services, tools, task families or
phrasing (only the tokenizer knows their names, so that episodes are short): what it brings to a
round is the skill of copying and looking up, as a large base model does, and it scores low before
its first round of training. `recipe.json` beside the weights says how it was made.
"""

from __future__ import annotations

import json
from pathlib import Path

from coworkenv_dagster.errors import CheckpointError

_MEND = (
    "Install the package again, or remake the base with `python -m coworkenv_dagster.pocket."
    "make_base --out DIR`"
)


def base_path() -> Path:
    """Gives the folder of the shipped base, its files checked against `recipe.json`.

    Raises:
        CheckpointError: A file is missing or differs from its recorded checksum.
    """
    from coworkenv_dagster.pocket.folder import file_hash

    folder = Path(__file__).parent / "base"
    record = folder / "recipe.json"
    if not record.is_file():
        raise CheckpointError("the file is missing", where=str(record), mend=_MEND)
    try:
        files: dict[str, str] = json.loads(record.read_text())["sha256"]
    except (ValueError, KeyError, TypeError) as error:
        raise CheckpointError("the file can't be read", where=str(record), mend=_MEND) from error
    for name, digest in files.items():
        path = folder / name
        if not path.is_file():
            raise CheckpointError("the file is missing", where=str(path), mend=_MEND)
        if file_hash(path) != digest:
            raise CheckpointError(
                "the file differs from its recorded checksum", where=str(path), mend=_MEND
            )
    return folder
