"""Words as the searching services compare them."""

from __future__ import annotations

import re
from itertools import pairwise

_CJK = re.compile(r"[\u4e00-\u9fff]")
_EDGE = re.compile(r"^[^\w]+|[^\w]+$")


def tokens(text: str) -> frozenset[str]:
    """Gives lower-cased words split at white space, all character pairs, and single CJK signs."""
    lowered = text.lower()
    pairs = {lowered[i : i + 2] for i in range(len(lowered) - 1)}
    return frozenset({*lowered.split(), *pairs, *_CJK.findall(lowered)})


def search_terms(query: str) -> frozenset[str]:
    """Gives words stripped of punctuation, CJK signs, and pairs of neighbouring CJK signs."""
    lowered = query.lower()
    words = {_EDGE.sub("", word) for word in lowered.split()}
    signs = _CJK.findall(lowered)
    pairs = {a + b for a, b in pairwise(signs)}
    return frozenset({*words, *signs, *pairs} - {""})
