"""A transformers chat model as a policy: batched, with a cache that lives as long as the episode.

Token-in/token-out: what the model has said is kept as the tokens it sampled and is never
tokenised again; only the text that comes after it (tool results, the user's words) is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coworkenv_dagster.errors import CheckpointError, PolicyError
from coworkenv_dagster.pocket.folder import hash_checkpoint
from coworkenv_dagster.policies.base import Message, Reply, ToolCall, Turn
from coworkenv_dagster.policies.decoding import Decoder, Row, Sampling
from coworkenv_dagster.quiet import quiet_libraries

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)


@dataclass(slots=True)
class _Live:
    """What is known of a live episode."""

    row: Row = field(default_factory=Row)
    """Its tokens so far and their keys and values."""
    seen: int = 0
    """Messages that the tokens stand for, the policy's latest reply not counted."""


class TransformersPolicy:
    """Acts with a local chat model.

    A reply's logprobs are those of the distribution sampled from (after temperature and top-p);
    when greedy, of the model's own. A row's sample depends on its turn's seed alone, not on what
    else is in the batch.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        *,
        name: str,
        temperature: float = 0.0,
        top_p: float = 1.0,
        max_new_tokens: int = 256,
        rows: int = 64,
        path: Path | None = None,
    ) -> None:
        """Takes a loaded model.

        Args:
            model: A causal language model with full attention, in evaluation mode.
            tokenizer: Its tokenizer, with a chat template.
            name: What reports call the policy.
            temperature: 0 is greedy.
            top_p: Share of the probability mass that is sampled from, in (0, 1].
            max_new_tokens: Most tokens of one reply.
            rows: Most episodes that are decoded together.
            path: The folder the model came from.
        """
        if not tokenizer.chat_template:
            raise PolicyError(
                "the model's tokenizer has no chat template",
                where=name,
                mend="Use a chat (instruct) model",
            )
        self.name = name
        self.path = path
        self.model = model
        self.tokenizer = tokenizer
        self.rows = rows
        self.max_new_tokens = max_new_tokens
        self.limit = int(getattr(model.config.get_text_config(), "max_position_embeddings", 2048))
        self._stops = _stop_tokens(model, tokenizer)
        self._decoder = Decoder(model, self._stops, Sampling(temperature, top_p))
        self._live: dict[str, _Live] = {}
        self._hash: str | None = None

    @classmethod
    def from_checkpoint(
        cls,
        path: str | Path,
        *,
        temperature: float = 0.0,
        top_p: float = 1.0,
        max_new_tokens: int = 256,
        device: str = "auto",
        name: str | None = None,
        rows: int = 64,
    ) -> TransformersPolicy:
        """Loads a model folder.

        Args:
            path: The folder.
            temperature: 0 is greedy.
            top_p: Share of the probability mass that is sampled from, in (0, 1].
            max_new_tokens: Most tokens of one reply.
            device: `auto` is the GPU where there is one.
            name: What reports call the policy; default the folder's name.
            rows: Most episodes that are decoded together.

        Raises:
            CheckpointError: The folder is missing, incomplete or unreadable.
            PolicyError: The model can't chat.
        """
        folder = Path(path)
        identity = hash_checkpoint(folder)
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        quiet_libraries()
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        try:
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
            model = AutoModelForCausalLM.from_pretrained(
                folder,
                local_files_only=True,
                dtype=torch.float32 if device == "cpu" else "auto",
                attn_implementation="sdpa",
            )
        except Exception as error:  # transformers raises OSError, ValueError, SafetensorError...
            raise CheckpointError(
                f"the model can't be loaded ({type(error).__name__}: {error})",
                where=str(folder),
                mend="The folder may be damaged: copy or train it again",
            ) from error
        policy = cls(
            model.to(device).eval(),
            tokenizer,
            name=name or folder.name,
            temperature=temperature,
            top_p=top_p,
            max_new_tokens=max_new_tokens,
            rows=rows,
            path=folder,
        )
        policy._hash = identity
        return policy

    @property
    def content_hash(self) -> str:
        """Identity of the checkpoint: 16 hex digits."""
        if self._hash is None:
            if self.path is None:
                raise PolicyError("the model came from memory, not from a folder", where=self.name)
            self._hash = hash_checkpoint(self.path)
        return self._hash

    def act(self, turns: Sequence[Turn]) -> list[Reply]:
        """Gives one reply for each turn, in order."""
        replies: dict[int, Reply] = {}
        ready: list[tuple[int, Row, int]] = []
        for index, turn in enumerate(turns):
            live = self._live.setdefault(turn.episode, _Live())
            self._extend(live, turn)
            room = self.limit - len(live.row.ids)
            if room < 1:
                replies[index] = Reply(
                    exhausted=f"the context of {len(live.row.ids)} tokens exceeds the model's "
                    f"limit of {self.limit}",
                    prompt_tokens=len(live.row.ids),
                )
            else:
                live.row.seed = turn.seed
                live.row.room = min(room, self.max_new_tokens)
                ready.append((index, live.row, len(live.row.ids)))
        ready.sort(key=lambda item: item[2])
        for start in range(0, len(ready), self.rows):
            part = ready[start : start + self.rows]
            for (index, row, before), said in zip(
                part, self._decoder.extend([row for _, row, _ in part]), strict=True
            ):
                replies[index] = self._reply(row, before, said)
        return [replies[index] for index in range(len(turns))]

    def release(self, episode: str) -> None:
        """Forgets an episode's tokens and cache."""
        self._live.pop(episode, None)

    def _reply(self, row: Row, before: int, logprobs: list[float]) -> Reply:
        """Reads the tokens that were just sampled."""
        ids = row.ids[before:]
        spoken = ids[:-1] if ids and ids[-1] in self._stops else ids
        text = self.tokenizer.decode(
            spoken, skip_special_tokens=False, clean_up_tokenization_spaces=False
        )
        content, calls, malformed = parse_reply(text)
        return Reply(
            content=content,
            tool_calls=calls,
            malformed=malformed,
            token_ids=tuple(ids),
            logprobs=tuple(logprobs),
            prompt_tokens=before,
        )

    def _extend(self, live: _Live, turn: Turn) -> None:
        """Appends the tokens of the messages that are new since the last reply."""
        messages = list(turn.messages)
        whole = self._render(messages, turn, prompt=True)
        if live.seen:
            replied = self._render(messages[: live.seen + 1], turn, prompt=False)
            if whole.startswith(replied) and messages[live.seen]["role"] == "assistant":
                if live.row.ids[-1] not in self._stops:
                    live.row.ids.append(self.tokenizer.eos_token_id)
                tail = _after_stop(replied, self.tokenizer, self._stops)
                live.row.ids += self._encode(tail + whole[len(replied) :])
                live.seen = len(messages)
                return
            live.row = Row()  # a template that rewrites its past: read it all anew
        live.row.ids = self._encode(whole)
        live.seen = len(messages)

    def _render(self, messages: list[Message], turn: Turn, *, prompt: bool) -> str:
        rendered = self.tokenizer.apply_chat_template(
            [_plain(message) for message in messages],
            tools=list(turn.tools) or None,
            add_generation_prompt=prompt,
            tokenize=False,
        )
        return str(rendered)

    def _encode(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])


def parse_reply(text: str) -> tuple[str, tuple[ToolCall, ...], str]:
    """Reads what a model said: text, calls, and the raw text when a call can't be parsed.

    A call is `<tool_call>{"name": str, "arguments": {...}}</tool_call>`, as Qwen3 writes it.
    """
    calls: list[ToolCall] = []
    for found in _CALL.finditer(text):
        call = _parse_call(found.group(1))
        if call is None:
            return "", (), text
        calls.append(call)
    rest = _CALL.sub("", text)
    if "<tool_call>" in rest or "</tool_call>" in rest:
        return "", (), text
    return rest.strip(), tuple(calls), ""


def _parse_call(text: str) -> ToolCall | None:
    """Reads one call strictly; None when it is not JSON with a name and arguments."""
    try:
        value: Any = json.loads(text)
    except json.JSONDecodeError:
        return None
    if not isinstance(value, dict) or set(value) != {"name", "arguments"}:
        return None
    name, arguments = value["name"], value["arguments"]
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return None
    return ToolCall(name, arguments)


def _plain(message: Message) -> Message:
    """Gives a message whose call arguments are objects, as chat templates expect."""
    if not message.get("tool_calls"):
        return message
    calls = []
    for call in message["tool_calls"]:
        function = dict(call.get("function", call))
        if isinstance(function.get("arguments"), str):
            with suppress(json.JSONDecodeError):
                function["arguments"] = json.loads(function["arguments"])
        calls.append({"type": "function", "function": function})
    return {**message, "content": message.get("content") or "", "tool_calls": calls}


def _stop_tokens(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """Gives the ids that end a turn."""
    found: set[Any] = set()
    for value in (
        tokenizer.eos_token_id,
        getattr(model.generation_config, "eos_token_id", None),
        model.config.get_text_config().eos_token_id,
    ):
        found.update(value if isinstance(value, list) else [value])
    found.discard(None)
    return frozenset(found)


def _after_stop(text: str, tokenizer: PreTrainedTokenizerBase, stops: frozenset[int]) -> str:
    """Gives what a template writes after the end-of-turn mark, such as a line break."""
    ends = [
        text.rfind(mark) + len(mark)
        for mark in tokenizer.convert_ids_to_tokens(sorted(stops))
        if mark and mark in text
    ]
    return text[max(ends) :] if ends else ""
