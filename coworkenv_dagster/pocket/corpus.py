"""Text for the tokenizer only: field names, tool names and English prose, never a task.

The base model is not trained on this text. It decides which pieces become one token, so that
episodes are short: the field and tool names of the workspace services are in it for that reason.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from faker import Faker

SERVICE_FIELDS: dict[str, tuple[str, ...]] = {
    "messages": ("message_id", "from", "to", "subject", "body", "date", "is_read", "labels"),
    "events": ("event_id", "title", "start_time", "end_time", "attendees", "location", "recurring"),
    "contacts": ("contact_id", "name", "department", "title", "email", "phone", "location"),
    "tasks": (
        "task_id", "title", "description", "status", "priority", "due_date", "tags", "created_at"
    ),
    "tickets": (
        "ticket_id", "title", "reporter", "department", "priority", "status", "created_at"
    ),
    "customers": (
        "customer_id", "name", "contact_person", "tier", "status", "industry", "annual_revenue"
    ),
}  # fmt: skip
"""Fields of a row by the list they come in."""

OTHER_FIELDS = (
    "reply_to_message_id", "draft", "message", "event", "task", "ticket", "customer", "record",
    "report", "error", "detail", "resolution", "notes", "category", "assigned_to", "summary",
    "customer_ids", "last_contact_date", "query", "user", "timestamp", "days", "days_back",
    "max_results", "total", "status", "retry_after_seconds",
)  # fmt: skip

TOOLS: dict[str, tuple[str, ...]] = {
    "gmail_list_messages": ("days_back?", "max_results?"),
    "gmail_get_message": ("message_id",),
    "gmail_send_message": ("to", "subject", "body"),
    "gmail_save_draft": ("to", "subject", "body", "reply_to_message_id?"),
    "calendar_list_events": ("date", "days?"),
    "calendar_get_event": ("event_id",),
    "calendar_create_event": ("title", "start_time", "end_time", "attendees?", "location?"),
    "calendar_get_user_events": ("user", "date"),
    "calendar_delete_event": ("event_id",),
    "todo_list_tasks": ("status?",),
    "todo_update_task": ("task_id", "title?", "priority?", "status?", "tags?"),
    "todo_create_task": ("title", "description?", "priority?", "due_date?"),
    "todo_delete_task": ("task_id",),
    "contacts_search": ("query", "department?"),
    "contacts_get": ("contact_id",),
    "contacts_send_message": ("contact_id", "message"),
    "helpdesk_list_tickets": ("status?",),
    "helpdesk_get_ticket": ("ticket_id",),
    "helpdesk_update_ticket": ("ticket_id", "priority?", "tags?", "category?"),
    "helpdesk_close_ticket": ("ticket_id", "resolution"),
    "crm_list_customers": ("status?", "tier?", "industry?"),
    "crm_get_customer": ("customer_id",),
    "crm_export_report": ("title", "customer_ids", "summary"),
}

ID_PREFIXES = ("msg_", "evt_", "todo_", "con_", "TK-", "CUS-")

WORDS = """
the of to and a in for is on that with at by from as it be this are was have not you your our we
please can could would should will do does did done has had there their they them he she his her
what when where which who how many much all any each every first last next only same other more
ask tell find look check send write reply forward answer move book schedule cancel delete create
add set change update close open mark list read give get make put keep leave take name number date
time today tomorrow user week month monday tuesday wednesday thursday friday saturday sunday
coworker january february march april june july august morning afternoon meeting
call review report budget invoice contract project plan draft note message mail email subject
body
calendar event task ticket customer contact person department manager team office room priority
status high medium low urgent normal pending completed active inactive open closed resolved vip
standard basic premium technology finance retail media health energy legal sales support marketing
engineering operations people product design security training travel order delivery payment
refund renewal proposal offer feedback question issue problem error failure printer laptop network
password access login account request approval deadline agenda minutes summary quarterly annual
weekly monthly daily launch workshop interview onboarding lunch sync planning roadmap demo survey
newsletter update reminder confirmed sent saved created deleted closed moved found nothing matching
sorry unknown try again which one do mean about say exactly no yes ok thanks hello hi best regards
before after until between during without also both either still already instead now then later
start end due id address phone location attendees title revenue tier industry resolution total
minutes hours days
""".split()

_PATTERNS = (
    "{a} the {b} {c} to {d}.", "Please {a} {b} for {n} and {c} {d}.", "{A} {b} {c}",
    "Which {a} do you mean?", "The {a} of {n} is {b}.", "{A} {b}: {c} {d}", "I {a} the {b} to {n}.",
    "Done: {a} {b} {c}.", "There are {num} {a} {b}.", "{n}, {t} at {co}", "{A}. {B} {c}.",
    "Is it {n} or {n}?", "Send it to {e}.", "On {date} at {clock} with {n}.", "Re: {A} {b}",
)  # fmt: skip


def corpus(seed: int, lines: int = 30_000) -> Iterator[str]:
    """Yields lines of text to train the tokenizer on.

    Args:
        seed: Equal seeds give equal lines.
        lines: How many lines of prose.
    """
    rng = random.Random(seed)
    fake = Faker("en_US")
    fake.seed_instance(seed)
    english = [word for word in fake.get_words_list() if word.isalpha()]
    for _ in range(lines):
        yield _prose(rng, fake, english)
    yield from _numbers(rng)
    fields = [key for keys in (*SERVICE_FIELDS.values(), OTHER_FIELDS) for key in keys]
    plain = [*WORDS, *(part for key in fields for part in key.split("_"))]
    for _ in range(250):
        yield "(" + ",".join(rng.sample(plain, len(plain))) + ")"
        yield "\n".join(item.capitalize() for item in plain)


def service_json(seed: int, lines: int = 6_000) -> Iterator[str]:
    """Yields lists and calls in the wire format with made-up values, for the JSON pieces."""
    rng = random.Random(seed)
    fake = Faker("en_US")
    fake.seed_instance(seed)
    english = [word for word in fake.get_words_list() if word.isalpha()]
    for _ in range(lines):
        yield compact_json(_service_list(rng, fake, english))
        yield _call(rng, fake, english)


def names() -> list[str]:
    """Gives tool names, argument names, id prefixes and labels, one token each."""
    arguments = [key.rstrip("?") for keys in TOOLS.values() for key in keys]
    labels = ("INBOX", "IMPORTANT", "SENT")
    found = [*TOOLS, *(key for key in arguments if "_" in key), *ID_PREFIXES, *labels]
    return list(dict.fromkeys(found))


def compact_json(value: Any) -> str:
    """Gives JSON without spaces, as tool results and calls are rendered."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _prose(rng: random.Random, fake: Faker, english: list[str]) -> str:
    """Gives one line of office English with names, addresses, dates."""

    def word() -> str:
        return rng.choice(WORDS) if rng.random() < 0.75 else rng.choice(english)

    return rng.choice(_PATTERNS).format(
        a=word(), b=word(), c=word(), d=word(), A=word().capitalize(), B=word().capitalize(),
        n=fake.name(), t=rng.choice(WORDS), co=fake.company(), e=_address(rng, fake),
        num=rng.randrange(100), date=_day(rng), clock=f"{rng.randrange(24):02}:{rng.choice('03')}0",
    )  # fmt: skip


def _service_list(rng: random.Random, fake: Faker, english: list[str]) -> dict[str, Any]:
    """Gives a list result whose rows have the wire format's fields and made-up values."""
    name = rng.choice(list(SERVICE_FIELDS))
    fields = SERVICE_FIELDS[name]
    rows = [{key: _value(rng, fake, english, key) for key in fields} for _ in range(2)]
    if rng.random() < 0.5:
        return {name: rows, "total": 2}
    extra = {key: _value(rng, fake, english, key) for key in rng.sample(OTHER_FIELDS, 3)}
    return {"status": rng.choice(WORDS), rng.choice(OTHER_FIELDS): {**rows[0], **extra}}


def _call(rng: random.Random, fake: Faker, english: list[str]) -> str:
    """Gives a tool call with the arguments of one tool and made-up values."""
    tool = rng.choice(list(TOOLS))
    keys = [key.rstrip("?") for key in TOOLS[tool] if not key.endswith("?") or rng.random() < 0.5]
    arguments = {key: _value(rng, fake, english, key) for key in keys}
    return compact_json({"name": tool, "arguments": arguments})


def _value(rng: random.Random, fake: Faker, english: list[str], key: str) -> Any:
    """Gives a made-up value of the kind that a field of that name holds."""
    if key.endswith("_id"):
        return f"{rng.choice(ID_PREFIXES)}{rng.randrange(1000, 10000)}"
    if key in ("from", "to", "email"):
        return _address(rng, fake)
    if key.endswith(("date", "_at", "_time")) or key == "timestamp":
        clock = f"{rng.randrange(24):02}:{rng.choice(('00', '30', '15'))}"
        return _day(rng) if rng.random() < 0.4 else f"{_day(rng)}T{clock}:00Z"
    if key in ("name", "reporter", "contact_person", "user", "assigned_to"):
        return fake.name() if rng.random() < 0.7 else fake.company()
    if key in ("is_read", "recurring"):
        return rng.random() < 0.5
    if key in ("labels", "tags", "attendees", "customer_ids"):
        return [rng.choice((*WORDS, "INBOX", "IMPORTANT", "SENT")) for _ in range(rng.randrange(3))]
    if key in ("annual_revenue", "total", "days", "days_back", "max_results"):
        return rng.randrange(1, 10 ** rng.randrange(1, 8))
    if key in ("due_date", "reply_to_message_id", "location") and rng.random() < 0.3:
        return None
    if key in ("status", "priority", "tier", "industry", "department", "category"):
        return rng.choice(WORDS)
    first, *rest = (rng.choice(WORDS) for _ in range(rng.randrange(1, 4)))
    return " ".join([first.capitalize(), *rest, *rng.sample(english, rng.randrange(2))])


def _address(rng: random.Random, fake: Faker) -> str:
    """Gives an e-mail address."""
    first, last = fake.first_name().lower(), fake.last_name().lower()
    host = rng.choice(("company", "example", fake.last_name().lower()))
    return f"{first}.{last}@{host}.{rng.choice(('com', 'com', 'org', 'net', 'example'))}"


def _day(rng: random.Random) -> str:
    """Gives an ISO date near the simulated now."""
    return f"2026-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"


def _numbers(rng: random.Random) -> Iterator[str]:
    """Yields every pair of digits often enough to become a token, and common id prefixes."""
    for _ in range(60):
        yield " ".join(f"{number:02}" for number in range(100))
        yield " ".join(f"{prefix}{rng.randrange(1000, 10000)}" for prefix in ID_PREFIXES)
