from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkenv_dagster.environment import Environment
from coworkenv_dagster.errors import UnknownServiceError, UnknownToolError
from coworkenv_dagster.hashing import canonical_json
from coworkenv_dagster.schema import CustomTool
from tests.conftest import TICKETS, asking_task, ticket_task

CALLS = st.lists(
    st.tuples(
        st.sampled_from(
            ["helpdesk_update_ticket", "helpdesk_list_tickets", "helpdesk_close_ticket", "nope"]
        ),
        st.fixed_dictionaries(
            {
                "ticket_id": st.sampled_from(["TK-4071", "TK-4072", "TK-1", 7]),
                "priority": st.sampled_from(["low", "high"]),
                "resolution": st.just("done"),
            }
        ),
    ),
    max_size=6,
)


def state(environment: Environment) -> str:
    return canonical_json(
        [
            environment.audit(),
            environment.collection("helpdesk", "tickets"),
            [call.model_dump() for call in environment.calls],
            environment.said,
        ]
    )


@given(CALLS, CALLS)
def test_reset_brings_back_the_start_and_restore_the_snapshot(before, after):
    environment = Environment(ticket_task())
    start = state(environment)
    for tool, arguments in before:
        environment.call(tool, arguments)
    environment.say("Which one?")
    kept, saved = state(environment), environment.snapshot()
    for tool, arguments in after:
        environment.call(tool, arguments)
    environment.restore(saved)
    assert state(environment) == kept
    environment.reset()
    assert state(environment) == start


@given(CALLS, CALLS)
def test_interleaved_environments_do_not_touch_each_other(mine, theirs):
    spec = ticket_task()
    alone, first, second = Environment(spec), Environment(spec), Environment(spec)
    for tool, arguments in mine:
        alone.call(tool, arguments)
    for index in range(max(len(mine), len(theirs))):
        for environment, calls in ((first, mine), (second, theirs)):
            if index < len(calls):
                environment.call(*calls[index])
    assert state(first) == state(alone)
    assert TICKETS[1]["priority"] == "low"


def test_a_failed_call_is_an_observation_and_is_recorded(task):
    environment = Environment(task)
    assert environment.call("send_rocket", {}).status == 404
    assert environment.call("helpdesk_get_ticket", {}).status == 422
    assert environment.call("helpdesk_get_ticket", {"ticket_id": "TK-0"}).ok is False
    assert [call.ok for call in environment.calls] == [False, False, False]
    assert len(environment.audit()["helpdesk"]["calls"]) == 1


def test_a_user_tells_a_fact_only_to_a_question_about_it():
    environment = Environment(asking_task())
    assert environment.say("Which colour do you like?") == asking_task().persona.fallback
    assert environment.say("Which priority should it get?") == "Make it urgent."
    assert environment.user.told == ["priority"]
    assert environment.say("The priority is set.") is None


def test_a_user_leaves_when_patience_is_used_up():
    environment = Environment(asking_task())
    assert environment.say("Why?") is not None
    assert environment.say("Why though?") is None


def test_unknown_names_say_what_exists():
    with pytest.raises(UnknownServiceError, match="helpdesk"):
        Environment(ticket_task(workspace={"helpdesk": TICKETS, "telex": []}))
    with pytest.raises(UnknownToolError, match="telex_send"):
        Environment(ticket_task(tools=("telex_send",)))


def test_a_custom_tool_calls_the_endpoint_it_names():
    spec = ticket_task(
        tools=(),
        custom_tools=(CustomTool(name="look", service="helpdesk", path="/helpdesk/tickets"),),
    )
    response = Environment(spec).call("look", {})
    assert response.body["total"] == 3


def test_a_record_the_service_cannot_handle_is_an_observation(task):
    odd = task.model_copy(
        update={"workspace": {"contacts": [{"contact_id": "c1"}]}, "tools": ("contacts_search",)}
    )
    environment = Environment(odd)
    environment.services["contacts"].records["contacts"] = [None]
    response = environment.call("contacts_search", {"query": "A"})
    assert response.status == 500
    assert "contacts failed" in response.body["error"]
