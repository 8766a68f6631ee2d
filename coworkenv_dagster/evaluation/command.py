"""What `coworkenv eval` does: live progress, a table at the end, and an exit code that means it."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)

from coworkenv_dagster.errors import CoworkEnvError
from coworkenv_dagster.evaluation.catalog import load_suite
from coworkenv_dagster.evaluation.evaluate import BLOCK, PolicyFor, evaluate
from coworkenv_dagster.evaluation.result import EvaluationResult
from coworkenv_dagster.evaluation.rows import TrialRow
from coworkenv_dagster.evaluation.storage import save_result
from coworkenv_dagster.evaluation.suites import Suite
from coworkenv_dagster.evaluation.tables import print_result, print_skipped
from coworkenv_dagster.grading import Judge
from coworkenv_dagster.policies.base import Policy
from coworkenv_dagster.policies.make import OraclePolicy, make_policy


class ExitCode(IntEnum):
    """What the process ends with."""

    DONE = 0
    ERRORS = 1
    """Scored, but some episodes had no answer from the policy."""
    FAILED = 2
    """Nothing was scored; the message says what to mend."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C; the same command goes on where it was, when it has an output folder."""


def run_eval(
    suite: str,
    policy: str,
    *,
    trials: int = 3,
    seed: int = 0,
    batch_size: int = BLOCK,
    temperature: float = 0.0,
    out: Path | None = None,
    as_json: bool = False,
    judge: Judge | None = None,
    console: Console | None = None,
    errors: Console | None = None,
) -> int:
    """Evaluates a policy on a suite and shows the result.

    Args:
        suite: `builtin`, `probe`, `claw-eval:DIR`, or a file or folder of tasks.
        policy: `reference` or what `make_policy` reads.
        trials: Trials a task.
        seed: Equal seeds give equal results.
        batch_size: Most episodes live at a time.
        temperature: Sampling temperature of a model.
        out: Folder for results.parquet, summary.json and trajectories; makes it resumable.
        as_json: Print the summary as JSON on the console and nothing else there.
        judge: Scores rubric parts.
        console: Where the result goes; default standard output.
        errors: Where progress and messages go; default standard error.

    Returns:
        The exit code, one of `ExitCode`.
    """
    console = console or Console()
    errors = errors or Console(stderr=True)
    try:
        chosen = load_suite(suite, judged=judge is not None)
        if not chosen.tasks:
            print_skipped(errors, chosen.skipped)
        player = _policy(policy, temperature)
        with _progress(errors, chosen, trials, policy) as tell:
            result = evaluate(
                player,
                chosen,
                trials=trials,
                seed=seed,
                batch_size=batch_size,
                on_done=tell,
                judge=judge,
                store=out,
                policy_hash=_identity(player, policy, temperature),
            )
        if out:
            save_result(result, out)
    except CoworkEnvError as error:
        errors.print(f"error: {error}", style="red", markup=False, highlight=False)
        return ExitCode.FAILED
    except KeyboardInterrupt:
        hint = "The same command goes on from here." if out else "Give --out to be able to go on."
        errors.print(f"Interrupted. {hint}")
        return ExitCode.INTERRUPTED
    _show(console, result, as_json=as_json)
    if out and not as_json:
        console.print(f"Results in {out}", markup=False, highlight=False)
    return ExitCode.ERRORS if result.overall.errors else ExitCode.DONE


def _policy(text: str, temperature: float) -> Policy | PolicyFor:
    return OraclePolicy if text == "reference" else make_policy(text, temperature=temperature)


def _identity(policy: Policy | PolicyFor, text: str, temperature: float) -> str:
    """Gives what a kept block must agree in: the weights where they are known, and the heat."""
    known = getattr(policy, "content_hash", "") or text
    return f"{known}@{temperature:g}"


def _show(console: Console, result: EvaluationResult, *, as_json: bool) -> None:
    if as_json:
        text = json.dumps(result.summary(), ensure_ascii=False, indent=2)
        console.print(text, markup=False, highlight=False, soft_wrap=True)
    else:
        print_result(console, result)


class _progress:
    """Shows trials done, running mean, errors, tokens a second and the time left."""

    def __init__(self, console: Console, suite: Suite, trials: int, policy: str) -> None:
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("mean {task.fields[mean]}  errors {task.fields[errors]}"),
            TextColumn("{task.fields[pace]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task(
            f"{policy} on {suite.name}",
            total=trials * len(suite.tasks),
            mean="–",
            errors=0,
            pace="",
        )
        self._scores: list[float] = []
        self._errors = self._tokens = 0

    def __enter__(self) -> Callable[[TrialRow], None]:
        self._bar.start()
        return self._tell

    def __exit__(self, *exception: object) -> None:
        self._bar.stop()

    def _tell(self, row: TrialRow) -> None:
        if row.score is not None:
            self._scores.append(100.0 * row.score)
        self._errors += not row.done
        self._tokens += row.tokens
        seconds = self._bar.tasks[0].elapsed or 0.0
        self._bar.update(
            self._task,
            advance=1,
            mean=f"{sum(self._scores) / len(self._scores):.1f}" if self._scores else "–",
            errors=self._errors,
            pace=f"{self._tokens / seconds:,.0f} tokens/s" if self._tokens and seconds else "",
        )
