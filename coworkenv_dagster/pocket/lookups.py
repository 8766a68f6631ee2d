"""Pretraining examples of copying and of looking things up in small made-up tables.

An example is text cut into parts, each with what is taught of it. Only what the context determines
is taught, and an example asks many questions of one table, for how soon the copying circuits form
depends on the share of tokens that teach.
"""

from __future__ import annotations

import random
from typing import Any

from coworkenv_dagster.pocket import worlds
from coworkenv_dagster.pocket.corpus import compact_json
from coworkenv_dagster.pocket.tokenizer import ASSISTANT, END, SYSTEM, TOOL, USER

Parts = list[tuple[str, int]]
NONE, ALL, TAIL = 0, 1, 2
"""What is taught of a part: nothing, every token, or all but the first (it tells what to copy)."""


def repeated_values(rng: random.Random) -> Parts:
    """Lists made-up values, then repeats them in a new order, each begun by a hint of its own.

    One line a value, `head: value`, and later `head: `: a line is copied from its head on.
    """
    count = rng.randint(3, 8)
    values = [_text(rng.choice(worlds.TEXT_KINDS)(rng)) for _ in range(count)]
    heads = rng.sample([worlds.term(rng) for _ in range(count * 2)], count)
    close = rng.choice((("", "\n"), ('"', '"\n'), ("(", ")\n")))
    parts: Parts = [(USER, NONE)]
    for head, value in zip(heads, values, strict=True):
        parts.append((f"{head}: {close[0]}{value}{close[1]}", NONE))
    parts.append((END + ASSISTANT, NONE))
    order = rng.sample(range(count), count)
    other = rng.choice((close, ('"', '"\n'), ("", "\n")))
    for index in order:
        parts += [(heads[index], TAIL), (f": {other[0]}", NONE), (values[index] + other[1], ALL)]
    return [*parts, (END, NONE)]


def table(rng: random.Random) -> Parts:
    """Shows records as JSON and asks for fields of the row that has a given field."""
    kind = worlds.schema(rng)
    rows = worlds.rows(rng, kind, rng.choice((2, 2, 3, 3, 4, 5)))
    name = rng.choice((kind.noun, f"{kind.noun}s", "rows"))
    shown: dict[str, Any] = {name: rows}
    if rng.random() < 0.5:
        shown["total"] = len(rows)
    parts: Parts = [(TOOL + compact_json(shown) + END, NONE)]
    for _ in range(rng.randint(6, 16)):
        parts += _question(rng, kind, rows)
    return parts


def _question(rng: random.Random, kind: worlds.Schema, rows: list[dict[str, Any]]) -> Parts:
    """Asks one thing of the rows: a field by another field, an id, a count, or a filter."""
    if rng.random() < 0.12:
        return _count(rng, kind, rows)
    row = rng.choice(rows)
    by = _distinct(rng, kind, rows, row)
    wanted = kind.key if rng.random() < 0.45 else rng.choice(list(kind.fields))
    if wanted == by:
        wanted = kind.key if by != kind.key else rng.choice(list(kind.fields))
    value, answer = _text(row[by]), _text(row[wanted])
    if rng.random() < 0.35:
        value = _fragment(rng, value, [_text(item[by]) for item in rows])
    before = after = opening = closing = ""
    style = rng.randrange(5)
    if style == 0:
        before, after = f"{wanted} of ", "?"
    elif style == 1:
        before, after, opening = f"{by} ", f": {wanted}", f"{wanted} "
    elif style == 2:
        before, after, opening, closing = f'{by}="', '"', f'{{"{wanted}":', "}"
        answer = compact_json(row[wanted])
    elif style == 3:
        before = " ".join(worlds.term(rng) for _ in range(rng.randint(1, 2))) + " "
        after, closing = f" {worlds.term(rng)} {wanted}", "."
    else:
        opening, closing = f"{worlds.term(rng)} ({wanted} ", ")"
    return [
        (f"{USER}{before}", NONE),
        (value, TAIL),
        (f"{after}{END}{ASSISTANT}{opening}", NONE),
        (f"{answer}{closing}{END}", ALL),
    ]


def _count(rng: random.Random, kind: worlds.Schema, rows: list[dict[str, Any]]) -> Parts:
    """Asks how many rows have a value, or for the total."""
    name = rng.choice(list(kind.fields))
    value = rng.choice(rows)[name]
    if rng.random() < 0.3:
        return [(f"{USER}how many?{END}{ASSISTANT}", NONE), (f"{len(rows)}{END}", ALL)]
    found = sum(row[name] == value for row in rows)
    return [
        (f"{USER}how many {name} {_text(value)}?{END}{ASSISTANT}", NONE),
        (f"{found}{END}", ALL),
    ]


def _distinct(
    rng: random.Random, kind: worlds.Schema, rows: list[dict[str, Any]], row: dict[str, Any]
) -> str:
    """Gives a field whose value only this row has."""
    names = [
        name
        for name in (kind.key, *kind.fields)
        if sum(item[name] == row[name] for item in rows) == 1
    ]
    text = [name for name in names if isinstance(row[name], str) and name != kind.key]
    return rng.choice(text) if text and rng.random() < 0.7 else rng.choice(names)


def _fragment(rng: random.Random, value: str, others: list[str]) -> str:
    """Gives a word of the value that no other row's value holds, else the whole value."""
    words = [word for word in value.split(" ") if len(word) > 2]
    unique = [word for word in words if sum(word in other for other in others) == 1]
    return rng.choice(unique) if unique else value


def _text(value: Any) -> str:
    """Gives a value as it stands inside JSON quotes or in prose."""
    return value if isinstance(value, str) else compact_json(value)


def free_copy(rng: random.Random) -> Parts:
    """Shows values in a sentence of random words and asks for them in JSON, as calls do."""
    fields = rng.sample(worlds.KEYS, rng.randint(1, 4))
    values = {name: rng.choice(worlds.KINDS)(rng) for name in fields}
    order = rng.sample(fields, len(fields))
    sentence = " ".join(
        f"{worlds.term(rng)} {name} {_text(values[name])}{rng.choice(('', ',', ' and'))}"
        for name in order
    )
    parts: Parts = [(f"{SYSTEM}{worlds.phrase(rng)}{END}{USER}{sentence}{END}{ASSISTANT}", NONE)]
    text = compact_json({name: values[name] for name in order})
    return [*parts, (text[:1], NONE), (text[1:] + END, ALL)]
