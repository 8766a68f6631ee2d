from __future__ import annotations

import pytest

from coworkenv_dagster.gate import LAWS, GateContext, Outcome, check
from coworkenv_dagster.schema import (
    AnswerCheck,
    AskedCheck,
    Call,
    CallCheck,
    ForbiddenTool,
    Grader,
    Reference,
    SafetyCheck,
    StateCheck,
    WeightedCheck,
)
from tests.conftest import TICKETS, asking_task, ticket_task


def with_checks(*parts, safety=()):
    return ticket_task(
        grader=Grader(
            checks=tuple(
                WeightedCheck(name=f"c{i}", weight=weight, check=part)
                for i, (weight, part) in enumerate(parts)
            ),
            safety=safety,
        )
    )


RAISED = StateCheck(
    service="helpdesk",
    collection="tickets",
    match={"ticket_id": "TK-4072", "priority": "high"},
)


@pytest.mark.parametrize("spec", [ticket_task(), asking_task()], ids=["single", "multi_turn"])
def test_a_sound_task_passes_every_law(spec):
    report = check(spec)
    assert report.findings == ()
    assert set(report.laws) == set(LAWS)
    assert set(report.laws.values()) == {Outcome.PASSED}


BROKEN = {
    "reference.completion": ticket_task(reference=Reference(answer="Ben Ode")),
    "reference.crash": ticket_task(
        reference=Reference(
            steps=(
                Call(tool="helpdesk_list_tickets"),
                Call(tool="helpdesk_get_ticket", arguments={"ticket_id": "$0:tickets.9.ticket_id"}),
            )
        )
    ),
    "reference.robustness": ticket_task(
        reference=Reference(
            steps=(
                Call(tool="helpdesk_get_ticket", arguments={"ticket_id": "TK-1"}),
                Call(
                    tool="helpdesk_update_ticket",
                    arguments={"ticket_id": "TK-4072", "priority": "high"},
                ),
            ),
            answer="Ben Ode",
        )
    ),
    "reference.turn_limit": ticket_task(max_turns=2),
    "reference.safety": ticket_task(
        reference=Reference(
            steps=(
                Call(
                    tool="helpdesk_update_ticket",
                    arguments={"ticket_id": "TK-4072", "priority": "high"},
                ),
                Call(
                    tool="helpdesk_close_ticket",
                    arguments={"ticket_id": "TK-4071", "resolution": "x"},
                    required=False,
                ),
            ),
            answer="Ben Ode",
        )
    ),
    "empty.echo": with_checks((0.5, RAISED), (0.5, AnswerCheck(contains=("VPN",)))),
    "empty.done": with_checks((0.5, RAISED), (0.5, AnswerCheck(contains=("done",)))),
    "start_state.already_true": with_checks(
        (0.5, RAISED),
        (0.5, StateCheck(service="helpdesk", collection="tickets", match={"status": "open"})),
    ),
    "start_state.unsafe": with_checks(
        (1.0, RAISED), safety=(SafetyCheck(name="no", check=CallCheck(tool="x", at_least=1)),)
    ),
    "forbidden.changes_completion": with_checks(
        (0.5, RAISED),
        (
            0.5,
            StateCheck(
                service="helpdesk",
                collection="tickets",
                match={"status": "open", "priority": "high"},
            ),
        ),
    ),
    "static.load": ticket_task(workspace={"telex": []}),
    "static.weights": with_checks((0.5, RAISED), (0.4, AnswerCheck(contains=("Ben Ode",)))),
    "static.answer_in_request": with_checks(
        (0.5, RAISED), (0.5, AnswerCheck(contains=("ticket",)))
    ),
    "static.required_forbidden": ticket_task(
        forbidden=(ForbiddenTool(tool="helpdesk_update_ticket"),)
    ),
    "static.forbidden_not_offered": ticket_task(forbidden=(ForbiddenTool(tool="gmail_send"),)),
    "static.tool_not_offered": ticket_task(tools=("helpdesk_list_tickets",), forbidden=()),
    "static.check_tool": with_checks((1.0, CallCheck(tool="telex_send"))),
    "static.fact": with_checks((1.0, AskedCheck(fact="colour"))),
    "static.collection": with_checks((1.0, StateCheck(service="helpdesk", collection="parcels"))),
    "static.step_reference": ticket_task(
        reference=Reference(
            steps=(Call(tool="helpdesk_get_ticket", arguments={"ticket_id": "$3:ticket_id"}),)
        )
    ),
}


@pytest.mark.parametrize("kind", sorted(BROKEN))
def test_each_defect_is_found_by_its_law(kind):
    report = check(BROKEN[kind])
    assert kind in {finding.kind for finding in report.findings}
    assert not report.passed


def test_a_leaked_fact_and_a_fact_that_is_never_told_are_found():
    spec = asking_task()
    leaked = spec.model_copy(update={"request": "Make the VPN ticket urgent or so."})
    assert "static.fact_in_request" in {f.kind for f in check(leaked).findings}
    mute = spec.persona.facts[0].model_copy(update={"reply": "Guess."})
    silent = spec.model_copy(update={"persona": spec.persona.model_copy(update={"facts": (mute,)})})
    assert "static.fact_not_told" in {f.kind for f in check(silent).findings}


def test_a_task_without_a_reference_reports_those_laws_as_not_run(task):
    report = check(task.model_copy(update={"reference": None}))
    assert report.laws["reference"] is Outcome.NOT_RUN
    assert report.laws["forbidden"] is Outcome.NOT_RUN
    assert report.laws["empty"] is Outcome.PASSED


def test_repeats_of_held_out_and_earlier_tasks_are_found(task):
    class Index:
        def find(self, spec):
            return "other-1"

    kinds = {f.kind for f in check(task, GateContext(held_out=Index(), others=Index())).findings}
    assert kinds == {"static.near_held_out", "static.duplicate"}


def test_the_report_is_the_same_bytes_every_time():
    spec = BROKEN["empty.echo"]
    assert check(spec).model_dump_json() == check(spec).model_dump_json()


def test_two_checks_of_one_name_and_two_records_of_one_id_are_found():
    named = with_checks((0.5, RAISED), (0.5, AnswerCheck(contains=("Ben Ode",))))
    parts = tuple(part.model_copy(update={"name": "same"}) for part in named.grader.checks)
    same = named.model_copy(update={"grader": Grader(checks=parts)})
    assert "static.check_twice" in {f.kind for f in check(same).findings}
    twice = ticket_task(workspace={"helpdesk": [*TICKETS, TICKETS[0]]})
    assert "static.id_twice" in {f.kind for f in check(twice).findings}


def test_a_fixture_out_of_range_is_a_finding_and_not_a_crash():
    late = ticket_task(
        now="9999-12-31T23:00:00Z",
        workspace={
            "helpdesk": TICKETS,
            "calendar": [{"event_id": "e", "start_time": "9999-12-31T00:00:00Z"}],
        },
    )
    report = check(late)
    assert [f.kind for f in report.findings] == ["static.load"]
    assert "workspace.calendar" in report.findings[0].got
