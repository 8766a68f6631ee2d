"""When a value counts as the expected one: tolerant of form, strict about content."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_WORD = "[0-9A-Za-z_]"


def field_of(record: Mapping[str, Any], path: str) -> Any:
    """Gives a field by dotted path, or None where the path leads nowhere."""
    value: Any = record
    for part in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(part)
    return value


def matches(record: Mapping[str, Any], pattern: Mapping[str, Any]) -> bool:
    """Tells whether every field of the pattern has its expected value (or matches its matcher)."""
    return all(value_matches(field_of(record, path), want) for path, want in pattern.items())


def value_matches(got: Any, want: Any) -> bool:
    """Tells whether a value is the expected one.

    A mapping `{"contains": [...]}` asks for all these texts in the value, `{"one_of": [...]}` for
    one of these values. Otherwise: strings are equal without case and outer blanks (times also
    when they are the same instant), numbers when equal, lists when equal in any order.
    """
    if isinstance(want, Mapping):
        if set(want) == {"contains"}:
            text = _text(got).casefold()
            return got is not None and all(
                str(item).casefold() in text for item in want["contains"]
            )
        if set(want) == {"one_of"}:
            return any(value_matches(got, item) for item in want["one_of"])
    if isinstance(want, str) and isinstance(got, str):
        return _same_text(got, want)
    if isinstance(want, (list, tuple)) and isinstance(got, (list, tuple)):
        rest = list(got)
        for item in want:
            index = next((i for i, other in enumerate(rest) if value_matches(other, item)), None)
            if index is None:
                return False
            del rest[index]
        return not rest
    if isinstance(want, bool) or isinstance(got, bool):
        return want is got
    return bool(got == want)


def says(text: str, value: str, *, whole_words: bool = True, case_sensitive: bool = False) -> bool:
    """Tells whether a text says a value.

    With `whole_words` the value must not be part of a longer word or number ("42" is not said by
    "142" or "42.5"), and digits may be grouped by thousands commas on either side.
    """
    if not case_sensitive:
        text, value = text.casefold(), value.casefold()
    if not whole_words:
        return value in text
    return _pattern(_ungroup(value)).search(_ungroup(text)) is not None


def _ungroup(text: str) -> str:
    return _THOUSANDS.sub("", text)


@lru_cache(maxsize=4096)
def _pattern(value: str) -> re.Pattern[str]:
    before = rf"(?<!{_WORD})(?<!\d[.,])" if re.match(_WORD, value) else ""
    after = rf"(?!{_WORD})(?![.,]\d)" if re.search(f"{_WORD}$", value) else ""
    return re.compile(before + re.escape(value) + after)


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "\n".join(_text(item) for item in value)
    return str(value)


def _same_text(got: str, want: str) -> bool:
    if got.strip().casefold() == want.strip().casefold():
        return True
    if len(got) > 15 and len(want) > 15 and got[10:11] == want[10:11] == "T":
        try:
            return datetime.fromisoformat(got) == datetime.fromisoformat(want)
        except (TypeError, ValueError):
            return False
    return False
