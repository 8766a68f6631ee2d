"""Runs a round from the command line, through Dagster, stage by stage.

Everything it does is in the instance of the home folder, so the UI shows it afterwards. A stage
that is done for the same settings, policy and inputs is not done again: a run that was killed
goes on where it was, and ends with the same result.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg
from rich.console import Console
from rich.table import Table

from coworkenv_dagster import __version__
from coworkenv_dagster.config import Home, RoundConfig, home, round_config
from coworkenv_dagster.errors import CoworkEnvError, own_cause
from coworkenv_dagster.hashing import content_hash
from coworkenv_dagster.progress import StageBars
from coworkenv_dagster.promotion import promoted
from coworkenv_dagster.storage import storage_failure, write_text

warnings.filterwarnings("ignore", category=dg.BetaWarning)
warnings.filterwarnings("ignore", category=dg.PreviewWarning)

SYNTHESIS = ("generated_tasks", "validated_environments", "repaired_environments")
ENDS = ("training_set", "sft_checkpoint", "claw_eval_scores", "round_report")
STAGES = ("capability_profile", *SYNTHESIS, *ENDS)

_DAGSTER_YAML = """\
# Written by `coworkenv run`; yours to change.
telemetry:
  enabled: false
nux:
  enabled: false
concurrency:
  runs:
    max_concurrent_runs: 2
  pools:
    default_limit: 1
"""
_INPUTS = "coworkenv/inputs"
_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def run(*, preset: str = "pocket", round_key: str | None = None, next_round: bool = False) -> int:
    """Runs a round to its end, or goes on with it; prints its scores. Gives the exit code.

    Args:
        preset: Size of the round.
        round_key: The round; by default the first.
        next_round: Run the round after the last finished one.

    Raises:
        CoworkEnvError: With what went wrong, in one paragraph.
    """
    os.environ["COWORKENV_PRESET"] = preset
    config, place = round_config(preset), open_home()
    try:
        key = _run(config, place, round_key, next_round)
    except CoworkEnvError:
        raise
    except Exception as error:
        # Dagster wraps what an asset raised once its retries are used up.
        failure = own_cause(error) or storage_failure(error, place.root)
        if failure is None:
            raise
        raise failure from error
    return report(round_key=key)


def _run(config: RoundConfig, place: Home, round_key: str | None, next_round: bool) -> str:
    from assets.automation import seed_round
    from assets.partitions import FIRST_ROUND, rounds

    with dg.DagsterInstance.get() as instance:
        key = round_key or (_following(place) if next_round else None) or FIRST_ROUND
        if not rounds.has_partition_key(key):
            raise CoworkEnvError(
                f"{key} is no round that has ended",
                where="--round",
                mend=f"Rounds are days from {FIRST_ROUND} up to yesterday, as YYYY-MM-DD",
            )
        problem = seed_round(instance, key)
        if problem:
            raise CoworkEnvError(problem, where=f"round {key}")
        console = Console()
        console.print(f"Round [bold]{key}[/bold] in {place.root} ({config.preset})")
        with StageBars(STAGES, console) as bars:
            work = _Round(instance, place, config, key, bars)
            work.materialize(["held_out_suite"], None)
            work.materialize(["capability_profile"], key)
            for partition in synthesis_keys(key):
                work.materialize(SYNTHESIS, partition)
            for stage in ENDS:
                work.materialize([stage], key)
    return key


def report(*, round_key: str | None = None, as_json: bool = False) -> int:
    """Prints the scores of a finished round and where its page is.

    Raises:
        CoworkEnvError: No such round has been finished.
    """
    place = home()
    key = round_key or _last_finished(place)
    path = place.report(key) / "report.json" if key else None
    if path is None or not path.is_file():
        raise CoworkEnvError(
            f"round {key} has no report" if key else "no round has been finished",
            where=str(place.root),
            mend="Run `coworkenv run`",
        )
    numbers = json.loads(path.read_text(encoding="utf-8"))
    if as_json:
        print(json.dumps(numbers, indent=2))
        return 0
    console = Console()
    console.print(_scores(numbers))
    made = numbers["synthesis"]
    console.print(
        f"{made['generated']} tasks generated: {made['accepted']} passed the gate at once, "
        f"{made['repaired']} after repair, {made['rejected']} rejected."
    )
    console.print(f"Report   {path.with_suffix('.html')}", soft_wrap=True)
    console.print("Lineage  make ui      (coworkenv ui)")
    console.print("MLflow   make mlflow  (coworkenv mlflow)")
    return 0


def dagster_ui(*, port: int = 3000) -> int:
    """Serves Dagster's web UI and daemon on the home's instance until interrupted."""
    open_home()
    command = ["dagster", "dev", "-m", "coworkenv_dagster.definitions", "-p", str(port)]
    return subprocess.call([sys.executable, "-m", *command])


def mlflow_ui(*, port: int = 5000) -> int:
    """Serves MLflow's web UI on the home's data base until interrupted."""
    place = open_home()
    command = ["mlflow", "server", "--backend-store-uri", place.tracking_uri, "--port", str(port)]
    artifacts = ["--artifacts-destination", str(place.artifacts)]
    return subprocess.call([sys.executable, "-m", *command, *artifacts])


def synthesis_keys(round_key: str) -> list[dg.MultiPartitionKey]:
    """Gives a round's partitions of the synthesis assets, one for each capability."""
    from assets.partitions import capabilities

    return [
        dg.MultiPartitionKey({"round": round_key, "capability": capability})
        for capability in capabilities.get_partition_keys()
    ]


def open_home() -> Home:
    """Makes the home and points Dagster at its instance.

    Raises:
        StorageError: The home can't be written to.
    """
    place = home().make()
    settings = place.dagster / "dagster.yaml"
    if not settings.exists():
        write_text(settings, _DAGSTER_YAML)
    os.environ["COWORKENV_HOME"] = str(place.root)
    os.environ["DAGSTER_HOME"] = str(place.dagster)
    os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "yes")
    return place


@dataclass
class _Round:
    instance: dg.DagsterInstance
    place: Home
    config: RoundConfig
    key: str
    bars: StageBars

    def materialize(self, stages: Sequence[str], partition: str | None) -> None:
        """Materializes what of these stages isn't done yet for a partition, with its checks."""
        inputs = self._inputs()
        missing = list(stages)
        while missing and self._done(missing[0], partition, inputs):
            self.bars.skip(missing.pop(0))
        if not missing:
            return
        from coworkenv_dagster.definitions import asset_checks, lineage, resources

        selection = dg.AssetSelection.assets(*missing)
        result = dg.materialize(
            [*lineage, *asset_checks],
            selection=selection,
            partition_key=partition,
            instance=self.instance,
            resources={**resources(), "progress": self.bars},
            run_config=_QUIET,
            tags={_INPUTS: inputs, "coworkenv/round": self.key},
        )
        for evaluation in result.get_asset_check_evaluations():
            if not evaluation.passed and evaluation.blocking:
                raise CoworkEnvError(
                    f"the check {evaluation.check_name!r} on "
                    f"{evaluation.asset_key.to_user_string()} failed: {_plain(evaluation)}",
                    where=f"round {self.key}",
                    mend="Look at it with `coworkenv ui`; nothing after it was run",
                )

    def _inputs(self) -> str:
        """Gives the identity of what a stage's result depends on besides its upstream assets."""
        policy = promoted(self.place, self.key).policy_hash
        return content_hash([self.config.config_hash, policy, __version__])

    def _done(self, stage: str, partition: str | None, inputs: str) -> bool:
        record = self._record(stage, partition)
        if record is None:
            return False
        made_by = self.instance.get_run_by_id(record.run_id)
        if made_by is None or not made_by.is_success or made_by.tags.get(_INPUTS) != inputs:
            return False
        if not self._stored(stage, partition):
            return False
        before = STAGES.index(stage) if stage in STAGES else 0
        return all(
            upstream is None or upstream.storage_id < record.storage_id
            for name in STAGES[:before]
            for upstream in self._upstream(name, partition)
        )

    def _record(self, stage: str, partition: str | None) -> dg.EventLogRecord | None:
        records = self.instance.fetch_materializations(
            dg.AssetRecordsFilter(
                dg.AssetKey(stage), asset_partitions=[partition] if partition else None
            ),
            limit=1,
        ).records
        return records[0] if records else None

    def _upstream(self, stage: str, partition: str | None) -> list[dg.EventLogRecord | None]:
        """Gives the records of an earlier stage that a partition of a later one builds on."""
        if stage not in SYNTHESIS:
            return [self._record(stage, self.key)]
        if isinstance(partition, dg.MultiPartitionKey):
            return [self._record(stage, partition)]
        return [self._record(stage, key) for key in synthesis_keys(self.key)]

    def _stored(self, stage: str, partition: str | None) -> bool:
        if "COWORKENV_STORAGE" in os.environ:
            return True  # not a local path; Dagster's record is what we go by
        folder = self.place.storage / stage
        if isinstance(partition, dg.MultiPartitionKey):
            keys = partition.keys_by_dimension
            return (folder / keys["capability"] / f"{keys['round']}.parquet").is_file()
        return (folder / partition if partition else folder).with_suffix(".parquet").is_file()


def _plain(evaluation: Any) -> str:
    shown = {name: value.value for name, value in evaluation.metadata.items()}
    return ", ".join(f"{name} {value}" for name, value in shown.items())[:400]


def _scores(numbers: dict[str, Any]) -> Table:
    table = Table(title=f"{numbers['suite']['title']}: Average Score before and after training")
    for column in ("", "before", "after", "difference", "95 % interval"):
        table.add_column(column, justify="left" if not column else "right")
    trained, base = numbers["scores"]["trained"], numbers["scores"]["base"]
    splits = {name: part for name, part in trained.items() if "average_score" in part}
    for group, after in {**splits, **trained["capabilities"]}.items():
        before = base.get(group) or base["capabilities"].get(group, {})
        name = group if group in splits else f"capability:{group}"
        change = numbers["differences"].get(name, {})
        interval = change.get("interval")
        table.add_row(
            group.replace("_", " "),
            _one(before.get("average_score")),
            _one(after.get("average_score")),
            _one(change.get("difference"), sign=True),
            f"{interval[0]:+.1f} to {interval[1]:+.1f}" if interval else "",
        )
    return table


def _one(value: float | None, sign: bool = False) -> str:
    if value is None:
        return "-"
    return f"{value:+.1f}" if sign else f"{value:.1f}"


def _last_finished(place: Home) -> str | None:
    folder = place.report("x").parent
    finished = sorted(path.parent.name for path in folder.glob("*/report.json"))
    return finished[-1] if finished else None


def _following(place: Home) -> str | None:
    from assets.partitions import round_after

    last = _last_finished(place)
    return round_after(last) if last else None
