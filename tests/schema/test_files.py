from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coworkenv_dagster.errors import StorageError, TaskFileError
from coworkenv_dagster.generation import ProceduralAuthor
from coworkenv_dagster.schema import TaskSpec, read_tasks, write_tasks
from coworkenv_dagster.storage import atomic_path
from tests.conftest import asking_task, ticket_task

AUTHOR = ProceduralAuthor()


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(AUTHOR.cells()), st.integers(0, 1000))
def test_a_task_survives_json_with_its_identity(cell, index):
    spec = AUTHOR.candidate(cell, 0, index)
    again = TaskSpec.model_validate_json(spec.model_dump_json())
    assert again == spec
    assert again.content_hash == spec.content_hash


def test_a_changed_copy_has_a_hash_of_its_own(task):
    before = task.content_hash
    assert task.model_copy(update={"request": "Else"}).content_hash != before


def test_tasks_are_read_back_as_written(tmp_path):
    specs = [ticket_task(), asking_task()]
    assert write_tasks(tmp_path / "t.jsonl", specs) == 2
    assert read_tasks(tmp_path / "t.jsonl") == specs
    assert read_tasks(tmp_path) == specs


def broken(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.yaml", "task_id: [", "a.yaml:1: not YAML"),
        ("a.json", "{", "not JSON"),
        ("a.jsonl", "\n{oops}\n", "a.jsonl:2: not JSON"),
        ("a.yaml", "task_id: x", "field capability"),
        ("a.yaml", "just text", "a.yaml: field the document"),
    ],
)
def test_a_broken_file_is_one_clear_message(tmp_path, name, text, said):
    with pytest.raises(TaskFileError, match=said.replace(".", r"\.")):
        read_tasks(broken(tmp_path, name, text))


def test_a_wrong_field_is_named_with_its_line(tmp_path):
    good = ticket_task().model_dump(mode="json")
    bad = {**good, "level": 9}
    path = broken(tmp_path, "t.jsonl", json.dumps(good) + "\n" + json.dumps(bad) + "\n")
    with pytest.raises(TaskFileError, match=r"t\.jsonl:2: field level: .*less than or equal"):
        read_tasks(path)


def test_a_missing_path_says_so(tmp_path):
    with pytest.raises(TaskFileError, match="no such file"):
        read_tasks(tmp_path / "nope.yaml")
    with pytest.raises(TaskFileError, match="no task files"):
        read_tasks(tmp_path)


def write_and_fail(path, error):
    with atomic_path(path) as part:
        part.write_text("half")
        raise error


def test_nothing_half_written_is_left_behind(tmp_path):
    with pytest.raises(StorageError, match="No space left"):
        write_and_fail(tmp_path / "x", OSError(28, "No space left on device"))
    with pytest.raises(RuntimeError):
        write_and_fail(tmp_path / "y", RuntimeError())
    assert list(tmp_path.iterdir()) == []
