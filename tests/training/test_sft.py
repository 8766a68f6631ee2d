from __future__ import annotations

import math

import pytest

from coworkenv_dagster.environment import Environment
from coworkenv_dagster.episode import run_episode
from coworkenv_dagster.errors import CheckpointError, TrainingError
from coworkenv_dagster.generation import ProceduralAuthor
from coworkenv_dagster.pocket import base_path
from coworkenv_dagster.policies.scripted import ReferencePolicy
from coworkenv_dagster.training.batches import plan_batches
from coworkenv_dagster.training.checkpoint import read_checkpoint
from coworkenv_dagster.training.mask import mask_conversations
from coworkenv_dagster.training.recipe import load_recipe
from coworkenv_dagster.training.sft import train_sft
from tests.pocket.test_base import CONVERSATION, TOOLS


@pytest.fixture(scope="module")
def rows():
    author = ProceduralAuthor()
    specs = [author.candidate(cell, 8, i) for cell in author.cells()[:6] for i in range(3)]
    played = [run_episode(ReferencePolicy(spec), Environment(spec)) for spec in specs]
    return [{"messages": item.messages, "tools": item.tools} for item in played]


def recipe(**changes):
    whole = load_recipe("pocket")
    sft = {"steps": 4, "batch_tokens": 1024, "save_steps": 2, **changes}
    return whole.model_copy(update={"sft": whole.sft.model_copy(update=sft)})


def test_the_mask_covers_exactly_what_the_policy_said():
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(base_path())
    masked = mask_conversations(tokenizer, [{"messages": CONVERSATION, "tools": TOOLS}])[0]
    parts, inside = [], False
    for token, mark in zip(masked.input_ids, masked.mask, strict=True):
        if mark and not inside:
            parts.append([])
        if mark:
            parts[-1].append(token)
        inside = bool(mark)
    said = [tokenizer.decode(part) for part in parts]
    assert len(said) == 2
    assert said[0].count("<tool_call>") == 2
    assert "Ana Lopez" in said[0]
    assert all(text.endswith("<|end|>") for text in said)
    assert said[1] == "It is done.<|end|>"


def test_batches_keep_within_their_budget_and_follow_the_seed():
    lengths = [100 + 37 * i % 400 for i in range(60)]
    sft = recipe(steps=30).sft
    plan = plan_batches(lengths, sft, seed=1)
    assert len(plan) == 30
    assert all(max(lengths[i] for i in batch) * len(batch) <= 1024 for batch in plan)
    assert plan == plan_batches(lengths, sft, seed=1) != plan_batches(lengths, sft, seed=2)


def test_training_really_learns_and_is_recorded(rows, tmp_path):
    told = []
    out = tmp_path / "sft"
    made = train_sft(
        base_path(), rows, recipe(steps=12), out, seed=0, progress=lambda *step: told.append(step)
    )
    losses = [loss for _, _, loss in told]
    assert sum(losses[-3:]) < sum(losses[:3])
    assert told[-1][:2] == (12, 12)
    read = read_checkpoint(out)
    assert read.content_hash == made.content_hash != made.parent_hash
    assert read.metrics["rows"] == len(rows)
    assert math.isfinite(read.metrics["loss"])
    again = train_sft(base_path(), rows, recipe(steps=12), out, seed=0, progress=pytest.fail)
    assert again.content_hash == made.content_hash
    (out / "config.json").write_text("{}")
    with pytest.raises(CheckpointError, match="differ"):
        read_checkpoint(out)


class Killed(BaseException):
    pass


def test_an_interrupted_run_ends_with_the_same_weights(rows, tmp_path):
    whole = train_sft(base_path(), rows, recipe(), tmp_path / "whole", seed=3)

    def kill(step, total, loss):
        if step == 3:
            raise Killed

    with pytest.raises(Killed):
        train_sft(base_path(), rows, recipe(), tmp_path / "cut", seed=3, progress=kill)
    assert not (tmp_path / "cut").exists()
    steps = []
    cut = train_sft(
        base_path(), rows, recipe(), tmp_path / "cut", seed=3,
        progress=lambda step, *rest: steps.append(step),
    )  # fmt: skip
    assert steps[0] == 3
    assert cut.content_hash == whole.content_hash


def test_episodes_that_are_too_long_are_left_out_and_counted(rows, tmp_path):
    short = recipe().model_copy(update={"max_length": 260})
    made = train_sft(base_path(), rows, short, tmp_path / "sft", seed=0)
    assert 0 < made.metrics["left_out"] < len(rows)
    none = recipe().model_copy(update={"max_length": 16})
    with pytest.raises(TrainingError, match="at most 16 tokens"):
        train_sft(base_path(), rows, none, tmp_path / "none", seed=0)


def test_a_recipe_that_does_not_exist_or_is_wrong_is_one_message(tmp_path):
    with pytest.raises(TrainingError, match="pocket"):
        load_recipe("nope")
    path = tmp_path / "r.yaml"
    path.write_text("name: x\nmax_length: tall\n")
    with pytest.raises(TrainingError, match="max_length"):
        load_recipe(path)
    assert load_recipe("lora-bf16").lora is not None
