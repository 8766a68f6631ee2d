from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from coworkenv_dagster.evaluation.catalog import load_suite
from coworkenv_dagster.evaluation.command import ExitCode, run_eval
from coworkenv_dagster.evaluation.storage import load_result
from coworkenv_dagster.schema import write_tasks
from tests.evaluation.conftest import claw_document, small_suite, write_claw


@pytest.fixture
def run():
    """Runs the command and gives exit code, output and messages."""

    def run_it(suite, policy, **options):
        console = Console(file=io.StringIO(), width=200)
        errors = Console(file=io.StringIO(), width=200)
        code = run_eval(str(suite), policy, console=console, errors=errors, **options)
        return code, console.file.getvalue(), errors.file.getvalue()

    return run_it


@pytest.fixture
def tasks(tmp_path):
    write_tasks(tmp_path / "tasks.jsonl", small_suite().tasks)
    return tmp_path / "tasks.jsonl"


def test_a_policy_is_scored_and_the_result_kept(run, tasks, tmp_path):
    out = tmp_path / "out"
    code, shown, _ = run(tasks, "reference", out=out)
    assert code == ExitCode.DONE
    assert "reference on Tasks of tasks.jsonl" in shown
    assert "100.0" in shown
    assert f"Results in {out}" in shown
    assert load_result(out).overall.average_score == 100.0


def test_json_is_all_that_is_printed(run, tasks, tmp_path):
    code, shown, _ = run(tasks, "empty", as_json=True, out=tmp_path / "out")
    summary = json.loads(shown)
    assert code == ExitCode.DONE
    assert summary["splits"]["overall"]["average_score"] == 0.0
    assert summary["policy"] == "empty"


def test_claw_eval_folders_are_run_and_what_was_skipped_is_told(run, tmp_path):
    write_claw(tmp_path, claw_document())
    write_claw(tmp_path, claw_document(task_id="T901", scoring_components=[]), "T901")
    code, shown, _ = run(f"claw-eval:{tmp_path}", "random", trials=1)
    assert code == ExitCode.DONE
    assert "not the Claw-Eval score" in shown
    assert "Above doing nothing (floor-free)" in shown
    assert "Skipped: 1 tasks" in shown
    assert "declares no graded parts" in shown
    assert "note: T900_tickets: safety check wrong_data isn't executed" in shown


@pytest.mark.parametrize(
    ("suite", "policy", "message"),
    [
        ("nowhere", "empty", "no suite 'nowhere'"),
        ("claw-eval:nowhere", "empty", "no such folder"),
        ("probe", "no-such-model", "no policy 'no-such-model'"),
        ("probe", "http://localhost:1/v1", "needs a model name"),
    ],
)
def test_a_mistake_gets_one_clear_message_and_exit_code_2(
    run, tmp_path, monkeypatch, suite, policy, message
):
    monkeypatch.chdir(tmp_path)
    code, shown, said = run(suite, policy, out=tmp_path / "out")
    assert code == ExitCode.FAILED == 2
    assert shown == ""
    assert message in said
    assert said.count("error:") == 1
    assert not (tmp_path / "out").exists()


def test_malformed_yaml_and_an_unknown_service_are_named(run, tmp_path):
    folder = write_claw(tmp_path, "task_id: [")
    assert "the YAML is malformed" in run(f"claw-eval:{folder}", "empty")[2]
    folder = write_claw(tmp_path, claw_document(services=[{"name": "fax"}]), "T902")
    code, _, said = run(f"claw-eval:{folder}", "empty")
    assert code == ExitCode.FAILED
    assert "unknown service 'fax'" in said


def test_a_suite_of_which_nothing_runs_says_why(run, tmp_path):
    folder = write_claw(tmp_path, claw_document(scoring_components=[]))
    code, _, said = run(f"claw-eval:{folder}", "empty")
    assert code == ExitCode.FAILED
    assert "declares no graded parts" in said
    assert "no task that can be run" in said


def test_the_reference_can_not_be_asked_for_where_there_is_none(run, tmp_path):
    folder = write_claw(tmp_path, claw_document())
    code, _, said = run(f"claw-eval:{folder}", "reference")
    assert code == ExitCode.FAILED
    assert "T900_tickets: the task has no executable reference solution" in said


def test_suites_go_by_name(tasks):
    assert load_suite("builtin").name == "builtin"
    assert load_suite(str(tasks)).tasks == small_suite().tasks
