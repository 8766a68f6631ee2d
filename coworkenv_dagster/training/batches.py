"""Batches planned ahead: like lengths together, a token budget, the same order every time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from coworkenv_dagster.training.recipe import SftRecipe

IGNORE = -100
"""Label of a token that is not taught."""


def plan_batches(lengths: Sequence[int], recipe: SftRecipe, seed: int) -> list[list[int]]:
    """Gives the batches of a whole run as lists of example numbers, a multiple of accumulation.

    Each epoch is shuffled, cut into stretches of 50 batches or so, sorted by length within one,
    and cut into batches of at most `batch_tokens` (padding included); batches are then shuffled.
    """
    rng = random.Random(seed)
    wanted = recipe.steps * recipe.gradient_accumulation
    plan: list[list[int]] = []
    epoch = 0.0
    while len(plan) < wanted if wanted else epoch < recipe.epochs:
        order = list(range(len(lengths)))
        rng.shuffle(order)
        share = 1.0 if wanted else min(1.0, recipe.epochs - epoch)
        plan += _cut(order[: round(share * len(order))], lengths, recipe.batch_tokens, rng)
        epoch += 1.0
    if not wanted:
        wanted = max(1, len(plan) // recipe.gradient_accumulation) * recipe.gradient_accumulation
        plan += plan[: max(0, wanted - len(plan))]
    return plan[:wanted]


def _cut(
    order: list[int], lengths: Sequence[int], budget: int, rng: random.Random
) -> list[list[int]]:
    """Cuts one epoch into batches of like lengths."""
    mean = sum(lengths[index] for index in order) / max(1, len(order))
    stretch = max(1, round(50 * budget / max(1.0, mean)))
    batches: list[list[int]] = []
    for start in range(0, len(order), stretch):
        current: list[int] = []
        for index in sorted(order[start : start + stretch], key=lambda item: lengths[item]):
            if current and lengths[index] * (len(current) + 1) > budget:
                batches.append(current)
                current = []
            current.append(index)
        if current:
            batches.append(current)
    rng.shuffle(batches)
    return batches


class Plan:
    """A batch sampler that plays a plan; the whole run is one epoch, so a resume can skip."""

    def __init__(self, plan: list[list[int]]) -> None:
        self.batches = plan

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self.batches)

    def __len__(self) -> int:
        return len(self.batches)


def collate(pad: int) -> Callable[[list[dict[str, list[int]]]], dict[str, Any]]:
    """Gives a collator that pads on the right.

    It gives positions in place of an attention mask: with causal attention and padding on the
    right no mask is needed, and without one attention takes its fast path.
    """

    def call(examples: list[dict[str, list[int]]]) -> dict[str, Any]:
        import torch

        width = max(len(item["input_ids"]) for item in examples)
        ids = torch.full((len(examples), width), pad)
        labels = torch.full((len(examples), width), IGNORE)
        for row, item in enumerate(examples):
            ids[row, : len(item["input_ids"])] = torch.tensor(item["input_ids"])
            labels[row, : len(item["labels"])] = torch.tensor(item["labels"])
        positions = torch.arange(width)[None].expand(len(examples), width)
        return {"input_ids": ids, "labels": labels, "position_ids": positions}

    return call
