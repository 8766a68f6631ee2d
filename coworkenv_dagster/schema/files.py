"""Task files: JSON, JSON lines or YAML in; JSON lines out, written atomically."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from coworkenv_dagster.errors import TaskFileError
from coworkenv_dagster.schema.task import TaskSpec
from coworkenv_dagster.storage import atomic_path

_SUFFIXES = (".jsonl", ".json", ".yaml", ".yml")


def read_tasks(path: Path) -> list[TaskSpec]:
    """Reads every task of a file, or of all task files of a folder in the order of their names.

    Raises:
        TaskFileError: The path doesn't exist, a file isn't JSON or YAML, or a field is wrong; the
            message names file, place and field.
    """
    if path.is_dir():
        files = sorted(item for item in path.iterdir() if item.suffix in _SUFFIXES)
        if not files:
            raise TaskFileError(
                "no task files in this folder",
                where=str(path),
                mend=f"Task files end in {', '.join(_SUFFIXES)}",
            )
        return [spec for item in files for spec in read_tasks(item)]
    if not path.is_file():
        raise TaskFileError("no such file", where=str(path), mend="Check the path")
    return [parse_task(value, where) for where, value in _values(path)]


def write_tasks(path: Path, specs: Iterable[TaskSpec]) -> int:
    """Writes tasks as JSON lines and gives their number; the file appears whole or not at all."""
    count = 0
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8") as stream:
        for spec in specs:
            stream.write(spec.model_dump_json() + "\n")
            count += 1
    return count


def parse_task(value: Any, where: str) -> TaskSpec:
    """Makes a task of a parsed document.

    Raises:
        TaskFileError: Names the first field that is wrong, and how.
    """
    try:
        return TaskSpec.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "the document"
        more = error.error_count() - 1
        raise TaskFileError(
            f"field {field}: {first['msg'].lower()}" + (f" (and {more} more)" if more else ""),
            where=where,
            mend="`coworkenv schema` prints the JSON schema of a task",
        ) from None


def _values(path: Path) -> Iterator[tuple[str, Any]]:
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".jsonl":
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                yield f"{path}:{number}", _json(line, f"{path}:{number}")
        return
    if path.suffix == ".json":
        value = _json(text, str(path))
    else:
        try:
            value = yaml.safe_load(text)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            place = f"{path}:{mark.line + 1}" if mark else str(path)
            problem = getattr(error, "problem", None) or "can't be parsed"
            raise TaskFileError(
                f"not YAML: {problem}", where=place, mend="Mend the line and try again"
            ) from None
    for index, item in enumerate(value if isinstance(value, list) else [value]):
        yield (f"{path}[{index}]" if isinstance(value, list) else str(path)), item


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise TaskFileError(
            f"not JSON: {error}", where=where, mend="Mend it and try again"
        ) from None
