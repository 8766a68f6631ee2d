"""A conversation laid out for reading: what was said, called, answered, and how it was graded."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from coworkenv_dagster.episode import Trajectory

LONGEST_TEXT = 6000
"""Characters of one tool result that are shown; the trajectory file has all of it."""


@dataclass(frozen=True)
class Entry:
    """One piece of a conversation."""

    kind: str
    """`system`, `user`, `assistant`, `call` or `result`."""
    text: str
    """What was said; for a call its arguments, for a result its body."""
    name: str = ""
    """The tool's name."""
    failed: bool = False
    """Whether a result reports an error."""

    @property
    def short(self) -> bool:
        """Whether it is shown without being opened."""
        return len(self.text) <= 160 and self.text.count("\n") < 4


def entries(episode: Trajectory) -> list[Entry]:
    """Gives a trajectory's conversation in order."""
    found: list[Entry] = []
    names = iter(episode.calls)
    for message in episode.messages:
        role, text = message["role"], str(message.get("content") or "")
        if role == "tool":
            record = next(names, None)
            found.append(
                Entry(
                    "result",
                    _pretty(text),
                    name=str(message.get("name") or ""),
                    failed=record is not None and not record.ok,
                )
            )
            continue
        if text or (role == "assistant" and not message.get("tool_calls")):
            found.append(Entry(role, text or "(said nothing)"))
        for call in message.get("tool_calls") or ():
            function = call["function"]
            found.append(Entry("call", _arguments(function["arguments"]), name=function["name"]))
    return found


def changes(episode: Trajectory) -> str:
    """Gives what the audit holds besides the calls, as readable JSON; empty when nothing."""
    kept = {
        service: lists
        for service, document in episode.audit.items()
        if (lists := {key: value for key, value in document.items() if key != "calls" and value})
    }
    return _cut(json.dumps(kept, ensure_ascii=False, indent=1)) if kept else ""


def _arguments(arguments: Any) -> str:
    if not isinstance(arguments, dict):
        return str(arguments)
    return "\n".join(
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in arguments.items()
    )


def _pretty(text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return _cut(text)
    if len(text) <= 120:
        return text
    return _cut(json.dumps(value, ensure_ascii=False, indent=1))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}\n… (shortened)"
