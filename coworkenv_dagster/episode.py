"""The one episode loop: policy x environment -> trajectory.

`play` is the loop, written as a generator that gives turns and takes replies; `rollout` drives
many of them in step, so that a model answers a whole batch at once. Validation, collection,
training and evaluation all go through here.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

from coworkenv_dagster.environment import CallRecord, Environment, observation
from coworkenv_dagster.grading import Judge, Verdict, grade
from coworkenv_dagster.hashing import derive_seed
from coworkenv_dagster.policies.base import Message, Policy, Reply, Turn
from coworkenv_dagster.schema import TaskSpec

DEFAULT_SYSTEM = "You are the user's coworker. Do what is asked with the tools."


class Ending(StrEnum):
    """How an episode came to its end."""

    ANSWERED = "answered"
    """The policy said something and the user had nothing to add."""
    TURN_LIMIT = "turn_limit"
    CONTEXT_LIMIT = "context_limit"
    """The policy has no context left; what it did until then is graded."""
    ERROR = "error"
    """The policy could not reply; the episode is unscored."""


class Trajectory(BaseModel):
    """One finished episode; equal inputs give equal trajectories, byte for byte."""

    model_config = ConfigDict(frozen=True)

    task_id: str
    task_hash: str
    policy: str
    seed: int
    ending: Ending
    turns: int
    """Replies of the policy."""
    messages: list[dict[str, Any]]
    """The conversation in the format TRL reads (tool-call arguments are objects)."""
    tools: list[dict[str, Any]]
    calls: list[CallRecord]
    told: list[str] = []
    """Facts the user told, in order."""
    audit: dict[str, Any]
    """Each service's audit document."""
    verdict: Verdict
    prompt_tokens: int = 0
    completion_tokens: int = 0


def opening(spec: TaskSpec) -> list[Message]:
    """Gives the first two messages of an episode: system (with the simulated date) and request."""
    today = spec.now.strftime("%A %Y-%m-%d")
    system = f"{spec.system or DEFAULT_SYSTEM} Today is {today}."
    return [{"role": "system", "content": system}, {"role": "user", "content": spec.request}]


def play(
    environment: Environment, *, episode: str, seed: int, policy: str, judge: Judge | None = None
) -> Generator[Turn, Reply, Trajectory]:
    """Plays one episode: gives turns, takes replies, returns the graded trajectory.

    The environment is reset first. A reply without tool calls is said to the user; when the user
    has nothing to add the episode ends.
    """
    environment.reset(seed)
    messages = opening(environment.spec)
    tools = environment.tools
    turns = prompt_tokens = completion_tokens = 0
    ending, error = Ending.TURN_LIMIT, ""
    while turns < environment.spec.max_turns:
        turn_seed = derive_seed(seed, environment.spec.task_id, turns)
        reply = yield Turn(episode, messages, tools, turn_seed)
        turns += 1
        prompt_tokens += reply.prompt_tokens
        completion_tokens += len(reply.token_ids)
        if reply.error:
            ending, error = Ending.ERROR, reply.error
            break
        if reply.exhausted:
            ending = Ending.CONTEXT_LIMIT
            break
        if reply.malformed or reply.tool_calls:
            messages.extend(_act(environment, reply, turns))
            continue
        messages.append({"role": "assistant", "content": reply.content})
        answer = environment.say(reply.content)
        if answer is None:
            ending = Ending.ANSWERED
            break
        messages.append({"role": "user", "content": answer})
    verdict = grade(environment, judge)
    return Trajectory(
        task_id=environment.spec.task_id,
        task_hash=environment.spec.content_hash,
        policy=policy,
        seed=seed,
        ending=ending,
        turns=turns,
        messages=messages,
        tools=tools,
        calls=environment.calls,
        told=list(environment.user.told) if environment.user else [],
        audit=environment.audit(),
        verdict=verdict.model_copy(update={"error": error}) if error else verdict,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
    )


def rollout(
    policy: Policy,
    environments: Sequence[Environment],
    *,
    seed: int = 0,
    batch_size: int = 64,
    judge: Judge | None = None,
    on_done: Callable[[int, Trajectory], None] | None = None,
) -> list[Trajectory]:
    """Plays one episode in each environment, `batch_size` of them live at a time.

    Args:
        policy: Acts on all live episodes at once.
        environments: Each is reset and used by its own episode; none may occur twice.
        seed: Each episode's seed is derived from it and from the position.
        batch_size: Most episodes live at the same time.
        judge: Scores rubric checks; without it they stay unscored.
        on_done: Called with position and trajectory as episodes end, in no fixed order.

    Returns:
        The trajectories, in the order of the environments.
    """
    waiting = list(range(len(environments)))[::-1]
    live: dict[int, tuple[Generator[Turn, Reply, Trajectory], Turn]] = {}
    done: dict[int, Trajectory] = {}
    while waiting or live:
        while waiting and len(live) < batch_size:
            index = waiting.pop()
            game = play(
                environments[index],
                episode=str(index),
                seed=derive_seed(seed, index),
                policy=policy.name,
                judge=judge,
            )
            live[index] = (game, next(game))
        order = list(live)
        replies = policy.act([live[index][1] for index in order])
        for index, reply in zip(order, replies, strict=True):
            game = live[index][0]
            try:
                live[index] = (game, game.send(reply))
            except StopIteration as end:
                done[index] = end.value
                del live[index]
                policy.release(str(index))
                if on_done:
                    on_done(index, end.value)
    return [done[index] for index in range(len(environments))]


def run_episode(
    policy: Policy, environment: Environment, *, seed: int = 0, judge: Judge | None = None
) -> Trajectory:
    """Plays one episode; the seed is the episode's own."""
    game = play(environment, episode="0", seed=seed, policy=policy.name, judge=judge)
    turn = next(game)
    while True:
        try:
            turn = game.send(policy.act([turn])[0])
        except StopIteration as end:
            policy.release("0")
            trajectory: Trajectory = end.value
            return trajectory


def _act(environment: Environment, reply: Reply, turn: int) -> list[Message]:
    """Runs a reply's tool calls and gives the messages that tell of them."""
    if reply.malformed:
        text = f"{reply.content}{reply.malformed}"
        return [
            {"role": "assistant", "content": text},
            {
                "role": "tool",
                "tool_call_id": f"call_{turn}_0",
                "content": observation(environment.reject_call(reply.malformed)),
            },
        ]
    named = [(f"call_{turn}_{index}", call) for index, call in enumerate(reply.tool_calls)]
    asked: Message = {
        "role": "assistant",
        "content": reply.content,
        "tool_calls": [
            {
                "id": call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call_id, call in named
        ],
    }
    results: list[Message] = [
        {
            "role": "tool",
            "tool_call_id": call_id,
            "name": call.name,
            "content": observation(environment.call(call.name, call.arguments)),
        }
        for call_id, call in named
    ]
    return [asked, *results]
