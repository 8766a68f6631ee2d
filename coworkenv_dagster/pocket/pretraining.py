"""The pretraining loop of the pocket base: batches without padding waste, AdamW."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coworkenv_dagster.pocket.lookups import ALL, TAIL, Parts

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerFast, Qwen3ForCausalLM

Maker = Callable[[random.Random], Parts]
Example = tuple[list[int], list[int]]
"""Token ids and for each the weight of its loss; 0: the token is not taught."""

CHOICE = 3
"""Weight of an answer's first token: it chooses what to copy, the rest follows."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of pretraining with one mix of data."""

    steps: int
    mix: Mapping[str, float]
    """Share of examples by kind; `repeat` is random tokens said twice."""
    budget: int = 4096
    """Tokens in a batch, at most."""


@dataclass(slots=True)
class Run:
    """What a pretraining run has done so far."""

    step: int = 0
    tokens: int = 0
    taught: int = 0
    seconds: float = 0.0
    curve: list[dict[str, float]] = field(default_factory=list)


def encode(tokenizer: PreTrainedTokenizerFast, parts: Parts) -> Example:
    """Tokenises an example as one text and marks the tokens that are taught."""
    text = "".join(part for part, _ in parts)
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    ids, offsets = encoded["input_ids"], encoded["offset_mapping"]
    marks = [0] * len(ids)
    position, start = 0, 0
    for part, taught in parts:
        end, fresh = start + len(part), True
        while position < len(ids) and offsets[position][0] < end:
            if taught == ALL:
                marks[position] = CHOICE if fresh else 1
            elif taught == TAIL:
                marks[position] = 0 if fresh else 1
            fresh = False
            position += 1
        start = end
    return ids, marks


def repeat(rng: random.Random, entries: int) -> Example:
    """Gives random tokens said twice; the second time is taught."""
    said: list[int] = [rng.randrange(6, entries) for _ in range(rng.randint(6, 32))]
    between = [rng.randrange(6, entries) for _ in range(rng.choice((0, 0, 1, 3)))]
    marks = [0] * (len(said) + len(between) + 1) + [1] * (len(said) - 1)
    return said + between + said, marks


def batches(
    tokenizer: PreTrainedTokenizerFast,
    makers: Mapping[str, Maker],
    mix: Mapping[str, float],
    *,
    seed: int,
    budget: int = 4096,
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yields ids and marks, padded little: examples of like length, at most `budget` tokens."""
    import torch

    rng = random.Random(seed)
    names, weights = list(mix), list(mix.values())
    while True:
        pool: list[Example] = []
        for name in rng.choices(names, weights, k=512):
            if name == "repeat":
                pool.append(repeat(rng, len(tokenizer)))
            else:
                pool.append(encode(tokenizer, makers[name](rng)))
        pool = sorted(
            (item for item in pool if len(item[0]) <= 1024), key=lambda item: len(item[0])
        )
        groups: list[list[Example]] = [[]]
        for item in pool:
            if len(item[0]) * (len(groups[-1]) + 1) > budget:
                groups.append([])
            groups[-1].append(item)
        rng.shuffle(groups)
        for group in groups:
            width = max(len(ids) for ids, _ in group)
            ids = torch.zeros(len(group), width, dtype=torch.long)
            marks = torch.zeros(len(group), width, dtype=torch.long)
            for row, (tokens, taught) in enumerate(group):
                ids[row, : len(tokens)] = torch.tensor(tokens)
                marks[row, : len(taught)] = torch.tensor(taught)
            yield ids, marks


def train(
    model: Qwen3ForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    makers: Mapping[str, Maker],
    phases: list[Phase],
    *,
    seed: int,
    rate: float,
    half: bool,
    until: float,
    report: Callable[[Run], None],
    every: int = 100,
) -> Run:
    """Trains through the phases and reports every `every` steps.

    Args:
        model: Changed in place.
        tokenizer: Its tokenizer.
        makers: Makes an example of a kind.
        phases: What to train on, one after the other.
        seed: Seeds the examples.
        rate: Peak learning rate; embeddings get half of it.
        half: Run the matrix products in bfloat16 (a third faster where the processor has it).
        until: `time.time()` after which the run ends early.
        report: Called with the state of the run.
        every: Steps between two reports.
    """
    import torch
    from torch.nn import functional

    total = sum(phase.steps for phase in phases)
    optimizers = make_optimizers(model, rate)
    run, began, recent = Run(), time.time(), []
    for number, phase in enumerate(phases):
        source = batches(tokenizer, makers, phase.mix, seed=seed + number, budget=phase.budget)
        for _ in range(phase.steps):
            ids, marks = next(source)
            share = schedule(run.step, total)
            for optimizer in optimizers:
                for group in optimizer.param_groups:
                    group["lr"] = group["peak"] * share
            with torch.autocast("cpu", torch.bfloat16, enabled=half):
                hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state[:, :-1]
                wanted = marks[:, 1:].bool()
                logits = model.lm_head(hidden[wanted]).float()
                losses = functional.cross_entropy(logits, ids[:, 1:][wanted], reduction="none")
                weights = marks[:, 1:][wanted].float()
                loss = (losses * weights).sum() / weights.sum()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            for optimizer in optimizers:
                optimizer.step()
                optimizer.zero_grad()
            recent.append(loss.item())
            run.step += 1
            run.tokens += ids.numel()
            run.taught += int(wanted.sum())
            run.seconds = time.time() - began
            if run.step % every == 0 or run.step == total:
                run.curve.append({"step": run.step, "loss": round(sum(recent) / len(recent), 4)})
                recent = []
                report(run)
            if time.time() > until:
                report(run)
                return run
    return run


def schedule(step: int, total: int) -> float:
    """Gives the share of the peak rate: a short warm-up, flat, down over the last 40 %."""
    if step < 50:
        return (step + 1) / 50
    left = (total - step) / (0.4 * total)
    return max(0.03, min(1.0, left))


def make_optimizers(model: Qwen3ForCausalLM, rate: float) -> list[Any]:
    """Gives AdamW, slower on the embeddings, whose geometry the copying circuit relies on.

    Muon was tried: it undoes the circuit.
    """
    import torch

    layers = [item for name, item in model.named_parameters() if "layers." in name]
    rest = [item for name, item in model.named_parameters() if "layers." not in name]
    adam = torch.optim.AdamW(
        [
            {"params": layers, "lr": rate, "peak": rate},
            {"params": rest, "lr": rate / 2, "peak": rate / 2},
        ],
        betas=(0.9, 0.98),
        weight_decay=0.01,
    )
    return [adam]


def make_model(entries: int, shape: Mapping[str, int], seed: int) -> Qwen3ForCausalLM:
    """Gives a Qwen3 of random weights."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(seed)
    config = Qwen3Config(
        vocab_size=entries,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        head_dim=32,
        pad_token_id=0,
        eos_token_id=5,
        bos_token_id=None,
        **shape,
    )
    config._attn_implementation = "sdpa"
    return Qwen3ForCausalLM(config)


def accuracy(
    model: Qwen3ForCausalLM, examples: list[Example], batch: int = 16
) -> tuple[float, float]:
    """Gives the share of taught tokens and of taught stretches that are right, greedily."""
    import torch

    tokens = right = stretches = whole = 0
    for start in range(0, len(examples), batch):
        part = examples[start : start + batch]
        width = max(len(ids) for ids, _ in part)
        ids = torch.tensor([item[0] + [0] * (width - len(item[0])) for item in part])
        with torch.no_grad():
            best = model(input_ids=ids).logits.argmax(-1)
        for row, (_, marks) in enumerate(part):
            hits = (best[row, :-1] == ids[row, 1:]).tolist()
            run_right, inside = True, False
            for hit, mark in zip([*hits, False], [*marks[1:], 0], strict=False):
                if mark:
                    tokens, right, inside = tokens + 1, right + hit, True
                    run_right = run_right and hit
                elif inside:
                    stretches, whole = stretches + 1, whole + run_right
                    run_right, inside = True, False
    return right / max(tokens, 1), whole / max(stretches, 1)


def save(model: Qwen3ForCausalLM, folder: Path, recipe: dict[str, Any]) -> None:
    """Writes weights and config, and how they were made."""
    model.save_pretrained(folder)
    (folder / "recipe.json").write_text(json.dumps(recipe, indent=1) + "\n")
