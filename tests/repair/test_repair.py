from __future__ import annotations

import pytest

from coworkenv_dagster.gate import GateContext, check
from coworkenv_dagster.generation import ProceduralAuthor
from coworkenv_dagster.repair import Fate, fates, is_weaker, repair, repair_all
from coworkenv_dagster.repair import repair as repair_module
from coworkenv_dagster.schema import (
    AnswerCheck,
    ForbiddenTool,
    Grader,
    SafetyCheck,
    TaskSpec,
    WeightedCheck,
)
from tests.conftest import TICKETS, asking_task, ticket_task


@pytest.fixture(scope="module")
def outcomes():
    author = ProceduralAuthor()
    specs = list(author.candidates(dict.fromkeys(author.cells(), 25), seed=9))
    return specs, repair_all((spec, check(spec)) for spec in specs)


def test_every_candidate_has_exactly_one_fate(outcomes):
    specs, results = outcomes
    assert [result.spec.task_id for result in results] == [spec.task_id for spec in specs]
    counts = fates(results)
    assert sum(counts.values()) == len(specs)
    assert all(counts[fate] > 0 for fate in Fate)


def test_what_leaves_repair_passes_the_gate_and_is_no_weaker(outcomes):
    specs, results = outcomes
    for before, result in zip(specs, results, strict=True):
        if result.fate is Fate.REPAIRED:
            assert check(result.spec).findings == ()
            assert is_weaker(before, result.spec) is None
            assert result.spec.content_hash != before.content_hash
            assert result.spec.provenance.parent == result.rounds[-1].version
            assert result.rounds[0].version == before.content_hash
            assert result.spec.provenance.repairs
        if result.fate is Fate.REJECTED:
            assert result.reason
            assert result.rounds


def test_a_goal_that_is_already_true_gets_another_start():
    done = [{**t, "priority": "high"} if t["ticket_id"] == "TK-4072" else t for t in TICKETS]
    spec = ticket_task(workspace={"helpdesk": done})
    outcome = repair(spec, check(spec))
    assert outcome.fate is Fate.REPAIRED
    assert outcome.rounds[0].mends == ("change_start_value",)
    assert done[1]["priority"] == "high"


def test_a_limit_on_what_is_needed_is_moved_to_another_tool():
    spec = ticket_task(
        request="Close ticket TK-4072. Don't close any ticket.",
        tools=("helpdesk_list_tickets", "helpdesk_close_ticket", "gmail_send_message"),
        workspace={"helpdesk": TICKETS, "gmail": []},
        forbidden=(ForbiddenTool(tool="helpdesk_close_ticket", reason="Don't close any ticket."),),
        grader=Grader(
            checks=(
                WeightedCheck(
                    name="closed",
                    weight=1.0,
                    check={
                        "type": "state",
                        "service": "helpdesk",
                        "collection": "closed",
                        "match": {"ticket_id": "TK-4072"},
                    },
                ),
            )
        ),
        reference={
            "steps": [
                {
                    "tool": "helpdesk_close_ticket",
                    "arguments": {"ticket_id": "TK-4072", "resolution": "x"},
                }
            ]
        },
    )
    outcome = repair(spec, check(spec))
    assert outcome.fate is Fate.REPAIRED
    assert outcome.spec.forbidden[0].tool == "gmail_send_message"
    assert outcome.spec.request == "Close ticket TK-4072. Don't send any mail."


MENDABLE = {
    "balance_weights": ticket_task(
        grader=Grader(
            checks=tuple(
                part.model_copy(update={"weight": 0.3}) for part in ticket_task().grader.checks
            )
        )
    ),
    "allow_turns": ticket_task(max_turns=1),
    "offer_once": ticket_task(tools=(*ticket_task().tools, "helpdesk_list_tickets")),
    "offer_tool": ticket_task(tools=("helpdesk_list_tickets", "helpdesk_update_ticket")),
}


@pytest.mark.parametrize("name", sorted(MENDABLE))
def test_each_rule_mends_its_kind(name):
    spec = MENDABLE[name]
    outcome = repair(spec, check(spec))
    assert outcome.fate is Fate.REPAIRED, outcome.reason
    assert name in outcome.spec.provenance.repairs


def test_a_fact_that_is_never_told_is_told():
    spec = asking_task()
    mute = spec.persona.facts[0].model_copy(update={"reply": "Hm."})
    spec = spec.model_copy(update={"persona": spec.persona.model_copy(update={"facts": (mute,)})})
    assert repair(spec, check(spec)).spec.persona.facts[0].reply == "Hm. urgent."


def test_what_no_rule_can_mend_is_rejected_with_the_findings():
    class Held:
        def find(self, spec: TaskSpec) -> str:
            return "held-out-1"

    context = GateContext(held_out=Held())
    spec = ticket_task()
    outcome = repair(spec, check(spec, context), context)
    assert outcome.fate is Fate.REJECTED
    assert outcome.rounds[0].findings[0].got == "held-out-1"


def test_a_mend_that_weakens_is_refused_and_said_so(monkeypatch):
    def drop_checks(spec, finding):
        return spec.model_copy(update={"grader": Grader(checks=spec.grader.checks[:1])})

    monkeypatch.setitem(repair_module.__globals__["RULES"], "static.weights", drop_checks)
    spec = MENDABLE["balance_weights"]
    outcome = repair(spec, check(spec))
    assert outcome.fate is Fate.REJECTED
    assert "fewer checks" in outcome.reason


def test_a_finding_that_comes_back_ends_the_repair(monkeypatch):
    def rename(spec, finding):
        return spec.model_copy(update={"system": "Be quick."})

    monkeypatch.setitem(repair_module.__globals__["RULES"], "static.weights", rename)
    spec = MENDABLE["balance_weights"]
    outcome = repair(spec, check(spec))
    assert len(outcome.rounds) == 1
    assert outcome.reason == "static.weights came back"


def lower(spec, **grader):
    return spec.model_copy(update={"grader": spec.grader.model_copy(update=grader)})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"forbidden": ()}, "forbidden"),
        ({"level": 2}, "level"),
        ({"tools": ("helpdesk_list_tickets",)}, "tools"),
        ({"workspace": {"helpdesk": TICKETS[:2]}}, "records"),
    ],
)
def test_asking_for_less_is_seen(change, said):
    before = ticket_task()
    assert said in is_weaker(before, before.model_copy(update=change))


def test_softer_checks_are_seen():
    before = ticket_task()
    told = before.grader.checks[1]
    soft = told.model_copy(update={"check": AnswerCheck(contains=("Ben Ode",), whole_words=False)})
    assert "asks for less" in is_weaker(
        before, lower(before, checks=(before.grader.checks[0], soft))
    )
    light = told.model_copy(update={"weight": 0.1})
    assert "lower share" in is_weaker(
        before, lower(before, checks=(before.grader.checks[0], light))
    )
    guarded = lower(before, safety=(SafetyCheck(name="g", check=before.grader.checks[0].check),))
    assert "safety" in is_weaker(guarded, before)
    assert is_weaker(before, guarded) is None
