"""Reading fixtures: the shape checks and the shifting of dates that services share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any

from coworkenv_dagster.errors import TaskFileError
from coworkenv_dagster.services.base import Record


def records_of(service: str, fixture: Any, key: str) -> tuple[Record, ...]:
    """Gives a fixture as records that all carry their id.

    Raises:
        TaskFileError: The fixture isn't a list of objects, or one lacks its id.
    """
    if not isinstance(fixture, list):
        raise TaskFileError(
            f"the fixture must be a list of records, not {type(fixture).__name__}",
            where=f"workspace.{service}",
            mend=f"Give a list of objects, each with {key}",
        )
    for index, record in enumerate(fixture):
        if not isinstance(record, dict) or key not in record:
            raise TaskFileError(
                f"record {index} has no {key}",
                where=f"workspace.{service}.{index}",
                mend=f"Give each record its {key}",
            )
    return tuple(fixture)


def instant(text: Any, zone: tzinfo | None = UTC) -> datetime | None:
    """Gives an ISO time as an aware one, or None if it isn't one.

    Args:
        text: The time.
        zone: The zone of a time that names none; without one such a time gives None.
    """
    try:
        parsed = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    if parsed.tzinfo:
        return parsed
    return parsed.replace(tzinfo=zone) if zone else None


def instants(values: Iterable[Any]) -> list[datetime]:
    """Gives those values that are times, as times."""
    return [found for found in map(instant, values) if found is not None]


def stamp(moment: datetime) -> str:
    """Gives the clock reading of a time as the original services write shifted dates.

    They put a Z behind the reading of whatever zone the fixture was in; that is kept.
    """
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def files_of(service: str, fixture: Any, key: str, content: str) -> tuple[Record, ...]:
    """Gives files with their content as records, each with its path and its content.

    Args:
        service: The service's name.
        fixture: A list of such records, or `{"files": {path: {content: ...}}}`.
        key: The field that holds the path.
        content: The field that holds the content: a text, or a list of texts for `pages`.

    Raises:
        TaskFileError: The fixture is neither, or a file has no path or no such content.
    """
    if isinstance(fixture, dict) and isinstance(fixture.get("files"), dict):
        fixture = [
            {key: path, **(file if isinstance(file, dict) else {content: file})}
            for path, file in fixture["files"].items()
        ]
    records = records_of(service, fixture, key)
    for index, record in enumerate(records):
        value = record.get(content)
        parts = value if content == "pages" and isinstance(value, list) else [value]
        if not all(isinstance(part, str) for part in parts):
            kind = "a list of texts" if content == "pages" else "a text"
            raise TaskFileError(
                f"{content} must be {kind}",
                where=f"workspace.{service}.{index}.{content}",
                mend=f"Give each file its {key} and its {content}",
            )
    return records


def image_of(images: Sequence[Record], path: str) -> Record | None:
    """Gives the image a path means: by path, else by file name, else the only one there is."""
    name = path.rsplit("/", 1)[-1]
    for image in images:
        if image["image_path"] == path:
            return image
    for image in images:
        if image["image_path"].rsplit("/", 1)[-1] == name:
            return image
    return images[0] if len(images) == 1 else None
