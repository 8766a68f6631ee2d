"""An evaluation's result as tables for a terminal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from coworkenv_dagster.evaluation.result import EvaluationResult
from coworkenv_dagster.evaluation.summary import OVERALL, Summary


def print_result(console: Console, result: EvaluationResult) -> None:
    """Prints scores by split and capability, what was left out, and why."""
    console.print(
        f"{result.policy} on {result.suite_title} ({result.suite_hash}), "
        f"{result.trials} trial{'s' if result.trials != 1 else ''} a task, seed {result.seed}",
        markup=False,
        highlight=False,
    )
    console.print(_table(result))
    overall = result.overall
    if overall.floor_free_score is not None:
        console.print(
            f"Above doing nothing (floor-free): {overall.floor_free_score:.1f} of 100.",
            highlight=False,
        )
    if 0 < overall.pass_tasks < overall.tasks:
        console.print(
            f"pass@3 and pass^3 are over the {overall.pass_tasks} tasks with three scored trials.",
            highlight=False,
        )
    if overall.errors:
        console.print(
            f"{overall.errors} of {overall.episodes} episodes had no answer and are left out; "
            f"counted as 0 the average is {_one(overall.average_score_errors_as_zero)}.",
            highlight=False,
        )
    if overall.unscored and overall.native_completion is not None:
        console.print(
            f"{overall.unscored} of {overall.episodes} episodes have parts that need a judge and "
            "no score. The parts that need none, over all tasks: mean completion "
            f"{100 * overall.native_completion:.1f} over "
            f"{100 * (overall.scored_weight or 0.0):.1f} % of the weight.",
            highlight=False,
        )
    for task_id, note in result.notes:
        console.print(f"note: {task_id}: {note}", markup=False, highlight=False, style="dim")
    print_skipped(console, result.skipped)


def print_skipped(console: Console, skipped: Sequence[tuple[str, str]]) -> None:
    """Prints the tasks that were not run, by reason."""
    if not skipped:
        return
    reasons: dict[str, list[str]] = defaultdict(list)
    for task_id, reason in skipped:
        reasons[reason].append(task_id)
    table = Table(title=f"Skipped: {len(skipped)} tasks", title_justify="left", box=SIMPLE_HEAD)
    table.add_column("why", ratio=2)
    table.add_column("tasks", ratio=3)
    for reason, tasks in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
        table.add_row(escape(reason), escape(", ".join(tasks)))
    console.print(table)


def _table(result: EvaluationResult) -> Table:
    table = Table(title=result.score_label, title_justify="left", box=SIMPLE_HEAD, padding=0)
    table.add_column("", no_wrap=True)
    for name in ("tasks", "score (95 %)", "complete", "safe", "robust", "pass@3", "pass^3"):
        table.add_column(name, justify="right", no_wrap=True)
    groups = [(name, summary) for name, summary in result.splits.items() if name != OVERALL]
    for index, (name, summary) in enumerate(groups):
        table.add_row(*_cells(name, summary), end_section=index == len(groups) - 1)
    for name, summary in result.capabilities.items():
        last = name == list(result.capabilities)[-1]
        table.add_row(*_cells(name, summary), end_section=last)
    table.add_row(*_cells(OVERALL, result.overall), style="bold")
    return table


def _cells(name: str, summary: Summary) -> list[str]:
    tasks = str(summary.tasks)
    if summary.scored_tasks != summary.tasks:
        tasks = f"{summary.scored_tasks} of {summary.tasks}"
    interval = summary.interval
    return [
        name.replace("_", " "),
        tasks,
        _one(summary.average_score)
        + (f" ({interval[0]:.1f}–{interval[1]:.1f})" if interval else ""),
        *(_share(v) for v in (summary.completion, summary.safety, summary.robustness)),
        _share(summary.pass_at_3),
        _share(summary.pass_hat_3),
    ]


def _one(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"
