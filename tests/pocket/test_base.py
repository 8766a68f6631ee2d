from __future__ import annotations

import json
import shutil

import pytest

from coworkenv_dagster import pocket
from coworkenv_dagster.errors import CheckpointError
from coworkenv_dagster.pocket import base_path
from coworkenv_dagster.pocket.folder import hash_checkpoint
from coworkenv_dagster.services import service_names, tool_names


@pytest.fixture(scope="module")
def tokenizer():
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(base_path())


CONVERSATION = [
    {"role": "system", "content": "You are the user's coworker. Today is Monday 2026-03-02."},
    {"role": "user", "content": 'Mail Ana Lopez with the subject "Badge news".'},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"type": "function", "function": {"name": "find", "arguments": {"query": query}}}
            for query in ("Ana Lopez", '王芳 "x"')
        ],
    },
    {"role": "tool", "content": '{"email":"ana@x.com"}'},
    {"role": "tool", "content": '{"total":0}'},
    {"role": "assistant", "content": "It is done."},
]
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "find",
            "description": "Find people.",
            "parameters": {
                "type": "object",
                "properties": {"query": {"type": "string"}, "most": {"type": "integer"}},
                "required": ["query"],
            },
        },
    }
]


def ids(tokenizer, messages, prompt=False):
    return tokenizer.apply_chat_template(
        messages, tools=TOOLS, add_generation_prompt=prompt, tokenize=True, return_dict=False
    )


def test_the_shipped_base_is_whole_small_and_says_how_it_was_made():
    folder = base_path()
    recipe = json.loads((folder / "recipe.json").read_text())
    assert recipe["parameters"] < 2_000_000
    assert recipe["tokens"] > 1_000_000
    assert sum(path.stat().st_size for path in folder.iterdir()) < 8_000_000


def test_a_damaged_base_is_named_with_the_mend(tmp_path, monkeypatch):
    shutil.copytree(base_path(), tmp_path / "base")
    monkeypatch.setattr(pocket, "__file__", str(tmp_path / "__init__.py"))
    assert base_path() == tmp_path / "base"
    (tmp_path / "base/config.json").write_text("{}")
    with pytest.raises(CheckpointError, match=r"config\.json: the file differs"):
        base_path()
    (tmp_path / "base/config.json").unlink()
    with pytest.raises(CheckpointError, match="make_base"):
        base_path()


def test_the_template_only_ever_appends(tokenizer):
    whole = ids(tokenizer, CONVERSATION)
    for count in range(1, len(CONVERSATION) + 1):
        part = ids(tokenizer, CONVERSATION[:count])
        assert whole[: len(part)] == part
    for count, message in enumerate(CONVERSATION):
        if message["role"] == "assistant":
            prompt = ids(tokenizer, CONVERSATION[:count], prompt=True)
            assert whole[: len(prompt)] == prompt


def test_tools_are_shown_as_signatures(tokenizer):
    text = tokenizer.decode(ids(tokenizer, CONVERSATION[:2]))
    assert "find(query,most?)" in text
    assert "Find people" not in text


def test_a_value_has_the_same_tokens_in_a_request_and_in_arguments(tokenizer):
    said = ids(tokenizer, [{"role": "user", "content": "Mail Ana Lopez now."}])
    used = ids(tokenizer, CONVERSATION[:3])
    name = tokenizer("Ana Lopez", add_special_tokens=False)["input_ids"]

    def has(tokens):
        return any(tokens[i : i + len(name)] == name for i in range(len(tokens)))

    assert has(said)
    assert has(used)


def test_pretraining_data_holds_none_of_the_products_tools_or_services():
    import random

    from coworkenv_dagster.pocket.make_base import MAKERS

    rng = random.Random(3)
    text = "\n".join(part for name in MAKERS for _ in range(300) for part, _ in MAKERS[name](rng))
    assert len(text) > 100_000
    assert [name for name in tool_names() if name in text] == []
    assert [name for name in service_names() if f"{name}_" in text] == []


def test_the_hash_is_of_the_content(tmp_path):
    shutil.copytree(base_path(), tmp_path / "copy")
    before = hash_checkpoint(tmp_path / "copy")
    assert before == hash_checkpoint(base_path())
    (tmp_path / "copy/config.json").write_text("{}")
    assert hash_checkpoint(tmp_path / "copy") != before
