"""Words as the searching services compare them."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

_EDGES = ",.!?;:\"'()[]{}。，！？；：（）【】《》"
"""What the web search strips from both ends of a word."""
_UNEVEN = ("\u0130", "\u03a3")
"""The capitals whose lower case is longer, or depends on their neighbours."""


@lru_cache(maxsize=128)
def tokens(text: str) -> frozenset[str]:
    """Gives what the knowledge base compares.

    These are the lower-cased words between white space, all pairs of neighbouring characters but
    those of white space alone, and all single CJK characters.
    """
    pairs = {(a + b).lower() for a, b in pairwise(text) if not (a + b).lower().isspace()}
    return frozenset({*text.lower().split(), *pairs, *filter(_is_cjk, text)})


def share_a_token(query: str, text: str) -> bool:
    """Tells whether `tokens` of both texts overlap, without making those of the long text.

    A word of two or more characters is in both only if its first pair is, so pairs (found as
    substrings) and tokens of one character decide. That is a hundred times faster for an article.
    """
    if any(capital in part for capital in _UNEVEN for part in (query, text)):
        return not tokens(query).isdisjoint(tokens(text))
    lowered = text.lower()
    singles = set()
    for token in tokens(query):
        if len(token) == 1:
            singles.add(token)
        elif token[:2] in lowered:
            return True
    if not singles:
        return False
    return any(_is_cjk(single) and single in text for single in singles) or not singles.isdisjoint(
        lowered.split()
    )


@lru_cache(maxsize=4096)
def search_terms(text: str) -> frozenset[str]:
    """Gives what the web search compares.

    These are the lower-cased words without punctuation at their ends, all single CJK characters,
    and all pairs of neighbouring ones.
    """
    words = {word.strip(_EDGES) for word in text.lower().split()}
    pairs = {a + b for a, b in pairwise(text) if _is_cjk(a) and _is_cjk(b)}
    return frozenset({*words, *filter(_is_cjk, text), *pairs} - {""})


@lru_cache(maxsize=4096)
def keyword_terms(keywords: tuple[str, ...]) -> frozenset[str]:
    """Gives the search terms of all keywords together."""
    return frozenset().union(*map(search_terms, keywords))


def _is_cjk(character: str) -> bool:
    return "\u4e00" <= character <= "\u9fff"
