"""How an asset tells how far it is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told of the work of a stage."""

    def start(self, stage: str, total: int) -> None:
        """A stage begins, or a part of it; totals of one stage add up."""
        ...

    def step(self, stage: str, count: int = 1, note: str = "") -> None:
        """So many units of a stage are done."""
        ...


class NoProgress:
    """Says nothing: what runs under the daemon has its log and its metadata."""

    def start(self, stage: str, total: int) -> None:
        """Ignores the beginning."""

    def step(self, stage: str, count: int = 1, note: str = "") -> None:
        """Ignores the step."""
