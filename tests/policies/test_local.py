from __future__ import annotations

import pytest

from coworkenv_dagster.environment import Environment
from coworkenv_dagster.episode import rollout
from coworkenv_dagster.errors import CheckpointError
from coworkenv_dagster.pocket import base_path
from coworkenv_dagster.policies.base import Turn
from coworkenv_dagster.policies.local import TransformersPolicy, parse_reply
from tests.conftest import asking_task, ticket_task
from tests.pocket.test_base import CONVERSATION, TOOLS


def policy(**options):
    return TransformersPolicy.from_checkpoint(base_path(), max_new_tokens=24, **options)


def turns(seeds=(0, 1, 2)):
    texts = ("Mail Ana Lopez.", "Which ticket is about the printer in the hall?", "Hi.")
    return [
        Turn(str(i), [CONVERSATION[0], {"role": "user", "content": text}], TOOLS, seed)
        for i, (text, seed) in enumerate(zip(texts, seeds, strict=True))
    ]


def test_a_greedy_batch_equals_generating_one_by_one():
    import torch

    acting = policy()
    for turn, reply in zip(turns(), acting.act(turns()), strict=True):
        prompt = acting.tokenizer.apply_chat_template(
            list(turn.messages), tools=TOOLS, add_generation_prompt=True, return_tensors="pt",
            return_dict=False,
        )  # fmt: skip
        with torch.no_grad():
            whole = acting.model.generate(prompt, max_new_tokens=24, do_sample=False)[0]
        assert list(reply.token_ids) == whole[prompt.shape[1] :].tolist()
        assert reply.prompt_tokens == prompt.shape[1]
        assert len(reply.logprobs) == len(reply.token_ids)
        assert all(value <= 0.0 for value in reply.logprobs)


def test_a_sample_depends_on_its_own_seed_alone():
    together = policy(temperature=1.0).act(turns())
    alone = [policy(temperature=1.0).act([turn])[0] for turn in turns()]
    assert [r.token_ids for r in together] == [r.token_ids for r in alone]
    other = policy(temperature=1.0).act(turns(seeds=(7, 8, 9)))
    assert [r.token_ids for r in other] != [r.token_ids for r in together]


def test_episodes_do_not_depend_on_how_many_are_live():
    specs = [ticket_task(), asking_task(), ticket_task(task_id="ticket-3")]
    runs = [
        rollout(policy(temperature=0.7), [Environment(s) for s in specs], seed=1, batch_size=size)
        for size in (1, 3)
    ]
    assert [t.model_dump_json() for t in runs[0]] == [t.model_dump_json() for t in runs[1]]


def test_a_context_that_is_used_up_ends_the_episode_and_is_no_error():
    acting = policy()
    long = Turn("0", [{"role": "user", "content": "1 " * 4000}], [], 0)
    reply = acting.act([long])[0]
    assert "exceeds the model's limit" in reply.exhausted
    assert not reply.error


def test_a_folder_that_is_no_model_is_one_clear_message(tmp_path):
    with pytest.raises(CheckpointError, match="no such model folder"):
        TransformersPolicy.from_checkpoint(tmp_path / "nope")
    with pytest.raises(CheckpointError, match=r"no \*\.safetensors"):
        TransformersPolicy.from_checkpoint(tmp_path)


@pytest.mark.parametrize(
    ("text", "calls", "malformed"),
    [
        ('<tool_call>{"name":"a","arguments":{"x":1}}</tool_call>', [("a", {"x": 1})], False),
        (
            'Look. <tool_call>{"name":"a","arguments":{}}</tool_call>'
            '<tool_call>{"name":"b","arguments":{}}</tool_call>',
            [("a", {}), ("b", {})],
            False,
        ),
        ("Just text", [], False),
        ('<tool_call>{"name":"a","arguments":{}', [], True),
        ("<tool_call>{}</tool_call>", [], True),
        ('<tool_call>{"name":"a","arguments":"x"}</tool_call>', [], True),
        ('<tool_call>["a"]</tool_call>', [], True),
    ],
)
def test_calls_are_parsed_strictly(text, calls, malformed):
    _, found, raw = parse_reply(text)
    assert [(call.name, call.arguments) for call in found] == calls
    assert bool(raw) is malformed
