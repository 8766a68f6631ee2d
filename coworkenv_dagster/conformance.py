"""Replays recordings of Claw-Eval's services and tells every difference from ours.

A recording is one JSON document: `service`, `now` (the frozen clock), `fixtures` by variable,
`calls` (path, body, status, response) in order from a fresh start, the resulting `audit`, and
`audit_after_reset`. Values are compared with their JSON types (1 is not 1.0), lists in order, but
for those a service gives in no fixed order. Where the original crashed (status 5xx) it gave no
answer to compare, so only the status counts.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from coworkenv_dagster.errors import CoworkEnvError, TaskFileError
from coworkenv_dagster.services import service_class

_SHOWN = 20
"""Differences of one file that are printed."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where ours differs from the recording."""

    where: str
    """For example `calls[3] /gmail/send: response.message.to`."""
    expected: Any
    got: Any


class _Call(BaseModel):
    model_config = ConfigDict(frozen=True)

    path: str
    body: Any
    status: int
    response: Any


class _Recording(BaseModel):
    model_config = ConfigDict(frozen=True)

    service: str
    now: AwareDatetime
    fixtures: dict[str, Any]
    calls: list[_Call]
    audit: dict[str, Any]
    audit_after_reset: dict[str, Any]


def replay(recording: dict[str, Any]) -> list[Difference]:
    """Gives the differences of our service from a recording; none when they are equal.

    Raises:
        TaskFileError: The document isn't a recording.
        UnknownServiceError: It is of a service we don't have.
    """
    try:
        tape = _Recording.model_validate(recording)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise _not_a_recording(f"{_dotted(first['loc'])}: {first['msg']}") from None
    cls = service_class(tape.service)
    if len(cls.variables) == 1 and cls.variables[0] not in tape.fixtures:
        raise _not_a_recording(f"fixtures.{cls.variables[0]}: Field required")
    one = len(cls.variables) == 1
    fixture = tape.fixtures[cls.variables[0]] if one else tape.fixtures
    service = cls(cls.prepare(fixture, tape.now), tape.now)
    sets = cls.unordered
    found: list[Difference] = []
    for index, call in enumerate(tape.calls):
        response = service.call(call.path, call.body)
        where = f"calls[{index}] {call.path}"
        found += differences(call.status, response.status, f"{where}: status")
        if call.status < 500:
            found += differences(call.response, response.body, f"{where}: response", sets)
    found += differences(tape.audit, service.audit(), "audit", sets)
    service.reset()
    found += differences(tape.audit_after_reset, service.audit(), "audit after reset", sets)
    return found


def replay_file(path: Path) -> list[Difference]:
    """Replays a recording from a file.

    Raises:
        TaskFileError: The file can't be read, or isn't a recording.
        UnknownServiceError: It is of a service we don't have.
    """
    try:
        recording = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TaskFileError(f"can't be read: {error}", where=str(path), mend="Check it") from None
    try:
        return replay(recording)
    except CoworkEnvError as error:
        place = f"{path}: {error.where}" if error.where else str(path)
        raise type(error)(error.problem, where=place, mend=error.mend) from None


def differences(
    expected: Any, got: Any, where: str, unordered: Collection[str] = ()
) -> Iterator[Difference]:
    """Yields every place where two JSON values differ.

    Args:
        expected: The recorded value.
        got: Ours.
        where: The path of both in their document.
        unordered: Fields whose lists are compared as sets.
    """
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted({*expected, *got}):
            if key in expected and key in got:
                pair = (expected[key], got[key])
                if key in unordered and all(isinstance(value, list) for value in pair):
                    pair = (sorted(pair[0], key=repr), sorted(pair[1], key=repr))
                yield from differences(*pair, f"{where}.{key}", unordered)
            else:
                absent = "(absent)"
                yield Difference(f"{where}.{key}", expected.get(key, absent), got.get(key, absent))
    elif isinstance(expected, list) and isinstance(got, list):
        if len(expected) != len(got):
            yield Difference(f"{where}.length", len(expected), len(got))
        for index, (one, other) in enumerate(zip(expected, got, strict=False)):
            yield from differences(one, other, f"{where}[{index}]", unordered)
    elif type(expected) is not type(got) or expected != got:
        yield Difference(where, expected, got)


def main(paths: Sequence[Path]) -> int:
    """Prints the differences of every recording; gives 0 when there are none, else 1.

    Raises:
        TaskFileError: A file can't be read, or isn't a recording.
        UnknownServiceError: A recording is of a service we don't have.
    """
    from rich.console import Console

    console, total = Console(soft_wrap=True, highlight=False), 0
    for path in paths:
        found = replay_file(Path(path))
        total += len(found)
        console.print(f"{path}: {f'{len(found)} differences' if found else 'equal'}", markup=False)
        for item in found[:_SHOWN]:
            expected, got = _short(item.expected), _short(item.got)
            console.print(f"  {item.where}: expected {expected}, got {got}", markup=False)
        if len(found) > _SHOWN:
            console.print(f"  ... and {len(found) - _SHOWN} more", markup=False)
    return 1 if total else 0


def _not_a_recording(problem: str) -> TaskFileError:
    return TaskFileError(
        f"not a recording of a service: {problem}",
        mend="It needs service, now, fixtures, calls, audit and audit_after_reset",
    )


def _dotted(place: tuple[int | str, ...]) -> str:
    return ".".join(map(str, place)) or "the document"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."
