"""`Environment`: a task made live. The one thing policies act in and graders look at."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pydantic import BaseModel, ConfigDict

from coworkenv_dagster.errors import CoworkEnvError, TaskFileError
from coworkenv_dagster.policies.base import ToolSchema
from coworkenv_dagster.schema import TaskSpec
from coworkenv_dagster.services import (
    Access,
    Prepared,
    Response,
    Service,
    service_class,
    tool_endpoint,
)
from coworkenv_dagster.users import ScriptedUser


class CallRecord(BaseModel):
    """One attempt to call a tool, whatever came of it."""

    model_config = ConfigDict(frozen=True)

    tool: str
    arguments: dict[str, Any]
    status: int
    """HTTP status; 404 for a tool that isn't on offer, 400 for a call that couldn't be read."""
    ok: bool
    """Whether the call did what it asked: status below 400 and no error in the body."""


@dataclass(frozen=True, slots=True)
class _Tool:
    service: str
    path: str
    schema: ToolSchema
    access: Access


class Environment:
    """A live workspace with its tools, its user and its clock; no I/O, microseconds a call.

    Args:
        spec: The task.

    Raises:
        UnknownServiceError: The workspace or a custom tool names a service that doesn't exist.
        UnknownToolError: A tool on offer isn't provided by any registered service.
        TaskFileError: A fixture has not the shape its service reads.
    """

    def __init__(self, spec: TaskSpec) -> None:
        self.spec = spec
        self._tools = _bind_tools(spec)
        names = {*spec.workspace, *(tool.service for tool in self._tools.values())}
        self._prepared: dict[str, Prepared] = {name: _prepare(name, spec) for name in sorted(names)}
        self.reset()

    def reset(self, seed: int = 0) -> None:
        """Returns to the start state; equal seeds give equal behaviour from here on."""
        self.seed = seed
        self.now: datetime = self.spec.now
        self.services: dict[str, Service] = {
            name: service_class(name)(prepared, self.now)
            for name, prepared in self._prepared.items()
        }
        self.user = ScriptedUser(self.spec.persona) if self.spec.persona else None
        self.calls: list[CallRecord] = []
        """Every attempt to call a tool, in order."""
        self.said: list[str] = []
        """Every message to the user, in order."""

    @property
    def tools(self) -> list[ToolSchema]:
        """The tools on offer, in the OpenAI function format."""
        return [tool.schema for tool in self._tools.values()]

    def access(self, tool: str) -> Access | None:
        """Gives whether a tool on offer reads or writes; None for one that isn't on offer."""
        found = self._tools.get(tool)
        return found.access if found else None

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Response:
        """Calls a tool; a failure is a response for the agent, never an exception."""
        found = self._tools.get(tool)
        if found is None:
            response = Response(404, {"error": f"unknown tool {tool!r}"})
        else:
            response = self._serve(found, arguments)
        self._record(tool, dict(arguments), response)
        return response

    def same_endpoint(self, tool: str, other: str) -> bool:
        """Tells whether two tools are one, or two names of one endpoint."""
        mine, theirs = self._tools.get(tool), self._tools.get(other)
        if mine is None or theirs is None:
            return tool == other
        return (mine.service, mine.path) == (theirs.service, theirs.path)

    def reject_call(self, text: str) -> Response:
        """Notes a tool call that could not be read and gives the error the agent observes."""
        response = Response(
            400, {"error": "the tool call is not valid: give one JSON object with name, arguments"}
        )
        self._record("", {"text": text}, response)
        return response

    def say(self, text: str) -> str | None:
        """Says something to the user; gives the reply, or None when the conversation is over."""
        self.said.append(text)
        return self.user.answer(text) if self.user else None

    def advance(self, duration: timedelta) -> None:
        """Lets simulated time pass; services stamp what is done from then on with the new time."""
        self.now += duration
        for service in self.services.values():
            service.now = self.now

    def audit(self) -> dict[str, Any]:
        """Gives every service's audit document, by service name."""
        return {name: service.audit() for name, service in self.services.items()}

    def collection(self, service: str, name: str) -> list[dict[str, Any]] | None:
        """Gives a collection (or audit list) of a service as it is now; None if there is none."""
        found = self.services.get(service)
        return found.collection(name) if found else None

    def snapshot(self) -> Any:
        """Gives a value for `restore`: the whole state, not touched by later calls."""
        return (
            self.seed,
            self.now,
            {name: service.snapshot() for name, service in self.services.items()},
            self.user.snapshot() if self.user else None,
            tuple(self.calls),
            tuple(self.said),
        )

    def restore(self, state: Any) -> None:
        """Returns to a state that `snapshot` gave; the state can be restored again."""
        self.seed, self.now, services, user, calls, said = state
        for name, service in self.services.items():
            service.restore(services[name])
        if self.user:
            self.user.restore(user)
        self.calls, self.said = list(calls), list(said)

    def _serve(self, tool: _Tool, arguments: Mapping[str, Any]) -> Response:
        try:
            return self.services[tool.service].call(tool.path, arguments)
        except Exception as error:  # a record of a task that isn't what the service expects
            return Response(500, {"error": f"{tool.service} failed: {type(error).__name__}"})

    def _record(self, tool: str, arguments: dict[str, Any], response: Response) -> None:
        self.calls.append(
            CallRecord(tool=tool, arguments=arguments, status=response.status, ok=response.ok)
        )


def observation(response: Response) -> str:
    """Gives what an agent sees of a response: its body as compact JSON."""
    return json.dumps(response.body, ensure_ascii=False, separators=(",", ":"))


def _prepare(name: str, spec: TaskSpec) -> Prepared:
    """Parses a service's fixture; whatever is wrong with it becomes one clear error."""
    try:
        return service_class(name).prepare(spec.workspace.get(name, []), spec.now)
    except CoworkEnvError:
        raise
    except Exception as error:
        raise TaskFileError(
            f"the fixture can't be read ({type(error).__name__}: {error})",
            where=f"{spec.task_id}: workspace.{name}",
            mend="Look at the dates and field types of its records",
        ) from error


def _bind_tools(spec: TaskSpec) -> dict[str, _Tool]:
    tools: dict[str, _Tool] = {}
    for name in spec.tools:
        service, declared = tool_endpoint(name)
        tools[name] = _Tool(service, declared.path, declared.tool_schema(), declared.access)
    for custom in spec.custom_tools:
        # A path that no endpoint serves answers 404, as the original services do.
        endpoint = service_class(custom.service).endpoints.get(custom.path)
        schema = {
            "type": "function",
            "function": {
                "name": custom.name,
                "description": custom.description,
                "parameters": custom.parameters,
            },
        }
        access = endpoint.access if endpoint else Access.READ
        tools[custom.name] = _Tool(custom.service, custom.path, schema, access)
    return tools
