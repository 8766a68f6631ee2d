"""Small fixtures of every service, and services made from them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from coworkenv_dagster.services import Service, service_class
from coworkenv_dagster.services.caption import Caption
from coworkenv_dagster.services.documents import Documents
from coworkenv_dagster.services.ocr import Ocr

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

FIXTURES: dict[str, Any] = {
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
    "contacts": [
        {"contact_id": "c1", "name": "Ana Lopez", "department": "Sales"},
        {"contact_id": "c2", "name": "Ben Ode", "department": "Sales Support"},
    ],
    "todo": [
        {"task_id": "t1", "title": "Pay", "status": "pending", "priority": "low", "tags": []},
        {"task_id": "t2", "title": "Call", "status": "completed", "priority": "low", "tags": []},
    ],
    "helpdesk": [
        {"ticket_id": "k1", "title": "VPN", "reporter": "Ana", "department": "Sales",
         "priority": "low", "status": "open", "created_at": "2026-02-01", "tags": ["net"]},
        {"ticket_id": "k2", "title": "Fax", "reporter": "Ben", "department": "Sales",
         "priority": "low", "status": "closed", "created_at": "2026-02-02", "tags": []},
    ],
    "crm": [
        {"customer_id": "u1", "name": "Acme", "contact_person": "Cy", "tier": "vip",
         "status": "active", "industry": "IT", "annual_revenue": 5.5, "notes": "secret"},
        {"customer_id": "u2", "name": "Bolt", "contact_person": "Di", "tier": "basic",
         "status": "active", "industry": "", "annual_revenue": 1},
    ],
    "finance": [
        {"transaction_id": "x1", "date": "2026-01-31", "amount": 10.5},
        {"transaction_id": "x2", "date": "2026-02-01", "amount": 3},
    ],
    "notes": [
        {"note_id": f"n{number}", "title": f"N{number}", "created_at": "2026-02-01",
         "participants": ["Ana"], "duration_minutes": 30, "content": "long"}
        for number in (1, 2, 3)
    ],
    "kb": [
        {"article_id": "a1", "title": "VPN reset", "category": "IT", "tags": ["vpn"],
         "content": "x" * 200, "last_updated": "2025-01-01", "views": 3},
        {"article_id": "a2", "title": "年假 5", "category": "HR", "tags": [],
         "content": "每年", "last_updated": "2025-01-01", "views": 0},
    ],
    "inventory": [
        {"product_id": "p1", "name": "Cable", "category": "parts", "stock": 4},
        {"product_id": "p2", "name": "Desk", "category": "furniture", "stock": 1},
    ],
    "rss": [
        {"article_id": f"r{number}", "title": "T", "source": source, "category": category,
         "published_at": "2026-02-01", "summary": "S", "word_count": 9, "content": "C"}
        for number, source, category in ((1, "A", "tech"), (2, "B", "law"), (3, "A", "law"))
    ],
    "config": [
        {"integration_id": "i1", "name": "Mail", "service": "smtp", "status": "active",
         "last_verified": "2026-02-01", "monthly_calls": 9, "error_rate": 0.1,
         "notes": "ok", "api_key": "sk-1"},
    ],
    "scheduler": [
        {"job_id": "j1", "name": "sync", "cron_expression": "* * * * *", "enabled": True,
         "last_status": "failed", "tags": ["crm"],
         "execution_history": [{"status": "failed"}, {"status": "success"}, {"status": "success"}]},
        {"job_id": "j2", "name": "dump", "cron_expression": "0 2 * * *", "enabled": False},
    ],
    "web": {
        "search": [
            {"url": "https://a.example", "title": "A", "snippet": "S", "source": "a",
             "published_at": "2026", "keywords": ["Acme outage", "故障恢复"]},
            {"url": "https://b.example", "title": "B", "snippet": "S",
             "keywords": ["outage", "$9"]},
        ],
        "pages": [
            {"url": "https://a.example", "title": "A", "content": "text", "hidden": 1},
            {"url": "https://b.example", "status_code": 503, "error": "Down"},
            {"url": "https://c.example", "status_code": 410},
        ],
    },
    "documents": [
        {"path": "docs/a.pdf", "pages": ["one", "two ", " three\n"]},
        {"path": "docs/a.txt", "pages": ["no"]},
    ],
    "ocr": {"files": {"scan/a.png": {"text": "INVOICE 7"}, "scan/b.png": {"text": "MENU"}}},
    "caption": [{"image_path": "img/cat.png", "caption": "A cat"}],
}  # fmt: skip

CLASSES: dict[str, type[Service]] = {
    **{
        name: service_class(name)
        for name in FIXTURES
        if name not in {"documents", "ocr", "caption"}
    },
    "documents": Documents,
    "ocr": Ocr,
    "caption": Caption,
}


def live(name: str, fixture: Any = None, now: datetime = NOW) -> Service:
    """Gives a fresh service on its small fixture, or on another one."""
    cls = CLASSES[name]
    return cls(cls.prepare(FIXTURES[name] if fixture is None else fixture, now), now)


def ids(answer: dict[str, Any]) -> list[str]:
    """Gives the first field of every record of the first list of an answer."""
    items = next(value for value in answer.values() if isinstance(value, list))
    assert answer["total"] == len(items)
    return [next(iter(item.values())) for item in items]
