"""Supervised fine-tuning with TRL: from conversations to a checkpoint, resumable, repeatable."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coworkenv_dagster.errors import CheckpointError, MissingExtraError, TrainingError
from coworkenv_dagster.hashing import content_hash
from coworkenv_dagster.quiet import quiet_libraries
from coworkenv_dagster.training.batches import IGNORE, Plan, collate, plan_batches
from coworkenv_dagster.training.checkpoint import (
    Checkpoint,
    hash_checkpoint,
    inputs_hash,
    read_checkpoint,
    write_record,
)
from coworkenv_dagster.training.mask import Masked, mask_conversations
from coworkenv_dagster.training.recipe import TrainingRecipe

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase
    from trl import SFTConfig

Progress = Callable[[int, int, float], None]
"""Called with (step, total steps, loss)."""


def train_sft(
    model_path: Path | str,
    rows: Sequence[Mapping[str, Any]],
    recipe: TrainingRecipe,
    out_dir: Path | str,
    *,
    seed: int,
    progress: Progress | None = None,
) -> Checkpoint:
    """Fine-tunes a model on episodes, with the loss on the policy's tokens alone.

    The work is set by the recipe's steps or epochs, so equal inputs give equal weights on one
    machine. A finished `out_dir` of the same inputs is returned as it is; an interrupted run goes
    on from its last saved step.

    Args:
        model_path: Folder of the model to start from.
        rows: Episodes in TRL's conversational format, `{"messages": [...], "tools": [...]}`.
        recipe: What to do.
        out_dir: Where the checkpoint goes; written in one rename.
        seed: Seeds the order of batches, and dropout.
        progress: Told of every step.

    Raises:
        CheckpointError: The model to start from can't be read.
        TrainingError: No episode fits the length limit, or the loss is not finite.
    """
    start, out = Path(model_path), Path(out_dir)
    parent_hash = hash_checkpoint(start)
    data_hash = content_hash([[row["messages"], row.get("tools")] for row in rows])
    fields = recipe.model_dump(mode="json")
    identity = inputs_hash(parent_hash, "sft", fields, data_hash, seed)
    finished = _finished(out, identity)
    if finished is not None:
        return finished
    work = out.with_name(f".{out.name}.{identity}.work")
    began = time.monotonic()
    model, tokenizer = load_model(start, recipe)
    examples, left_out = fitting(mask_conversations(tokenizer, rows), recipe.max_length)
    if not examples:
        raise TrainingError(
            f"none of {len(rows)} episodes can be trained on",
            where=str(out),
            mend=f"Give episodes of at most {recipe.max_length} tokens in which the policy speaks, "
            "or raise max_length",
        )
    plan = plan_batches([len(item.input_ids) for item in examples], recipe.sft, seed)
    steps = len(plan) // recipe.sft.gradient_accumulation
    trainer = _trainer(model, tokenizer, examples, plan, recipe, work, seed, progress)
    saved = _last_saved(work)
    trainer.train(resume_from_checkpoint=str(saved) if saved else None)
    curve = _curve(trainer.state.log_history)
    if any(loss != loss or loss == float("inf") for _, loss in curve):
        raise TrainingError(
            "the loss is not finite", where=str(out), mend="Lower the recipe's learning rate"
        )
    partial = out.with_name(f".{out.name}.{identity}.tmp")
    shutil.rmtree(partial, ignore_errors=True)
    _save(trainer.model, tokenizer, recipe, partial)
    checkpoint = Checkpoint(
        path=out,
        content_hash=hash_checkpoint(partial),
        parent_hash=parent_hash,
        method="sft",
        recipe=fields,
        data_hash=data_hash,
        seed=seed,
        metrics={
            "loss": curve[-1][1] if curve else float("nan"),
            "steps": float(steps),
            "rows": float(len(examples)),
            "left_out": float(left_out),
            "tokens": float(sum(len(examples[i].input_ids) for batch in plan for i in batch)),
            "taught_tokens": float(sum(sum(examples[i].mask) for batch in plan for i in batch)),
            "seconds": round(time.monotonic() - began, 1),
        },
        loss_curve=tuple(curve),
    )
    write_record(checkpoint, partial)
    if out.exists():
        shutil.rmtree(out)
    partial.rename(out)
    shutil.rmtree(work, ignore_errors=True)
    return checkpoint


def load_model(
    path: Path, recipe: TrainingRecipe
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Loads a model to train, and its tokenizer.

    Raises:
        CheckpointError: The folder can't be read as a model.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    quiet_libraries()
    try:
        tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True)
        model = AutoModelForCausalLM.from_pretrained(
            path,
            local_files_only=True,
            dtype=torch.float32 if recipe.precision == "fp32" else torch.bfloat16,
            attn_implementation="sdpa",
        )
    except Exception as error:  # transformers raises OSError, ValueError, SafetensorError...
        raise CheckpointError(
            f"the model can't be loaded ({type(error).__name__}: {error})",
            where=str(path),
            mend="The folder may be damaged: copy or train it again",
        ) from error
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return model, tokenizer


def fitting(examples: Sequence[Masked], limit: int) -> tuple[list[Masked], int]:
    """Gives the examples of at most `limit` tokens that teach something, and how many do not."""
    kept = [item for item in examples if len(item.input_ids) <= limit and any(item.mask)]
    return kept, len(examples) - len(kept)


def _trainer(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    examples: Sequence[Masked],
    plan: list[list[int]],
    recipe: TrainingRecipe,
    work: Path,
    seed: int,
    progress: Progress | None,
) -> Any:
    """Gives TRL's trainer, fed with the planned batches."""
    from datasets import Dataset
    from torch.utils.data import DataLoader
    from transformers import PrinterCallback, TrainerCallback
    from trl import SFTTrainer

    class Tell(TrainerCallback):
        """Tells the caller of every step."""

        def on_log(self, args, state, control, logs=None, **kwargs):  # type: ignore[no-untyped-def]
            if progress is not None and logs and "loss" in logs:
                progress(state.global_step, state.max_steps, float(logs["loss"]))

    class Planned(SFTTrainer):
        """TRL's trainer with batches that were planned beforehand."""

        def get_train_dataloader(self) -> DataLoader:
            loader = DataLoader(
                self.train_dataset, batch_sampler=Plan(plan), collate_fn=self.data_collator
            )
            return self.accelerator.prepare(loader)

    dataset = Dataset.from_dict(
        {
            "input_ids": [item.input_ids for item in examples],
            "labels": [
                [
                    token if mark else IGNORE
                    for token, mark in zip(item.input_ids, item.mask, strict=True)
                ]
                for item in examples
            ],
        }
    )
    peft_config = None
    if recipe.lora is not None:
        try:
            from peft import LoraConfig
        except ImportError:
            raise MissingExtraError(
                "the recipe trains LoRA adapters, which need peft",
                where=f"recipe {recipe.name}",
                mend='Install the extra: pip install -e ".[gpu]"',
            ) from None

        peft_config = LoraConfig(
            r=recipe.lora.rank,
            lora_alpha=recipe.lora.alpha,
            lora_dropout=recipe.lora.dropout,
            target_modules=recipe.lora.target_modules,
            task_type="CAUSAL_LM",
        )
    trainer = Planned(
        model=model,
        args=_arguments(recipe, len(plan), work, seed),
        train_dataset=dataset,
        processing_class=tokenizer,
        data_collator=collate(int(tokenizer.pad_token_id)),
        peft_config=peft_config,
        callbacks=[Tell()],
    )
    trainer.remove_callback(PrinterCallback)  # it prints every step
    return trainer


def _arguments(recipe: TrainingRecipe, batches: int, work: Path, seed: int) -> SFTConfig:
    """Gives the trainer's arguments."""
    from trl import SFTConfig

    sft = recipe.sft
    return SFTConfig(
        output_dir=str(work),
        max_steps=batches // sft.gradient_accumulation,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=sft.gradient_accumulation,
        learning_rate=sft.learning_rate,
        lr_scheduler_type=sft.schedule,
        warmup_steps=sft.warmup_steps,
        weight_decay=sft.weight_decay,
        max_grad_norm=sft.max_grad_norm,
        optim="adamw_torch_fused",
        bf16=recipe.precision == "bf16" and recipe.device != "cpu",
        use_cpu=recipe.device == "cpu",
        gradient_checkpointing=recipe.gradient_checkpointing,
        save_strategy="steps",
        save_steps=sft.save_steps,
        save_total_limit=2,
        logging_steps=1,
        logging_nan_inf_filter=False,
        report_to="none",
        disable_tqdm=True,
        seed=seed % 2**32,
        data_seed=seed % 2**32,
        max_length=None,
        dataset_kwargs={"skip_prepare_dataset": True},
        dataloader_num_workers=0,
        dataloader_pin_memory=False,
        remove_unused_columns=False,
    )


def _save(
    model: Any, tokenizer: PreTrainedTokenizerBase, recipe: TrainingRecipe, folder: Path
) -> None:
    """Writes a model folder."""
    if recipe.lora is not None and recipe.lora.merge:
        model = model.merge_and_unload()
    model.config.use_cache = True
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _finished(out: Path, identity: str) -> Checkpoint | None:
    """Gives the checkpoint in `out` if it is the one that these inputs would make."""
    try:
        found = read_checkpoint(out)
    except CheckpointError:
        return None
    return found if found.inputs_hash == identity else None


def _last_saved(work: Path) -> Path | None:
    """Gives the trainer's last complete save."""
    saved = [
        path
        for path in work.glob("checkpoint-*")
        if (path / "trainer_state.json").is_file() and path.name[11:].isdigit()
    ]
    return max(saved, key=lambda path: int(path.name[11:]), default=None)


def _curve(history: list[dict[str, float]], points: int = 200) -> list[tuple[int, float]]:
    """Gives at most `points` of (step, mean loss since the point before)."""
    found = [(int(item["step"]), float(item["loss"])) for item in history if "loss" in item]
    size = max(1, -(-len(found) // points))
    parts = [found[start : start + size] for start in range(0, len(found), size)]
    return [(part[-1][0], round(sum(loss for _, loss in part) / len(part), 5)) for part in parts]
