"""A start for copying: the weights of an untrained model with an induction circuit laid in.

From random weights the circuit that copies out of the context (heads that look a few tokens back,
then heads that look for "the token after the last time I saw these") takes millions of tokens to
form. Laid in by hand it costs nothing, is rough, and training refines it. Theory: Olsson et al.,
"In-context Learning and Induction Heads" (2022).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from transformers import Qwen3ForCausalLM

LOOK_BACK = 5
"""Rotary pairs (the fastest) that tell the offset of a token."""
CONTENT = 6
"""First of the rotary pairs so slow that content still matches hundreds of tokens away."""
WEIGHTS = (1.0, 0.6, 0.35)
"""How much the last, the last but one and the last but two tokens count in a match."""
SPREAD = 0.2
"""Standard deviation of the embeddings: at the usual 0.02 a hundred steps of Adam blur them."""
WRITE, COPY, CONFIDENCE = 0.3, 0.5, 0.4
"""Scale of what layer 0 writes, of what layer 1 copies, and of the last norm."""


def plant_copying(model: Qwen3ForCausalLM, seed: int) -> None:
    """Lays the circuit into layers 0 and 1 of a model with heads of 32.

    The residual stream is split into embeddings, a note of the three tokens before this one (the
    key of a match) and a note of the two before it (which with the token itself make the query);
    layer 0 writes the notes, layer 1 finds the match and copies the token that stands there.

    Args:
        model: Of random weights, with `attention_bias`, as many key as query heads, four or more.
        seed: Seeds the random projections.
    """
    import torch

    generator = torch.Generator().manual_seed(seed)
    config = model.config
    width, size = config.hidden_size, config.head_dim
    free = width - 2 * size
    keys, queries = slice(free, free + size), slice(free + size, width)
    seen = _orthonormal(size, free, generator)
    turns = [_orthonormal(size, size, generator) * weight for weight in WEIGHTS]
    first, second = (layer.self_attn for layer in model.model.layers[:2])
    with torch.no_grad():
        for layer in model.model.layers:
            layer.self_attn.o_proj.weight.mul_(0.3)
            layer.mlp.down_proj.weight.mul_(0.3)
        model.model.embed_tokens.weight.mul_(SPREAD / config.initializer_range)
        model.model.embed_tokens.weight[:, free:] = 0.0
        model.model.norm.weight.fill_(CONFIDENCE)
        for norm in (first.q_norm, first.k_norm):
            norm.weight.fill_(2.2)
        for norm in (second.q_norm, second.k_norm):
            norm.weight.fill_(2.5)
        for head, turn in enumerate(turns):
            rows = slice(head * size, (head + 1) * size)
            _look_back(first, rows, head + 1, config.rope_parameters["rope_theta"])
            first.v_proj.weight[rows] = 0.0
            first.v_proj.weight[rows, :free] = seen
            first.o_proj.weight[:, rows] = 0.0
            first.o_proj.weight[keys, rows] = WRITE * turn
            if head + 1 < len(turns):
                first.o_proj.weight[queries, rows] = WRITE * turns[head + 1]
        # what layer 0 writes is scaled by its input norm; the token itself must count alike
        scale = WRITE / (SPREAD * (free / width) ** 0.5)
        for head in range(free // size):
            rows = slice(head * size, (head + 1) * size)
            mix = _slow(size, generator)
            second.q_proj.weight[rows] = 0.0
            second.q_proj.weight[rows, :free] = mix @ turns[0] @ seen * scale
            second.q_proj.weight[rows, queries] = mix
            second.k_proj.weight[rows] = 0.0
            second.k_proj.weight[rows, keys] = mix
            second.v_proj.weight[rows] = torch.eye(width)[rows]
            second.o_proj.weight[:, rows] = COPY * torch.eye(width)[:, rows]


def _look_back(attention: torch.nn.Module, rows: slice, offset: int, theta: float) -> None:
    """Lets a head attend to the token `offset` places back, whatever it is."""
    import torch

    size = rows.stop - rows.start
    half = size // 2
    speed = theta ** (-torch.arange(half) / half)
    query, key = torch.zeros(size), torch.zeros(size)
    for pair in range(LOOK_BACK):
        query[pair] = 3.0
        key[pair] = 3.0 * torch.cos(offset * speed[pair])
        key[pair + half] = 3.0 * torch.sin(offset * speed[pair])
    attention.q_proj.bias[rows] = query
    attention.k_proj.bias[rows] = key


def _slow(size: int, generator: torch.Generator) -> torch.Tensor:
    """Gives a random map into the slow rotary pairs, [size, size]."""
    import torch

    half = size // 2
    rows = [*range(CONTENT, half), *range(CONTENT + half, size)]
    mix = torch.zeros(size, size)
    mix[rows] = _orthonormal(len(rows), size, generator)
    return mix


def _orthonormal(rows: int, columns: int, generator: torch.Generator) -> torch.Tensor:
    """Gives `rows` random orthonormal rows."""
    import torch

    square = torch.randn(columns, rows, generator=generator)
    return torch.linalg.qr(square)[0].T.contiguous()
