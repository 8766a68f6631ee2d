"""What a policy is: it sees turns (conversation and tools) and answers each with a reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

Message = dict[str, Any]
"""A chat message in the OpenAI format: `role`, `content`, and `tool_calls` or `tool_call_id`."""

ToolSchema = dict[str, Any]
"""A tool in the OpenAI format: type `function`, with name, description and parameters."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that a policy asks for."""

    name: str
    """The tool's name; may be unknown to the environment, which then answers with an error."""
    arguments: dict[str, Any]
    """The arguments as parsed; the environment validates them."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a policy sees when it is to act."""

    episode: str
    """Identifies the live episode within its rollout; a policy may key a cache on it."""
    messages: Sequence[Message]
    """The conversation so far, system and user message first; only ever appended to."""
    tools: Sequence[ToolSchema]
    """The tools on offer; the same through the whole episode."""
    seed: int
    """Seed of this turn: equal turns with equal seeds get equal replies from a local policy."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a policy does: text for the user, or tool calls (with optional text beside them)."""

    content: str = ""
    """Text; when there is no tool call it goes to the user (or ends the episode)."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls to run in this order; empty when the turn is addressed to the user."""
    malformed: str = ""
    """The raw text of a tool call that could not be parsed; observed as an error by the policy."""
    token_ids: tuple[int, ...] = ()
    """The sampled token ids, end-of-turn token included; empty where the policy has no tokens."""
    logprobs: tuple[float, ...] = ()
    """Natural-log probability of each sampled token under the sampling policy."""
    prompt_tokens: int = 0
    """Tokens of context that were read for this reply, cached ones included."""
    error: str = ""
    """Set when no reply could be had (an endpoint gave up): the episode ends *unscored*."""
    exhausted: str = ""
    """Set when the policy has no context left: the episode ends and is graded as it stands."""
    meta: dict[str, Any] = field(default_factory=dict)
    """Anything else worth keeping in the trajectory, JSON values only."""


@runtime_checkable
class Policy(Protocol):
    """Acts on many live episodes at once; a single episode is a batch of one."""

    name: str
    """What reports call it."""

    def act(self, turns: Sequence[Turn]) -> list[Reply]:
        """Gives one reply for each turn, in order."""
        ...

    def release(self, episode: str) -> None:
        """Forgets what is cached for an episode that has ended."""
        ...
