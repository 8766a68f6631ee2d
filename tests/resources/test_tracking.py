import dagster as dg
import pytest

from resources import MLflowTracking


@pytest.fixture
def tracking(tmp_path):
    return MLflowTracking(
        uri=f"sqlite:///{tmp_path / 'm.db'}", artifacts=str(tmp_path / "artifacts")
    )


def materialize(tracking, work):
    @dg.asset(partitions_def=dg.StaticPartitionsDefinition(["2026-01-01"]))
    def thing(context: dg.AssetExecutionContext) -> None:
        with tracking.run(context, "2026-01-01") as run:
            work(run)

    return dg.materialize([thing], partition_key="2026-01-01", raise_on_error=False)


def statuses(tracking):
    client = tracking.client()
    experiment = client.get_experiment_by_name("coworkenv").experiment_id
    return sorted(
        run.info.status
        for run in client.search_runs([experiment])
        if run.data.tags["coworkenv.kind"] == "materialization"
    )


def test_a_run_ends_once_and_the_run_of_a_killed_process_is_ended_by_the_next(tracking):
    assert materialize(tracking, lambda run: run.metrics({"x": 1.0, "y": None})).success
    client = tracking.client()
    experiment = client.get_experiment_by_name("coworkenv").experiment_id
    first = client.search_runs([experiment], "metrics.x = 1")[0]
    client.update_run(first.info.run_id, status="RUNNING")  # as a killed process leaves it
    assert materialize(tracking, lambda run: None).success
    assert statuses(tracking) == ["FINISHED", "KILLED"]


def test_a_failed_materialization_is_a_failed_run(tracking):
    def fail(run):
        raise RuntimeError("no")

    assert not materialize(tracking, fail).success
    assert statuses(tracking) == ["FAILED"]
