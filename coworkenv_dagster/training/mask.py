"""The loss mask: which tokens of a conversation are the policy's own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coworkenv_dagster.errors import TrainingError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Row = Mapping[str, Any]
"""An episode in TRL's conversational format: `messages`, and `tools` (may be absent)."""

Span = tuple[int, int]
"""Characters [start, end) of a rendered conversation."""

_MARKS = re.compile(r"\{%-?\s*generation\s*-?%\}")


@dataclass(frozen=True, slots=True)
class Masked:
    """A conversation as tokens."""

    input_ids: list[int]
    mask: list[int]
    """1 for the policy's tokens, end-of-turn included; 0 for all others."""


def mask_conversations(tokenizer: PreTrainedTokenizerBase, rows: Sequence[Row]) -> list[Masked]:
    """Tokenises conversations and marks exactly what the policy said in them.

    Tool turns, user turns, and the header that opens a policy's turn are never marked; the text,
    every call of a turn and the end-of-turn token are.

    Raises:
        TrainingError: The template has no generation marks and rewrites its past, so that the
            policy's part can't be told.
    """
    if not rows:
        return []
    rendered = [_render(tokenizer, row) for row in rows]
    encoded = tokenizer(
        [text for text, _ in rendered], add_special_tokens=False, return_offsets_mapping=True
    )
    return [
        Masked(list(ids), _marks(offsets, spans))
        for ids, offsets, (_, spans) in zip(
            encoded["input_ids"], encoded["offset_mapping"], rendered, strict=True
        )
    ]


def _marks(offsets: Sequence[Span], spans: Sequence[Span]) -> list[int]:
    """Marks the tokens that begin inside a span."""
    marks = [0] * len(offsets)
    token = 0
    for start, end in spans:
        while token < len(offsets) and offsets[token][0] < start:
            token += 1
        while token < len(offsets) and offsets[token][0] < end:
            marks[token] = 1
            token += 1
    return marks


def _render(tokenizer: PreTrainedTokenizerBase, row: Row) -> tuple[str, list[Span]]:
    """Gives the text of a conversation and the spans that are the policy's."""
    messages, tools = list(row["messages"]), list(row.get("tools") or []) or None
    template = training_template(tokenizer)
    if _MARKS.search(template):
        from transformers.utils.chat_template_utils import render_jinja_template

        texts, spans = render_jinja_template(
            conversations=[messages],
            tools=tools,
            chat_template=template,
            return_assistant_tokens_mask=True,
            add_generation_prompt=False,
            **tokenizer.special_tokens_map,
        )
        return texts[0], [(start, end) for start, end in spans[0]]
    return _by_prefix(tokenizer, messages, tools)


def training_template(tokenizer: PreTrainedTokenizerBase) -> str:
    """Gives the tokenizer's template, or for a known model family TRL's one with marks."""
    template = str(tokenizer.chat_template or "")
    if not template:
        raise TrainingError("the tokenizer has no chat template", mend="Use a chat model")
    if _MARKS.search(template):
        return template
    from trl.chat_template_utils import get_training_chat_template

    try:
        return get_training_chat_template(tokenizer) or template
    except ValueError:  # a family TRL does not know
        return template


def _by_prefix(
    tokenizer: PreTrainedTokenizerBase, messages: list[Any], tools: list[Any] | None
) -> tuple[str, list[Span]]:
    """Finds the policy's spans by rendering every prefix of the conversation."""

    def text(count: int, prompt: bool) -> str:
        rendered = tokenizer.apply_chat_template(
            messages[:count], tools=tools, add_generation_prompt=prompt, tokenize=False
        )
        return str(rendered)

    whole, spans = text(len(messages), False), []
    for index, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        before, after = text(index, True), text(index + 1, False)
        if not (whole.startswith(after) and after.startswith(before)):
            raise TrainingError(
                "the chat template rewrites earlier turns, so the loss mask can't be told",
                where=f"message {index}",
                mend="Give the tokenizer a template with {% generation %} marks",
            )
        end = after.rfind(tokenizer.eos_token) + len(tokenizer.eos_token)
        spans.append((len(before), end if end > len(before) else len(after)))
    return whole, spans
