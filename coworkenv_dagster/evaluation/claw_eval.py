"""Claw-Eval's task folders, unchanged, as a suite: what runs natively, what doesn't and why.

Only the parts a task file declares are graded. Claw-Eval grades most tasks with a `grader.py` and
a judge model besides, so a score from here is never called the Claw-Eval score.
"""

from __future__ import annotations

from pathlib import Path

from coworkenv_dagster.environment import Environment
from coworkenv_dagster.errors import TaskFileError, UnknownToolError
from coworkenv_dagster.evaluation.claw_checks import forbidden_tools, grader_of, native_parts
from coworkenv_dagster.evaluation.claw_files import TASK_FILE, ClawTask, read_claw_task
from coworkenv_dagster.evaluation.claw_fixtures import Fixtures, Unavailable
from coworkenv_dagster.evaluation.claw_services import (
    missing_services,
    service_of,
    tools_of,
    tools_without_endpoint,
)
from coworkenv_dagster.evaluation.suites import Formula, Suite
from coworkenv_dagster.schema import Capability, Provenance, Split, TaskSpec

_LEVELS = {"simple": 1, "easy": 1, "medium": 2, "hard": 3, "expert": 4}


def claw_eval_suite(folder: Path, *, judged: bool = False) -> Suite:
    """Gives the tasks of a folder that run natively, with the reasons why others are skipped.

    Args:
        folder: Holds task folders (a checkout's `tasks`, or the checkout), or is one.
        judged: Whether a judge will score rubric parts; without one, tasks that have no other
            parts are skipped.

    Raises:
        TaskFileError: No task folder there, a malformed file, an unknown service, a fixture that
            is missing or lies outside the folder.
    """
    folders = task_folders(folder)
    tasks: list[TaskSpec] = []
    skipped: list[tuple[str, str]] = []
    notes: list[tuple[str, str]] = []
    for place in folders:
        task = read_claw_task(place)
        made = native_task(task, place, judged=judged)
        if isinstance(made, TaskSpec):
            tasks.append(made)
            notes.extend((task.task_id, note) for note in remarks(task, judged=judged))
        else:
            skipped.append((task.task_id, "; ".join(made)))
    return Suite(
        name=f"claw-eval:{folder}",
        tasks=tuple(tasks),
        skipped=tuple(skipped),
        notes=tuple(notes),
        title="Claw-Eval task files, run natively",
        score_label="Score of the declared parts (not the Claw-Eval score)",
        formula=Formula.CLAW_EVAL,
    )


def task_folders(folder: Path) -> list[Path]:
    """Gives the task folders in a folder, sorted by name.

    Raises:
        TaskFileError: There is no such folder, or no task folder in it.
    """
    if not folder.is_dir():
        raise TaskFileError("no such folder", where=str(folder), mend="Check the path")
    if (folder / TASK_FILE).is_file():
        return [folder]
    for parent in (folder, folder / "tasks"):
        if found := sorted(path.parent for path in parent.glob(f"*/{TASK_FILE}")):
            return found
    raise TaskFileError(
        f"no task folder here: none of its folders holds a {TASK_FILE}",
        where=str(folder),
        mend="Give a task folder, the folder that holds them, or a Claw-Eval checkout",
    )


def native_task(task: ClawTask, folder: Path, *, judged: bool = False) -> TaskSpec | list[str]:
    """Gives the task as a spec, or the reasons why it can't run natively.

    Raises:
        TaskFileError: An unknown service, or a fixture that is missing or out of bounds.
    """
    reasons = obstacles(task, folder, judged=judged)
    if reasons:
        return reasons
    fixtures = Fixtures(folder, task.task_id)
    try:
        workspace = {
            service.name: fixtures.load(service, index, task.sandbox_files)
            for index, service in enumerate(task.services)
        }
    except Unavailable as obstacle:
        return [str(obstacle)]
    spec = TaskSpec(
        task_id=task.task_id,
        capability=_capability(task),
        level=_LEVELS.get(task.difficulty, 2),
        language=task.prompt.language,
        split=_split(task),
        request=task.prompt.text,
        workspace=workspace,
        custom_tools=tools_of(task, folder),
        forbidden=forbidden_tools(task),
        grader=grader_of(task),
        provenance=Provenance(author=f"claw-eval/{task.version}", structure=task.category),
        max_turns=task.environment.max_turns,
    )
    try:
        Environment(spec)
    except UnknownToolError as error:
        return [f"a tool without a native counterpart: {error.problem}"]
    except TaskFileError as error:
        raise TaskFileError(
            error.problem, where=f"{folder / TASK_FILE}: {error.where}", mend=error.mend
        ) from error
    return spec


def obstacles(task: ClawTask, folder: Path, *, judged: bool = False) -> list[str]:
    """Gives every reason why a task can't run natively; empty when it can.

    Raises:
        TaskFileError: The task names a service that neither Claw-Eval nor this package has.
    """
    reasons = []
    if task.user_agent.enabled:
        reasons.append("needs a user simulated by a model")
    reasons.extend(missing_services(task, folder))
    loose = tools_without_endpoint(task)
    if loose:
        reasons.append(f"needs a sandbox (for {', '.join(loose)})")
    elif _sandboxed(task):
        reasons.append("needs a sandbox")
    if task.prompt.attachments:
        reasons.append("has attachments")
    if not task.scoring_components:
        reasons.append("declares no graded parts: needs its own grader.py or a judge")
    elif not native_parts(task) and not judged:
        reasons.append("every graded part needs a judge")
    return reasons


def remarks(task: ClawTask, *, judged: bool = False) -> list[str]:
    """Gives what is left out of the grading of a task that runs."""
    found = [
        f"safety check {check.type} isn't executed"
        + (f" ({_shortened(check.description)})" if check.description else "")
        for check in task.safety_checks
        if check.type != "tool_not_called" or not check.tool_name
    ]
    total = sum(part.weight for part in task.scoring_components)
    native = sum(part.weight for part in native_parts(task))
    if not judged and native < total:
        share = 100.0 * (1.0 - native / total)
        found.append(f"{share:.1f} % of the weight needs a judge and stays unscored")
    return found


def _shortened(text: str, limit: int = 80) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= limit else f"{plain[: limit - 1]}…"


def _sandboxed(task: ClawTask) -> bool:
    if task.environment.sandbox_tools or task.env_snapshot_commands or task.env_snapshot_files:
        return True
    loose = [path for path in task.sandbox_files if path not in task.prompt.attachments]
    return bool(task.sandbox_grader_files or (loose and not task.services))


def _split(task: ClawTask) -> Split:
    if task.user_agent.enabled or task.task_id.startswith("C"):
        return Split.MULTI_TURN
    return Split.MULTIMODAL if task.task_id.startswith("M") else Split.GENERAL


def _capability(task: ClawTask) -> Capability:
    """Gives the nearest capability; the file has none, so services and split decide."""
    if _split(task) is Split.MULTI_TURN:
        return Capability.CLARIFICATION
    if _split(task) is Split.MULTIMODAL:
        return Capability.VISUAL
    if len({service.name for service in task.services}) > 1:
        return Capability.MULTI_SERVICE
    writes = [
        tool
        for tool in {part.check.tool_name for part in task.scoring_components} - {""}
        if (endpoint := service_of(task, tool)) and endpoint.access == "write"
    ]
    return Capability.TOOL_USE if writes else Capability.RETRIEVAL
