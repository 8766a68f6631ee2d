"""Pretraining examples of the protocol: chats with made-up tools, rendered as the template does.

Each draws a small world (one or two kinds of record, four to nine tools with made-up names) and
plays one of a few generic exchanges: call with the values just said; list, find the row, act on
its id; look up in one list what another call needs; ask for what is missing; ask which of two;
repeat a call that failed; one call for each matching row; answer with a value or a count.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from coworkenv_dagster.pocket import worlds
from coworkenv_dagster.pocket.corpus import compact_json
from coworkenv_dagster.pocket.lookups import ALL, NONE, Parts
from coworkenv_dagster.pocket.tokenizer import (
    ASSISTANT,
    CALL,
    CALL_END,
    END,
    SYSTEM,
    TOOL,
    USER,
)

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Domain:
    """A kind of record with its rows and the names of its tools."""

    kind: worlds.Schema
    rows: list[dict[str, Any]]
    shown: tuple[str, ...]
    """The fields a list shows; `fetch` gives them all."""
    verb: str
    """What can be done to a record."""
    takes: tuple[str, ...]
    """Fields that the action takes beside the id."""

    @property
    def browse(self) -> str:
        """The tool that lists."""
        return f"{self.kind.noun}_browse"

    @property
    def fetch(self) -> str:
        """The tool that gives one record."""
        return f"{self.kind.noun}_fetch"

    @property
    def act(self) -> str:
        """The tool that acts on one record."""
        return f"{self.kind.noun}_{self.verb}"

    @property
    def make(self) -> str:
        """The tool that makes a record."""
        return f"{self.kind.noun}_new"

    def tools(self) -> list[str]:
        """Gives the signatures."""
        fields = ",".join(self.kind.fields)
        taken = "".join(f",{name}" for name in self.takes)
        return [
            f"{self.browse}({self.shown[0]}?)",
            f"{self.fetch}({self.kind.key})",
            f"{self.act}({self.kind.key}{taken})",
            f"{self.make}({fields})",
        ]

    def listing(self) -> str:
        """Gives the result of `browse`."""
        fields = (self.kind.key, *self.shown)
        rows = [{name: row[name] for name in fields} for row in self.rows]
        return compact_json({f"{self.kind.noun}s": rows, "total": len(rows)})


@dataclass(slots=True)
class Chat:
    """A conversation being written."""

    parts: Parts

    def user(self, *parts: tuple[str, int] | str) -> None:
        """Adds a user turn."""
        self._turn(USER, parts)

    def say(self, *parts: tuple[str, int] | str) -> None:
        """Adds a text turn of the policy, in which plain strings are not taught."""
        self._turn(ASSISTANT, parts, end=ALL)

    def call(self, *calls: Call) -> None:
        """Adds a turn of tool calls, all of it taught."""
        text = "".join(
            f'{CALL}{{"name":"{name}","arguments":{compact_json(arguments)}}}{CALL_END}'
            for name, arguments in calls
        )
        self.parts += [(ASSISTANT, NONE), (text + END, ALL)]

    def result(self, text: str) -> None:
        """Adds a tool's result."""
        self.parts.append((TOOL + text + END, NONE))

    def _turn(self, role: str, parts: tuple[tuple[str, int] | str, ...], end: int = NONE) -> None:
        self.parts.append((role, NONE))
        self.parts += [(item, NONE) if isinstance(item, str) else item for item in parts]
        self.parts.append((END, end))


def conversation(rng: random.Random) -> Parts:
    """Plays one generic exchange with made-up tools."""
    one = _domain(rng)
    two = _domain(rng, other=one)
    play = rng.choice(_PLAYS)
    more = two.tools()
    tools = one.tools() + (more if play is _across else rng.sample(more, rng.randint(0, 3)))
    rng.shuffle(tools)
    head = f"{worlds.phrase(rng)}. {rng.choice(('', worlds.day(rng)))}"
    chat = Chat([(SYSTEM + head + "".join(f"\n{line}" for line in tools) + END, NONE)])
    play(rng, chat, one, two)
    return chat.parts


def _domain(rng: random.Random, other: Domain | None = None) -> Domain:
    """Draws a kind of record, its rows and its action."""
    kind = worlds.schema(rng, 1, 4)
    while other is not None and kind.noun == other.kind.noun:
        kind = worlds.schema(rng, 1, 4)
    names = list(kind.fields)
    shown = tuple(names[: rng.randint(1, len(names))])
    verb = rng.choice(worlds.VERBS) if rng.random() < 0.7 else worlds.word(rng)
    takes = tuple(
        rng.sample([key for key in worlds.KEYS if key not in kind.fields], rng.choice((0, 1, 1, 2)))
    )
    rows = worlds.rows(rng, kind, rng.choice((2, 2, 3, 3, 4, 5)))
    return Domain(kind, rows, shown, verb, takes)


def _filler(rng: random.Random, most: int = 2) -> str:
    """Gives a few words of no import, with a blank behind."""
    return "".join(worlds.term(rng) + " " for _ in range(rng.randint(0, most)))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else compact_json(value)


def _pointer(rng: random.Random, domain: Domain, row: dict[str, Any]) -> str:
    """Gives words that single out a row: a shown value, or a word that only it has."""
    for name in rng.sample(domain.shown, len(domain.shown)):
        value = _text(row[name])
        others = [_text(item[name]) for item in domain.rows if item is not row]
        if isinstance(row[name], bool) or value in others:
            continue
        words = [
            item
            for item in value.split(" ")
            if len(item) > 2 and not any(item.lower() in other.lower() for other in others)
        ]
        if len(value.split(" ")) > 1 and words and rng.random() < 0.4:
            return rng.choice(words)
        return value
    return _text(row[domain.kind.key])


def _said(rng: random.Random, fields: tuple[str, ...]) -> dict[str, Any]:
    return {name: rng.choice(worlds.KINDS)(rng) for name in fields}


def _listed(values: dict[str, Any]) -> str:
    return "".join(f", {name} {_text(value)}" for name, value in values.items())


def _target(rng: random.Random, domain: Domain) -> dict[str, Any]:
    return rng.choice(domain.rows)


def _done(rng: random.Random, chat: Chat, verb: str, value: str) -> None:
    """Ends with a short text that quotes a value."""
    if rng.random() < 0.5:
        chat.say(("Ok: ", ALL), f"{verb} ", (value, ALL))
    else:
        chat.say(f"{worlds.term(rng).capitalize()} ", (f"{value}.", ALL))


def _direct(rng: random.Random, chat: Chat, one: Domain, two: Domain) -> None:
    """The user gives all values; one call; the new id is told."""
    values = {name: make(rng) for name, make in one.kind.fields.items()}
    chat.user(f"{_filler(rng)}new {one.kind.noun}{_listed(values)}")
    chat.call((one.make, values))
    new = f"{one.kind.prefix}{rng.randrange(100, 10000)}"
    chat.result(compact_json({"status": "done", one.kind.noun: {one.kind.key: new, **values}}))
    _done(rng, chat, "new", new)


def _act(rng: random.Random, chat: Chat, one: Domain, two: Domain) -> None:
    """List, find the row, act on it with the values said."""
    row, values = _target(rng, one), _said(rng, one.takes)
    pointer = _pointer(rng, one, row)
    chat.user(f"{_filler(rng)}{one.verb} the {one.kind.noun} {pointer}{_listed(values)}")
    chat.call((one.browse, {}))
    if rng.random() < 0.2:
        chat.result(compact_json({"error": worlds.phrase(rng)}))
        chat.call((one.browse, {}))
    chat.result(one.listing())
    chat.call((one.act, {one.kind.key: row[one.kind.key], **values}))
    chat.result(compact_json({"status": "done", one.kind.key: row[one.kind.key]}))
    _done(rng, chat, one.verb, pointer)


def _read(rng: random.Random, chat: Chat, one: Domain, two: Domain) -> None:
    """List, perhaps fetch the record, answer with one of its fields; perhaps a second question."""
    row = _target(rng, one)
    pointer = _pointer(rng, one, row)
    wanted = rng.choice(list(one.kind.fields))
    chat.user(f"{_filler(rng)}{wanted} of the {one.kind.noun} {pointer}?")
    chat.call((one.browse, {}))
    chat.result(one.listing())
    if wanted not in one.shown:
        chat.call((one.fetch, {one.kind.key: row[one.kind.key]}))
        chat.result(compact_json(row))
    chat.say(f"{_filler(rng, 2)}{wanted} ", (_text(row[wanted]), ALL))
    for _ in range(rng.randint(0, 2)):
        row = _target(rng, one)
        wanted = rng.choice(one.shown)
        chat.user(f"{wanted} of {_pointer(rng, one, row)}?")
        chat.say(f"{wanted} ", (_text(row[wanted]), ALL))


def _across(rng: random.Random, chat: Chat, one: Domain, two: Domain) -> None:
    """What is looked up in one list is an argument of an action on a row of another."""
    row, found = _target(rng, one), _target(rng, two)
    wanted = rng.choice(two.shown)
    values = _said(rng, one.takes)
    name = one.takes[0] if one.takes else wanted
    given = {key: value for key, value in values.items() if key != name}
    values = {name: found[wanted], **given} if one.takes else {}
    chat.user(
        f"{_filler(rng)}{one.verb} the {one.kind.noun} {_pointer(rng, one, row)}, {name} the "
        f"{wanted} of {two.kind.noun} {_pointer(rng, two, found)}{_listed(given)}"
    )
    chat.call((one.browse, {}))
    chat.result(one.listing())
    chat.call((two.browse, {}))
    chat.result(two.listing())
    chat.call((one.act, {one.kind.key: row[one.kind.key], **values}))
    chat.result(compact_json({"status": "done"}))
    _done(rng, chat, one.verb, _text(found[wanted]))


def _ask(rng: random.Random, chat: Chat, one: Domain, two: Domain) -> None:
    """A value is missing: ask, take the reply, call."""
    values = {name: make(rng) for name, make in one.kind.fields.items()}
    missing = rng.choice(list(values))
    given = {name: value for name, value in values.items() if name != missing}
    chat.user(f"{_filler(rng)}new {one.kind.noun}{_listed(given)}")
    chat.say((f"Which {missing}?", ALL))
    chat.user(f"{_filler(rng, 2)}{_text(values[missing])}{rng.choice(('', '.'))}")
    chat.call((one.make, values))
    chat.result(compact_json({"status": "done", one.kind.noun: values}))
    _done(rng, chat, "new", _text(values[missing]))


def _which(rng: random.Random, chat: Chat, one: Domain, two: Domain) -> None:
    """Two rows fit: ask which, take the reply, act."""
    name = one.shown[0]
    first, second = one.rows[0], one.rows[1]
    shared = worlds.word(rng).capitalize()
    for row in (first, second):
        row[name] = f"{shared} {worlds.term(rng)}"
    if first[name] == second[name]:
        second[name] += " two"
    values = _said(rng, one.takes)
    rng.shuffle(one.rows)
    a, b = (row[name] for row in one.rows if row is first or row is second)
    chat.user(f"{_filler(rng)}{one.verb} the {one.kind.noun} {shared}{_listed(values)}")
    chat.call((one.browse, {}))
    chat.result(one.listing())
    chat.say((f"Which one, {a} or {b}?", ALL))
    row = rng.choice((first, second))
    chat.user(f"{_filler(rng, 2)}{row[name]}")
    chat.call((one.act, {one.kind.key: row[one.kind.key], **values}))
    chat.result(compact_json({"status": "done"}))
    _done(rng, chat, one.verb, row[name])


def _each(rng: random.Random, chat: Chat, one: Domain, two: Domain) -> None:
    """One call for each row that has a value, then how many."""
    name = one.shown[-1]
    value = worlds.term(rng)
    for row in rng.sample(one.rows, rng.randint(1, len(one.rows))):
        row[name] = value
    fit = [row for row in one.rows if row[name] == value]
    values = _said(rng, one.takes)
    chat.user(f"{_filler(rng)}{one.verb} each {one.kind.noun} with {name} {value}{_listed(values)}")
    chat.call((one.browse, {}))
    chat.result(one.listing())
    calls = [(one.act, {one.kind.key: row[one.kind.key], **values}) for row in fit]
    if rng.random() < 0.5:
        chat.call(*calls)
        for _ in calls:
            chat.result(compact_json({"status": "done"}))
    else:
        for item in calls:
            chat.call(item)
            chat.result(compact_json({"status": "done"}))
    _done(rng, chat, one.verb, str(len(fit)))


def _count(rng: random.Random, chat: Chat, one: Domain, two: Domain) -> None:
    """List and count the rows that have a value."""
    name = one.shown[-1]
    value = worlds.term(rng)
    for row in rng.sample(one.rows, rng.randint(1, len(one.rows))):
        row[name] = value
    chat.user(f"{_filler(rng)}how many {one.kind.noun} with {name} {value}?")
    chat.call((one.browse, {}))
    chat.result(one.listing())
    fit = [row for row in one.rows if row[name] == value]
    chat.say((f"{len(fit)}", ALL))


_PLAYS = (_direct, _act, _act, _read, _read, _across, _ask, _which, _each, _count)
