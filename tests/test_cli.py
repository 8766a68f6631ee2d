from __future__ import annotations

import json

import pytest

from coworkenv_dagster import cli


def run(monkeypatch, capsys, *arguments):
    monkeypatch.setattr("sys.argv", ["coworkenv", *map(str, arguments)])
    code = 0
    try:
        cli.main()
    except SystemExit as ended:
        code = ended.code or 0
    out = capsys.readouterr()
    return code, out.out, out.err


def test_generated_tasks_go_through_the_gate(monkeypatch, capsys, tmp_path):
    path = tmp_path / "tasks.jsonl"
    code, out, _ = run(monkeypatch, capsys, "generate", "--out", path, "--count", 36)
    assert (code, "36 candidates" in out) == (0, True)
    code, out, _ = run(monkeypatch, capsys, "gate", path, "--json", "--out", tmp_path / "r.jsonl")
    reports = json.loads(out)
    assert len(reports) == len((tmp_path / "r.jsonl").read_text().splitlines()) == 36
    assert code == (0 if all(not report["findings"] for report in reports) else 1)


def test_the_example_task_is_sound(monkeypatch, capsys):
    code, out, _ = run(monkeypatch, capsys, "gate", "examples/tasks")
    assert code == 0
    assert "1 of 1 tasks pass" in out


def test_tools_and_schema_are_json(monkeypatch, capsys):
    _, out, _ = run(monkeypatch, capsys, "tools", "--json")
    assert "gmail_send_message" in {tool["function"]["name"] for tool in json.loads(out)}
    _, out, _ = run(monkeypatch, capsys, "schema")
    assert "request" in json.loads(out)["properties"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gate", "/nope"), "no such file"),
        (("generate", "--out", "/tmp/never.jsonl", "--pool", "mars"), "Known pools"),
        (("eval", "--suite", "claw-eval:/nope", "--policy", "empty"), "no such folder"),
        (("eval", "--policy", "gpt-9"), "checkpoint folder"),
        (("run", "--preset", "nope"), "Known presets"),
    ],
)
def test_bad_input_is_one_clear_message_and_exit_code_2(monkeypatch, capsys, arguments, said):
    code, _, err = run(monkeypatch, capsys, *arguments)
    assert code == 2
    assert said in " ".join(err.split())
    assert "Traceback" not in err
