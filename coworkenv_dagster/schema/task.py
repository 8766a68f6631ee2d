"""`TaskSpec`: everything an environment is made from; its content hash is its identity."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from coworkenv_dagster.hashing import content_hash
from coworkenv_dagster.schema.capability import Capability, Cell, Split
from coworkenv_dagster.schema.grader import Grader


class Model(BaseModel):
    """Base of the schema's values: frozen, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class CustomTool(Model):
    """A tool that a task defines itself on a service's path, as Claw-Eval's task files do."""

    name: str
    service: str
    path: str
    """The endpoint of the service it calls, for example `/gmail/send`."""
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object", "properties": {}})
    """JSON schema shown to the agent; validation is the endpoint's own."""


class ForbiddenTool(Model):
    """A tool on offer that must not be called: any call of it, refused or not, zeroes safety."""

    tool: str
    reason: str = ""
    """Why it is out of bounds, as the request or a policy of the workspace says it."""
    temptation: dict[str, Any] | None = None
    """Arguments a tempted agent would use; the gate plays them. None: the gate makes them up."""


class Fact(Model):
    """Something the simulated user knows and tells when asked for it."""

    key: str
    """Names the fact; unique within the persona."""
    value: str
    """The information itself; occurs in `reply`."""
    unlock: tuple[str, ...] = Field(min_length=1)
    """Lower-case phrases; a question that contains one of them asks for this fact."""
    reply: str
    """What the user then says."""


class Persona(Model):
    """A scripted user: answers questions with facts, else says there is nothing to add."""

    name: str
    facts: tuple[Fact, ...] = ()
    follow_ups: tuple[str, ...] = ()
    """Further requests, made one by one after an answer that asks nothing."""
    patience: int = Field(default=3, ge=0)
    """Questions that unlock nothing which are answered with `fallback` before the user leaves."""
    fallback: str = "I don't know more about that. Please go ahead with what you have."


class Call(Model):
    """A step of the reference solution: one tool call.

    A string argument `"$k:path"` stands for a value in the result of step k (0-based), for
    example `"$0:messages.2.message_id"`.
    """

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    required: bool = True
    """False for a step that only looks: leaving it out must not matter to the grader."""


class Say(Model):
    """A step of the reference solution: text to the user, who replies."""

    say: str


Step = Annotated[Call | Say, Field(union_mode="left_to_right")]


class Reference(Model):
    """The executable solution: it must get the full score."""

    steps: tuple[Step, ...] = ()
    answer: str = ""
    """The final message to the user."""

    @property
    def calls(self) -> tuple[Call, ...]:
        """The tool calls among the steps."""
        return tuple(step for step in self.steps if isinstance(step, Call))


class Knobs(Model):
    """The difficulty a task was made with."""

    steps: int = 0
    """Tool calls of the reference solution."""
    services: int = 0
    distractors: int = 0
    """Records that are there to be told apart from the right one."""
    missing_facts: int = 0
    """Facts that only the user can give."""
    traps: int = 0
    """Forbidden shortcuts and injected instructions."""


class Provenance(Model):
    """Where a task comes from."""

    author: str
    """Which author made it, with its version, for example `procedural/1`."""
    seed: int = 0
    structure: str = ""
    """Names the composition (goals and services, without entities); equal for sibling tasks."""
    parent: str | None = None
    """Content hash of the version this one was mended from."""
    repairs: tuple[str, ...] = ()
    """The mends that led from the first version to this one, oldest first."""


class TaskSpec(Model):
    """One task with its workspace, user, grader and reference solution."""

    task_id: str
    """Readable name, unique within a set; kept by repairs."""
    capability: Capability
    level: int = Field(default=1, ge=1, le=5)
    language: str = "en"
    split: Split = Split.GENERAL
    request: str
    """The user's first message."""
    system: str = ""
    """Text for the system message besides the simulated date."""
    now: datetime = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
    """The simulated time at the start, aware."""
    workspace: dict[str, Any] = Field(default_factory=dict)
    """Fixture by service name, in the wire format of that service."""
    tools: tuple[str, ...] = ()
    """Registered tools on offer, in the order shown."""
    custom_tools: tuple[CustomTool, ...] = ()
    forbidden: tuple[ForbiddenTool, ...] = ()
    persona: Persona | None = None
    grader: Grader
    reference: Reference | None = None
    """None for foreign tasks that come without an executable solution."""
    knobs: Knobs = Knobs()
    provenance: Provenance = Provenance(author="unknown")
    max_turns: int = Field(default=20, ge=1)
    """Most replies a policy may give in an episode."""

    @model_validator(mode="after")
    def _aware(self) -> TaskSpec:
        if self.now.tzinfo is None:
            raise ValueError("now must carry a time zone, for example 2026-03-01T09:00:00Z")
        return self

    @property
    def cell(self) -> Cell:
        """The cell of the capability profile this task belongs to."""
        return Cell(self.capability, self.level)

    @property
    def tool_names(self) -> tuple[str, ...]:
        """All tools on offer, registered and custom."""
        return (*self.tools, *(tool.name for tool in self.custom_tools))

    @cached_property
    def content_hash(self) -> str:
        """Identity: the hash of everything the task says."""
        return content_hash(self.model_dump(mode="json"))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Gives a changed copy, with a hash of its own (pydantic would copy the cached one)."""
        copied = super().model_copy(update=update, deep=deep)
        copied.__dict__.pop("content_hash", None)
        return copied
