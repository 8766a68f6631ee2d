"""Replays recordings of Claw-Eval's services and tells every difference from ours.

A recording is one JSON document: `service`, `now` (the frozen clock), `fixtures` by variable,
`calls` (path, body, status, response) in order from a fresh start, the resulting `audit`, and
`audit_after_reset`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from coworkenv_dagster.errors import CoworkEnvError, TaskFileError
from coworkenv_dagster.services import service_class


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where ours differs from the recording."""

    where: str
    """For example `calls[3] /gmail/send: response.message.to`."""
    expected: Any
    got: Any


def replay(recording: dict[str, Any]) -> list[Difference]:
    """Gives the differences of our service from a recording; none when they are equal.

    Raises:
        TaskFileError: The document isn't a recording.
        UnknownServiceError: It is of a service we don't have.
    """
    try:
        now = datetime.fromisoformat(recording["now"])
        cls = service_class(recording["service"])
        fixtures, calls = recording["fixtures"], recording["calls"]
        audit, after = recording["audit"], recording["audit_after_reset"]
        fixture = fixtures[cls.variables[0]] if len(cls.variables) == 1 else fixtures
    except (KeyError, TypeError, ValueError) as error:
        raise TaskFileError(
            f"not a recording of a service: {error!r}",
            mend="It needs service, now, fixtures, calls, audit and audit_after_reset",
        ) from None
    service = cls(cls.prepare(fixture, now), now)
    found: list[Difference] = []
    for index, call in enumerate(calls):
        response = service.call(call["path"], call["body"])
        where = f"calls[{index}] {call['path']}"
        found += differences(call["status"], response.status, f"{where}: status")
        found += differences(call["response"], response.body, f"{where}: response")
    found += differences(audit, service.audit(), "audit")
    service.reset()
    found += differences(after, service.audit(), "audit after reset")
    return found


def replay_file(path: Path) -> list[Difference]:
    """Replays a recording from a file.

    Raises:
        TaskFileError: The file can't be read, or isn't a recording.
    """
    try:
        recording = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TaskFileError(f"can't be read: {error}", where=str(path), mend="Check it") from None
    try:
        return replay(recording)
    except CoworkEnvError as error:
        raise type(error)(error.problem, where=str(path), mend=error.mend) from None


def differences(expected: Any, got: Any, where: str) -> Iterator[Difference]:
    """Yields every place where two JSON values differ."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted({*expected, *got}):
            if key in expected and key in got:
                yield from differences(expected[key], got[key], f"{where}.{key}")
            else:
                absent = "(absent)"
                yield Difference(f"{where}.{key}", expected.get(key, absent), got.get(key, absent))
    elif isinstance(expected, list) and isinstance(got, list):
        if len(expected) != len(got):
            yield Difference(f"{where}.length", len(expected), len(got))
        for index, (one, other) in enumerate(zip(expected, got, strict=False)):
            yield from differences(one, other, f"{where}[{index}]")
    elif type(expected) is not type(got) or expected != got:
        yield Difference(where, expected, got)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."


def main(paths: Sequence[Path]) -> int:
    """Prints the differences of every recording; gives 0 when there are none, else 1."""
    from rich.console import Console

    console, total = Console(), 0
    for path in paths:
        found = replay_file(path)
        total += len(found)
        console.print(f"{path}: {f'{len(found)} differences' if found else 'equal'}")
        for item in found[:20]:
            expected, got = _short(item.expected), _short(item.got)
            text = f"  {item.where}: expected {expected}, got {got}"
            console.print(text, markup=False, soft_wrap=True)
        if len(found) > 20:
            console.print(f"  ... and {len(found) - 20} more")
    return 1 if total else 0
