"""Finds and reads the fixtures of a Claw-Eval task, and nothing outside the suite's folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from coworkenv_dagster.errors import TaskFileError
from coworkenv_dagster.evaluation.claw_files import TASK_FILE, TaskService, read_capped
from coworkenv_dagster.services import service_class

MAX_FIXTURE_BYTES = 32_000_000


class Unavailable(Exception):
    """A fixture belongs to something that isn't here, so the task is skipped."""


class Fixtures:
    """Resolves the fixture paths of one task.

    Args:
        folder: The task's folder.
        task_id: The task's id, which its paths name the folder by.
    """

    def __init__(self, folder: Path, task_id: str) -> None:
        self._folder = folder
        self._task_id = task_id
        self._root = folder.resolve().parent

    def load(self, service: TaskService, index: int, sandbox_files: Sequence[Any]) -> Any:
        """Gives a service's fixture: its content, or by variable where it has several.

        Without a variable in the file the service's folder under fixtures/ holds it.

        Raises:
            TaskFileError: A fixture is missing, not JSON, or outside the suite's folder.
            Unavailable: It belongs to a task that isn't in this folder, or is a folder of files.
        """
        variables = service_class(service.name).variables
        given = {name: service.env[name] for name in variables if name in service.env}
        contents = {
            name: self._read(path, f"services.{index}.env.{name}") for name, path in given.items()
        }
        if len(variables) > 1:
            return contents
        if contents:
            return next(iter(contents.values()))
        path = self._usual(service.name, sandbox_files)
        if path is None:
            raise self._error(
                f"services.{index}.env",
                f"no fixture for service {service.name}",
                f"Name one, or put one JSON file under fixtures/{service.name}",
            )
        return self._read(path, f"services.{index}.env")

    def _usual(self, service: str, sandbox_files: Sequence[Any]) -> str | None:
        prefix = f"fixtures/{service}/"
        named = [str(p) for p in sandbox_files if str(p).startswith(prefix)]
        if not named:
            places = sorted((self._folder / "fixtures" / service).glob("*.json"))
            named = [f"{prefix}{place.name}" for place in places]
        return named[0] if len(named) == 1 else None

    def _read(self, path: str, field: str) -> Any:
        place = self._resolve(path, field)
        if place.is_dir():
            raise Unavailable(f"needs the folder of files {path}")
        if not place.is_file():
            raise self._error(field, f"missing fixture file {path}", "Restore the file")
        data = read_capped(place, MAX_FIXTURE_BYTES)
        try:
            return json.loads(data)
        except ValueError as error:
            raise self._error(
                field, f"fixture {path} isn't JSON: {error}", "Mend the fixture"
            ) from error

    def _resolve(self, path: str, field: str) -> Path:
        """Gives where a path leads: `tasks/ID/...` beside the task's folder, else inside it.

        A link or `..` that leads out of the folder of tasks is refused.
        """
        parts = PurePosixPath(path).parts
        if parts[:1] == ("tasks",) and len(parts) > 1:
            owner = parts[1]
            home = self._folder if owner == self._task_id else self._root / owner
            place = home.joinpath(*parts[2:])
        else:
            owner, home, place = self._task_id, self._folder, self._folder.joinpath(*parts)
        resolved = place.resolve()
        if not resolved.is_relative_to(home.resolve()) or home.resolve().parent != self._root:
            raise self._error(
                field,
                f"fixture path {path!r} leads out of the suite's folder",
                "Keep fixtures under the task's own folder",
            )
        if home != self._folder and not (home / TASK_FILE).is_file():
            raise Unavailable(f"uses a fixture of task {owner}, which isn't in this folder")
        return resolved

    def _error(self, field: str, problem: str, mend: str) -> TaskFileError:
        return TaskFileError(
            f"field {field}: {problem}", where=str(self._folder / TASK_FILE), mend=mend
        )
