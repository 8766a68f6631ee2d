"""A small company in mid-week: people and records that agree across services."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from coworkenv_dagster.generation import pools
from coworkenv_dagster.generation.pools import Pool

DEPARTMENTS = ("Sales", "Finance", "Legal", "Support", "Design", "Research")
PRIORITIES = ("low", "medium", "high", "urgent")
CATEGORIES = ("hardware", "software", "network", "billing")
TIERS = ("standard", "silver", "gold", "vip")
INDUSTRIES = ("retail", "media", "energy", "health", "travel", "food", "mining", "fashion")
LOCATIONS = ("Oslo", "Lyon", "Porto", "Graz", "Turin", "Leeds")
ROOMS = ("Room A", "Room B", "Room C", "Room D", "Lobby", "Studio")

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Person:
    """Someone the company deals with; the same in every service."""

    name: str
    email: str


@dataclass(slots=True)
class Company:
    """Makes records on demand from a pool; each name and title is used once."""

    rng: Random
    pool: Pool
    now: datetime
    domain: str
    workspace: dict[str, list[Record]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    @classmethod
    def found(cls, rng: Random, pool: Pool) -> Company:
        """Makes an empty company on a working day of 2026."""
        day = datetime(2026, 1, 5, 9, 0, tzinfo=UTC) + timedelta(days=rng.randrange(350))
        day -= timedelta(days=max(0, day.weekday() - 4))
        name = rng.choice(pools.companies(pool)).split()[0].lower()
        return cls(rng, pool, day, f"{name}.com")

    def day(self, offset: int) -> str:
        """Gives the date that many days from today, YYYY-MM-DD."""
        return (self.now + timedelta(days=offset)).strftime("%Y-%m-%d")

    def fresh(self, entities: tuple[str, ...]) -> str:
        """Draws an entity that hasn't been used in this company."""
        while True:
            drawn = self.rng.choice(entities)
            if drawn not in self.used:
                self.used.add(drawn)
                return drawn

    def person(self, like: Person | None = None) -> Person:
        """Makes a person; `like` shares its first or last name: a near-homonym."""
        first = self.fresh(pools.first_names(self.pool))
        last = self.fresh(pools.last_names(self.pool))
        if like is not None:
            other_first, other_last = like.name.split()
            first, last = (other_first, last) if self.rng.random() < 0.6 else (first, other_last)
        return Person(f"{first} {last}", f"{first}.{last}@{self.domain}".lower())

    def number(self, low: int, high: int) -> int:
        """Draws a number that hasn't been used in this company."""
        while True:
            drawn = self.rng.randint(low, high)
            if str(drawn) not in self.used:
                self.used.add(str(drawn))
                return drawn

    def contact(self, person: Person) -> Record:
        """Puts a person into the address book."""
        return self._put(
            "contacts",
            {
                "contact_id": f"c_{self.number(100, 999)}",
                "name": person.name,
                "department": self.rng.choice(DEPARTMENTS),
                "email": person.email,
                "phone": f"555-{self.number(1000, 9999)}",
                "location": self.rng.choice(LOCATIONS),
            },
        )

    def ticket(self, title: str, reporter: Person) -> Record:
        """Opens a ticket."""
        return self._put(
            "helpdesk",
            {
                "ticket_id": f"TK-{self.number(1000, 9999)}",
                "title": title,
                "description": f"{title} since {self.day(-self.rng.randint(1, 5))}.",
                "reporter": reporter.name,
                "department": self.rng.choice(DEPARTMENTS),
                "priority": self.rng.choice(PRIORITIES[:3]),
                "status": "open",
                "created_at": self.day(-self.rng.randint(1, 5)),
                "tags": [],
                "category": self.rng.choice(CATEGORIES),
            },
        )

    def customer(self, name: str, contact: Person) -> Record:
        """Signs a customer."""
        return self._put(
            "crm",
            {
                "customer_id": f"CUS-{self.number(100, 999)}",
                "name": name,
                "contact_person": contact.name,
                "email": contact.email,
                "phone": f"555-{self.number(1000, 9999)}",
                "industry": self.rng.choice(INDUSTRIES),
                "tier": self.rng.choice(TIERS),
                "annual_revenue": self.rng.randint(11, 99) * 10_000,
                "last_contact_date": self.day(-self.rng.randint(6, 40)),
                "status": "active",
            },
        )

    def todo(self, title: str) -> Record:
        """Notes a task."""
        return self._put(
            "todo",
            {
                "task_id": f"todo_{self.number(100, 999)}",
                "title": title,
                "status": "pending",
                "priority": self.rng.choice(PRIORITIES[:3]),
                "due_date": self.day(self.rng.randint(3, 20)),
                "tags": [],
            },
        )

    def event(self, title: str, attendee: Person, *, tomorrow: bool) -> Record:
        """Plans an event; one of a workspace must be tomorrow, or the service shifts them all."""
        day = 1 if tomorrow else self.rng.randint(2, 6)
        hour = self.rng.randint(9, 16)
        return self._put(
            "calendar",
            {
                "event_id": f"evt_{self.number(100, 999)}",
                "title": title,
                "start_time": f"{self.day(day)}T{hour:02d}:00:00Z",
                "end_time": f"{self.day(day)}T{hour + 1:02d}:00:00Z",
                "attendees": [attendee.name],
                "location": self.rng.choice(ROOMS),
                "recurring": False,
            },
        )

    def mail(self, subject: str, sender: Person, body: str, *, newest: bool) -> Record:
        """Delivers a mail; one must be a day old, or the service shifts them all."""
        date = self.now - timedelta(days=1)
        if not newest:
            date -= timedelta(hours=self.rng.randint(1, 90))
        return self._put(
            "gmail",
            {
                "message_id": f"msg_{self.number(100, 999)}",
                "from": sender.email,
                "to": f"me@{self.domain}",
                "subject": subject,
                "body": body,
                "date": date.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "labels": ["INBOX"],
                "is_read": False,
            },
        )

    def _put(self, service: str, record: Record) -> Record:
        self.workspace.setdefault(service, []).append(record)
        return record
