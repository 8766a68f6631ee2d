"""Makes the pocket base: `python -m coworkenv_dagster.pocket.make_base --out DIR`.

Tokenizer, then a start with the copying circuit laid in, then pretraining on made-up data. With
`--minutes` it stops early; the shipped base took the time that its recipe.json says.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coworkenv_dagster.pocket import circuits, lookups, pretraining, protocol, worlds
from coworkenv_dagster.pocket.corpus import compact_json, corpus, names, service_json
from coworkenv_dagster.pocket.folder import file_hash
from coworkenv_dagster.pocket.tokenizer import PUNCTUATION, build_tokenizer, json_pieces

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

ENTRIES = 2048
SHAPE: dict[str, Any] = {
    "num_hidden_layers": 4,
    "hidden_size": 128,
    "intermediate_size": 384,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "attention_bias": True,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1e7},
}
"""As many key as query heads and biases for the circuit; slow rotary pairs for far matches."""

MAKERS = {
    "values": lookups.repeated_values,
    "table": lookups.table,
    "copy": lookups.free_copy,
    "chat": protocol.conversation,
}
MIX = {"repeat": 0.06, "values": 0.12, "table": 0.38, "copy": 0.12, "chat": 0.32}
PHASES = [pretraining.Phase(steps=5400, mix=MIX, budget=3072)]
RATE = 1.5e-3


def make_tokenizer(seed: int) -> PreTrainedTokenizerFast:
    """Makes the tokenizer: prose, made-up words, and whole JSON keys, tool and field names."""
    rng = random.Random(seed + 1)
    lines = list(corpus(seed))
    for _ in range(4000):
        made = (worlds.person, worlds.phrase, worlds.address, worlds.label)
        lines.append(" ".join(make(rng) for make in made))
    keys = json_pieces(service_json(seed + 1), 180)
    generic = [
        piece
        for piece in json_pieces(_made_up_json(seed + 2), 400)
        if any(f'"{key}"' in piece for key in worlds.KEYS)
    ]
    whole = ['{"name":"', '","arguments":', *PUNCTUATION, *names(), *keys, *generic[:110]]
    return build_tokenizer(lines, dict.fromkeys(whole), ENTRIES)


def _made_up_json(seed: int) -> list[str]:
    rng = random.Random(seed)
    found = []
    for _ in range(3000):
        kind = worlds.schema(rng)
        found.append(compact_json({kind.noun: worlds.rows(rng, kind, 3), "total": 3}))
    return found


def make_base(out: Path, *, seed: int, threads: int, half: bool, minutes: float) -> None:
    """Makes the base and writes it to `out`, with `recipe.json`; saves on the way."""
    import torch

    torch.set_num_threads(threads)
    tokenizer = make_tokenizer(seed)
    model = pretraining.make_model(len(tokenizer), SHAPE, seed)
    circuits.plant_copying(model, seed)
    rng = random.Random(seed + 99)
    held_out = {
        name: [pretraining.encode(tokenizer, make(rng)) for _ in range(48)]
        for name, make in MAKERS.items()
    }
    last_saved = time.time()

    def report(run: pretraining.Run) -> None:
        nonlocal last_saved
        model.eval()
        scores = {
            name: [round(share, 3) for share in pretraining.accuracy(model, examples)]
            for name, examples in held_out.items()
        }
        model.train()
        loss = run.curve[-1]["loss"] if run.curve else None
        print(f"{run.step} {run.tokens} {run.seconds:.0f}s {loss} {scores}", flush=True)
        if time.time() - last_saved > 120 or run.step == sum(phase.steps for phase in PHASES):
            write_base(out, model, tokenizer, run, scores, seed)
            last_saved = time.time()

    run = pretraining.train(
        model,
        tokenizer,
        MAKERS,
        PHASES,
        seed=seed,
        rate=RATE,
        half=half,
        until=time.time() + minutes * 60,
        report=report,
    )
    report(run)


def write_base(
    out: Path,
    model: Any,
    tokenizer: PreTrainedTokenizerFast,
    run: pretraining.Run,
    scores: dict[str, list[float]],
    seed: int,
) -> None:
    """Writes a base folder in one rename."""
    partial = out.with_name(f"{out.name}.tmp")
    shutil.rmtree(partial, ignore_errors=True)
    model.save_pretrained(partial)
    tokenizer.save_pretrained(partial)
    recipe = {
        "what": "pocket base, made by coworkenv_dagster.pocket.make_base",
        "seed": seed,
        "steps": run.step,
        "tokens": run.tokens,
        "taught_tokens": run.taught,
        "minutes": round(run.seconds / 60, 1),
        "rate": RATE,
        "data": {
            "mix": MIX,
            "kinds": {
                "repeat": "random tokens said twice",
                "values": "made-up values listed, then repeated in another order",
                "table": "look-ups in made-up JSON tables",
                "copy": "values said in a sentence, wanted as JSON",
                "chat": "tool-using chats with made-up tools",
            },
        },
        "start": "copying circuit laid in by circuits.plant_copying",
        "held_out_token_and_whole_accuracy": scores,
        "parameters": sum(item.numel() for item in model.parameters()),
        "loss_curve": run.curve,
        "sha256": {path.name: file_hash(path) for path in sorted(partial.iterdir())},
    }
    (partial / "recipe.json").write_text(json.dumps(recipe, indent=1) + "\n")
    shutil.rmtree(out, ignore_errors=True)
    partial.rename(out)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=600.0, help="stop after this long")
    parser.add_argument("--bf16", action="store_true", help="matrix products in bfloat16")
    arguments = parser.parse_args()
    make_base(
        arguments.out,
        seed=arguments.seed,
        threads=arguments.threads,
        half=arguments.bf16,
        minutes=arguments.minutes,
    )


if __name__ == "__main__":
    main()
