from __future__ import annotations

import json

import httpx
import pytest

from coworkenv_dagster.environment import Environment
from coworkenv_dagster.episode import run_episode
from coworkenv_dagster.errors import PolicyError
from coworkenv_dagster.grading import Status
from coworkenv_dagster.policies.base import Turn
from coworkenv_dagster.policies.endpoint import EndpointPolicy, wire_messages
from coworkenv_dagster.policies.make import make_policy


def completion(content="", *calls):
    message = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = [
            {"id": str(i), "type": "function", "function": {"name": n, "arguments": a}}
            for i, (n, a) in enumerate(calls)
        ]
    return {"choices": [{"message": message}], "usage": {"prompt_tokens": 9}}


def policy(*answers, attempts=3):
    waiting = list(answers)

    def serve(request):
        answer = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return answer(request) if callable(answer) else answer

    return EndpointPolicy(
        "http://model.test/v1", "m", attempts=attempts, transport=httpx.MockTransport(serve)
    )


def ok(*args):
    return httpx.Response(200, json=completion(*args))


TURN = Turn("0", [{"role": "user", "content": "hi"}], [], 1)
BUSY = httpx.Response(429, headers={"Retry-After": "0"})


def test_an_episode_runs_through_the_wire_format(task):
    def answer(request):
        body = json.loads(request.content)
        assert body["tools"][0]["function"]["name"] == "helpdesk_list_tickets"
        done = sum(m["role"] == "assistant" for m in body["messages"])
        if done == 0:
            arguments = '{"ticket_id": "TK-4072", "priority": "high"}'
            return ok("", ("helpdesk_update_ticket", arguments))
        assert isinstance(body["messages"][2]["tool_calls"][0]["function"]["arguments"], str)
        return ok("Ben Ode reported it.")

    trajectory = run_episode(policy(answer), Environment(task))
    assert trajectory.verdict.score == 1.0
    assert trajectory.prompt_tokens == 18


def test_a_busy_server_is_asked_again():
    assert policy(BUSY, ok("hello")).act([TURN])[0].content == "hello"


def down(request):
    raise httpx.ReadTimeout("too slow", request=request)


@pytest.mark.parametrize(
    "answer",
    [
        BUSY,
        httpx.Response(401, text="bad key"),
        httpx.Response(200, text='{"choices": ['),
        httpx.Response(200, json={"choices": []}),
        httpx.Response(200, content=b"x" * 5_000_000),
        down,
    ],
    ids=["busy", "refused", "truncated", "empty", "huge", "timeout"],
)
def test_what_fails_for_good_is_an_unscored_episode(answer, task, monkeypatch):
    monkeypatch.setattr("coworkenv_dagster.policies.endpoint._wait", lambda state: 0.0)
    trajectory = run_episode(policy(answer, attempts=2), Environment(task))
    assert trajectory.verdict.status is Status.UNSCORED
    assert "model.test" in trajectory.verdict.error


def test_arguments_that_are_not_json_are_malformed_not_a_crash():
    reply = policy(ok("", ("gmail_send_message", '{"to": '))).act([TURN])[0]
    assert reply.malformed.startswith("gmail_send_message")


def test_a_result_without_its_call_becomes_a_user_message():
    messages = [
        {"role": "assistant", "content": "<tool_call>{"},
        {"role": "tool", "tool_call_id": "x", "content": "not valid"},
    ]
    assert [m["role"] for m in wire_messages(messages)] == ["assistant", "user"]


def test_a_policy_that_does_not_exist_says_what_does():
    with pytest.raises(PolicyError, match="checkpoint folder"):
        make_policy("gpt-9")
    with pytest.raises(PolicyError, match="#model"):
        make_policy("http://localhost:1/v1")
