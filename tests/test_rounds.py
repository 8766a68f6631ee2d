"""Whole rounds through Dagster, with a model really trained, at the smallest size."""

from __future__ import annotations

import json
import os

import dagster as dg
import pytest

from assets import evaluation as scores_stage
from coworkenv_dagster import rounds
from coworkenv_dagster.config import Home
from coworkenv_dagster.errors import CheckpointError, CoworkEnvError, StorageError
from coworkenv_dagster.promotion import promoted
from coworkenv_dagster.storage import write_text
from coworkenv_dagster.training.checkpoint import read_checkpoint

FIRST, SECOND = "2026-01-01", "2026-01-02"
VARIABLES = ("COWORKENV_HOME", "DAGSTER_HOME", "COWORKENV_PRESET")


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """A home of its own for this module's rounds."""
    before = {name: os.environ.get(name) for name in VARIABLES}
    root = tmp_path_factory.mktemp("home")
    os.environ["COWORKENV_HOME"] = str(root)
    yield Home(root=root)
    for name, value in before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


class Killed(BaseException):
    """Stands for the process being killed: nothing may catch it."""


@pytest.fixture(scope="module")
def two_rounds(elsewhere):
    """Round 0 killed in the middle of scoring and run again, then the round after it."""
    evaluate = scores_stage.evaluate

    def killed(*args, **kwargs):
        raise Killed

    scores_stage.evaluate = killed
    try:
        with pytest.raises(Killed):
            rounds.run(preset="tiny")
    finally:
        scores_stage.evaluate = evaluate
    before = made(elsewhere)
    assert rounds.run(preset="tiny") == 0
    after = made(elsewhere)
    assert rounds.run(preset="tiny", next_round=True) == 0
    return before, after


def made(home):
    """Gives the run that made each asset partition."""
    with dg.DagsterInstance.from_config(str(home.dagster)) as instance:
        found = {}
        for stage in rounds.STAGES:
            for record in instance.fetch_materializations(dg.AssetKey(stage), limit=100).records:
                found.setdefault((stage, record.partition_key), record.run_id)
        return found


def test_a_killed_round_goes_on_without_repeating_what_is_done(two_rounds):
    before, after = two_rounds
    assert ("sft_checkpoint", FIRST) in before
    assert ("claw_eval_scores", FIRST) not in before
    assert {key: after[key] for key in before} == before
    assert ("round_report", FIRST) in after


def test_nothing_is_lost_between_generation_and_report(two_rounds, elsewhere):
    for key in (FIRST, SECOND):
        numbers = json.loads((elsewhere.report(key) / "report.json").read_text())
        made = numbers["synthesis"]
        assert made["generated"] == 36
        assert made["accepted"] + made["repaired"] + made["rejected"] == 36


def test_the_report_has_the_scores_before_and_after(two_rounds, elsewhere, capsys):
    assert rounds.report(round_key=FIRST, as_json=True) == 0
    numbers = json.loads(capsys.readouterr().out)
    for policy in ("base", "trained"):
        for split in ("overall", "general", "multi_turn"):
            assert 0.0 <= numbers["scores"][policy][split]["average_score"] <= 100.0
    page = (elsewhere.report(FIRST) / "report.html").read_text()
    assert "Held-out suite (built in)" in page


def test_the_second_round_starts_from_the_first_rounds_checkpoint(two_rounds, elsewhere):
    start = promoted(elsewhere, SECOND)
    first = read_checkpoint(elsewhere.checkpoint(FIRST, "sft"))
    second = read_checkpoint(elsewhere.checkpoint(SECOND, "sft"))
    assert start.origin == FIRST
    assert start.policy_hash == first.content_hash == second.parent_hash
    assert second.content_hash != first.content_hash
    profile = json.loads(elsewhere.profile(SECOND).read_text())
    assert profile["policy_hash"] == first.content_hash


def test_a_finished_round_is_not_run_again(two_rounds, elsewhere):
    before = made(elsewhere)
    assert rounds.run(preset="tiny") == 0
    assert made(elsewhere) == before


def test_mlflow_has_one_finished_run_for_each_materialization(two_rounds, elsewhere):
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=elsewhere.tracking_uri)
    experiment = client.get_experiment_by_name("coworkenv").experiment_id
    runs = client.search_runs([experiment], max_results=1000)
    parents = {r.info.run_id for r in runs if r.data.tags["coworkenv.kind"] == "round"}
    children = [r for r in runs if r.data.tags["coworkenv.kind"] == "materialization"]
    assert len(parents) == 2
    assert {r.data.tags["mlflow.parentRunId"] for r in children} == parents
    assert all(r.info.status in ("FINISHED", "FAILED") for r in runs)
    finished = [r for r in children if r.info.status == "FINISHED"]
    keys = [(r.data.tags["coworkenv.asset"], r.data.tags["coworkenv.partition"]) for r in finished]
    assert len(keys) == len(set(keys)) == 2 * (5 + 3 * 6)
    assert all(r.data.tags["dagster.run_id"] for r in children)


def test_dagster_points_at_the_mlflow_run(two_rounds, elsewhere):
    with dg.DagsterInstance.from_config(str(elsewhere.dagster)) as instance:
        event = instance.get_latest_materialization_event(dg.AssetKey("sft_checkpoint"))
    assert "mlflow_run_id" in event.asset_materialization.metadata


def test_a_day_that_is_no_round_is_refused(elsewhere):
    with pytest.raises(CoworkEnvError, match="is no round"):
        rounds.run(preset="tiny", round_key="2031-01-01")
    with pytest.raises(CoworkEnvError, match="Known presets"):
        rounds.run(preset="huge")


def test_a_home_that_cannot_be_written_is_one_clear_message(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("COWORKENV_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(StorageError, match="COWORKENV_HOME"):
        rounds.open_home()


def test_a_round_without_a_report_says_what_to_run(tmp_path, monkeypatch):
    monkeypatch.setenv("COWORKENV_HOME", str(tmp_path))
    with pytest.raises(CoworkEnvError, match="coworkenv run"):
        rounds.report()


def test_a_promoted_checkpoint_that_is_gone_is_named(tmp_path):
    home = Home(root=tmp_path)
    with pytest.raises(CheckpointError, match="no policy was promoted"):
        promoted(home, FIRST)
    write_text(home.promotion(FIRST), "{}")
    with pytest.raises(CheckpointError, match="can't be read"):
        promoted(home, FIRST)


def test_what_goes_wrong_inside_a_stage_is_one_clear_message(tmp_path, monkeypatch):
    recipe = tmp_path / "short.yaml"
    recipe.write_text("name: short\nmax_length: 16\n")
    monkeypatch.setenv("COWORKENV_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COWORKENV_RECIPE", str(recipe))
    monkeypatch.setenv("DAGSTER_HOME", "")
    with pytest.raises(CoworkEnvError, match="at most 16 tokens"):
        rounds.run(preset="tiny")
