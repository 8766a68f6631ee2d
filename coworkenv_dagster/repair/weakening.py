"""Tells whether a mended task asks for less than the original: such a mend is refused.

It compares two specs and knows nothing of the rules, so a rule can't talk itself past it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from coworkenv_dagster.schema import AnswerCheck, CallCheck, Check, StateCheck, TaskSpec


def is_weaker(before: TaskSpec, after: TaskSpec) -> str | None:
    """Gives in what way the second task asks for less than the first; None if it doesn't."""
    if (after.capability, after.level, after.split) != (
        before.capability,
        before.level,
        before.split,
    ):
        return "capability, level or split changed"
    counted = (
        ("checks", len(before.grader.checks), len(after.grader.checks)),
        ("safety checks", len(before.grader.safety), len(after.grader.safety)),
        ("forbidden tools", len(before.forbidden), len(after.forbidden)),
        ("tools on offer", len(set(before.tool_names)), len(set(after.tool_names))),
        ("facts of the user", _facts(before), _facts(after)),
        ("steps of the reference", _steps(before), _steps(after)),
    )
    for name, old, new in counted:
        if new < old:
            return f"fewer {name}: {new} instead of {old}"
    for service, fixture in before.workspace.items():
        if _size(after.workspace.get(service)) < _size(fixture):
            return f"fewer records in {service}"
    return _softer_checks(before, after)


def _softer_checks(before: TaskSpec, after: TaskSpec) -> str | None:
    old_total = sum(part.weight for part in before.grader.checks) or 1.0
    new_total = sum(part.weight for part in after.grader.checks) or 1.0
    for old, new in zip(before.grader.checks, after.grader.checks, strict=False):
        if old.weight / old_total - new.weight / new_total > 1e-6:
            return f"check {old.name!r} has a lower share of the weight"
        if _softer(old.check, new.check):
            return f"check {old.name!r} asks for less"
    for guard, other in zip(before.grader.safety, after.grader.safety, strict=False):
        if _softer(guard.check, other.check):
            return f"safety check {guard.name!r} asks for less"
    return None


def _softer(old: Check, new: Check) -> bool:
    if type(old) is not type(new):
        return True
    if isinstance(old, AnswerCheck) and isinstance(new, AnswerCheck):
        fewer = _fewer(old.contains, new.contains) or _fewer(old.absent, new.absent)
        return fewer or (old.whole_words and not new.whole_words)
    if isinstance(old, (StateCheck, CallCheck)) and isinstance(new, (StateCheck, CallCheck)):
        if not set(old.match) <= set(new.match) or new.at_least < old.at_least:
            return True
        return old.at_most is not None and (new.at_most is None or new.at_most > old.at_most)
    return old != new


def _fewer(old: Sequence[str], new: Sequence[str]) -> bool:
    return len(new) < len(old)


def _facts(spec: TaskSpec) -> int:
    return len(spec.persona.facts) if spec.persona else 0


def _steps(spec: TaskSpec) -> int:
    return len(spec.reference.steps) if spec.reference else 0


def _size(fixture: Any) -> int:
    return len(fixture) if isinstance(fixture, (list, dict)) else 0
