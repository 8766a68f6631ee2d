"""A progress bar for each stage of a round."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)


class StageBars:
    """Shows every stage from the start; a stage's total grows as its parts begin.

    Args:
        stages: In the order they are shown.
        console: Where to draw.
    """

    def __init__(self, stages: Sequence[str], console: Console) -> None:
        self._progress = Progress(
            TextColumn("{task.description:<24}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}"),
            console=console,
        )
        self._tasks: dict[str, TaskID] = {
            stage: self._progress.add_task(stage, start=False, total=None, note="")
            for stage in stages
        }

    def __enter__(self) -> StageBars:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def start(self, stage: str, total: int) -> None:
        """A stage begins, or a part of it; totals of one stage add up."""
        task = self._task(stage)
        if task is None:
            return
        known = self._progress.tasks[task].total or 0
        self._progress.start_task(task)
        self._progress.update(task, total=known + total)

    def step(self, stage: str, count: int = 1, note: str = "") -> None:
        """So many units of a stage are done."""
        task = self._task(stage)
        if task is not None:
            self._progress.update(task, advance=count, note=note)

    def skip(self, stage: str) -> None:
        """A stage, or a part of it, was done by an earlier run."""
        task = self._task(stage)
        if task is not None:
            self._progress.update(task, note="already done")

    def _task(self, stage: str) -> TaskID | None:
        return self._tasks.get(stage)
