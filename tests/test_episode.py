from __future__ import annotations

import json

from coworkenv_dagster.environment import Environment
from coworkenv_dagster.episode import Ending, rollout, run_episode
from coworkenv_dagster.grading import Status
from coworkenv_dagster.policies.base import Reply, ToolCall
from coworkenv_dagster.policies.make import OraclePolicy
from coworkenv_dagster.policies.scripted import RandomPolicy, ReferencePolicy
from tests.conftest import asking_task, ticket_task


class Fixed:
    name = "fixed"

    def __init__(self, *replies):
        self.replies = replies

    def act(self, turns):
        done = [sum(m["role"] == "assistant" for m in turn.messages) for turn in turns]
        return [self.replies[min(n, len(self.replies) - 1)] for n in done]

    def release(self, episode):
        pass


def test_the_reference_gets_the_full_score_and_a_readable_conversation(task):
    trajectory = run_episode(ReferencePolicy(task), Environment(task))
    assert trajectory.verdict.score == 1.0
    assert trajectory.ending is Ending.ANSWERED
    roles = [message["role"] for message in trajectory.messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool", "assistant"]
    call = trajectory.messages[4]["tool_calls"][0]
    assert call["function"]["arguments"] == {"ticket_id": "TK-4072", "priority": "high"}
    assert call["id"] == trajectory.messages[5]["tool_call_id"]
    assert json.loads(trajectory.messages[3]["content"])["total"] == 3


def test_the_simulated_user_takes_part_in_the_same_loop(multi_turn_task):
    trajectory = run_episode(ReferencePolicy(multi_turn_task), Environment(multi_turn_task))
    assert trajectory.told == ["priority"]
    assert trajectory.verdict.score == 1.0


def test_equal_seeds_give_equal_bytes_and_batching_changes_nothing():
    specs = [ticket_task(task_id=f"t{i}") for i in range(5)]
    runs = [
        rollout(RandomPolicy(), [Environment(spec) for spec in specs], seed=3, batch_size=size)
        for size in (1, 2, 64)
    ]
    texts = [[t.model_dump_json() for t in run] for run in runs]
    assert texts[0] == texts[1] == texts[2]
    other = rollout(RandomPolicy(), [Environment(spec) for spec in specs], seed=4)
    assert [t.model_dump_json() for t in other] != texts[0]


def test_an_endless_policy_is_stopped(task):
    policy = Fixed(Reply(tool_calls=(ToolCall("helpdesk_list_tickets", {}),)))
    trajectory = run_episode(policy, Environment(task.model_copy(update={"max_turns": 4})))
    assert trajectory.ending is Ending.TURN_LIMIT
    assert trajectory.turns == 4


def test_an_error_of_the_policy_leaves_the_episode_unscored(task):
    trajectory = run_episode(Fixed(Reply(error="no answer")), Environment(task))
    assert trajectory.verdict.status is Status.UNSCORED
    assert trajectory.verdict.score is None


def test_a_malformed_call_is_observed_and_counts_as_a_failed_call(task):
    policy = Fixed(Reply(malformed="<tool_call>{oops"), Reply(content="sorry"))
    trajectory = run_episode(policy, Environment(task))
    assert "not valid" in trajectory.messages[3]["content"]
    assert trajectory.calls[0].status == 400


def test_the_oracle_plays_every_environment_of_a_batch():
    environments = [Environment(ticket_task()), Environment(asking_task())]
    assert [t.verdict.score for t in rollout(OraclePolicy(environments), environments)] == [
        1.0,
        1.0,
    ]


def test_a_policy_without_context_left_is_graded_as_it_stands(task):
    policy = Fixed(
        Reply(
            tool_calls=(
                ToolCall("helpdesk_update_ticket", {"ticket_id": "TK-4072", "priority": "high"}),
            )
        ),
        Reply(exhausted="2048 tokens"),
    )
    trajectory = run_episode(policy, Environment(task))
    assert trajectory.ending is Ending.CONTEXT_LIMIT
    assert trajectory.verdict.completion == 0.6
