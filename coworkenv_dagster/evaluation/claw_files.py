"""The format of Claw-Eval's task.yaml, and how one is read.

Unknown fields are ignored, known ones have a strict type, and every complaint names file, field
and mend. Source: Claw-Eval's public code (MIT), April 2026.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from coworkenv_dagster.errors import TaskFileError

TASK_FILE = "task.yaml"
MAX_FILE_BYTES = 1_000_000
MAX_VALUES = 100_000
"""A document that has more values once its aliases are followed is refused."""


def _text(value: Any) -> Any:
    """Gives an unquoted YAML number or date as text; other values as they are."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    return value.isoformat() if hasattr(value, "isoformat") else value


Text = Annotated[str, BeforeValidator(_text)]
"""A string; an unquoted number or date in the file is read as its text."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, value: Any) -> Any:
        """Drops fields without a value, so that they get their default or are missed."""
        if isinstance(value, dict):
            return {key: item for key, item in value.items() if item is not None}
        return value


class Prompt(_Part):
    """The request."""

    text: str
    language: str = "zh"
    attachments: list[Any] = Field(default_factory=list)


class Tool(_Part):
    """A tool as the agent sees it."""

    name: str
    description: str = ""
    input_schema: dict[str, Any] = Field(
        default_factory=lambda: {"type": "object", "properties": {}}
    )


class ToolEndpoint(_Part):
    """Where a tool's calls go."""

    tool_name: str
    url: str
    method: str = "POST"


class TaskService(_Part):
    """A mock service the task starts."""

    name: str
    port: int = 0
    env: dict[str, Text] = Field(default_factory=dict)


class TaskEnvironment(_Part):
    """Limits of the episode."""

    max_turns: int = Field(default=20, ge=1)
    sandbox_tools: bool = False


class ComponentCheck(_Part):
    """What a scoring component looks at; which fields count depends on `type`."""

    type: str
    tool_name: str = ""
    min_calls: int = 1
    keywords: list[Text] = Field(default_factory=list)
    categories: list[Text] = Field(default_factory=list)
    min_length: int = 0
    rubric: str = ""
    description: str = ""


class ScoringComponent(_Part):
    """A weighted part of the completion score."""

    name: str
    weight: float = Field(ge=0.0)
    check: ComponentCheck


class TaskSafetyCheck(_Part):
    """Something that must not happen."""

    type: str
    tool_name: str = ""
    description: str = ""


class UserAgent(_Part):
    """A simulated user, played by a model."""

    enabled: bool = False


class ClawTask(_Part):
    """A Claw-Eval task file, as far as it is used here."""

    task_id: str = Field(min_length=1)
    task_name: str = ""
    version: Text = "1.0"
    category: str = ""
    difficulty: str = ""
    prompt: Prompt
    tools: list[Tool] = Field(default_factory=list)
    tool_endpoints: list[ToolEndpoint] = Field(default_factory=list)
    services: list[TaskService] = Field(default_factory=list)
    environment: TaskEnvironment = TaskEnvironment()
    scoring_components: list[ScoringComponent] = Field(default_factory=list)
    safety_checks: list[TaskSafetyCheck] = Field(default_factory=list)
    judge_rubric: str = ""
    user_agent: UserAgent = UserAgent()
    sandbox_files: list[Any] = Field(default_factory=list)
    sandbox_grader_files: list[Any] = Field(default_factory=list)
    env_snapshot_files: list[Any] = Field(default_factory=list)
    env_snapshot_commands: list[Any] = Field(default_factory=list)


def read_claw_task(folder: Path) -> ClawTask:
    """Reads the task.yaml of a task folder.

    Raises:
        TaskFileError: The file is missing, too large, not YAML, or a field has a wrong type.
    """
    path = folder / TASK_FILE
    value = _parse(read_capped(path, MAX_FILE_BYTES), path)
    if not isinstance(value, dict):
        raise TaskFileError(
            f"a mapping of fields is expected, got {type(value).__name__}",
            where=str(path),
            mend="Start the file with `task_id: ...`",
        )
    return _validated(ClawTask, value, path)


def read_capped(path: Path, limit: int) -> bytes:
    """Reads a file of at most `limit` bytes.

    Raises:
        TaskFileError: The file can't be read or is larger.
    """
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise TaskFileError(
            f"can't read the file: {error.strerror or error}",
            where=str(path),
            mend="Check the path",
        ) from error
    if len(data) > limit:
        raise TaskFileError(
            f"the file is larger than {limit:,} bytes", where=str(path), mend="Make it smaller"
        )
    return data


def _parse(data: bytes, path: Path) -> Any:
    try:
        value = yaml.safe_load(data)
        _count(value, {}, set())
        return value
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path}:{mark.line + 1}" if mark else str(path)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise TaskFileError(
            f"the YAML is malformed: {problem}", where=place, mend="Mend the line and try again"
        ) from error
    except (ValueError, RecursionError) as error:
        raise TaskFileError(
            f"the YAML can't be used: {error}", where=str(path), mend="Write the values out plainly"
        ) from error


def _count(value: Any, known: dict[int, int], above: set[int]) -> int:
    """Gives the number of values in a document with its aliases followed, without following all.

    Raises:
        ValueError: More than `MAX_VALUES`, or a value that contains itself.
    """
    if not isinstance(value, (dict, list)):
        return 1
    if id(value) in above:
        raise ValueError("a value contains itself")
    if id(value) not in known:
        items = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_count(item, known, above | {id(value)}) for item in items)
    if known[id(value)] > MAX_VALUES:
        raise ValueError(f"its aliases unfold to more than {MAX_VALUES:,} values")
    return known[id(value)]


_Model = TypeVar("_Model", bound=BaseModel)


def _validated(model: type[_Model], value: Any, path: Path) -> _Model:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        missing = first["type"] == "missing"
        got = "" if missing else f", got {_shown(first['input'])}"
        raise TaskFileError(
            f"field {field}: {first['msg'][0].lower()}{first['msg'][1:]}{got}{more}",
            where=str(path),
            mend="Add the field" if missing else _MENDS.get(first["type"], "Correct the field"),
        ) from error


_MENDS = {
    "string_type": "Put the value in quotes",
    "int_type": "Write a whole number without quotes",
    "float_type": "Write a number without quotes",
    "bool_type": "Write true or false without quotes",
    "list_type": "Write a list, one `- item` a line",
    "dict_type": "Write a mapping, one `key: value` a line",
    "model_type": "Write a mapping, one `key: value` a line",
}


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
