"""Plays trials x tasks through the one episode loop and gives the scored result.

Episodes are played in blocks of fixed make-up, each with its own seed. So a result depends
neither on `batch_size` nor on whether it was played in one go: a finished block is kept in the
store, and a restart plays only what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coworkenv_dagster.environment import Environment
from coworkenv_dagster.episode import Ending, Trajectory, rollout
from coworkenv_dagster.errors import CoworkEnvError, TaskFileError
from coworkenv_dagster.evaluation.result import EvaluationResult, result_of
from coworkenv_dagster.evaluation.rows import TrialRow, no_op_score, row_of
from coworkenv_dagster.evaluation.storage import BlockStore, Played
from coworkenv_dagster.evaluation.suites import Suite
from coworkenv_dagster.grading import Judge
from coworkenv_dagster.hashing import derive_seed
from coworkenv_dagster.policies.base import Policy
from coworkenv_dagster.schema import TaskSpec

BLOCK = 64
"""Episodes a block: what a kill costs at most, and what a model can answer at once."""

PolicyFor = Callable[[Sequence[Environment]], Policy]
"""Makes the policy for a rollout's environments, as `OraclePolicy` needs."""

Trial = tuple[TaskSpec, int]


def evaluate(
    policy: Policy | PolicyFor,
    suite: Suite | Sequence[TaskSpec],
    *,
    seed: int,
    trials: int = 3,
    batch_size: int = BLOCK,
    on_done: Callable[[TrialRow], None] | None = None,
    judge: Judge | None = None,
    store: Path | None = None,
    policy_hash: str = "",
) -> EvaluationResult:
    """Scores a policy on a suite.

    An episode that ended in an error has no score; it is played once more with a derived seed,
    then counted as an error. A restart with the same store tries the errors again.

    Args:
        policy: The policy, or a function that makes it for given environments.
        suite: The suite, or plain tasks.
        seed: Equal seeds give equal results, and two policies the same seeds on each task.
        trials: Trials a task.
        batch_size: Most episodes live at a time; changes speed and memory only.
        on_done: Called with each finished trial, also with those taken from the store.
        judge: Scores rubric parts; without it they stay unscored.
        store: Folder that keeps finished blocks, for resuming.
        policy_hash: Identity of the policy's weights; default its `content_hash`, else its name.

    Raises:
        TaskFileError: The suite has no task.
        StorageError: The store can't be written to.
    """
    suite = suite if isinstance(suite, Suite) else Suite("tasks", tuple(suite))
    if not suite.tasks:
        reason = f" (skipped: {len(suite.skipped)})" if suite.skipped else ""
        raise TaskFileError(
            f"the suite has no task that can be run{reason}",
            where=suite.name,
            mend="`coworkenv eval` lists why each task was skipped",
        )
    if trials < 1:
        raise CoworkEnvError(f"can't run {trials} trials", mend="Give 1 or more")
    name = getattr(policy, "name", "") or type(policy).__name__
    identity = policy_hash or _identity(policy, name)
    player = _Player(policy, suite, seed, batch_size, judge, on_done or (lambda row: None))
    blocks = BlockStore(store) if store else None
    plan = [(spec, trial) for trial in range(trials) for spec in suite.tasks]
    played: Played = []
    for start in range(0, len(plan), BLOCK):
        block = plan[start : start + BLOCK]
        key = _key(player, identity, start // BLOCK, block)
        kept = blocks.load(key) if blocks else None
        done = (
            player.again(start // BLOCK, block, kept)
            if kept
            else player.block(start // BLOCK, block)
        )
        if blocks and done != kept:
            blocks.save(key, done)
        played.extend(done)
    return result_of(
        suite,
        played,
        policy=name,
        policy_hash=identity,
        seed=seed,
        trials=trials,
        judged=judge is not None,
    )


@dataclass
class _Player:
    policy: Policy | PolicyFor
    suite: Suite
    seed: int
    batch_size: int
    judge: Judge | None
    on_done: Callable[[TrialRow], None]
    floors: dict[str, float | None] = field(default_factory=dict)

    def block(self, number: int, block: Sequence[Trial]) -> Played:
        """Plays a block, and its errors once more."""
        return self._retry(number, block, dict(self._play(number, block, range(len(block)))))

    def again(self, number: int, block: Sequence[Trial], kept: Played) -> Played:
        """Takes a kept block, and plays its errors once more."""
        for row, _ in kept:
            if row.done:
                self.on_done(row)
        return self._retry(number, block, dict(enumerate(kept)))

    def _retry(
        self, number: int, block: Sequence[Trial], done: dict[int, tuple[TrialRow, Trajectory]]
    ) -> Played:
        failed = [index for index in range(len(block)) if not done[index][0].done]
        done.update(self._play(number, block, failed, retry=True))
        return [done[index] for index in range(len(block))]

    def _play(
        self, number: int, block: Sequence[Trial], indices: Sequence[int], retry: bool = False
    ) -> list[tuple[int, tuple[TrialRow, Trajectory]]]:
        if not indices:
            return []
        seed = derive_seed(self.seed, "evaluation", number, *(["retry"] if retry else []))
        rows: dict[int, TrialRow] = {}

        def done(position: int, episode: Trajectory) -> None:
            spec, trial = block[indices[position]]
            rows[position] = row_of(
                spec,
                trial,
                episode,
                seed=seed,
                formula=self.suite.formula,
                retried=retry,
                no_op=self._floor(spec),
            )
            if retry or episode.ending is not Ending.ERROR:
                self.on_done(rows[position])

        environments = [Environment(block[index][0]) for index in indices]
        episodes = rollout(
            _policy_for(self.policy, environments),
            environments,
            seed=seed,
            batch_size=self.batch_size,
            judge=self.judge,
            on_done=done,
        )
        return [
            (index, (rows[position], episodes[position])) for position, index in enumerate(indices)
        ]

    def _floor(self, spec: TaskSpec) -> float | None:
        if spec.content_hash not in self.floors:
            self.floors[spec.content_hash] = no_op_score(spec, self.suite.formula)
        return self.floors[spec.content_hash]


def _policy_for(policy: Policy | PolicyFor, environments: Sequence[Environment]) -> Policy:
    if isinstance(policy, type) or not isinstance(policy, Policy):
        return policy(environments)
    return policy


def _identity(policy: Policy | PolicyFor, name: str) -> str:
    try:
        return str(getattr(policy, "content_hash", "") or name)
    except CoworkEnvError:  # a model that lives in memory alone has no hash
        return name


def _key(player: _Player, identity: str, number: int, block: Sequence[Trial]) -> dict[str, Any]:
    judge = player.judge
    return {
        "version": 1,
        "policy": identity,
        "seed": player.seed,
        "formula": player.suite.formula.value,
        "judge": "" if judge is None else str(getattr(judge, "name", "judge")),
        "block": number,
        "episodes": [[spec.content_hash, trial] for spec, trial in block],
    }
