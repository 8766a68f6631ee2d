"""The services that keep lists of records: filters, changes and their audit."""

from __future__ import annotations

import pytest

from tests.services.fixtures import FIXTURES, ids, live


@pytest.mark.parametrize(
    ("name", "path", "body", "found"),
    [
        ("contacts", "/contacts/search", {"query": "Od"}, ["c2"]),
        ("contacts", "/contacts/search", {"query": ""}, ["c1", "c2"]),
        ("contacts", "/contacts/search", {"query": "ana"}, []),
        ("contacts", "/contacts/search", {"query": "", "department": "Support"}, ["c2"]),
        ("contacts", "/contacts/search", {"query": "", "department": ""}, ["c1", "c2"]),
        ("todo", "/todo/tasks", {}, ["t1", "t2"]),
        ("todo", "/todo/tasks", {"status": "pending"}, ["t1"]),
        ("todo", "/todo/tasks", {"status": ""}, []),
        ("helpdesk", "/helpdesk/tickets", {}, ["k1"]),
        ("helpdesk", "/helpdesk/tickets", {"status": "all"}, ["k1", "k2"]),
        ("helpdesk", "/helpdesk/tickets", {"status": "pending"}, []),
        ("crm", "/crm/customers", {"status": "active", "tier": "vip"}, ["u1"]),
        ("crm", "/crm/customers", {"industry": ""}, ["u1", "u2"]),
        ("crm", "/crm/customers", {"tier": None}, ["u1", "u2"]),
        ("finance", "/finance/transactions", {"start_date": "2026-02"}, ["x2"]),
        ("finance", "/finance/transactions", {"end_date": "2026-01-31"}, ["x1"]),
        ("finance", "/finance/transactions", {"start_date": "", "end_date": ""}, ["x1", "x2"]),
        ("notes", "/notes/list", {}, ["n1", "n2", "n3"]),
        ("notes", "/notes/list", {"max_results": 0}, []),
        ("notes", "/notes/list", {"max_results": -1}, ["n1", "n2"]),
        ("inventory", "/inventory/products", {"category": "parts"}, ["p1"]),
        ("inventory", "/inventory/products", {"category": ""}, ["p1", "p2"]),
        ("rss", "/rss/articles", {"source": "A", "category": "law"}, ["r3"]),
        ("rss", "/rss/articles", {"source": "", "max_results": 2}, ["r1", "r2"]),
        ("config", "/config/integrations", {"status": "down"}, []),
        ("config", "/config/integrations", {"status": ""}, ["i1"]),
        ("scheduler", "/scheduler/jobs", {"status": "failed"}, ["j1"]),
        ("scheduler", "/scheduler/jobs", {"enabled": False}, ["j2"]),
        ("scheduler", "/scheduler/jobs", {"tag": "crm"}, ["j1"]),
        ("scheduler", "/scheduler/jobs", {"tag": "", "status": ""}, ["j1", "j2"]),
    ],
)
def test_filters(name, path, body, found):
    assert ids(live(name).call(path, body).body) == found


@pytest.mark.parametrize(
    ("name", "path", "hidden"),
    [
        ("helpdesk", "/helpdesk/tickets", "tags"),
        ("crm", "/crm/customers", "notes"),
        ("notes", "/notes/list", "content"),
        ("rss", "/rss/articles", "content"),
        ("config", "/config/integrations", "api_key"),
    ],
)
def test_a_list_leaves_out_what_only_the_record_itself_shows(name, path, hidden):
    service = live(name)
    listed = next(iter(service.call(path, {}).body.values()))[0]
    assert hidden in FIXTURES[name][0]
    assert hidden not in listed
    key = next(iter(listed))
    assert service.call(get_path(name, path), {key: listed[key]}).body == FIXTURES[name][0]


def get_path(name, path):
    return "/notes/get" if name == "notes" else f"{path}/get"


def test_a_job_without_tags_has_none_and_the_history_counts_all_runs():
    scheduler = live("scheduler")
    assert [job["tags"] for job in scheduler.call("/scheduler/jobs", {}).body["jobs"]] == [
        ["crm"],
        [],
    ]
    history = scheduler.call("/scheduler/jobs/history", {"job_id": "j1", "limit": 2}).body
    assert (len(history["history"]), history["total"]) == (2, 3)
    empty = scheduler.call("/scheduler/jobs/history", {"job_id": "j2"}).body
    assert empty == {"job_id": "j2", "history": [], "total": 0}


@pytest.mark.parametrize(
    ("name", "path", "prefix", "body", "delete"),
    [
        ("todo", "/todo/tasks", "todo_", {"title": "New"}, {"task_id": "t1"}),
        ("scheduler", "/scheduler/jobs", "JOB-",
         {"name": "n", "cron_expression": "x", "action": "a"}, {"job_id": "j1"}),
    ],
)  # fmt: skip
def test_an_id_follows_the_number_of_records_also_after_a_deletion(
    name, path, prefix, body, delete
):
    service = live(name)
    first = ids({**service.call(path, {}).body})
    service.call(f"{path}/create", body)
    service.call(f"{path}/delete", delete)
    service.call(f"{path}/create", body)
    assert ids(service.call(path, {}).body) == [*first[1:], f"{prefix}003", f"{prefix}003"]


def test_the_audit_of_a_todos_creation_shows_its_later_changes():
    todo = live("todo")
    made = todo.call("/todo/tasks/create", {"title": "New", "description": None}).body["task"]
    assert made["description"] == ""
    answer = todo.call("/todo/tasks/update", {"task_id": "todo_003", "tags": ["a"]}).body["task"]
    todo.call("/todo/tasks/update", {"task_id": "todo_003", "title": ""})
    calls = todo.audit()["calls"]
    assert calls[0]["response_body"]["task"] == {**made, "title": "", "tags": ["a"]}
    assert calls[1]["response_body"]["task"] == answer == {**made, "tags": ["a"]}
    assert made["tags"] == []
    assert [task["title"] for task in todo.audit()["updated_tasks"]] == ["New", ""]


def test_a_ticket_is_changed_only_in_what_was_given():
    helpdesk = live("helpdesk")
    body = {"ticket_id": "k1", "tags": [], "category": ""}
    ticket = helpdesk.call("/helpdesk/tickets/update", body).body["ticket"]
    assert ticket == {**FIXTURES["helpdesk"][0], "tags": [], "category": ""}
    closed = helpdesk.call("/helpdesk/tickets/close", {"ticket_id": "k1", "resolution": "ok"}).body
    assert closed == {
        "status": "closed",
        "ticket": {**ticket, "status": "closed", "resolution": "ok"},
    }
    assert helpdesk.audit()["updated_tickets"] == [ticket]
    assert helpdesk.audit()["closed"] == [closed["ticket"]]
    assert helpdesk.call("/helpdesk/tickets", {}).body["total"] == 0


def test_an_empty_text_is_noted_as_a_change_of_an_integration_but_changes_nothing():
    config = live("config")
    body = {"integration_id": "i1", "status": "", "notes": "down"}
    answer = config.call("/config/integrations/update", body).body
    assert answer["integration"] == {**FIXTURES["config"][0], "notes": "down"}
    (update,) = config.audit()["updates"]
    assert update["changes"] == body
    assert update["timestamp"] == "2026-03-01T09:00:00+00:00"


def test_messages_orders_shares_and_exports_do_not_look_whether_the_id_exists():
    for name, path, body, log in (
        ("contacts", "/contacts/send_message", {"contact_id": "x", "message": "m"},
         "sent_messages"),
        ("inventory", "/inventory/orders/create", {"product_id": "x", "quantity": -1}, "orders"),
        ("notes", "/notes/share", {"note_id": "x", "recipients": []}, "shared"),
        ("crm", "/crm/export", {"title": "", "customer_ids": ["x"], "summary": ""},
         "exported_reports"),
    ):  # fmt: skip
        service = live(name)
        answer = service.call(path, body)
        assert answer.ok
        (kept,) = service.audit()[log]
        assert kept in answer.body.values()


def test_feeds_count_articles_and_collect_categories():
    feeds = live("rss").call("/rss/feeds", {}).body
    assert feeds == {
        "feeds": [
            {"source": "A", "categories": ["tech", "law"], "article_count": 2},
            {"source": "B", "categories": ["law"], "article_count": 1},
        ],
        "total": 2,
    }
    law = live("rss").call("/rss/feeds", {"category": "law"}).body["feeds"]
    assert [(feed["source"], feed["article_count"]) for feed in law] == [("B", 1), ("A", 1)]
