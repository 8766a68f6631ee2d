"""Content hashes (identities) and seeds derived from names."""

from __future__ import annotations

import hashlib
import json
import random
from typing import Any


def canonical_json(value: Any) -> str:
    """Gives the one JSON text of a JSON value: sorted keys, no spaces, no escapes above ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def content_hash(value: Any) -> str:
    """Gives the identity of a JSON value: 16 hex digits of the SHA-256 of its canonical text."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:16]


def derive_seed(seed: int, *names: object) -> int:
    """Gives a seed in [0, 2**63) that depends on the parent seed and on every name, in order."""
    text = "\x1f".join([str(seed), *(str(name) for name in names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def derive_random(seed: int, *names: object) -> random.Random:
    """Gives a generator of its own for one named purpose, so that streams never share state."""
    return random.Random(derive_seed(seed, *names))
