"""What a service is: collections of records, typed endpoints on them, and an audit of every call.

One `@endpoint` declaration gives the tool schema an agent sees, the validation of its arguments,
the READ/WRITE mark, the audit entry and the HTTP path. The wire behaviour (status codes, bodies,
audit document) is that of Claw-Eval's simulated services.

State is copy-on-write: a handler never changes a record in place, it puts a new one in the
collection. So a reset, a snapshot and an audit entry cost a copy of a list, not of the records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any, ClassVar, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError

Record = dict[str, Any]
Json = Any


class Access(StrEnum):
    """Whether an endpoint can change the workspace."""

    READ = "read"
    WRITE = "write"


class Request(BaseModel):
    """Base of request models; unknown fields are ignored, as the original services do."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class BrokenCallError(Exception):
    """Raised by a handler where the original service crashes.

    The agent sees status 500 with the message as `error`; the audit keeps nothing of the call.
    """


@dataclass(frozen=True, slots=True)
class Response:
    """What a call gives: an HTTP status and a JSON body."""

    status: int
    body: Json

    @property
    def ok(self) -> bool:
        """Whether the call did what it was asked: 2xx and no `error` in the body."""
        return self.status < 400 and not (isinstance(self.body, dict) and "error" in self.body)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One typed operation of a service."""

    path: str
    """HTTP path, for example `/gmail/send`."""
    tool: str
    """The tool name agents see, for example `gmail_send_message`."""
    access: Access
    description: str
    """The first paragraph of the handler's docstring."""
    request: type[Request]
    handler: str
    """Name of the method on the service class."""
    without_body: Mapping[str, Any] | None = field(default=None, hash=False)
    """The arguments of a call that brings no body; None where a body is required."""

    def parameters(self) -> dict[str, Any]:
        """Gives the JSON schema of the arguments, without pydantic's titles."""
        schema: dict[str, Any] = _without_titles(self.request.model_json_schema())
        return schema

    def tool_schema(self) -> dict[str, Any]:
        """Gives the tool in the OpenAI function format; one shared value, not to be changed."""
        return _tool_schema(self)


@cache  # pydantic takes a tenth of a millisecond for a schema, an episode little more
def _tool_schema(declared: Endpoint) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": declared.tool,
            "description": declared.description,
            "parameters": declared.parameters(),
        },
    }


Handler = TypeVar("Handler", bound=Callable[..., Json])


def endpoint(
    path: str, *, tool: str, access: Access, without_body: Mapping[str, Any] | None = None
) -> Callable[[Handler], Handler]:
    """Declares a method `(self, request: SomeRequest) -> JSON` as an endpoint of its service.

    Args:
        path: HTTP path.
        tool: The tool name agents see.
        access: Whether it can change the workspace.
        without_body: The arguments of a call that brings no body; None where one is required.
    """

    def mark(method: Handler) -> Handler:
        method.__endpoint__ = (path, tool, access, without_body)  # type: ignore[attr-defined]
        return method

    return mark


@dataclass(frozen=True, slots=True)
class Prepared:
    """A fixture parsed once for one simulated clock; shared by every service made from it."""

    records: Mapping[str, tuple[Record, ...]]
    """The collections a fresh service starts with."""
    extra: Any = None
    """Anything immutable a service derives from its fixture, such as a search index."""


class Service:
    """A live service: `records` (its data) and `log` (what was done), both by collection name.

    Subclasses set `name`, `variables` and `logs`, may override `prepare`, and declare endpoints.
    """

    name: ClassVar[str]
    """Key in a workspace and first part of every path."""
    variables: ClassVar[tuple[str, ...]] = ()
    """Claw-Eval's environment variables for the fixtures; the first one holds the main fixture."""
    logs: ClassVar[tuple[str, ...]] = ()
    """Audit lists besides `calls`."""
    unordered: ClassVar[tuple[str, ...]] = ()
    """Fields whose lists are sets: the original gives them in no fixed order."""
    endpoints: ClassVar[dict[str, Endpoint]] = {}
    """Endpoints by path; filled from the declarations."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        found = dict(cls.endpoints)
        for attribute, method in vars(cls).items():
            mark = getattr(method, "__endpoint__", None)
            if mark is None:
                continue
            path, tool, access, without_body = mark
            request = get_type_hints(method)["request"]
            lines = (method.__doc__ or "").strip().split("\n\n")[0].split()
            description = " ".join(lines)
            found[path] = Endpoint(
                path, tool, access, description, request, attribute, without_body
            )
        cls.endpoints = found

    def __init__(self, prepared: Prepared, now: datetime) -> None:
        """Makes a service in its start state.

        Args:
            prepared: What `prepare` gave for the fixture.
            now: The simulated time, aware, UTC.
        """
        self.prepared = prepared
        self.now = now
        self.records: dict[str, list[Record]] = {}
        self.log: dict[str, list[Record]] = {}
        self.reset()

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Parses a fixture (for most services: a list of records) under a simulated clock.

        Raises:
            TaskFileError: The fixture has not the shape this service reads.
        """
        raise NotImplementedError

    def reset(self) -> None:
        """Returns to the start state with an empty audit."""
        self.records = {name: list(items) for name, items in self.prepared.records.items()}
        self.log = {"calls": [], **{name: [] for name in self.logs}}

    def call(self, path: str, body: Json) -> Response:
        """Serves one POST: validates, runs the handler, and logs the call in the audit.

        A body (any JSON; None is none) that fails its schema gets 422 with FastAPI's error body.
        That, and every other status from 400 on, is not logged.
        """
        declared = self.endpoints.get(path)
        if declared is None:
            return Response(404, {"detail": "Not Found"})
        if body is None:
            if declared.without_body is None:
                return Response(422, {"detail": [_NO_BODY]})
            body = declared.without_body
        try:
            request = declared.request.model_validate(body, from_attributes=True)
        except ValidationError as error:
            return Response(422, {"detail": _fastapi_errors(error)})
        try:
            answer = getattr(self, declared.handler)(request)
        except BrokenCallError as error:
            return Response(500, {"error": str(error)})
        response = answer if isinstance(answer, Response) else Response(200, answer)
        if response.status >= 400:
            return response
        self.log["calls"].append(
            {
                "endpoint": path,
                "request_body": request.model_dump(),
                "response_body": response.body,
                "timestamp": self.timestamp(),
            }
        )
        return response

    def timestamp(self) -> str:
        """Gives the simulated time as the services write it, `2026-03-01T09:00:00+00:00`."""
        return self.now.astimezone(UTC).isoformat()

    def audit(self) -> dict[str, list[Record]]:
        """Gives the audit document: `calls` and the service's own lists."""
        return self.log

    def collection(self, name: str) -> list[Record] | None:
        """Gives a collection of the data, else of the audit, else None."""
        return self.records.get(name, self.log.get(name))

    def snapshot(self) -> tuple[dict[str, list[Record]], dict[str, list[Record]], datetime]:
        """Gives a state for `restore`; later calls do not touch it."""
        return (
            {name: list(items) for name, items in self.records.items()},
            {name: list(items) for name, items in self.log.items()},
            self.now,
        )

    def restore(
        self, state: tuple[dict[str, list[Record]], dict[str, list[Record]], datetime]
    ) -> None:
        """Returns to a state that `snapshot` gave; the state can be restored again."""
        records, log, self.now = state
        self.records = {name: list(items) for name, items in records.items()}
        self.log = {name: list(items) for name, items in log.items()}

    def find(self, collection: str, key: str, value: Any) -> tuple[int, Record] | None:
        """Gives position and record of the first record with `record[key] == value`."""
        for index, record in enumerate(self.records[collection]):
            if record.get(key) == value:
                return index, record
        return None


_NO_BODY = {"type": "missing", "loc": ["body"], "msg": "Field required", "input": None}


def _fastapi_errors(error: ValidationError) -> list[dict[str, Any]]:
    """Gives pydantic's errors as FastAPI shows them: located in the body, without links."""
    return [
        {**item, "loc": ["body", *item["loc"]]}
        for item in error.errors(include_url=False, include_context=True)
    ]


def _without_titles(schema: Any) -> Any:
    """Drops the `title` annotations pydantic adds, keeping properties that are named title."""
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _without_titles(sub) for name, sub in value.items()}
        if key == "properties"
        else _without_titles(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }
