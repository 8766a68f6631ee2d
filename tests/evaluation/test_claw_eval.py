from __future__ import annotations

import re

import pytest

from coworkenv_dagster.environment import Environment
from coworkenv_dagster.episode import run_episode
from coworkenv_dagster.errors import TaskFileError
from coworkenv_dagster.evaluation.claw_eval import claw_eval_suite, task_folders
from coworkenv_dagster.evaluation.claw_files import read_claw_task
from coworkenv_dagster.evaluation.evaluate import evaluate
from coworkenv_dagster.evaluation.suites import Formula
from coworkenv_dagster.policies.scripted import EmptyPolicy, ScriptedPolicy
from coworkenv_dagster.schema import Call, Split
from tests.evaluation.conftest import claw_document, write_claw


def changed(field: str, **changes):
    """Gives a document with one field's mapping changed."""
    return claw_document(**{field: {**claw_document()[field], **changes}})


def test_every_shared_task_folder_parses_and_runs_or_says_why_not(shared):
    tasks = shared / "claw/tasks"
    suite = claw_eval_suite(tasks)
    assert len(suite.tasks) + len(suite.skipped) == len(task_folders(tasks)) == 50
    assert all(reason for _, reason in suite.skipped)
    reasons = dict(suite.skipped)
    assert "needs the internet" in reasons["C03en_real_estate_finance"]
    assert "needs a user simulated by a model" in reasons["C01zh_mortgage_prepay"]
    assert "needs a sandbox (for Bash)" in reasons["T070zh_js_async_generator_trace"]
    assert "has attachments" in reasons["T091_pinbench_humanize_blog"]
    assert "every graded part needs a judge" in reasons["T128_ticket_assignment"]
    names = {task.task_id for task in suite.tasks}
    assert {"T004_calendar_scheduling", "T010_contact_lookup", "T018_ticket_triage"} <= names
    if suite.tasks:
        result = evaluate(EmptyPolicy(), suite, seed=0, trials=1)
        assert result.overall.errors == 0
        assert result.overall.floor_free_score == 0.0


def test_a_task_folder_becomes_a_task(tmp_path):
    suite = claw_eval_suite(write_claw(tmp_path, claw_document()).parent)
    assert suite.skipped == ()
    (task,) = suite.tasks
    assert (task.task_id, task.split, task.level) == ("T900_tickets", Split.GENERAL, 2)
    assert task.request == "Triage the tickets."
    assert (task.language, task.max_turns) == ("en", 7)
    assert task.tool_names == ("list_all_tickets", "shut_ticket")
    assert [item.tool for item in task.forbidden] == ["shut_ticket"]
    assert task.grader.checks[1].check.contains == ("VPN", "4072")
    assert suite.formula is Formula.CLAW_EVAL
    assert "not the Claw-Eval score" in suite.score_label
    assert suite.notes == (
        ("T900_tickets", "safety check wrong_data isn't executed (No wrong data.)"),
    )


def test_one_folder_and_a_checkout_are_read_too(tmp_path):
    folder = write_claw(tmp_path / "tasks", claw_document())
    suites = [claw_eval_suite(path) for path in (folder, folder.parent, tmp_path)]
    assert len({suite.hash for suite in suites}) == 1


def test_the_declared_parts_are_graded_with_claw_evals_formula(tmp_path):
    suite = claw_eval_suite(write_claw(tmp_path, claw_document()))
    (task,) = suite.tasks
    look = Call(tool="list_all_tickets")
    answer = "Ticket 4072 comes first: VPN is down for sales."
    right = run_episode(ScriptedPolicy((look, look), answer), Environment(task))
    assert right.verdict.completion == 1.0
    half = run_episode(ScriptedPolicy((look,), "Something else."), Environment(task))
    assert half.verdict.completion == pytest.approx(0.125 + 0.25 * 15 / 40, abs=1e-5)
    shut = run_episode(ScriptedPolicy((Call(tool="shut_ticket"),), answer), Environment(task))
    assert shut.verdict.safety == 0.0
    idle = evaluate(EmptyPolicy(), suite, seed=0, trials=1).rows[0]
    assert (idle.score, idle.robustness, idle.floor_free) == (0.2, 1.0, 0.0)


def test_judged_parts_are_unscored_and_the_rest_reported_apart(tmp_path):
    parts = claw_document()["scoring_components"][:1]
    judged = {"name": "tone", "weight": 0.75, "check": {"type": "llm_judge", "rubric": "Nice?"}}
    folder = write_claw(tmp_path, claw_document(scoring_components=[*parts, judged]))
    suite = claw_eval_suite(folder)
    assert ("T900_tickets", "75.0 % of the weight needs a judge and stays unscored") in suite.notes
    look = Call(tool="list_all_tickets")
    policy = ScriptedPolicy((look, look), "Done.")
    result = evaluate(policy, suite, seed=0, trials=1)
    assert result.overall.average_score is None
    assert (result.overall.unscored, result.overall.native_completion) == (1, 1.0)
    assert result.overall.scored_weight == pytest.approx(0.25)
    scored = evaluate(policy, suite, seed=0, trials=1, judge=lambda rubric, environment: 0.5)
    assert scored.overall.completion == pytest.approx(0.625)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"user_agent": {"enabled": True, "persona": "x"}}, "needs a user simulated by a model"),
        ({"tools": [{"name": "Bash"}]}, r"needs a sandbox \(for Bash\)"),
        ({"env_snapshot_commands": ["ls"]}, "needs a sandbox"),
        ({"prompt": {"text": "x", "attachments": ["a.png"]}}, "has attachments"),
        ({"scoring_components": []}, "declares no graded parts"),
        (
            {"scoring_components": [{"name": "a", "weight": 1, "check": {"type": "llm_judge"}}]},
            "every graded part needs a judge",
        ),
        ({"services": [{"name": "web_real", "port": 9107}]}, "service web_real needs the internet"),
        (
            {
                "services": [
                    {
                        "name": "documents",
                        "port": 9107,
                        "env": {"DOCUMENTS_BASE_DIR": "tasks/T900_tickets"},
                    }
                ]
            },
            "needs the folder of files tasks/T900_tickets",
        ),
        (
            {"services": [{"name": "helpdesk", "port": 9107, "env": {"ERROR_RATE": "0.3"}}]},
            r"injects errors \(ERROR_RATE 0.3\)",
        ),
    ],
)
def test_what_does_not_run_natively_is_skipped_with_the_reason(tmp_path, changes, reason):
    suite = claw_eval_suite(write_claw(tmp_path, claw_document(**changes)))
    assert suite.tasks == ()
    with pytest.raises(TaskFileError, match="no task that can be run"):
        evaluate(EmptyPolicy(), suite, seed=0)
    assert len(suite.skipped) == 1
    assert re.search(reason, suite.skipped[0][1])


def test_a_fixture_of_an_absent_task_is_a_reason_to_skip(tmp_path):
    services = claw_document()["services"]
    services[0]["env"]["HELPDESK_FIXTURES"] = "tasks/T901_other/fixtures/helpdesk/tickets.json"
    folder = write_claw(tmp_path, claw_document(services=services))
    (skipped,) = claw_eval_suite(folder).skipped
    assert skipped[1] == "uses a fixture of task T901_other, which isn't in this folder"
    write_claw(tmp_path, claw_document(task_id="T901_other"), "T901_other")
    assert claw_eval_suite(folder).skipped == ()


def test_without_a_variable_the_services_folder_is_used(tmp_path):
    services = [{"name": "helpdesk", "port": 9107}]
    folder = write_claw(tmp_path, claw_document(services=services))
    assert len(claw_eval_suite(folder).tasks[0].workspace["helpdesk"]) == 3


@pytest.mark.parametrize(
    "path",
    [
        "tasks/../../secret.json",
        "tasks/../secret.json",
        "../secret.json",
        "/etc/hostname",
        "tasks/T900_tickets/../../secret.json",
        "tasks/T900_tickets/fixtures/helpdesk/link.json",
    ],
)
def test_a_path_out_of_the_folder_is_refused(tmp_path, path):
    (tmp_path / "secret.json").write_text("[]")
    services = claw_document()["services"]
    services[0]["env"]["HELPDESK_FIXTURES"] = path
    folder = write_claw(tmp_path / "suite", claw_document(services=services))
    (folder / "fixtures/helpdesk/link.json").symlink_to(tmp_path / "secret.json")
    with pytest.raises(TaskFileError, match="leads out of the suite's folder") as caught:
        claw_eval_suite(folder)
    assert "services.0.env.HELPDESK_FIXTURES" in str(caught.value)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("a: [1,\nb: 2", r"task.yaml:2: the YAML is malformed"),
        ("- a\n- b", "a mapping of fields is expected, got list"),
        ("a: &a [*a]", "a value contains itself"),
        (claw_document(prompt=None), "field prompt: .*Add the field"),
        (changed("environment", max_turns="7"), r"field environment.max_turns: .* got '7'"),
        (claw_document(task_id=7), "field task_id: .*Put the value in quotes"),
        (claw_document(tools={"name": "x"}), "field tools: .*Write a list"),
        (claw_document(services=[{"name": "fax"}]), r"services.0.name: unknown service 'fax'"),
        (
            claw_document(
                tool_endpoints=[
                    {"tool_name": "list_all_tickets", "url": "http://localhost:1/helpdesk/tickets"},
                    {"tool_name": "shut_ticket", "url": "http://localhost:banana/x"},
                ]
            ),
            r"tool_endpoints\.1\.url: .*leads to no service",
        ),
    ],
)
def test_a_wrong_file_gets_one_clear_message(tmp_path, document, message):
    folder = write_claw(tmp_path, document)
    with pytest.raises(TaskFileError, match=message) as caught:
        claw_eval_suite(folder)
    assert str(folder / "task.yaml") in str(caught.value)


def test_an_alias_bomb_is_refused(tmp_path):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for n in range(1, 9):
        lines.append(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]")
    folder = write_claw(tmp_path, "\n".join(lines))
    with pytest.raises(TaskFileError, match="unfold to more than"):
        read_claw_task(folder)


def test_unknown_folders_and_empty_ones_are_refused(tmp_path):
    with pytest.raises(TaskFileError, match="no such folder"):
        claw_eval_suite(tmp_path / "nowhere")
    with pytest.raises(TaskFileError, match=r"none of its folders holds a task\.yaml"):
        claw_eval_suite(tmp_path)


def test_a_missing_or_broken_fixture_is_named(tmp_path):
    folder = write_claw(tmp_path, claw_document())
    fixture = folder / "fixtures/helpdesk/tickets.json"
    fixture.write_text("[{]")
    with pytest.raises(TaskFileError, match=r"services\.0\.env\.HELPDESK_FIXTURES: .*isn't JSON"):
        claw_eval_suite(folder)
    fixture.unlink()
    with pytest.raises(TaskFileError, match="missing fixture file"):
        claw_eval_suite(folder)
