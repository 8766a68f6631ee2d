from __future__ import annotations

import pytest

from tests.services.fixtures import ids, live

TIMES = {"start_time": "2026-03-05T10:00:00Z", "end_time": "2026-03-05T11:00:00Z"}


def test_the_newest_mail_is_a_day_old_and_the_rest_keep_their_distance():
    dates = [mail["date"] for mail in live("gmail").records["messages"]]
    assert dates == ["2026-02-28T09:00:00Z", "2026-02-18T09:00:00Z"]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({}, ["m1"]),
        ({"days_back": 30}, ["m1", "m2"]),
        ({"days_back": 1}, ["m1"]),
        ({"days_back": 0}, []),
        ({"days_back": -3}, []),
        ({"days_back": 30, "max_results": 0}, []),
        ({"days_back": 30, "max_results": -1}, ["m1"]),
    ],
)
def test_the_list_takes_recent_mails_and_then_cuts(body, found):
    assert ids(live("gmail").call("/gmail/messages", body).body) == found


def test_the_list_shows_the_envelope_alone():
    (mail,) = live("gmail").call("/gmail/messages", {}).body["messages"]
    assert list(mail) == ["message_id", "from", "subject", "date", "is_read", "labels"]


def test_days_out_of_range_crash_the_original_so_the_agent_sees_a_500():
    gmail = live("gmail")
    response = gmail.call("/gmail/messages", {"days_back": 10**9})
    assert (response.status, response.body) == (
        500,
        {"error": "1000000000 days back is out of range"},
    )
    assert gmail.audit()["calls"] == []


def test_a_draft_keeps_what_it_answers_and_is_not_sent():
    gmail = live("gmail")
    body = {"to": "a@x.com", "subject": "Re", "body": "ok", "reply_to_message_id": "m1"}
    draft = gmail.call("/gmail/drafts/save", body).body
    assert draft["status"] == "draft_saved"
    assert gmail.audit()["drafts"] == [draft["draft"]]
    assert gmail.audit()["sent_messages"] == []


def test_the_earliest_event_is_tomorrow_at_its_own_hour():
    starts = [event["start_time"] for event in live("calendar").records["events"]]
    assert starts == ["2026-03-02T10:30:00Z", "2026-03-03T09:00:00Z"]


def test_the_seconds_of_the_earliest_event_are_dropped_from_the_span():
    fixture = [
        {"event_id": "a", "start_time": "2026-01-05T10:30:30Z", "end_time": ""},
        {"event_id": "b", "start_time": "2026-01-05T11:00:00+08:00", "end_time": None},
    ]
    events = live("calendar", fixture).records["events"]
    # The earliest is b (03:00 UTC): its own hour, 11, tomorrow in UTC, written in its own zone.
    assert [event["start_time"] for event in events] == [
        "2026-03-02T18:30:30Z",
        "2026-03-02T19:00:00Z",
    ]
    assert [event["end_time"] for event in events] == ["", None]
    (event,) = live("calendar", fixture[:1]).records["events"]
    assert event["start_time"] == "2026-03-02T10:30:00Z"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"date": "2026-03-02"}, ["e1"]),
        ({"date": "2026-03-02", "days": 2}, ["e1", "e2"]),
        ({"date": "2026-03-02", "days": 0}, []),
        ({"date": "2026-03-04", "days": -2}, []),
        ({"date": "2026-3-2"}, ["e1"]),
    ],
)
def test_a_list_takes_the_days_from_midnight_utc(body, found):
    assert ids(live("calendar").call("/calendar/events", body).body) == found


def test_a_malformed_day_is_an_error_in_the_body():
    calendar = live("calendar")
    for path in ("/calendar/events", "/calendar/user_events"):
        response = calendar.call(path, {"user": "Ana", "date": "March"})
        assert (response.status, response.body) == (200, {"error": "Invalid date format: March"})
    assert len(calendar.audit()["calls"]) == 2


def test_a_person_is_found_by_a_part_of_the_name():
    answer = live("calendar").call("/calendar/user_events", {"user": "Lopez", "date": "2026-03-02"})
    assert ids(answer.body) == ["e1"]
    assert answer.body["user"] == "Lopez"
    body = {"user": "lopez", "date": "2026-03-02"}
    assert live("calendar").call("/calendar/user_events", body).body["total"] == 0


def test_events_are_sorted_by_start_and_ids_follow_their_number_also_after_a_deletion():
    calendar = live("calendar")
    calendar.call("/calendar/events/delete", {"event_id": "e1"})
    early = {"start_time": "2026-03-03T08:00:00Z", "end_time": "2026-03-03T08:30:00Z"}
    made = calendar.call("/calendar/events/create", {"title": "X", **early}).body["event"]
    assert made == {"event_id": "evt_002", "title": "X", **early, "attendees": [],
                    "location": "", "recurring": False}  # fmt: skip
    assert ids(calendar.call("/calendar/events", {"date": "2026-03-03"}).body) == ["evt_002", "e2"]
    assert [event["event_id"] for event in calendar.audit()["deleted"]] == ["e1"]
    calendar.call("/calendar/events/delete", {"event_id": "e2"})
    calendar.call("/calendar/events/create", {"title": "Y", **early})
    assert ids(calendar.call("/calendar/events", {"date": "2026-03-03"}).body) == ["evt_002"] * 2


@pytest.mark.parametrize("start", ["soon", "2026-03-05T10:00:00", "2026-03-05"])
def test_a_start_without_a_zone_crashes_later_lists_of_the_original(start):
    calendar = live("calendar")
    made = {**TIMES, "title": "X", "start_time": start}
    assert calendar.call("/calendar/events/create", made).status == 200
    for path in ("/calendar/events", "/calendar/user_events"):
        response = calendar.call(path, {"user": "Ana", "date": "2026-03-02"})
        assert response.status == 500
        assert response.body["error"].startswith("Event evt_003 has a malformed start_time")
    assert [call["endpoint"] for call in calendar.audit()["calls"]] == ["/calendar/events/create"]
    calendar.call("/calendar/events/delete", {"event_id": "evt_003"})
    assert calendar.call("/calendar/events", {"date": "2026-03-02"}).status == 200


def test_days_beyond_the_calendar_are_a_500():
    response = live("calendar").call("/calendar/events", {"date": "9999-12-31"})
    assert (response.status, response.body["error"]) == (
        500,
        "1 days from 9999-12-31 is out of range",
    )


def test_a_malformed_date_in_the_fixture_is_shown_when_it_matters():
    calendar = live("calendar", [{"event_id": "e1", "start_time": "soon"}])
    assert calendar.call("/calendar/events/get", {"event_id": "e1"}).status == 200
    assert calendar.call("/calendar/events", {"date": "2026-03-02"}).status == 500
