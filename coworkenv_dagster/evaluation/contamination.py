"""Tells whether a training set holds tasks of a suite, or tasks near to them."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from coworkenv_dagster.evaluation.suites import Suite
from coworkenv_dagster.generation.near_duplicates import NearDuplicates
from coworkenv_dagster.schema import TaskSpec

_MARK = "suite:"


class Contamination(BaseModel):
    """What a training set shares with a suite; each pair is (training task id, suite task id)."""

    model_config = ConfigDict(frozen=True)

    training_tasks: int
    suite_hash: str
    exact: tuple[tuple[str, str], ...] = ()
    """Equal in everything but perhaps the id."""
    near: tuple[tuple[str, str], ...] = ()
    """Near-duplicates that are not exact ones."""

    @property
    def clean(self) -> bool:
        """Whether nothing is shared."""
        return not self.exact and not self.near

    @property
    def sentence(self) -> str:
        """Says it, to be shown beside a score."""
        if self.clean:
            return (
                f"None of {self.training_tasks} training tasks is or is near a task of the suite."
            )
        pairs = [*self.exact, *self.near]
        shown = ", ".join(f"{ours} ~ {theirs}" for ours, theirs in pairs[:3])
        more = f" and {len(pairs) - 3} more" if len(pairs) > 3 else ""
        return (
            f"Contaminated: of {self.training_tasks} training tasks {len(self.exact)} are and "
            f"{len(self.near)} are near a task of the suite ({shown}{more})."
        )


def contamination(training: Iterable[TaskSpec], suite: Suite) -> Contamination:
    """Compares a training set with a suite, by content and by near-duplicates.

    Args:
        training: The tasks trained on; read once, one at a time.
        suite: The suite that scores are reported on.
    """
    known = {_content(task): task.task_id for task in suite.tasks}
    index = NearDuplicates()
    for task in suite.tasks:
        # The mark keeps a training task of the same id from being taken for the task itself.
        index.add(task.model_copy(update={"task_id": f"{_MARK}{task.task_id}"}))
    exact, near, count = [], [], 0
    for task in training:
        count += 1
        if (twin := known.get(_content(task))) is not None:
            exact.append((task.task_id, twin))
        elif (twin := index.find(task)) is not None:
            near.append((task.task_id, twin.removeprefix(_MARK)))
    return Contamination(
        training_tasks=count, suite_hash=suite.hash, exact=tuple(exact), near=tuple(near)
    )


def _content(task: TaskSpec) -> str:
    """Gives what a task says, whatever it is called and wherever it comes from."""
    return task.model_dump_json(exclude={"task_id", "provenance"})
