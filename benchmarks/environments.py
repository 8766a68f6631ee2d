"""What environments cost: `python benchmarks/environments.py [--tasks N]`.

Prints figures of one run on this machine. Take ratios between them, not the figures.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from coworkenv_dagster.curriculum import even_allocation
from coworkenv_dagster.environment import Environment
from coworkenv_dagster.episode import run_episode
from coworkenv_dagster.gate import check
from coworkenv_dagster.generation import ProceduralAuthor
from coworkenv_dagster.policies.scripted import ReferencePolicy
from coworkenv_dagster.repair import repair_all


def timed(work: Callable[[], object]) -> tuple[float, object]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=720)
    count = parser.parse_args().tasks
    table = Table("what", "per second", "each, µs")

    def row(name: str, seconds: float, number: int) -> None:
        table.add_row(name, f"{number / seconds:,.0f}", f"{1e6 * seconds / number:,.0f}")

    author = ProceduralAuthor()
    seconds, specs = timed(lambda: list(author.candidates(even_allocation(count), 0)))
    row("candidates composed", seconds, count)
    seconds, reports = timed(lambda: [check(spec) for spec in specs])
    row("tasks through the gate (5 laws)", seconds, count)
    failed = [pair for pair in zip(specs, reports, strict=True) if not pair[1].passed]
    seconds, _ = timed(lambda: repair_all(failed))
    row("failed tasks through repair", seconds, len(failed))

    environments = [Environment(spec) for spec in specs]
    seconds, _ = timed(lambda: [environment.reset() for environment in environments])
    row("resets", seconds, count)
    seconds, played = timed(
        lambda: [
            run_episode(ReferencePolicy(environment.spec), environment)
            for environment in environments
        ]
    )
    row("reference episodes, graded", seconds, count)
    calls = [
        (environment, call)
        for environment, episode in zip(environments, played, strict=True)
        for call in episode.calls
    ]
    for environment in environments:
        environment.reset()
    seconds, _ = timed(lambda: [env.call(call.tool, call.arguments) for env, call in calls])
    row("tool calls, validated and audited", seconds, len(calls))
    Console().print(table)


if __name__ == "__main__":
    main()
