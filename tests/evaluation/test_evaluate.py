from __future__ import annotations

import importlib

import pytest

from coworkenv_dagster.errors import StorageError, TaskFileError
from coworkenv_dagster.evaluation.evaluate import evaluate
from coworkenv_dagster.evaluation.rows import TrialStatus
from coworkenv_dagster.evaluation.storage import load_result, save_result
from coworkenv_dagster.evaluation.suites import Suite
from coworkenv_dagster.policies.base import Reply
from coworkenv_dagster.policies.make import OraclePolicy
from coworkenv_dagster.policies.scripted import EmptyPolicy
from tests.conftest import ticket_task
from tests.evaluation.conftest import Wavering, full_disk, small_suite


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of four episodes, so that a small suite has several."""
    module = importlib.import_module("coworkenv_dagster.evaluation.evaluate")
    monkeypatch.setattr(module, "BLOCK", 4)


def test_the_reference_scores_100_and_doing_nothing_0(suite):
    best = evaluate(OraclePolicy, suite, seed=0)
    assert best.overall.average_score == 100.0
    assert (best.overall.pass_at_3, best.overall.pass_hat_3) == (1.0, 1.0)
    assert [s.tasks for s in best.splits.values()] == [6, 3, 3]
    assert len(best.rows) == len(best.trajectories) == 18
    worst = evaluate(EmptyPolicy("Done."), suite, seed=0)
    assert worst.overall.average_score == 0.0
    assert worst.overall.robustness == 0.0


def test_equal_seeds_give_equal_results_whatever_the_batch(suite, small_blocks):
    one = evaluate(Wavering(0.7), suite, seed=5)
    assert one == evaluate(Wavering(0.7), suite, seed=5, batch_size=1)
    assert one != evaluate(Wavering(0.7), suite, seed=6)


def test_trials_of_a_task_differ(suite):
    result = evaluate(Wavering(0.5), suite, seed=5)
    first = [row.score for row in result.rows if row.task_id == "task-0"]
    assert len(set(first)) > 1


def test_plain_tasks_are_a_suite_too(task):
    result = evaluate(OraclePolicy, [task], seed=0, trials=1)
    assert result.suite_hash == Suite("any", (task,)).hash
    assert result.overall.pass_at_3 is None


def test_an_error_is_retried_once_and_then_counted(suite):
    seen = []
    result = evaluate(Wavering(1.0, error=0.2), suite, seed=3, on_done=seen.append)
    errors = [row for row in result.rows if row.status is TrialStatus.ERROR]
    assert errors
    assert all(row.retried and row.error and row.score is None for row in errors)
    assert any(row.retried and row.score == 1.0 for row in result.rows)
    assert result.overall.average_score == 100.0
    assert result.overall.average_score_errors_as_zero < 100.0
    assert len(seen) == len(result.rows)


class Interrupted(Exception):
    pass


class Dying(Wavering):
    """Dies after some number of turns."""

    def __init__(self, skill: float, turns: int) -> None:
        super().__init__(skill)
        self.turns = turns

    def __call__(self, environments):
        live = super().__call__(environments)
        act = live.act

        def act_or_die(turns):
            if self.asked > self.turns:
                raise Interrupted
            return act(turns)

        live.act = act_or_die
        return live


@pytest.mark.parametrize("turns", [1, 13, 25])
def test_killed_and_restarted_it_gives_the_same_result(suite, small_blocks, tmp_path, turns):
    whole = evaluate(Wavering(0.7), suite, seed=5)
    with pytest.raises(Interrupted):
        evaluate(Dying(0.7, turns), suite, seed=5, store=tmp_path)
    policy = Wavering(0.7)
    seen = []
    assert evaluate(policy, suite, seed=5, store=tmp_path, on_done=seen.append) == whole
    assert len(seen) == len(whole.rows)
    if turns > 1:
        assert policy.asked < sum(row.turns for row in whole.rows)
    again = Wavering(0.7)
    assert evaluate(again, suite, seed=5, store=tmp_path) == whole
    assert again.asked == 0


def test_another_seed_or_policy_takes_nothing_from_the_store(suite, tmp_path):
    evaluate(Wavering(0.7), suite, seed=5, store=tmp_path)
    for policy, seed in ((Wavering(0.7), 6), (Wavering(0.8), 5)):
        evaluate(policy, suite, seed=seed, store=tmp_path)
        assert policy.asked > 0


def test_a_damaged_block_is_played_again(suite, tmp_path):
    whole = evaluate(Wavering(0.7), suite, seed=5, store=tmp_path)
    for block in (tmp_path / "blocks").iterdir():
        block.write_bytes(block.read_bytes()[:100])
    assert evaluate(Wavering(0.7), suite, seed=5, store=tmp_path) == whole


def test_a_restart_tries_the_errors_again(suite, tmp_path):
    policy = Wavering(1.0, error=1.0)
    broken = evaluate(policy, suite, seed=5, store=tmp_path)
    assert broken.overall.errors == broken.overall.episodes
    assert broken.overall.average_score is None
    policy.error = 0.0
    assert evaluate(policy, suite, seed=5, store=tmp_path).overall.average_score == 100.0


def test_an_empty_suite_is_refused():
    with pytest.raises(TaskFileError, match="no task that can be run"):
        evaluate(EmptyPolicy(), Suite("none", ()), seed=0)


def test_two_tasks_of_one_name_are_refused():
    with pytest.raises(TaskFileError, match="share the id 'ticket-1'"):
        Suite("twins", (ticket_task(), ticket_task(level=2)))


def test_a_saved_result_is_read_back_equal(suite, tmp_path):
    result = evaluate(Wavering(0.6, error=0.1), suite, seed=2)
    save_result(result, tmp_path)
    assert load_result(tmp_path) == result
    assert {path.name for path in tmp_path.iterdir()} == {
        "results.parquet",
        "summary.json",
        "trajectories.jsonl.gz",
    }
    assert list(result.frame()["task_id"][:2]) == ["task-0", "task-1"]


def test_a_damaged_or_missing_result_is_refused(suite, tmp_path):
    with pytest.raises(StorageError, match="can't be read"):
        load_result(tmp_path)
    save_result(evaluate(OraclePolicy, suite, seed=2, trials=1), tmp_path)
    (tmp_path / "results.parquet").write_bytes(b"PAR1")
    with pytest.raises(StorageError, match="differs from its recorded checksum"):
        load_result(tmp_path)


def test_a_full_disk_leaves_nothing_half_written(tmp_path):
    result = evaluate(OraclePolicy, small_suite(), seed=2)
    with full_disk(), pytest.raises(StorageError, match="can't write"):
        save_result(result, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_policy_that_says_nothing_at_all_is_scored(suite):
    class Mute:
        name = "mute"

        def act(self, turns):
            return [Reply() for _ in turns]

        def release(self, episode):
            pass

    assert evaluate(Mute(), suite, seed=0, trials=1).overall.average_score == 0.0
