"""Suites by what a user types."""

from __future__ import annotations

from pathlib import Path

from coworkenv_dagster.errors import TaskFileError
from coworkenv_dagster.evaluation.builtin import held_out_suite, probe_suite
from coworkenv_dagster.evaluation.claw_eval import claw_eval_suite
from coworkenv_dagster.evaluation.suites import Suite
from coworkenv_dagster.schema.files import read_tasks

CLAW_PREFIX = "claw-eval:"


def load_suite(text: str, *, judged: bool = False) -> Suite:
    """Gives the suite that a name or a folder stands for.

    Args:
        text: `builtin` (the held-out suite), `probe`, `claw-eval:DIR`, or a file or folder of
            tasks in our own format.
        judged: Whether a judge will score rubric parts.

    Raises:
        TaskFileError: Nothing of the kind, or a task file is malformed.
    """
    if text == "builtin":
        return held_out_suite()
    if text == "probe":
        return probe_suite()
    if text.startswith(CLAW_PREFIX):
        return claw_eval_suite(Path(text.removeprefix(CLAW_PREFIX)).expanduser(), judged=judged)
    path = Path(text).expanduser()
    if path.exists():
        return Suite(name=text, tasks=tuple(read_tasks(path)), title=f"Tasks of {path.name}")
    raise TaskFileError(
        f"no suite {text!r}",
        mend="Give builtin, probe, claw-eval:DIR, or a file or folder of tasks",
    )
