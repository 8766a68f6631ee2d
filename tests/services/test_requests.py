"""What comes before a handler: validation, bodies that aren't objects, what is logged."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from tests.services.fixtures import CLASSES, NOW, live

OPTIONAL = {
    "/gmail/messages", "/calendar/events", "/todo/tasks", "/helpdesk/tickets", "/crm/customers",
    "/finance/transactions", "/notes/list", "/inventory/products", "/rss/feeds", "/rss/articles",
    "/config/integrations", "/scheduler/jobs",
}  # fmt: skip
"""Claw-Eval's endpoints that may be called without a body."""

ENDPOINTS = [(name, path) for name, cls in CLASSES.items() for path in cls.endpoints]


def test_a_missing_field_is_fastapis_422_and_not_logged():
    todo = live("todo")
    response = todo.call("/todo/tasks/create", {"priority": "high"})
    assert response.status == 422
    assert response.body == {
        "detail": [
            {
                "type": "missing",
                "loc": ["body", "title"],
                "msg": "Field required",
                "input": {"priority": "high"},
            }
        ]
    }
    assert todo.audit()["calls"] == []


def test_a_wrong_type_is_located_down_to_the_item():
    response = live("crm").call("/crm/export", {"title": "T", "customer_ids": ["a", 1]})
    assert response.status == 422
    assert [(item["type"], item["loc"]) for item in response.body["detail"]] == [
        ("string_type", ["body", "customer_ids", 1]),
        ("missing", ["body", "summary"]),
    ]
    (detail,) = live("gmail").call("/gmail/messages", {"days_back": "two"}).body["detail"]
    assert detail == {
        "type": "int_parsing",
        "loc": ["body", "days_back"],
        "msg": "Input should be a valid integer, unable to parse string as an integer",
        "input": "two",
    }


@pytest.mark.parametrize("body", ["text", 3, True, [], [{"days_back": 1}]])
def test_a_body_that_is_no_object_is_422_also_where_none_is_needed(body):
    response = live("gmail").call("/gmail/messages", body)
    assert response.status == 422
    assert response.body["detail"] == [
        {
            "type": "model_attributes_type",
            "loc": ["body"],
            "msg": "Input should be a valid dictionary or object to extract fields from",
            "input": body,
        }
    ]


@pytest.mark.parametrize(("name", "path"), ENDPOINTS)
def test_a_call_without_a_body_uses_the_defaults_or_is_422(name, path):
    service = live(name)
    response = service.call(path, None)
    if path in OPTIONAL:
        assert response.status == 200
        assert len(service.audit()["calls"]) == 1
    else:
        assert response.status == 422
        assert response.body["detail"] == [
            {"type": "missing", "loc": ["body"], "msg": "Field required", "input": None}
        ]


def test_the_calendar_without_a_body_shows_its_own_day():
    calendar = live("calendar")
    assert calendar.call("/calendar/events", None).body["total"] == 1
    assert calendar.audit()["calls"][0]["request_body"] == {"date": "2026-03-02", "days": 1}
    assert calendar.call("/calendar/events", {}).status == 422


def test_values_are_coerced_as_pydantic_does_and_unknown_fields_are_dropped():
    gmail = live("gmail")
    body = {"days_back": "30", "max_results": 1.0, "folder": "x"}
    assert gmail.call("/gmail/messages", body).body["total"] == 1
    assert gmail.audit()["calls"][0]["request_body"] == {"days_back": 30, "max_results": 1}
    assert gmail.call("/gmail/messages", {"days_back": 1.5}).status == 422
    assert gmail.call("/gmail/messages", {"days_back": None}).status == 422
    finance = live("finance")
    report = {"title": "T", "transactions": [], "total_amount": 5}
    amount = finance.call("/finance/report/submit", report).body["report"]["total_amount"]
    assert isinstance(amount, float)
    scheduler = live("scheduler")
    assert scheduler.call("/scheduler/jobs", {"enabled": "no"}).body["total"] == 1


def test_an_unknown_path_is_404_and_not_logged():
    todo = live("todo")
    response = todo.call("/todo/nope", {})
    assert (response.status, response.body) == (404, {"detail": "Not Found"})
    assert todo.audit()["calls"] == []


def test_an_error_answer_is_logged_with_every_field_filled_in():
    todo = live("todo")
    response = todo.call("/todo/tasks/update", {"task_id": "t9"})
    assert (response.status, response.body) == (200, {"error": "Task t9 not found"})
    assert not response.ok
    assert todo.audit() == {
        "calls": [
            {
                "endpoint": "/todo/tasks/update",
                "request_body": {
                    "task_id": "t9", "title": None, "priority": None, "status": None, "tags": None,
                },
                "response_body": {"error": "Task t9 not found"},
                "timestamp": "2026-03-01T09:00:00+00:00",
            }
        ],
        "deleted": [],
        "updated_tasks": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "path", "key", "thing"),
    [
        ("gmail", "/gmail/messages/get", "message_id", "Message"),
        ("calendar", "/calendar/events/get", "event_id", "Event"),
        ("calendar", "/calendar/events/delete", "event_id", "Event"),
        ("contacts", "/contacts/get", "contact_id", "Contact"),
        ("todo", "/todo/tasks/delete", "task_id", "Task"),
        ("helpdesk", "/helpdesk/tickets/get", "ticket_id", "Ticket"),
        ("helpdesk", "/helpdesk/tickets/update", "ticket_id", "Ticket"),
        ("crm", "/crm/customers/get", "customer_id", "Customer"),
        ("finance", "/finance/transactions/get", "transaction_id", "Transaction"),
        ("notes", "/notes/get", "note_id", "Note"),
        ("kb", "/kb/articles/get", "article_id", "Article"),
        ("inventory", "/inventory/products/get", "product_id", "Product"),
        ("rss", "/rss/articles/get", "article_id", "Article"),
        ("config", "/config/integrations/get", "integration_id", "Integration"),
        ("config", "/config/integrations/update", "integration_id", "Integration"),
        ("scheduler", "/scheduler/jobs/get", "job_id", "Job"),
        ("scheduler", "/scheduler/jobs/update", "job_id", "Job"),
        ("scheduler", "/scheduler/jobs/delete", "job_id", "Job"),
        ("scheduler", "/scheduler/jobs/history", "job_id", "Job"),
    ],
)
def test_an_unknown_id_is_an_error_that_names_it(name, path, key, thing):
    response = live(name).call(path, {key: "雪-9"})
    assert (response.status, response.body) == (200, {"error": f"{thing} 雪-9 not found"})


def test_timestamps_are_utc_whatever_the_zone_of_the_clock():
    east = datetime(2026, 3, 1, 17, 0, tzinfo=timezone(timedelta(hours=8)))
    gmail = live("gmail", now=east)
    sent = gmail.call("/gmail/send", {"to": "a", "subject": "b", "body": "c"}).body["message"]
    assert sent["timestamp"] == "2026-03-01T09:00:00+00:00"
    gmail.now = NOW + timedelta(minutes=1)
    assert gmail.timestamp() == "2026-03-01T09:01:00+00:00"
