"""Pretraining examples of copying and of looking things up in small made-up tables.

An example is text cut into parts; a part is (text, supervised). Only parts that the context
determines are supervised, and an example asks many questions of one table, so that nearly half
of its tokens teach: how soon the copying circuits form depends on that density.
"""

from __future__ import annotations

import random
from typing import Any

from coworkenv_dagster.pocket import worlds
from coworkenv_dagster.pocket.corpus import compact_json
from coworkenv_dagster.pocket.tokenizer import ASSISTANT, END, SYSTEM, TOOL, USER

Parts = list[tuple[str, bool]]


def repeated_values(rng: random.Random) -> Parts:
    """Lists made-up values, then repeats them in a new order, each begun by a hint of its own.

    `1 Maren Tol\\n2 ...` and later `2 ...`: a line is copied from its number on.
    """
    count = rng.randint(3, 8)
    values = [_text(rng.choice(worlds.TEXT_KINDS)(rng)) for _ in range(count)]
    heads = rng.sample([worlds.term(rng) for _ in range(count * 2)], count)
    close = rng.choice((("", "\n"), ('"', '"\n'), ("(", ")\n")))
    parts: Parts = [(USER, False)]
    for head, value in zip(heads, values, strict=True):
        parts.append((f"{head}: {close[0]}{value}{close[1]}", False))
    parts.append((END + ASSISTANT, False))
    order = rng.sample(range(count), count)
    other = rng.choice((close, ('"', '"\n'), ("", "\n")))
    for index in order:
        parts += [(f"{heads[index]}: {other[0]}", False), (values[index] + other[1], True)]
    return [*parts, (END, False)]


def table(rng: random.Random) -> Parts:
    """Shows records as JSON and asks for fields of the row that has a given field."""
    kind = worlds.schema(rng)
    rows = worlds.rows(rng, kind, rng.randint(2, 6))
    name = rng.choice((kind.noun, f"{kind.noun}s", "rows"))
    shown: dict[str, Any] = {name: rows}
    if rng.random() < 0.5:
        shown["total"] = len(rows)
    first = rng.random() < 0.5
    parts: Parts = [] if first else [(TOOL + compact_json(shown) + END, False)]
    for index in range(rng.randint(5, 10)):
        parts += _question(rng, kind, rows)
        if first and index == 0:
            parts.insert(len(parts) - 1 - _answers(parts), (TOOL + compact_json(shown) + END, False))
    return parts


def _answers(parts: Parts) -> int:
    """Gives how many parts the last question's answer spans, its opening included."""
    count = 0
    for _, supervised in reversed(parts[:-1]):
        count += 1
        if not supervised:
            break
    return count


def _question(
    rng: random.Random, kind: worlds.Schema, rows: list[dict[str, Any]]
) -> Parts:
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
    style = rng.randrange(5)
    if style == 0:
        question, opening, closing = f"{wanted} of {value}?", "", ""
    elif style == 1:
        question, opening, closing = f"{by} {value}: {wanted}", f"{wanted} ", ""
    elif style == 2:
        question, opening, closing = f'{by}="{value}"', f'{{"{wanted}":', "}"
        answer = compact_json(row[wanted])
    elif style == 3:
        words = " ".join(worlds.term(rng) for _ in range(rng.randint(1, 4)))
        question, opening, closing = f"{words} {value} {worlds.term(rng)} {wanted}", "", "."
    else:
        question, opening, closing = f"{value}", f"{worlds.term(rng)} ({wanted} ", ")"
    return [
        (f"{USER}{question}{END}{ASSISTANT}{opening}", False),
        (f"{answer}{closing}{END}", True),
    ]


def _count(rng: random.Random, kind: worlds.Schema, rows: list[dict[str, Any]]) -> Parts:
    """Asks how many rows have a value, or for the total."""
    name = rng.choice(list(kind.fields))
    value = rng.choice(rows)[name]
    if rng.random() < 0.3:
        return [(f"{USER}how many?{END}{ASSISTANT}", False), (f"{len(rows)}{END}", True)]
    found = sum(row[name] == value for row in rows)
    return [
        (f"{USER}how many {name} {_text(value)}?{END}{ASSISTANT}", False),
        (f"{found}{END}", True),
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
    parts: Parts = [(f"{SYSTEM}{worlds.phrase(rng)}{END}{USER}{sentence}{END}{ASSISTANT}", False)]
    text = compact_json(values)
    return [*parts, (text[:1], False), (text[1:] + END, True)]
