"""What a policy is measured on: a named, hashed set of tasks, and what was left out of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from coworkenv_dagster.errors import TaskFileError
from coworkenv_dagster.hashing import content_hash
from coworkenv_dagster.schema import TaskSpec


class Formula(StrEnum):
    """Which robustness enters the score."""

    OWN = "own"
    """Earned: 0 until a required call has succeeded, so that doing nothing scores 0."""
    CLAW_EVAL = "claw_eval"
    """Claw-Eval's: 1 when nothing failed; a floor-free score is reported beside it."""


@dataclass(frozen=True)
class Suite:
    """A set of tasks to be scored on, in a fixed order.

    Raises:
        TaskFileError: Two tasks share an id.
    """

    name: str
    """As typed by the user, for example `builtin` or `claw-eval:tasks`."""
    tasks: tuple[TaskSpec, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    """(task id, reason) of the tasks that could not be taken in."""
    notes: tuple[tuple[str, str], ...] = ()
    """(task id, remark) on tasks that are in, for example a safety check that isn't executed."""
    title: str = "Tasks"
    """What reports call it."""
    score_label: str = "Average score"
    """What reports call the headline number."""
    formula: Formula = Formula.OWN

    def __post_init__(self) -> None:
        twice = [name for name, n in Counter(t.task_id for t in self.tasks).items() if n > 1]
        if twice:
            raise TaskFileError(
                f"two tasks of the suite share the id {twice[0]!r}",
                where=self.name,
                mend="Give every task an id of its own",
            )

    @cached_property
    def hash(self) -> str:
        """Version of the suite: the hash of its tasks' content hashes and of the formula."""
        return content_hash([self.formula.value, [task.content_hash for task in self.tasks]])

    def __len__(self) -> int:
        return len(self.tasks)
