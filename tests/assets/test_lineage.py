from __future__ import annotations

from datetime import UTC, datetime

import dagster as dg
import pytest

from assets import automation
from assets.checks import conservation, gate
from assets.partitions import capabilities, round_after, round_before, rounds
from assets.tables import outcomes_table, tasks_table
from coworkenv_dagster.config import Home
from coworkenv_dagster.definitions import defs
from coworkenv_dagster.gate import check
from coworkenv_dagster.promotion import base_promotion, promote, promoted, rounds_with_policy
from coworkenv_dagster.repair import repair_all
from resources import Settings
from tests.conftest import ticket_task
from tests.gate.test_gate import BROKEN

EDGES = {
    "capability_profile": {"promoted_policy"},
    "generated_tasks": {"capability_profile"},
    "validated_environments": {"generated_tasks"},
    "repaired_environments": {"generated_tasks", "validated_environments"},
    "training_set": {"repaired_environments"},
    "sft_checkpoint": {"training_set", "promoted_policy"},
    "claw_eval_scores": {"sft_checkpoint", "promoted_policy", "held_out_suite"},
    "round_report": {"claw_eval_scores", "sft_checkpoint", "repaired_environments"},
}
GRAPH = defs.resolve_asset_graph()


def test_the_lineage_has_the_designed_edges_and_no_others():
    found = {
        key.to_user_string(): {parent.to_user_string() for parent in GRAPH.get(key).parent_keys}
        for key in GRAPH.get_all_asset_keys()
    }
    assert found == {**EDGES, "promoted_policy": set(), "held_out_suite": set()}


def test_synthesis_is_by_round_and_capability_and_the_ends_by_round():
    for name in ("generated_tasks", "validated_environments", "repaired_environments"):
        partitions = GRAPH.get(dg.AssetKey(name)).partitions_def
        assert isinstance(partitions, dg.MultiPartitionsDefinition)
        assert set(partitions.partition_dimension_names) == {"round", "capability"}
    assert GRAPH.get(dg.AssetKey("round_report")).partitions_def == rounds
    assert len(capabilities.get_partition_keys()) == 6


def test_every_asset_says_who_owns_it_and_what_it_is():
    for key in GRAPH.get_all_asset_keys():
        node = GRAPH.get(key)
        assert node.description, key
        assert node.owners, key
        assert node.group_name in {"profile", "synthesis", "training", "evaluation"}


def test_rounds_follow_each_other():
    assert round_after("2026-01-01") == "2026-01-02"
    assert round_before("2026-01-02") == "2026-01-01"
    assert round_before("2026-01-01") is None


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("COWORKENV_HOME", str(tmp_path))
    return Home(root=tmp_path)


@pytest.fixture
def instance(tmp_path):
    (tmp_path / "dagster").mkdir()
    with dg.instance_for_test(temp_dir=str(tmp_path / "dagster")) as instance:
        yield instance


def test_the_first_round_starts_from_the_shipped_base(home, instance):
    assert automation.seed_round(instance, "2026-01-01") is None
    assert promoted(home, "2026-01-01").name == "base"
    assert instance.get_materialized_partitions(dg.AssetKey("promoted_policy")) == {"2026-01-01"}


def test_rounds_that_were_never_opened_are_bridged_and_a_failed_one_stops_the_next(home, instance):
    promote(home, base_promotion("2026-01-01").model_copy(update={"name": "old"}))
    assert automation.seed_round(instance, "2026-03-01") is None
    assert promoted(home, "2026-03-01").name == "old"
    assert "finish or mend it first" in automation.seed_round(instance, "2026-03-02")
    assert rounds_with_policy(home) == ["2026-01-01", "2026-03-01"]


def test_the_schedule_opens_the_round_that_has_just_ended(home, instance):
    context = dg.build_schedule_context(
        instance=instance,
        scheduled_execution_time=datetime(2026, 5, 4, tzinfo=UTC),
    )
    request = automation.open_round(context)
    assert request.partition_key == "2026-05-03"


def requested(instance, cursor=None):
    return dg.evaluate_automation_conditions(defs, instance=instance, cursor=cursor)


def test_automation_carries_an_opened_round_on_stage_by_stage(home, instance):
    first = requested(instance)
    assert first.total_requested == 1
    assert first.get_num_requested(dg.AssetKey("held_out_suite")) == 1
    automation.seed_round(instance, "2026-01-01")
    instance.report_runless_asset_event(
        dg.AssetMaterialization("capability_profile", partition="2026-01-01")
    )
    second = requested(instance, first.cursor)
    assert second.get_num_requested(dg.AssetKey("generated_tasks")) == 6
    assert second.get_num_requested(dg.AssetKey("training_set")) == 0


def settings(home):
    return Settings(home_path=str(home.root), preset="tiny")


def test_the_gate_check_fails_on_an_environment_that_breaks_a_law(home):
    outcomes = repair_all([(ticket_task(), check(ticket_task()))])
    good = outcomes_table(outcomes)
    assert gate(good, settings=settings(home)).passed
    bad = [outcomes[0].model_copy(update={"spec": BROKEN["empty.echo"]})]
    result = gate(outcomes_table(bad), settings=settings(home))
    assert not result.passed
    assert result.metadata["failed"].value == 1


def test_the_conservation_check_fails_when_a_task_is_lost():
    specs = [ticket_task(), ticket_task(task_id="ticket-9")]
    outcomes = outcomes_table(repair_all((spec, check(spec)) for spec in specs))
    assert conservation(outcomes, tasks_table(specs)).passed
    assert not conservation(outcomes.slice(1), tasks_table(specs)).passed


def test_both_guards_of_repair_are_blocking():
    blocking = {
        spec.name: spec.blocking
        for definition in defs.asset_checks
        for spec in definition.check_specs
    }
    assert blocking["gate"]
    assert blocking["conservation"]
