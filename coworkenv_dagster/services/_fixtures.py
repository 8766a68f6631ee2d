"""Reading fixtures: the shape checks and the shifting of dates that services share."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
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


def instant(text: Any) -> datetime | None:
    """Gives an ISO time as an aware one (UTC where it names no zone), or None if it isn't one."""
    try:
        parsed = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def instants(values: Iterable[Any]) -> list[datetime]:
    """Gives those values that are times, as times."""
    return [found for found in map(instant, values) if found is not None]


def stamp(moment: datetime) -> str:
    """Gives the clock reading of a time as the original services write shifted dates.

    They put a Z behind the reading of whatever zone the fixture was in; that is kept.
    """
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
