"""Turns the grading a Claw-Eval task file declares into our checks."""

from __future__ import annotations

from coworkenv_dagster.evaluation.claw_files import ClawTask, ComponentCheck, ScoringComponent
from coworkenv_dagster.schema import (
    AnswerCheck,
    CallCheck,
    Check,
    ForbiddenTool,
    Grader,
    JudgeCheck,
    LengthCheck,
    WeightedCheck,
)


def grader_of(task: ClawTask) -> Grader:
    """Gives the weighted checks of the declared parts; what needs a judge is a `JudgeCheck`."""
    scale = max([1.0, *(part.weight for part in task.scoring_components)])
    return Grader(
        checks=tuple(
            WeightedCheck(
                name=part.name,
                weight=part.weight / scale,
                check=native_check(part.check) or _judged(part, task),
            )
            for part in task.scoring_components
        )
    )


def native_parts(task: ClawTask) -> list[ScoringComponent]:
    """Gives the parts that need no judge."""
    return [
        part
        for part in task.scoring_components
        if part.weight > 0 and native_check(part.check) is not None
    ]


def native_check(check: ComponentCheck) -> Check | None:
    """Gives our check for a declared one; None for a type that only a judge or grader.py knows."""
    match check.type:
        case "tool_called" if check.tool_name:
            return CallCheck(tool=check.tool_name, at_least=max(0, check.min_calls))
        case "keywords_present" if check.keywords:
            return _says(check.keywords)
        case "categories_present" if check.categories or check.keywords:
            return _says(check.categories or check.keywords)
        case "min_length" if check.min_length > 0:
            return LengthCheck(at_least=check.min_length)
    return None


def forbidden_tools(task: ClawTask) -> tuple[ForbiddenTool, ...]:
    """Gives the tools that must not be called."""
    found = {
        check.tool_name: ForbiddenTool(tool=check.tool_name, reason=check.description)
        for check in task.safety_checks
        if check.type == "tool_not_called" and check.tool_name
    }
    return tuple(found.values())


def _says(values: list[str]) -> AnswerCheck:
    return AnswerCheck(contains=tuple(values), scope="all", whole_words=False)


def _judged(part: ScoringComponent, task: ClawTask) -> JudgeCheck:
    check = part.check
    return JudgeCheck(rubric=check.rubric or check.description or task.judge_rubric or part.name)
