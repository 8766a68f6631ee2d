from __future__ import annotations

import json
from pathlib import Path

import pytest

from coworkenv_dagster.conformance import Difference, differences, main, replay, replay_file
from coworkenv_dagster.errors import TaskFileError, UnknownServiceError
from tests.conftest import SHARED
from tests.services.fixtures import FIXTURES, NOW

RECORDINGS = sorted((SHARED / "claw/wire").glob("*.json"))


def tape(**changes):
    calls = [
        {"endpoint": "/contacts/get", "request_body": {"contact_id": "c1"},
         "response_body": FIXTURES["contacts"][0], "timestamp": "2026-03-01T09:00:00+00:00"}
    ]  # fmt: skip
    call = {"path": "/contacts/get", "body": {"contact_id": "c1"}, "status": 200}
    return {
        "service": "contacts",
        "now": NOW.isoformat(),
        "fixtures": {"CONTACTS_FIXTURES": FIXTURES["contacts"]},
        "calls": [{**call, "response": FIXTURES["contacts"][0]}],
        "audit": {"calls": calls, "sent_messages": []},
        "audit_after_reset": {"calls": [], "sent_messages": []},
        **changes,
    }


@pytest.mark.skipif(not RECORDINGS, reason="no ../shared beside this checkout")
@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_a_service_equals_its_recording(path):
    assert replay_file(path) == []


def test_an_equal_recording_gives_no_difference_and_exit_code_0(tmp_path, capsys):
    path = tmp_path / "r.json"
    path.write_text(json.dumps(tape()))
    assert main([path]) == 0
    assert "equal" in capsys.readouterr().out


def test_a_difference_is_found_and_named(tmp_path, capsys):
    call = {**tape()["calls"][0], "response": {"contact_id": "c1", "name": "Ann [b]Lopez"}}
    recording = tape(calls=[call], audit={"calls": [], "sent_messages": []})
    places = {item.where for item in replay(recording)}
    assert "calls[0] /contacts/get: response.name" in places
    assert "calls[0] /contacts/get: response.department" in places
    assert "audit.calls.length" in places
    path = tmp_path / "r.json"
    path.write_text(json.dumps(recording))
    assert main([path]) == 1
    assert "expected 'Ann [b]Lopez', got 'Ana Lopez'" in capsys.readouterr().out


def test_numbers_differ_by_json_type_and_sets_do_not_differ_by_order():
    assert list(differences({"a": 1}, {"a": 1.0}, "x")) == [Difference("x.a", 1, 1.0)]
    assert list(differences({"a": 1}, {"a": True}, "x")) == [Difference("x.a", 1, True)]
    one, other = {"categories": ["a", "b"]}, {"categories": ["b", "a"]}
    assert list(differences([one], [other], "x", ("categories",))) == []
    assert len(list(differences([one], [other], "x"))) == 2
    assert len(list(differences(one, {"categories": ["b"]}, "x", ("categories",)))) == 2


def test_where_the_original_crashed_only_the_status_counts():
    call = {"path": "/gmail/messages", "body": {"days_back": 10**9}, "status": 500,
            "response": "Internal Server Error"}  # fmt: skip
    audit = {"calls": [], "sent_messages": [], "drafts": []}
    recording = tape(
        service="gmail",
        fixtures={"GMAIL_FIXTURES": FIXTURES["gmail"]},
        calls=[call],
        audit=audit,
        audit_after_reset=audit,
    )
    assert replay(recording) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "can't be read"),
        ("[]", "not a recording of a service: the document"),
        ("{}", "not a recording of a service: service: Field required"),
        (json.dumps(tape(now="noon")), "not a recording of a service: now"),
        (json.dumps(tape(fixtures={})), r"fixtures\.CONTACTS_FIXTURES: Field required"),
        (json.dumps(tape(calls=[{}])), r"calls\.0\.path: Field required"),
        (json.dumps(tape(fixtures={"CONTACTS_FIXTURES": [{}]})), r"workspace\.contacts\.0"),
    ],
)
def test_a_malformed_file_is_one_clear_error(tmp_path, text, problem):
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(TaskFileError, match=problem) as caught:
        main([path])
    assert str(caught.value).startswith(str(path))


def test_a_missing_file_or_an_unknown_service_is_one_clear_error(tmp_path):
    with pytest.raises(TaskFileError, match="can't be read"):
        replay_file(Path(tmp_path / "absent.json"))
    with pytest.raises(UnknownServiceError, match="Known services: "):
        replay(tape(service="telex"))
