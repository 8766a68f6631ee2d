"""The `coworkenv` command: one verb per stage, errors in one line, exit codes that mean something.

Exit codes: 0 all well, 1 something was found (gate findings, differences), 2 could not run.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from coworkenv_dagster.errors import CoworkEnvError

console = Console()
errors = Console(stderr=True)

app = typer.Typer(
    name="coworkenv",
    help="Environments for AI coworkers: generate, validate, repair; train and score on them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def main() -> None:
    """Runs the command line; every expected error becomes one message and exit code 2."""
    try:
        app()
    except CoworkEnvError as error:
        errors.print(f"error: {error}", style="bold red", markup=False, highlight=False)
        sys.exit(2)
    except KeyboardInterrupt:
        errors.print("Stopped. Run the same command again to go on where it was.")
        sys.exit(130)


@app.command()
def tools(as_json: Json = False) -> None:
    """List the tools of every service."""
    from coworkenv_dagster.services import tool_endpoint, tool_names

    found = [(name, *tool_endpoint(name)) for name in tool_names()]
    if as_json:
        print(json.dumps([endpoint.tool_schema() for _, _, endpoint in found], indent=2))
        return
    table = Table("tool", "access", "path", "what it does")
    for name, _, endpoint in found:
        table.add_row(name, endpoint.access.value, endpoint.path, endpoint.description)
    console.print(table)


@app.command()
def schema() -> None:
    """Print the JSON schema of a task."""
    from coworkenv_dagster.schema import TaskSpec

    print(json.dumps(TaskSpec.model_json_schema(), indent=2))


@app.command()
def generate(
    out: Annotated[Path, typer.Option(help="Where the tasks go (JSON lines).")],
    count: Annotated[int, typer.Option(min=1, help="How many candidates.")] = 100,
    seed: Annotated[int, typer.Option(help="Equal seeds give equal tasks.")] = 0,
    pool: Annotated[str, typer.Option(help="Entity pool: train, probe or held_out.")] = "train",
) -> None:
    """Generate candidate tasks, spread evenly over capabilities and levels."""
    from coworkenv_dagster.curriculum import even_allocation
    from coworkenv_dagster.generation import ProceduralAuthor
    from coworkenv_dagster.schema import write_tasks

    author = ProceduralAuthor(pool)
    written = write_tasks(out, author.candidates(even_allocation(count), seed))
    console.print(f"{written} candidates in {out}")


@app.command()
def gate(
    paths: Annotated[list[Path], typer.Argument(help="Task files (JSON, JSONL, YAML) or folders.")],
    as_json: Json = False,
    out: Annotated[Path | None, typer.Option(help="Also write the reports as JSON lines.")] = None,
) -> None:
    """Put tasks before the grading-consistency gate."""
    from coworkenv_dagster.gate import LAWS, Outcome, check
    from coworkenv_dagster.schema import read_tasks
    from coworkenv_dagster.storage import write_text

    reports = [check(spec) for path in paths for spec in read_tasks(path)]
    if out:
        write_text(out, "".join(report.model_dump_json() + "\n" for report in reports))
    if as_json:
        print(json.dumps([report.model_dump(mode="json") for report in reports], indent=2))
    else:
        table = Table("law", "passed", "failed", "not run", "what must hold")
        for law in sorted(LAWS.values(), key=lambda item: item.number):
            counts = Counter(report.laws[law.name] for report in reports)
            table.add_row(
                f"{law.number} {law.name}",
                *(str(counts[outcome]) for outcome in Outcome),
                law.sentence,
            )
        console.print(table)
        for report in reports:
            for finding in report.findings:
                console.print(
                    f"{report.task_id}: {finding.kind} at {finding.where}: "
                    f"expected {finding.expected}, got {finding.got}",
                    markup=False,
                )
        clean = sum(report.passed for report in reports)
        console.print(f"{clean} of {len(reports)} tasks pass")
    raise typer.Exit(0 if all(report.passed for report in reports) else 1)


@app.command()
def conformance(
    files: Annotated[list[Path], typer.Argument(help="Recordings of a service's wire.")],
) -> None:
    """Replay recorded services and print every difference."""
    from coworkenv_dagster.conformance import main as replay

    raise typer.Exit(replay(files))


@app.command(name="eval")
def evaluate(
    policy: Annotated[
        str,
        typer.Option(
            help="empty, echo, random, reference, base, a checkpoint folder, or "
            "http://host:port/v1#model."
        ),
    ] = "base",
    suite: Annotated[
        str, typer.Option(help="builtin, claw-eval:DIR, or a task file or folder.")
    ] = "builtin",
    trials: Annotated[int, typer.Option(min=1, help="Episodes per task.")] = 3,
    seed: Annotated[int, typer.Option()] = 0,
    temperature: Annotated[float, typer.Option(min=0.0, help="0 is greedy.")] = 0.0,
    batch_size: Annotated[int, typer.Option(min=1, help="Episodes live at a time.")] = 64,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results; an interrupted run goes on there.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Score a policy on a suite."""
    from coworkenv_dagster.evaluation.command import run_eval

    raise typer.Exit(
        run_eval(
            suite,
            policy,
            trials=trials,
            seed=seed,
            temperature=temperature,
            batch_size=batch_size,
            out=out,
            as_json=as_json,
        )
    )


def _dagster(work: Callable[[Any], int]) -> None:
    from coworkenv_dagster import rounds

    raise typer.Exit(work(rounds))


@app.command()
def run(
    preset: Annotated[str, typer.Option(help="Size of the round: pocket or tiny.")] = "pocket",
    round_key: Annotated[
        str | None, typer.Option("--round", help="Which round, as YYYY-MM-DD.")
    ] = None,
    next_round: Annotated[
        bool, typer.Option("--next", help="The round after the last one that was finished.")
    ] = False,
) -> None:
    """Run a whole round through Dagster: generate, validate, repair, train, score, report."""
    _dagster(lambda rounds: rounds.run(preset=preset, round_key=round_key, next_round=next_round))


@app.command()
def report(
    round_key: Annotated[str | None, typer.Option("--round", help="Default: the last one.")] = None,
    as_json: Json = False,
) -> None:
    """Show a finished round: its scores and where the page is."""
    _dagster(lambda rounds: rounds.report(round_key=round_key, as_json=as_json))


@app.command()
def ui(port: Annotated[int, typer.Option()] = 3000) -> None:
    """Open Dagster's web UI on the rounds that were run."""
    _dagster(lambda rounds: rounds.dagster_ui(port=port))


@app.command()
def mlflow(port: Annotated[int, typer.Option()] = 5000) -> None:
    """Open MLflow's web UI on the tracked runs."""
    _dagster(lambda rounds: rounds.mlflow_ui(port=port))


if __name__ == "__main__":
    main()
