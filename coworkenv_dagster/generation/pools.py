"""Entity pools: names and titles that training, probing and held-out tasks never share."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from importlib import import_module
from random import Random

_LOCALES = ("en_US", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "sv_SE")


class Pool(StrEnum):
    """What tasks are made for; each has its own entities."""

    TRAIN = "train"
    PROBE = "probe"
    HELD_OUT = "held_out"


def pool_of(entity: str) -> Pool:
    """Gives the one pool an entity belongs to: 7 of 10 train, 1 probe, 2 held out, by its hash."""
    bucket = hashlib.sha256(entity.encode()).digest()[0] % 10
    if bucket < 7:
        return Pool.TRAIN
    return Pool.PROBE if bucket == 7 else Pool.HELD_OUT


def _members(entities: Iterable[str], pool: Pool) -> tuple[str, ...]:
    return tuple(sorted({entity for entity in entities if pool_of(entity) is pool}))


@cache
def _faker_names(attribute: str) -> tuple[str, ...]:
    """Gives the plain names of 3 to 8 ASCII letters that Faker's word lists hold."""
    found: set[str] = set()
    for locale in _LOCALES:
        provider = import_module(f"faker.providers.person.{locale}").Provider
        for name in getattr(provider, attribute):
            if 3 <= len(name) <= 8 and name.isascii() and name.isalpha() and name.istitle():
                found.add(name)
    return tuple(sorted(found))


@cache
def first_names(pool: Pool) -> tuple[str, ...]:
    """Gives the first names of a pool."""
    return _members(_faker_names("first_names"), pool)


@cache
def last_names(pool: Pool) -> tuple[str, ...]:
    """Gives the last names of a pool."""
    return _members(_faker_names("last_names"), pool)


_COMPANY = [
    "Alder",
    "Amber",
    "Apex",
    "Argo",
    "Atlas",
    "Aurora",
    "Beacon",
    "Birch",
    "Blue",
    "Bolt",
    "Brook",
    "Cedar",
    "Cobalt",
    "Comet",
    "Coral",
    "Crest",
    "Delta",
    "Dune",
    "Eagle",
    "Echo",
    "Elm",
    "Ember",
    "Falcon",
    "Fern",
    "Flint",
    "Forge",
    "Fox",
    "Frost",
    "Gale",
    "Garnet",
    "Glacier",
    "Harbor",
    "Haven",
    "Hazel",
    "Helix",
    "Heron",
    "Ion",
    "Iris",
    "Ivory",
    "Jade",
    "Juniper",
    "Kestrel",
    "Lark",
    "Laurel",
    "Linden",
    "Lotus",
    "Lumen",
    "Maple",
    "Marlow",
    "Mesa",
    "Mint",
    "Nimbus",
    "North",
    "Nova",
    "Oak",
    "Onyx",
    "Opal",
    "Orbit",
    "Orion",
    "Pearl",
    "Pike",
    "Pine",
    "Polar",
    "Prism",
    "Quartz",
    "Raven",
    "Reef",
    "Ridge",
    "River",
    "Robin",
    "Sable",
    "Sage",
    "Silver",
    "Solar",
    "Spruce",
    "Stone",
    "Summit",
    "Terra",
    "Thistle",
    "Tidal",
    "Timber",
    "Topaz",
    "Vale",
    "Vega",
    "Vertex",
    "Violet",
    "Willow",
    "Wren",
    "Zenith",
]
_SUFFIX = [
    "Labs",
    "Group",
    "Media",
    "Foods",
    "Motors",
    "Bank",
    "Energy",
    "Textiles",
    "Logistics",
    "Health",
    "Studio",
    "Trading",
]
_THING = [
    "badge",
    "scanner",
    "printer",
    "router",
    "laptop",
    "monitor",
    "headset",
    "projector",
    "server",
    "backup",
    "mailbox",
    "phone",
    "keyboard",
    "tablet",
    "camera",
    "license",
    "password",
    "account",
    "firewall",
    "database",
    "website",
    "checkout",
    "payroll",
    "invoice",
    "calendar",
    "elevator",
    "heating",
    "parking",
    "locker",
    "shuttle",
    "kiosk",
    "terminal",
    "dashboard",
    "export",
    "import",
    "sync",
    "upload",
    "archive",
    "portal",
    "wiki",
    "chat",
    "plugin",
    "sensor",
    "battery",
    "charger",
    "dock",
    "cable",
    "screen",
]
_PROBLEM = [
    "offline",
    "broken",
    "slow",
    "missing",
    "expired",
    "locked",
    "noisy",
    "stuck",
    "frozen",
    "late",
    "wrong",
    "full",
    "lost",
    "empty",
    "unstable",
    "blocked",
    "unreadable",
    "overheating",
]
_CHORE = [
    "order",
    "review",
    "renew",
    "update",
    "prepare",
    "check",
    "plan",
    "clean",
    "book",
    "collect",
    "label",
    "print",
]
_EVENT = [
    "review",
    "workshop",
    "briefing",
    "sync",
    "interview",
    "training",
    "demo",
    "retro",
    "kickoff",
    "planning",
]


@cache
def companies(pool: Pool) -> tuple[str, ...]:
    """Gives the company names of a pool."""
    return _members((f"{a} {b}" for a in _COMPANY for b in _SUFFIX), pool)


@cache
def ticket_titles(pool: Pool) -> tuple[str, ...]:
    """Gives the ticket titles of a pool."""
    return _members((f"{a} {b}".capitalize() for a in _THING for b in _PROBLEM), pool)


@cache
def todo_titles(pool: Pool) -> tuple[str, ...]:
    """Gives the to-do titles of a pool."""
    return _members((f"{a} {b}s".capitalize() for a in _CHORE for b in _THING), pool)


@cache
def event_titles(pool: Pool) -> tuple[str, ...]:
    """Gives the event titles of a pool."""
    return _members((f"{a} {b}".capitalize() for a in _THING for b in _EVENT), pool)


@cache
def subjects(pool: Pool) -> tuple[str, ...]:
    """Gives the mail subjects of a pool."""
    return _members((f"{a} {b}".capitalize() for a in _THING for b in _TOPIC), pool)


_TOPIC = [
    "news",
    "question",
    "offer",
    "report",
    "notes",
    "change",
    "request",
    "plan",
    "list",
    "status",
]


def sample(rng: Random, entities: tuple[str, ...], count: int) -> list[str]:
    """Gives that many different entities."""
    return rng.sample(entities, count)
