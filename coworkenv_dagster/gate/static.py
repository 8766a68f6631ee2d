"""The law that needs no episode: the spec agrees with itself, leaks nothing, repeats nothing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from coworkenv_dagster.gate.laws import law
from coworkenv_dagster.gate.report import Finding
from coworkenv_dagster.gate.subject import Subject
from coworkenv_dagster.grading.matching import says
from coworkenv_dagster.schema import (
    AnswerCheck,
    AskedCheck,
    Call,
    CallCheck,
    Check,
    StateCheck,
)
from coworkenv_dagster.services import service_class


def _finding(kind: str, where: str, expected: str, got: str) -> Finding:
    return Finding(law="static", kind=f"static.{kind}", where=where, expected=expected, got=got)


@law(
    11,
    "static",
    "The spec agrees with itself: it loads, every tool, service, fact and step it names exists, "
    "nothing required is forbidden, weights sum to 1, the answer is not in the request, and it "
    "repeats neither a held-out task nor another of its set.",
    "Mend the field the finding names.",
    needs_environment=False,
)
def static(subject: Subject) -> Iterator[Finding]:
    """Reads the spec; plays nothing."""
    if subject.load_error is not None:
        yield _finding("load", "workspace", "the workspace loads", str(subject.load_error))
    yield from _tools(subject)
    yield from _ids(subject)
    yield from _weights(subject)
    yield from _checks(subject)
    yield from _references(subject)
    yield from _leaks(subject)
    yield from _repeats(subject)


def _tools(subject: Subject) -> Iterator[Finding]:
    spec = subject.spec
    offered = set(spec.tool_names)
    required = {
        call.tool for call in (spec.reference.calls if spec.reference else ()) if call.required
    } | {
        part.check.tool
        for part in spec.grader.checks
        if isinstance(part.check, CallCheck) and part.check.at_least > 0
    }
    names = [part.name for part in spec.grader.checks]
    if len(names) != len(set(names)):
        yield _finding("check_twice", "grader.checks", "each check a name of its own", str(names))
    if len(spec.tool_names) != len(offered):
        yield _finding("tool_twice", "tools", "each tool once", "a tool is on offer twice")
    for index, custom in enumerate(spec.custom_tools):
        if subject.environment and custom.path not in service_class(custom.service).endpoints:
            where = f"custom_tools.{index}"
            yield _finding("custom_path", where, "a path the service serves", custom.path)
    for index, item in enumerate(spec.forbidden):
        where = f"forbidden.{index}"
        if item.tool not in offered:
            yield _finding("forbidden_not_offered", where, "a tool on offer", item.tool)
        if item.tool in required:
            yield _finding("required_forbidden", where, "not a required tool", item.tool)
    for index, step in enumerate(spec.reference.steps if spec.reference else ()):
        if isinstance(step, Call) and step.tool not in offered:
            yield _finding(
                "tool_not_offered", f"reference.steps.{index}", "a tool on offer", step.tool
            )


def _ids(subject: Subject) -> Iterator[Finding]:
    for service, fixture in sorted(subject.spec.workspace.items()):
        records = [item for item in fixture if isinstance(item, dict)] if fixture else []
        keys = [key for key in (records[0] if records else {}) if key.endswith("_id")]
        if not keys or not isinstance(fixture, list):
            continue
        counts = Counter(str(record.get(keys[0])) for record in records)
        for value, count in counts.items():
            if count > 1:
                where = f"workspace.{service}"
                yield _finding("id_twice", where, f"each {keys[0]} once", f"{value} {count} times")


def _weights(subject: Subject) -> Iterator[Finding]:
    total = math.fsum(part.weight for part in subject.spec.grader.checks)
    if not math.isclose(total, 1.0, abs_tol=1e-6):
        yield _finding("weights", "grader.checks", "weights that sum to 1", f"{total:g}")


def _checks(subject: Subject) -> Iterator[Finding]:
    grader = subject.spec.grader
    parts: list[tuple[str, Check]] = [
        *((f"grader.checks.{i}", part.check) for i, part in enumerate(grader.checks)),
        *((f"grader.safety.{i}", part.check) for i, part in enumerate(grader.safety)),
    ]
    facts = {fact.key for fact in subject.spec.persona.facts} if subject.spec.persona else set()
    for where, check in parts:
        match check:
            case StateCheck():
                environment = subject.environment
                if environment and environment.collection(check.service, check.collection) is None:
                    got = f"{check.service}.{check.collection}"
                    yield _finding("collection", where, "a collection of the workspace", got)
            case CallCheck() if check.tool not in subject.spec.tool_names:
                yield _finding("check_tool", where, "a tool on offer", check.tool)
            case AskedCheck() if check.fact not in facts:
                yield _finding("fact", where, "a fact of the persona", check.fact)


def _references(subject: Subject) -> Iterator[Finding]:
    steps = subject.spec.reference.steps if subject.spec.reference else ()
    for index, step in enumerate(steps):
        if not isinstance(step, Call):
            continue
        for value in step.arguments.values():
            number, colon, _ = str(value).removeprefix("$").partition(":")
            if not (str(value).startswith("$") and colon and number.isdigit()):
                continue
            if int(number) >= index or not isinstance(steps[int(number)], Call):
                where = f"reference.steps.{index}"
                yield _finding("step_reference", where, "an earlier call", str(value))


def _leaks(subject: Subject) -> Iterator[Finding]:
    spec = subject.spec
    for index, part in enumerate(spec.grader.checks):
        if not isinstance(part.check, AnswerCheck):
            continue
        for value in part.check.contains:
            if says(spec.request, value, whole_words=part.check.whole_words):
                where = f"grader.checks.{index}"
                yield _finding("answer_in_request", where, "not in the request", value)
    for index, fact in enumerate(spec.persona.facts if spec.persona else ()):
        if says(spec.request, fact.value):
            where = f"persona.facts.{index}"
            yield _finding("fact_in_request", where, "not in the request", fact.value)
        if fact.value.casefold() not in fact.reply.casefold():
            where = f"persona.facts.{index}"
            yield _finding("fact_not_told", where, f"a reply that says {fact.value}", fact.reply)


def _repeats(subject: Subject) -> Iterator[Finding]:
    context = subject.context
    if context.held_out is not None:
        twin = context.held_out.find(subject.spec)
        if twin is not None:
            yield _finding("near_held_out", "task", "unlike every held-out task", twin)
    if context.others is not None:
        twin = context.others.find(subject.spec)
        if twin is not None:
            yield _finding("duplicate", "task", "unlike every earlier task of the set", twin)
