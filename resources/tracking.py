"""MLflow tracking with a life cycle of its own: each run is started once and ended once.

A materialization's run is found again by its tags, so a retry goes on in the same run instead of
leaving a ghost behind. The fluent API keeps a global active run and is not used.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dagster as dg
from pydantic import PrivateAttr

if TYPE_CHECKING:
    from mlflow import MlflowClient

EXPERIMENT = "coworkenv"
MODEL = "coworkenv-policy"


class TrackedRun:
    """An open MLflow run of one materialization."""

    def __init__(self, client: MlflowClient, run_id: str, experiment_id: str) -> None:
        self.client = client
        self.run_id = run_id
        self.experiment_id = experiment_id

    def params(self, values: Mapping[str, Any]) -> None:
        """Logs parameters; one that was logged before (a retry) is left as it is."""
        from mlflow.entities import Param

        known = self.client.get_run(self.run_id).data.params
        fresh = [Param(key, str(value)[:500]) for key, value in values.items() if key not in known]
        self.client.log_batch(self.run_id, params=fresh)

    def metrics(self, values: Mapping[str, float | None], step: int = 0) -> None:
        """Logs the metrics that have a value."""
        from mlflow.entities import Metric

        now = int(time.time() * 1000)
        listed = [
            Metric(key, float(value), now, step)
            for key, value in values.items()
            if value is not None
        ]
        self.client.log_batch(self.run_id, metrics=listed)

    def curve(self, name: str, points: Iterator[tuple[int, float]]) -> None:
        """Logs a metric over steps, in batches."""
        from mlflow.entities import Metric

        now = int(time.time() * 1000)
        listed = [Metric(name, value, now, step) for step, value in points]
        for start in range(0, len(listed), 500):
            self.client.log_batch(self.run_id, metrics=listed[start : start + 500])

    def artifact(self, path: Path) -> None:
        """Keeps a file with the run."""
        self.client.log_artifact(self.run_id, str(path))


class MLflowTracking(dg.ConfigurableResource["MLflowTracking"]):
    """One run for each materialization, nested under its round's run."""

    uri: str
    """Tracking store, for example `sqlite:////path/mlflow.db` or `http://host:5000`."""
    artifacts: str
    """Where a new experiment keeps its files."""

    _client: Any = PrivateAttr(default=None)

    def client(self) -> MlflowClient:
        """Gives the client; importing MLflow takes seconds, so it happens here."""
        if self._client is None:
            os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
            from mlflow import MlflowClient

            for name in ("mlflow", "alembic"):
                logging.getLogger(name).setLevel(logging.WARNING)
            self._client = MlflowClient(tracking_uri=self.uri, registry_uri=self.uri)
        return self._client

    @contextmanager
    def run(self, context: dg.AssetExecutionContext, round_key: str) -> Iterator[TrackedRun]:
        """Opens the run of this materialization; it ends FINISHED or FAILED, exactly once."""
        client = self.client()
        asset = context.asset_key.to_user_string()
        partition = str(context.partition_key) if context.has_partition_key else ""
        parent = self._open(round_key, {"coworkenv.round": round_key, "coworkenv.kind": "round"})
        tracked = self._open(
            f"{asset} {partition}".strip(),
            {
                "coworkenv.kind": "materialization",
                "coworkenv.asset": asset,
                "coworkenv.partition": partition,
                "coworkenv.round": round_key,
                # A retry of the run shares its root, and so goes on in the same MLflow run.
                "coworkenv.root_run": context.run.root_run_id or context.run_id,
                "dagster.run_id": context.run_id,
                "mlflow.parentRunId": parent.run_id,
            },
            key=("coworkenv.asset", "coworkenv.partition", "coworkenv.root_run"),
        )
        self._end_killed(tracked, asset, partition)
        status = "FAILED"
        try:
            yield tracked
            status = "FINISHED"
        finally:
            client.set_terminated(tracked.run_id, status)
            client.set_terminated(parent.run_id, "FINISHED")
        context.add_output_metadata(
            {
                "mlflow_run_id": tracked.run_id,
                "mlflow_run": dg.MetadataValue.path(
                    f"#/experiments/{tracked.experiment_id}/runs/{tracked.run_id}"
                ),
            }
        )

    def register(self, run: TrackedRun, path: Path, *, policy_hash: str, round_key: str) -> str:
        """Puts a checkpoint into the model registry, once; gives its version."""
        from mlflow.exceptions import MlflowException

        client = self.client()
        try:
            client.create_registered_model(MODEL)
        except MlflowException:
            known = client.search_model_versions(f"name = '{MODEL}'")
            for version in known:
                if version.tags.get("policy_hash") == policy_hash:
                    return str(version.version)
        made = client.create_model_version(
            MODEL,
            source=str(path),
            run_id=run.run_id,
            tags={"policy_hash": policy_hash, "round": round_key},
        )
        return str(made.version)

    def alias(self, policy_hash: str, alias: str) -> None:
        """Points an alias of the registered model at the version with this hash, if any."""
        for version in self.client().search_model_versions(f"name = '{MODEL}'"):
            if version.tags.get("policy_hash") == policy_hash:
                self.client().set_registered_model_alias(MODEL, alias, version.version)

    def _end_killed(self, tracked: TrackedRun, asset: str, partition: str) -> None:
        """Ends earlier runs of this materialization whose process died before it could."""
        query = (
            f"tags.`coworkenv.asset` = '{asset}' and tags.`coworkenv.partition` = '{partition}' "
            "and attributes.status = 'RUNNING'"
        )
        for run in self.client().search_runs([tracked.experiment_id], query):
            if run.info.run_id != tracked.run_id:
                self.client().set_terminated(run.info.run_id, "KILLED")

    def _experiment(self) -> str:
        from mlflow.exceptions import MlflowException

        client = self.client()
        found = client.get_experiment_by_name(EXPERIMENT)
        if found is not None:
            return str(found.experiment_id)
        try:
            return str(client.create_experiment(EXPERIMENT, artifact_location=self.artifacts))
        except MlflowException:  # another process made it meanwhile
            return str(client.get_experiment_by_name(EXPERIMENT).experiment_id)

    def _open(
        self, name: str, tags: dict[str, str], key: tuple[str, ...] = ("coworkenv.round",)
    ) -> TrackedRun:
        client, experiment = self.client(), self._experiment()
        wanted = {"coworkenv.kind": tags["coworkenv.kind"], **{k: tags[k] for k in key}}
        query = " and ".join(f"tags.`{k}` = '{v}'" for k, v in wanted.items())
        found = client.search_runs([experiment], query, max_results=1)
        if found:
            run_id = found[0].info.run_id
            client.update_run(run_id, status="RUNNING")
        else:
            run_id = client.create_run(experiment, tags=tags, run_name=name).info.run_id
        return TrackedRun(client, run_id, experiment)
