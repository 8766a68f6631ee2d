"""The pocket tokenizer: byte-level BPE on pieces cut for copying, and the chat template.

Copying a value from a message into a JSON argument is easiest when both have the same tokens.
So the blank before a capital, a digit or an address is a token of its own, digits go in pairs
from the left, and a JSON key with the punctuation around it is one piece (`","subject":"`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

SYSTEM, USER, ASSISTANT, TOOL = "<|system|>", "<|user|>", "<|assistant|>", "<|tool|>"
END, PAD = "<|end|>", "<|pad|>"
CALL, CALL_END = "<tool_call>", "</tool_call>"
SPECIAL = (PAD, SYSTEM, USER, ASSISTANT, TOOL, END)
MARKS = (CALL, CALL_END)
"""Marks that must survive decoding with `skip_special_tokens`, for they are parsed."""

_OPEN = r'(?:(?:true|false|null)(?=[,}])|\[?"(?![a-z_]+":)|\[(?=[\]\d{]))?'
_KEY = "|".join(
    (
        rf'\{{"[a-z_]+":{_OPEN}',  # a record's first key: {"message_id":"
        rf'"?\]?,"[a-z_]+":{_OPEN}',  # the next key: ","subject":"
        r"\s|\S",
    )
)
PUNCTUATION = (
    '"}', '"},', '"]}', '"]},', '"}}', '"]}}', "}}", "},", "}]", '"}]', '"}],', "}],", "]}", "]},",
    '","', '{"', '":"', '":', '":[', '":["', '"],"', '],"', ',"', "[{", "[]", ":00Z",
    '"total":', '"status":"',
)  # fmt: skip
"""Closers and separators of compact JSON that are one token each."""

PIECES = "|".join(
    (
        r"[a-z]+_(?=\d)",  # the letters of an id: rec_0412
        r"[A-Z]{1,5}-(?=\d)",  # TK-1042
        r"20\d\d-(?=\d\d-)",  # the year of an ISO date
        r"\d{1,2}",
        r" [a-z]+(?![a-zA-Z0-9_@]|[.\-@][a-z0-9])",  # a plain word with its blank
        r"[A-Z][a-z]+|[A-Z]+(?![a-z])|[a-z]+|\p{L}",
        r"\.(?:com|org|net|io|example)(?![a-z])",
        r"[.,:;?!]+ (?=[^a-z])",
        r"\s|[^\s\p{L}\d]",
    )
)
"""One regular expression (Oniguruma) for the pieces; a byte pair never spans two of them."""

CHAT_TEMPLATE = (
    "{%- if tools or (messages and messages[0].role == 'system') -%}"
    "<|system|>"
    "{%- if messages and messages[0].role == 'system' -%}{{- messages[0].content -}}{%- endif -%}"
    "{%- for tool in tools or [] -%}"
    "{%- set f = tool.function if tool.function is defined else tool -%}"
    "{%- set p = f.parameters or {} -%}{%- set required = p.required or [] -%}"
    "{{- '\n' + f.name + '(' -}}"
    "{%- for key in p.properties or {} -%}"
    "{{- key -}}{%- if key not in required -%}?{%- endif -%}{%- if not loop.last -%},{%- endif -%}"
    "{%- endfor -%}{{- ')' -}}"
    "{%- endfor -%}<|end|>"
    "{%- endif -%}"
    "{%- for message in messages -%}"
    "{%- set content = message.content if message.content is string else '' -%}"
    "{%- if message.role == 'system' -%}"
    "{%- if not loop.first -%}{{- '<|system|>' + content + '<|end|>' -}}{%- endif -%}"
    "{%- elif message.role == 'assistant' -%}"
    "<|assistant|>{%- generation -%}{{- content -}}"
    "{%- for call in message.tool_calls or [] -%}"
    "{%- set f = call.function if call.function is defined else call -%}"
    '{{- \'<tool_call>{"name":"\' + f.name + \'","arguments":\' -}}'
    "{%- if f.arguments is string -%}{{- f.arguments -}}{%- else -%}"
    "{{- f.arguments | tojson(separators=(',', ':')) -}}{%- endif -%}"
    "{{- '}</tool_call>' -}}"
    "{%- endfor -%}<|end|>{%- endgeneration -%}"
    "{%- else -%}"
    "{{- '<|' + message.role + '|>' + content + '<|end|>' -}}"
    "{%- endif -%}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}"
)
"""Compact, prefix-preserving, with the policy's tokens marked for the loss."""


def build_tokenizer(
    lines: Iterable[str], whole: Iterable[str], entries: int
) -> PreTrainedTokenizerFast:
    """Gives a tokenizer trained on `lines`.

    Args:
        lines: Text; a token never crosses a line.
        whole: Pieces that become one token each: JSON keys, tool names. They are added tokens,
            for byte pairs would spend an entry on every step towards a long piece.
        entries: Size of the vocabulary, special tokens and whole pieces included.
    """
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECES), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    core.decoder = decoders.ByteLevel()
    added = [*MARKS, *whole]
    trainer = trainers.BpeTrainer(
        vocab_size=entries - len(added),
        special_tokens=list(SPECIAL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    core.train_from_iterator(lines, trainer)
    core.add_tokens([AddedToken(mark, normalized=False) for mark in added])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token=PAD, eos_token=END, clean_up_tokenization_spaces=False
    )
    tokenizer.add_special_tokens(
        {"additional_special_tokens": [SYSTEM, USER, ASSISTANT, TOOL]},
    )
    tokenizer.chat_template = CHAT_TEMPLATE
    tokenizer.model_max_length = 2048
    return tokenizer


def json_pieces(texts: Iterable[str], most: int) -> list[str]:
    """Gives the commonest keys of JSON texts, each with the punctuation around it."""
    from tokenizers import Regex, pre_tokenizers

    split = pre_tokenizers.Split(Regex(_KEY), behavior="isolated")
    found = Counter(
        piece for text in texts for piece, _ in split.pre_tokenize_str(text) if '":' in piece
    )
    return [piece for piece, _ in found.most_common(most)]
