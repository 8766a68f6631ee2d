"""A task while it is being composed: sentences, steps and checks are added goal by goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from coworkenv_dagster.generation.company import Company, Record
from coworkenv_dagster.schema import (
    AskedCheck,
    Call,
    Check,
    Fact,
    ForbiddenTool,
    SafetyCheck,
    Say,
    Step,
)
from coworkenv_dagster.services import service_class


@dataclass(slots=True)
class Draft:
    """What goals write into."""

    company: Company
    level: int
    sentences: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    parts: list[tuple[str, float, Check]] = field(default_factory=list)
    """Name, share and check; shares are scaled to weights that sum to 1."""
    safety: list[SafetyCheck] = field(default_factory=list)
    forbidden: list[ForbiddenTool] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    structure: list[str] = field(default_factory=list)
    services: list[str] = field(default_factory=list)
    """Services whose tools are on offer, in the order of their first use."""
    distractors: int = 0
    looked_up: dict[str, int] = field(default_factory=dict)
    """Step number by look-up already made, so that nothing is looked up twice."""

    @property
    def rng(self) -> Random:
        """The task's own random stream."""
        return self.company.rng

    @property
    def crowd(self) -> int:
        """How many records of a kind a workspace of this level has besides the right one."""
        return self.level

    def use(self, service: str) -> None:
        """Puts a service's tools on offer."""
        if service not in self.services:
            self.services.append(service)
        self.company.workspace.setdefault(service, [])

    def call(self, tool: str, *, required: bool = True, **arguments: Any) -> int:
        """Adds a call to the reference; gives its step number."""
        self.steps.append(Call(tool=tool, arguments=arguments, required=required))
        return len(self.steps) - 1

    def look_up(self, tool: str, **arguments: Any) -> int:
        """Adds a reading call, or gives the number of the same call made before."""
        key = f"{tool}{sorted(arguments.items())}"
        if key not in self.looked_up:
            self.looked_up[key] = self.call(tool, required=False, **arguments)
        return self.looked_up[key]

    def check(self, name: str, check: Check, share: float = 1.0) -> None:
        """Adds a weighted check."""
        self.parts.append((name, share, check))

    def ask(self, key: str, value: str, question: str, unlock: Sequence[str], reply: str) -> None:
        """Leaves a fact to the user: a question in the reference, the fact, a check on asking."""
        if all(fact.key != key for fact in self.facts):
            self.facts.append(Fact(key=key, value=value, unlock=tuple(unlock), reply=reply))
            self.check(f"asked for the {key}", AskedCheck(fact=key), share=0.4)
        self.steps.append(Say(say=question))

    def tools(self) -> tuple[str, ...]:
        """Gives the tools of the services in use."""
        return tuple(
            endpoint.tool
            for service in self.services
            for endpoint in service_class(service).endpoints.values()
        )

    def weights(self) -> list[float]:
        """Gives the shares as weights of three digits; the last one takes up the rounding."""
        total = sum(share for _, share, _ in self.parts)
        weights = [round(share / total, 3) for _, share, _ in self.parts]
        weights[-1] = round(1.0 - sum(weights[:-1]), 3)
        return weights


def position(records: list[Record], record: Record) -> int:
    """Gives where a record stands among others."""
    return next(index for index, other in enumerate(records) if other is record)
