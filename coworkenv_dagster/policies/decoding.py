"""Batched decoding of rows of unlike length, each with a cache of its own between turns."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is chosen."""

    temperature: float = 0.0
    """0 is greedy."""
    top_p: float = 1.0


@dataclass(slots=True)
class Row:
    """One sequence: its tokens, and the keys and values of those already read."""

    ids: list[int] = field(default_factory=list)
    seed: int = 0
    """Seeds the next extension."""
    room: int = 0
    """Most tokens of the next extension."""
    read: int = 0
    """How many of `ids` the cache holds."""
    cache: list[tuple[torch.Tensor, torch.Tensor]] = field(default_factory=list)
    """Keys and values by layer, each [heads, read, size]."""


class Decoder:
    """Extends rows with a model until each has ended its turn.

    In the batch's cache a token's slot is its position, so rows of unlike length need no padding
    on the left: a query sees the slots up to its own, and what lies beyond is overwritten.
    """

    def __init__(self, model: PreTrainedModel, stops: frozenset[int], sampling: Sampling) -> None:
        """Takes a causal language model with full attention, and the ids that end a turn."""
        import torch

        self.model = model
        self.body = model.base_model
        self.head = model.get_output_embeddings()
        self.stops = torch.tensor(sorted(stops))
        self.sampling = sampling
        parameters = inspect.signature(self.body.forward).parameters
        self._cache_argument = "cache" if "cache" in parameters else "past_key_values"

    def extend(self, rows: Sequence[Row]) -> list[list[float]]:
        """Samples a turn for each row, in place.

        Returns:
            For each row the log-probabilities of its new tokens.
        """
        import torch

        if not rows:
            return []
        with torch.inference_mode():
            return self._extend(list(rows))

    def _extend(self, rows: list[Row]) -> list[list[float]]:
        import torch

        device = self.body.device
        said: list[list[float]] = [[] for _ in rows]
        generators = [torch.Generator().manual_seed(row.seed) for row in rows]
        slots = _Slots(rows, device)
        new = [row.ids[row.read :] for row in rows]
        width = max(map(len, new))
        ids = torch.tensor([item + [0] * (width - len(item)) for item in new], device=device)
        starts = torch.tensor([row.read for row in rows], device=device)
        lengths = torch.tensor([len(item) for item in new], device=device)
        hidden = self._forward(ids, starts, slots)
        logits = self.head(hidden[torch.arange(len(rows)), lengths - 1]).float()
        positions = starts + lengths
        active = list(range(len(rows)))
        while True:
            chosen, scores = self._choose(logits, [generators[index] for index in active])
            ended = torch.isin(chosen, self.stops)
            keep: list[int] = []
            for place, index in enumerate(active):
                row = rows[index]
                row.ids.append(int(chosen[place]))
                said[index].append(float(scores[place]))
                if ended[place] or len(said[index]) >= row.room:
                    row.read = len(row.ids) - 1
                    row.cache = slots.take(place, row.read)
                else:
                    keep.append(place)
            if not keep:
                return said
            if len(keep) < len(active):
                kept = torch.tensor(keep, device=device)
                slots.keep(kept)
                chosen, positions = chosen[keep], positions[kept]
                active = [active[place] for place in keep]
            hidden = self._forward(chosen[:, None].to(device), positions, slots)
            logits = self.head(hidden[:, -1]).float()
            positions = positions + 1

    def _forward(self, ids: torch.Tensor, starts: torch.Tensor, slots: _Slots) -> torch.Tensor:
        """Reads `ids`, whose first column stands at position `starts` of each row."""
        import torch

        positions = starts[:, None] + torch.arange(ids.shape[1], device=ids.device)
        span = int(positions.max()) + 1
        mask = torch.arange(span, device=ids.device) <= positions[:, :, None]
        slots.place(positions, span)
        return self.body(
            input_ids=ids,
            attention_mask=mask[:, None],
            position_ids=positions,
            use_cache=True,
            **{self._cache_argument: slots.cache},
        ).last_hidden_state

    def _choose(
        self, logits: torch.Tensor, generators: list[torch.Generator]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Gives the next token of each row and its log-probability, on the CPU."""
        import torch

        logits = logits.cpu()
        if self.sampling.temperature <= 0:
            scores = torch.log_softmax(logits, dim=-1)
            chosen = logits.argmax(dim=-1)
        else:
            scores = torch.log_softmax(logits / self.sampling.temperature, dim=-1)
            if self.sampling.top_p < 1:
                scores = _nucleus(scores, self.sampling.top_p)
            noise = torch.stack(
                [torch.rand(scores.shape[1], generator=item) for item in generators]
            )
            # Gumbel's trick: the argmax of score + noise is a sample of the distribution
            chosen = (scores - torch.log(-torch.log(noise.clamp_min(1e-20)))).argmax(dim=-1)
        return chosen, scores.gather(1, chosen[:, None])[:, 0]


class _Slots:
    """The keys and values of a batch: a growing block a layer, written at each row's positions."""

    def __init__(self, rows: list[Row], device: Any) -> None:
        from transformers import Cache

        self._rows = rows
        self._device = device
        self._blocks: list[tuple[torch.Tensor, torch.Tensor]] = []
        self._room = max(len(row.ids) + row.room for row in rows)
        self._positions: torch.Tensor | None = None
        self._span = 0
        slots = self

        class SlotCache(Cache):
            """The face of the slots that the model's attention writes to."""

            def update(self, key, value, layer_idx, *args, **kwargs):  # type: ignore[no-untyped-def]
                return slots.write(key, value, layer_idx)

            def get_seq_length(self, layer_idx: int = 0) -> int:
                return 0

        self.cache = SlotCache(layers=[])

    def place(self, positions: torch.Tensor, span: int) -> None:
        """Says where the next keys and values go, and how many slots are in use."""
        self._positions, self._span = positions, span

    def write(
        self, key: torch.Tensor, value: torch.Tensor, layer: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Stores new keys and values of a layer; gives all in use."""
        import torch

        if layer == len(self._blocks):
            self._blocks.append((self._start(key, layer, 0), self._start(value, layer, 1)))
        keys, values = self._blocks[layer]
        assert self._positions is not None
        if self._positions.shape[1] == 1:
            batch = torch.arange(len(key), device=key.device)
            at = self._positions[:, 0]
            keys[batch, :, at] = key[:, :, 0]
            values[batch, :, at] = value[:, :, 0]
        else:
            index = self._positions[:, None, :, None]
            keys.scatter_(2, index.expand_as(key), key)
            values.scatter_(2, index.expand_as(value), value)
        return keys[:, :, : self._span], values[:, :, : self._span]

    def _start(self, like: torch.Tensor, layer: int, part: int) -> torch.Tensor:
        """Gives a block for a layer with what the rows' caches hold already."""
        import torch

        width = max(self._room, self._span)
        block = torch.zeros(
            (len(self._rows), like.shape[1], width, like.shape[3]),
            dtype=like.dtype,
            device=like.device,
        )
        for place, row in enumerate(self._rows):
            if row.cache:
                block[place, :, : row.read] = row.cache[layer][part][:, : row.read]
        return block

    def keep(self, places: torch.Tensor) -> None:
        """Drops the rows that are not named."""
        self._blocks = [(keys[places], values[places]) for keys, values in self._blocks]

    def take(self, place: int, length: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Gives a copy of one row's keys and values, so that the batch's block can go."""
        return [
            (keys[place, :, :length].clone(), values[place, :, :length].clone())
            for keys, values in self._blocks
        ]


def _nucleus(scores: torch.Tensor, share: float) -> torch.Tensor:
    """Gives log-probabilities renormalised over the likeliest tokens that hold `share`."""
    import torch

    ordered, index = scores.sort(dim=-1, descending=True)
    before = ordered.exp().cumsum(dim=-1) - ordered.exp()
    ordered = ordered.masked_fill(before >= share, float("-inf"))
    kept = torch.full_like(scores, float("-inf")).scatter(1, index, ordered)
    return torch.log_softmax(kept, dim=-1)
