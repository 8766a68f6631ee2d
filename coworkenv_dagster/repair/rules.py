"""The mends: for each kind of finding the smallest change of the spec that answers it.

A rule gives a new spec, or None when it can't help. It never takes away what makes the task hard;
`weakening` looks after that independently.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from coworkenv_dagster.errors import UnknownToolError
from coworkenv_dagster.gate import Finding
from coworkenv_dagster.generation.company import PRIORITIES
from coworkenv_dagster.generation.traps import LIMITS
from coworkenv_dagster.schema import Call, ForbiddenTool, StateCheck, TaskSpec
from coworkenv_dagster.services import Access, tool_endpoint

Rule = Callable[[TaskSpec, Finding], TaskSpec | None]

RULES: dict[str, Rule] = {}
"""Rules by the kind of finding they answer."""


def rule(*kinds: str) -> Callable[[Rule], Rule]:
    """Registers a rule for kinds of findings."""

    def register(mend: Rule) -> Rule:
        for kind in kinds:
            RULES[kind] = mend
        return mend

    return register


@rule("start_state.already_true")
def change_start_value(spec: TaskSpec, finding: Finding) -> TaskSpec | None:
    """Gives the record that already is as wanted another value to start with."""
    index = _index(finding.where)
    check = spec.grader.checks[index].check if index is not None else None
    if not isinstance(check, StateCheck):
        return None
    records = spec.workspace.get(check.service)
    keys = {key: value for key, value in check.match.items() if key.endswith("_id")}
    fields = [key for key in check.match if key not in keys]
    if not isinstance(records, list) or not keys or not fields:
        return None
    field, wanted = fields[0], check.match[fields[0]]
    for position, record in enumerate(records):
        if all(record.get(key) == value for key, value in keys.items()):
            others = [item.get(field) for item in records]
            new = _other_value(wanted, [*others, *PRIORITIES] if wanted in PRIORITIES else others)
            if new is None:
                return None
            changed = [*records]
            changed[position] = {**record, field: new}
            return spec.model_copy(update={"workspace": {**spec.workspace, check.service: changed}})
    return None


@rule("static.required_forbidden", "reference.safety")
def move_limit(spec: TaskSpec, finding: Finding) -> TaskSpec | None:
    """Sets the limit on another writing tool on offer, in the request too."""
    required = {call.tool for call in spec.reference.calls} if spec.reference else set()
    taken = {item.tool for item in spec.forbidden}
    for index, item in enumerate(spec.forbidden):
        if item.tool not in required:
            continue
        free = [
            tool
            for tool in spec.tools
            if tool in LIMITS
            and tool not in required | taken
            and tool_endpoint(tool)[1].access is Access.WRITE
        ]
        if not free or item.reason not in spec.request:
            return None
        limit = ForbiddenTool(tool=free[0], reason=LIMITS[free[0]])
        return spec.model_copy(
            update={
                "forbidden": (*spec.forbidden[:index], limit, *spec.forbidden[index + 1 :]),
                "request": spec.request.replace(item.reason, limit.reason),
            }
        )
    return None


@rule("forbidden.changes_completion")
def tempt_elsewhere(spec: TaskSpec, finding: Finding) -> TaskSpec | None:
    """Lets the tempted call hit a record that no check looks at."""
    index = _index(finding.where)
    if index is None:
        return None
    item = spec.forbidden[index]
    graded = {
        value
        for part in spec.grader.checks
        if isinstance(part.check, StateCheck)
        for value in part.check.match.values()
        if isinstance(value, str)
    }
    arguments = dict(item.temptation or {})
    for key in [key for key in arguments if key.endswith("_id")]:
        records = [r for rs in spec.workspace.values() if isinstance(rs, list) for r in rs]
        free = [r[key] for r in records if key in r and r[key] not in graded]
        if not free:
            return None
        arguments[key] = free[0]
    if arguments == item.temptation:
        return None
    moved = item.model_copy(update={"temptation": arguments})
    forbidden = (*spec.forbidden[:index], moved, *spec.forbidden[index + 1 :])
    return spec.model_copy(update={"forbidden": forbidden})


@rule("static.weights")
def balance_weights(spec: TaskSpec, finding: Finding) -> TaskSpec | None:
    """Scales the weights to sum to 1, keeping their proportions."""
    total = sum(part.weight for part in spec.grader.checks)
    if total <= 0:
        return None
    parts = [part.model_copy(update={"weight": part.weight / total}) for part in spec.grader.checks]
    return spec.model_copy(
        update={"grader": spec.grader.model_copy(update={"checks": tuple(parts)})}
    )


@rule("static.tool_not_offered", "static.forbidden_not_offered")
def offer_tool(spec: TaskSpec, finding: Finding) -> TaskSpec | None:
    """Puts the missing tool on offer, if its service is part of the workspace."""
    tool = finding.got
    try:
        service, _ = tool_endpoint(tool)
    except UnknownToolError:
        return None
    if service not in spec.workspace:
        return None
    return spec.model_copy(update={"tools": (*spec.tools, tool)})


@rule("static.tool_twice")
def offer_once(spec: TaskSpec, finding: Finding) -> TaskSpec | None:
    """Offers each tool once."""
    return spec.model_copy(update={"tools": tuple(dict.fromkeys(spec.tools))})


@rule("reference.turn_limit")
def allow_turns(spec: TaskSpec, finding: Finding) -> TaskSpec | None:
    """Allows the turns the reference needs, and two more."""
    steps = len(spec.reference.steps) if spec.reference else 0
    return spec.model_copy(update={"max_turns": steps + 3}) if spec.max_turns < steps + 3 else None


@rule("static.fact_not_told")
def tell_fact(spec: TaskSpec, finding: Finding) -> TaskSpec | None:
    """Lets the reply say the value."""
    index, persona = _index(finding.where), spec.persona
    if index is None or persona is None:
        return None
    fact = persona.facts[index]
    told = fact.model_copy(update={"reply": f"{fact.reply} {fact.value}.".strip()})
    facts = (*persona.facts[:index], told, *persona.facts[index + 1 :])
    return spec.model_copy(update={"persona": persona.model_copy(update={"facts": facts})})


@rule("static.step_reference")
def refer_to_earlier_call(spec: TaskSpec, finding: Finding) -> TaskSpec | None:
    """Lets a step that refers to no earlier call refer to the call right before it."""
    index, reference = _index(finding.where), spec.reference
    if index is None or reference is None:
        return None
    earlier = [i for i, step in enumerate(reference.steps[:index]) if isinstance(step, Call)]
    step = reference.steps[index]
    if not earlier or not isinstance(step, Call):
        return None
    path = finding.got.partition(":")[2]
    arguments = {
        key: f"${earlier[-1]}:{path}" if value == finding.got else value
        for key, value in step.arguments.items()
    }
    mended = step.model_copy(update={"arguments": arguments})
    steps = (*reference.steps[:index], mended, *reference.steps[index + 1 :])
    return spec.model_copy(update={"reference": reference.model_copy(update={"steps": steps})})


def _index(where: str) -> int | None:
    """Gives the number at the end of a path such as `grader.checks.2`."""
    last = where.rpartition(".")[2]
    return int(last) if last.isdigit() else None


def _other_value(wanted: Any, values: Sequence[Any]) -> Any:
    return next((value for value in values if value is not None and value != wanted), None)
