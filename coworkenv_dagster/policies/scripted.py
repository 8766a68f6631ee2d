"""Policies that need no model: the reference solution and the probes the gate plays."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from coworkenv_dagster.errors import ReferenceSolutionError
from coworkenv_dagster.hashing import derive_random
from coworkenv_dagster.policies.base import Message, Reply, ToolCall, ToolSchema, Turn
from coworkenv_dagster.schema import Call, Step, TaskSpec


class ScriptedPolicy:
    """Plays steps in order, then gives the final answer; `$k:path` arguments are resolved.

    Args:
        steps: Calls and messages to the user.
        answer: The last message.
        name: What reports call it.
    """

    def __init__(self, steps: Sequence[Step], answer: str, *, name: str = "scripted") -> None:
        self.name = name
        self._steps = tuple(steps)
        self._answer = answer

    def act(self, turns: Sequence[Turn]) -> list[Reply]:
        """Gives the next step of the script; the place in it is read off the conversation."""
        return [self._act(turn) for turn in turns]

    def release(self, episode: str) -> None:
        """Has nothing to forget."""

    def _act(self, turn: Turn) -> Reply:
        done = sum(1 for message in turn.messages if message["role"] == "assistant")
        if done >= len(self._steps):
            return Reply(content=self._answer)
        step = self._steps[done]
        if not isinstance(step, Call):
            return Reply(content=step.say)
        results = step_results(self._steps[:done], turn.messages)
        return Reply(tool_calls=(ToolCall(step.tool, resolve(step.arguments, results)),))


class ReferencePolicy(ScriptedPolicy):
    """Plays a task's reference solution.

    Raises:
        ReferenceSolutionError: The task has none.
    """

    def __init__(self, spec: TaskSpec) -> None:
        if spec.reference is None:
            raise ReferenceSolutionError(
                "the task has no executable reference solution",
                where=spec.task_id,
                mend="Add `reference` with steps and answer",
            )
        super().__init__(spec.reference.steps, spec.reference.answer, name="reference")


class EmptyPolicy(ScriptedPolicy):
    """Does nothing and says one fixed thing (nothing at all by default)."""

    def __init__(self, says: str = "") -> None:
        super().__init__((), says, name="empty")


class EchoPolicy:
    """Does nothing and says the user's request back."""

    name = "echo"

    def act(self, turns: Sequence[Turn]) -> list[Reply]:
        """Gives the first user message of each turn as the reply."""
        return [
            Reply(content=next(m["content"] for m in turn.messages if m["role"] == "user"))
            for turn in turns
        ]

    def release(self, episode: str) -> None:
        """Has nothing to forget."""


def forbidden_policy(spec: TaskSpec, tool: str, arguments: Mapping[str, Any]) -> ScriptedPolicy:
    """Gives the reference solution with one forbidden call before the final answer."""
    reference = spec.reference
    steps: tuple[Step, ...] = reference.steps if reference else ()
    return ScriptedPolicy(
        (*steps, Call(tool=tool, arguments=dict(arguments))),
        reference.answer if reference else "",
        name=f"forbidden:{tool}",
    )


class RandomPolicy:
    """Calls random tools with words from the conversation, and at random says something."""

    name = "random"

    def __init__(self, stop: float = 0.15) -> None:
        """Makes one that ends its turn with text with probability `stop`."""
        self._stop = stop

    def act(self, turns: Sequence[Turn]) -> list[Reply]:
        """Gives a random reply for each turn, from the turn's own seed."""
        return [self._act(turn) for turn in turns]

    def release(self, episode: str) -> None:
        """Has nothing to forget."""

    def _act(self, turn: Turn) -> Reply:
        rng = derive_random(turn.seed, "random-policy")
        words = [
            word.strip('",:{}[]') for m in turn.messages for word in str(m["content"]).split()
        ] or ["x"]
        if not turn.tools or rng.random() < self._stop:
            return Reply(content=" ".join(rng.choice(words) for _ in range(5)))
        tool = rng.choice(list(turn.tools))["function"]
        arguments: dict[str, Any] = {
            name: _random_value(schema, words, rng)
            for name, schema in tool["parameters"].get("properties", {}).items()
            if name in tool["parameters"].get("required", []) or rng.random() < 0.5
        }
        return Reply(tool_calls=(ToolCall(tool["name"], arguments),))


def step_results(steps: Sequence[Step], messages: Sequence[Message]) -> dict[int, Any]:
    """Gives the parsed result of each call among the steps played so far, by step number."""
    texts = [message["content"] for message in messages if message["role"] == "tool"]
    calls = [index for index, step in enumerate(steps) if isinstance(step, Call)]
    return {index: _parsed(text) for index, text in zip(calls, texts, strict=False)}


def resolve(arguments: Any, results: Mapping[int, Any]) -> Any:
    """Replaces `"$k:path"` strings by the value at that path of the result of step k.

    Raises:
        ReferenceSolutionError: The step has no result, or the path leads nowhere in it.
    """
    if isinstance(arguments, Mapping):
        return {key: resolve(value, results) for key, value in arguments.items()}
    if isinstance(arguments, (list, tuple)):
        return [resolve(value, results) for value in arguments]
    if not (isinstance(arguments, str) and arguments.startswith("$") and ":" in arguments):
        return arguments
    step, _, path = arguments[1:].partition(":")
    if not step.isdigit():
        return arguments
    value: Any = results.get(int(step))
    for part in path.split("."):
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, TypeError, ValueError):
            raise ReferenceSolutionError(
                f"{arguments!r} leads nowhere: no {part!r} in the result of step {step}",
                mend="Let the step refer to an earlier call and a field of its result",
            ) from None
    return value


def sample_arguments(tool: ToolSchema, known: Mapping[str, Any]) -> dict[str, Any]:
    """Makes up valid arguments for a tool, taking known values for fields of the same name."""
    parameters = tool["function"]["parameters"]
    properties = parameters.get("properties", {})
    return {
        name: known[name] if name in known else _plain_value(properties.get(name, {}), name)
        for name in parameters.get("required", [])
    }


def _plain_value(schema: Mapping[str, Any], name: str) -> Any:
    kind = schema.get("type", "string")
    plain = {"integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}
    return plain.get(kind, f"any {name}")


def _random_value(schema: Mapping[str, Any], words: Sequence[str], rng: Any) -> Any:
    kind = schema.get("type") or schema.get("anyOf", [{}])[0].get("type", "string")
    if kind == "integer":
        return rng.randint(0, 30)
    if kind == "number":
        return round(rng.random() * 100, 2)
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "array":
        return [rng.choice(words) for _ in range(rng.randint(0, 2))]
    return rng.choice(words)


def _parsed(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text
