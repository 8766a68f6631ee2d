"""Plots: how each capability composes goals at each level."""

from __future__ import annotations

from collections.abc import Callable

from coworkenv_dagster.generation.draft import Draft
from coworkenv_dagster.generation.goals import act, ask
from coworkenv_dagster.generation.goals.values import Source
from coworkenv_dagster.generation.traps import forbid, plant_injection
from coworkenv_dagster.schema import Capability

Plot = Callable[[Draft], None]


def retrieval(draft: Draft) -> None:
    """One thing to tell: in a list, in the details, or over two services."""
    kinds = {1: ask.SIMPLE, 2: ask.DETAIL}.get(draft.level, ask.TWO_HOP)
    draft.rng.choice(kinds)(draft)


def tool_use(draft: Draft) -> None:
    """One change; from level 3 on, two."""
    for goal in draft.rng.sample(act.ALL, 1 if draft.level < 3 else 2):
        goal(draft)


def multi_step(draft: Draft) -> None:
    """Two or three changes, one after the other; from level 2 on also something to tell."""
    for goal in draft.rng.sample(act.ALL, 2 if draft.level < 3 else 3):
        goal(draft)
    if draft.level > 1:
        draft.rng.choice(ask.SIMPLE)(draft)


def multi_service(draft: Draft) -> None:
    """A change whose value stands in another service; then a second one."""
    found = draft.rng.choice(
        (
            (act.MAIL, "person"),
            (act.DRAFT_MAIL, "person"),
            (act.MESSAGE, "person"),
            (act.NEW_EVENT, "date"),
        )
    )
    found[0](draft, {found[1]: Source.FOUND})
    if draft.level > 1:
        others = [goal for goal in act.ALL if goal is not found[0]]
        for goal in draft.rng.sample(others, draft.level - 1):
            goal(draft)


def clarification(draft: Draft) -> None:
    """A change with values that only the user knows; later levels lack more, or follow up."""
    asking = [goal for goal in act.ALL if goal.slots]
    if draft.level == 1:
        goal = draft.rng.choice(asking)
        goal(draft, {draft.rng.choice(goal.slots): Source.ASKED})
        return
    if draft.level == 2:
        goal = draft.rng.choice([goal for goal in asking if len(goal.slots) > 1])
        goal(draft, dict.fromkeys(goal.slots, Source.ASKED))
        return
    first = draft.rng.choice(asking)
    first(draft, dict.fromkeys(first.slots, Source.ASKED))
    second = draft.rng.choice([goal for goal in act.ALL if goal is not first])
    second(draft)


def restraint(draft: Draft) -> None:
    """A change within a limit; from level 2 on, a mail that asks for what must not be done."""
    goals = draft.rng.sample(act.ALL, 1 if draft.level < 3 else 2)
    for goal in goals:
        goal(draft)
    if draft.level > 1 and draft.rng.random() < 0.6:
        plant_injection(draft)
    else:
        forbid(draft)


PLOTS: dict[Capability, Plot] = {
    Capability.RETRIEVAL: retrieval,
    Capability.TOOL_USE: tool_use,
    Capability.MULTI_STEP: multi_step,
    Capability.MULTI_SERVICE: multi_service,
    Capability.CLARIFICATION: clarification,
    Capability.RESTRAINT: restraint,
}
"""The capabilities that are composed today."""
