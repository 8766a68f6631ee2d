"""Made-up worlds: words, names, values, records and tools that no product task uses.

Everything here is drawn anew for each training example, so that the base learns the skill
(copy what stands in the context, find the row, take its field) and no content.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

KEYS = (
    "colour", "shape", "owner", "weight", "river", "planet", "song", "author", "page", "shelf",
    "parcel", "route", "harbour", "captain", "cargo", "engine", "wheel", "garden", "flower",
    "soil", "recipe", "spice", "oven", "museum", "artist", "frame", "castle", "knight", "banner",
    "island", "ferry", "pilot", "runway", "camera", "lens", "film", "actor", "stage", "choir",
    "melody",
)  # fmt: skip
"""Field names of made-up records; with their JSON punctuation each is one token."""

SINGLE = ("ref", "code", "tag_no", "mark", "serial")
"""Names of identifying fields of made-up records."""

VERBS = (
    "paint", "polish", "ship", "load", "weigh", "plant", "bake", "stamp",
    "lend", "record", "repair", "pack", "label",
)  # fmt: skip
"""Verbs of made-up tool names."""

_HEADS = "b c d f g h j k l m n p r s t v w z br ch cl dr fl gr kr pl pr sh st th tr".split()
_VOWELS = "a e i o u ai ea io ou".split()
_TAILS = ["", "", "n", "r", "l", "s", "m", "k", "nd", "rt", "x", "th", "ck", "ng"]


def word(rng: random.Random, syllables: int = 0) -> str:
    """Gives a pronounceable made-up word in lower case."""
    count = syllables or rng.choice((1, 1, 1, 2, 2))
    parts = [rng.choice(_HEADS) + rng.choice(_VOWELS) for _ in range(count)]
    return "".join(parts) + rng.choice(_TAILS)


@lru_cache(maxsize=1)
def dictionary() -> tuple[str, ...]:
    """Gives about a thousand plain English words, without meaning here."""
    from faker import Faker

    return tuple(sorted({item for item in Faker("en_US").get_words_list() if item.isalpha()}))


def term(rng: random.Random) -> str:
    """Gives an English or a made-up word."""
    return rng.choice(dictionary()).lower() if rng.random() < 0.5 else word(rng)


def person(rng: random.Random) -> str:
    """Gives a made-up first and last name."""
    return f"{word(rng).capitalize()} {word(rng).capitalize()}"


def phrase(rng: random.Random, least: int = 1, most: int = 3) -> str:
    """Gives a short title, its first word capitalised."""
    text = " ".join(term(rng) for _ in range(rng.randint(least, most)))
    return text[0].upper() + text[1:]


def label(rng: random.Random) -> str:
    """Gives an id such as AB-1042 or zor_0815."""
    digits = "".join(rng.choice("0123456789") for _ in range(rng.choice((3, 4, 4, 4, 5))))
    if rng.random() < 0.5:
        return "".join(rng.choice("ABCDEFGHKLMNPRSTVWX") for _ in range(rng.randint(1, 3))) + (
            f"-{digits}"
        )
    return f"{word(rng, 1)}_{digits}"


def address(rng: random.Random) -> str:
    """Gives an e-mail address."""
    host = f"{word(rng, 1)}.{rng.choice(('com', 'com', 'org', 'net', 'io', 'example'))}"
    return f"{word(rng, 1)}.{word(rng, 1)}@{host}" if rng.random() < 0.6 else f"{word(rng)}@{host}"


def day(rng: random.Random) -> str:
    """Gives an ISO date."""
    return f"20{rng.randint(18, 29)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"


def clock(rng: random.Random) -> str:
    """Gives a time of the day."""
    return f"{rng.randrange(24):02}:{rng.randrange(60):02}"


def moment(rng: random.Random) -> str:
    """Gives an ISO date with time."""
    return f"{day(rng)}T{clock(rng)}:00Z"


def number(rng: random.Random) -> int:
    """Gives a whole number of one to seven digits."""
    return rng.randrange(1, 10 ** rng.randint(1, 7))


Maker = Callable[[random.Random], Any]
TEXT_KINDS: tuple[Maker, ...] = (person, phrase, address, label, term, day)
KINDS: tuple[Maker, ...] = (*TEXT_KINDS, *TEXT_KINDS, person, phrase, term, number, moment)


@dataclass(frozen=True, slots=True)
class Schema:
    """The fields of one made-up kind of record."""

    noun: str
    """What a record is called."""
    key: str
    """The identifying field, `parcel_id` or the like."""
    prefix: str
    """What its ids start with."""
    fields: dict[str, Maker]
    """Other fields, in order, with what makes their values."""


def schema(rng: random.Random, least: int = 1, most: int = 4) -> Schema:
    """Draws a kind of record."""
    noun = rng.choice(KEYS) if rng.random() < 0.7 else word(rng)
    key = rng.choice((f"{noun}_id", f"{noun}_id", rng.choice(SINGLE)))
    prefix = rng.choice(
        (f"{noun[:3]}_", f"{word(rng, 1)}_", "".join(rng.choices("BDFGHKLMNPRSTVWXZ", k=2)) + "-")
    )
    fields: dict[str, Maker] = {}
    while len(fields) < rng.randint(least, most):
        name = rng.choice(KEYS) if rng.random() < 0.8 else word(rng)
        if name not in (noun, key):
            fields[name] = rng.choice(KINDS)
    if rng.random() < 0.3:
        values = [term(rng) for _ in range(rng.randint(2, 4))]
        fields[_fresh(rng, fields)] = lambda r: r.choice(values)
    if rng.random() < 0.15:
        fields[_fresh(rng, fields)] = lambda r: r.random() < 0.5
    return Schema(noun, key, prefix, fields)


def _fresh(rng: random.Random, fields: dict[str, Maker]) -> str:
    """Gives a field name that is not taken."""
    return rng.choice([key for key in KEYS if key not in fields])


def rows(rng: random.Random, kind: Schema, count: int) -> list[dict[str, Any]]:
    """Draws records with distinct ids; some share a part of a value (near-homonyms)."""
    sequential, width = rng.random() < 0.25, rng.choice((3, 4, 4))
    start = rng.randrange(10 ** (width - 1), 10**width - 20)
    numbers = (
        list(range(start, start + count))
        if sequential
        else rng.sample(range(10 ** (width - 1), 10**width), count)
    )
    out: list[dict[str, Any]] = []
    for value in numbers:
        row: dict[str, Any] = {kind.key: f"{kind.prefix}{value}"}
        row.update({name: make(rng) for name, make in kind.fields.items()})
        if out and rng.random() < 0.25:
            _resemble(rng, row, rng.choice(out), kind)
        out.append(row)
    return out


def _resemble(rng: random.Random, row: dict[str, Any], other: dict[str, Any], kind: Schema) -> None:
    """Lets one value of a row share its first or last word with another row's."""
    name = rng.choice(list(kind.fields))
    mine, theirs = row[name], other[name]
    if not (isinstance(mine, str) and isinstance(theirs, str) and " " in mine and " " in theirs):
        return
    if rng.random() < 0.5:
        row[name] = f"{theirs.split(' ')[0]} {mine.split(' ', 1)[1]}"
    else:
        row[name] = f"{mine.rsplit(' ', 1)[0]} {theirs.rsplit(' ', 1)[1]}"
