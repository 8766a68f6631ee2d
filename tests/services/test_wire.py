from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coworkenv_dagster.conformance import main, replay
from coworkenv_dagster.errors import TaskFileError, UnknownServiceError, UnknownToolError
from coworkenv_dagster.hashing import canonical_json
from coworkenv_dagster.services import (
    Access,
    Prepared,
    Request,
    Service,
    register,
    service_class,
    service_names,
    tool_endpoint,
)
from coworkenv_dagster.services.base import endpoint
from tests.conftest import SHARED

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
RECORDINGS = sorted((SHARED / "claw/wire").glob("*.json"))
MINE = [path for path in RECORDINGS if path.stem.rsplit("-", 1)[0] in service_names()]

FIXTURES = {
    "gmail": [
        {"message_id": "m1", "from": "a@x.com", "to": "me@x.com", "subject": "One", "body": "B",
         "date": "2026-02-20T08:00:00Z", "labels": ["INBOX"], "is_read": False},
        {"message_id": "m2", "from": "b@x.com", "to": "me@x.com", "subject": "Two", "body": "B",
         "date": "2026-02-10T08:00:00Z", "labels": [], "is_read": True},
    ],
    "calendar": [
        {"event_id": "e1", "title": "Sync", "start_time": "2026-01-05T10:30:00Z",
         "end_time": "2026-01-05T11:00:00Z", "attendees": ["Ana Lopez"], "location": ""},
        {"event_id": "e2", "title": "Demo", "start_time": "2026-01-06T09:00:00Z",
         "end_time": "2026-01-06T10:00:00Z", "attendees": [], "location": "A"},
    ],
    "contacts": [{"contact_id": "c1", "name": "Ana Lopez", "department": "Sales"}],
    "todo": [{"task_id": "t1", "title": "Pay", "status": "pending", "priority": "low"}],
    "helpdesk": [{"ticket_id": "k1", "title": "VPN", "status": "open", "priority": "low"}],
    "crm": [{"customer_id": "u1", "name": "Acme", "tier": "vip", "status": "active"}],
}  # fmt: skip


def live(name, now=NOW):
    cls = service_class(name)
    return cls(cls.prepare(FIXTURES[name], now), now)


@pytest.mark.skipif(not RECORDINGS, reason="no ../shared beside this checkout")
@pytest.mark.parametrize("path", MINE, ids=lambda path: path.stem)
def test_a_service_equals_its_recording(path):
    assert replay(json.loads(path.read_text())) == []


def test_a_difference_is_found_and_named(tmp_path, capsys):
    recording = {
        "service": "contacts",
        "now": NOW.isoformat(),
        "fixtures": {"CONTACTS_FIXTURES": FIXTURES["contacts"]},
        "calls": [
            {"path": "/contacts/get", "body": {"contact_id": "c1"}, "status": 200,
             "response": {"contact_id": "c1", "name": "Ann Lopez"}},
        ],
        "audit": {"calls": [], "sent_messages": []},
        "audit_after_reset": {"calls": [], "sent_messages": []},
    }  # fmt: skip
    places = {item.where for item in replay(recording)}
    assert "calls[0] /contacts/get: response.name" in places
    assert "audit.calls.length" in places
    path = tmp_path / "r.json"
    path.write_text(json.dumps(recording))
    assert main([path]) == 1
    assert "expected 'Ann Lopez', got 'Ana Lopez'" in capsys.readouterr().out
    path.write_text("{}")
    with pytest.raises(TaskFileError, match=r"r\.json: not a recording"):
        main([path])


def test_the_newest_mail_is_a_day_old_and_the_rest_keep_their_distance():
    dates = [m["date"] for m in live("gmail").records["messages"]]
    assert dates == ["2026-02-28T09:00:00Z", "2026-02-18T09:00:00Z"]
    body = live("gmail").call("/gmail/messages", {"days_back": 3}).body
    assert [m["message_id"] for m in body["messages"]] == ["m1"]
    assert "body" not in body["messages"][0]


def test_the_earliest_event_is_tomorrow_at_its_own_hour():
    starts = [e["start_time"] for e in live("calendar").records["events"]]
    assert starts == ["2026-03-02T10:30:00Z", "2026-03-03T09:00:00Z"]
    calendar = live("calendar")
    assert (
        calendar.call("/calendar/user_events", {"user": "Lopez", "date": "2026-03-02"}).body[
            "total"
        ]
        == 1
    )
    assert calendar.call("/calendar/events", {"date": "March"}).body == {
        "error": "Invalid date format: March"
    }


def test_a_malformed_date_inside_an_event_is_an_error_the_agent_sees():
    cls = service_class("calendar")
    service = cls(cls.prepare([{"event_id": "e1", "start_time": "soon"}], NOW), NOW)
    assert "malformed" in service.call("/calendar/events", {"date": "2026-03-02"}).body["error"]


def test_an_id_follows_the_number_of_records_also_after_a_deletion():
    calendar = live("calendar")
    times = {"start_time": "2026-03-05T10:00:00Z", "end_time": "2026-03-05T11:00:00Z"}
    calendar.call("/calendar/events/delete", {"event_id": "e1"})
    made = calendar.call("/calendar/events/create", {"title": "X", **times}).body["event"]
    assert made["event_id"] == "evt_002"
    assert made["attendees"] == []


def test_a_body_that_breaks_the_schema_is_422_and_not_logged():
    service = live("todo")
    response = service.call("/todo/tasks/create", {"priority": "high"})
    assert response.status == 422
    assert response.body["detail"][0]["loc"] == ["body", "title"]
    assert service.call("/todo/nope", {}).status == 404
    assert service.audit()["calls"] == []


CALLS = st.lists(
    st.tuples(st.integers(0, 30), st.sampled_from(["m1", "e1", "c1", "t1", "k1", "u1", "x"])),
    max_size=8,
)


def fill(service, pick, value):
    endpoints = list(service.endpoints.values())
    declared = endpoints[pick % len(endpoints)]
    required = declared.parameters().get("required", [])
    kinds = {"customer_ids": [value], "date": "2026-03-02"}
    return declared.path, {name: kinds.get(name, value) for name in required}


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(FIXTURES)), CALLS, CALLS)
def test_reset_and_snapshot_bring_back_every_byte(name, before, after):
    def state():
        return canonical_json([service.records, service.log])

    service, other = live(name), live(name)
    start = state()
    for call in before:
        service.call(*fill(service, *call))
    kept, saved = state(), service.snapshot()
    for call in after:
        service.call(*fill(service, *call))
    service.restore(saved)
    assert state() == kept
    service.reset()
    assert state() == start == canonical_json([other.records, other.log])


@pytest.mark.parametrize("fixture", [{}, "text", [1], [{"name": "no id"}]])
def test_a_fixture_of_the_wrong_shape_is_one_clear_message(fixture):
    with pytest.raises(TaskFileError, match=r"workspace\.contacts"):
        service_class("contacts").prepare(fixture, NOW)


def test_unknown_names_list_what_exists():
    with pytest.raises(UnknownServiceError, match="helpdesk"):
        service_class("telex")
    with pytest.raises(UnknownToolError, match="telex_send"):
        tool_endpoint("telex_send")


class Ring(Request):
    times: int


class Bell(Service):
    """A service made in one file."""

    name = "bell"
    logs = ("rings",)

    @classmethod
    def prepare(cls, fixture, now):
        return Prepared({"bells": tuple(fixture)})

    @endpoint("/bell/ring", tool="bell_ring", access=Access.WRITE)
    def ring(self, request: Ring) -> object:
        """Ring the bell."""
        self.log["rings"].append({"times": request.times})
        return {"rung": request.times}


def test_a_service_is_one_class_and_one_registration():
    register(Bell)
    owner, declared = tool_endpoint("bell_ring")
    assert (owner, declared.access) == ("bell", Access.WRITE)
    schema = declared.tool_schema()["function"]
    assert schema["description"] == "Ring the bell."
    assert schema["parameters"]["required"] == ["times"]
    bell = Bell(Bell.prepare([], NOW), NOW)
    assert bell.call("/bell/ring", {"times": "2"}).body == {"rung": 2}
    assert bell.audit()["rings"] == [{"times": 2}]
    with pytest.raises(UnknownToolError, match="already provided"):
        register(type("Gong", (Bell,), {"name": "gong"}))


def test_the_docs_list_every_service_with_its_collections_and_logs():
    page = (Path(__file__).parents[2] / "docs/services.md").read_text()
    for name in service_names():
        if name in {"bell", "gong"}:
            continue
        cls = service_class(name)
        fixture = {} if name == "web" else []
        collections = ", ".join(cls.prepare(fixture, NOW).records)
        assert f"| {name} | {collections} | {', '.join(cls.logs)} |" in page
