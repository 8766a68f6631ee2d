"""A task under the gate: its environment and the probe episodes played in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from coworkenv_dagster.environment import Environment
from coworkenv_dagster.episode import Trajectory, run_episode
from coworkenv_dagster.errors import CoworkEnvError
from coworkenv_dagster.policies.base import Policy
from coworkenv_dagster.policies.scripted import ReferencePolicy
from coworkenv_dagster.schema import TaskSpec


class DuplicateIndex(Protocol):
    """Knows tasks that a new one must not repeat."""

    def find(self, spec: TaskSpec) -> str | None:
        """Gives the id of a near-duplicate, or None."""
        ...


@dataclass(frozen=True)
class GateContext:
    """What the gate compares a task with besides the task itself."""

    held_out: DuplicateIndex | None = None
    """Tasks kept for evaluation: nothing that is trained on may be near them."""
    others: DuplicateIndex | None = None
    """The task's own set: `find` gives a twin that comes before the task (never the task itself),
    so that of two twins the first one stays."""


class Subject:
    """A task with its live environment (or why there is none) and its cached reference run."""

    def __init__(self, spec: TaskSpec, context: GateContext) -> None:
        self.spec = spec
        self.context = context
        self.load_error: CoworkEnvError | None = None
        self.environment: Environment | None = None
        try:
            self.environment = Environment(spec)
        except CoworkEnvError as error:
            self.load_error = error

    def play(self, policy: Policy) -> Trajectory:
        """Plays one episode in the environment, which it resets first."""
        assert self.environment is not None
        return run_episode(policy, self.environment)

    @cached_property
    def reference(self) -> Trajectory:
        """The reference solution's episode."""
        return self.play(ReferencePolicy(self.spec))


def evidence(trajectory: Trajectory) -> dict[str, Any]:
    """Gives what a person needs to see of a probe episode."""
    verdict = trajectory.verdict
    return {
        "policy": trajectory.policy,
        "calls": [
            {"tool": call.tool, "arguments": call.arguments, "status": call.status, "ok": call.ok}
            for call in trajectory.calls
        ],
        "said": [
            message["content"]
            for message in trajectory.messages
            if message["role"] == "assistant" and message["content"]
        ],
        "checks": {check.name: [check.credit, check.detail] for check in verdict.checks},
        "violations": list(verdict.violations),
    }
