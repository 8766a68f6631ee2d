"""The suites that come with the package: held out for scores, and a probe set for the profile.

Both are drawn from the procedural author with entity pools and seeds that training never uses,
and only tasks that pass the gate are taken. Equal versions of the package give equal suites; the
suite's hash is its version.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from coworkenv_dagster.errors import CoworkEnvError
from coworkenv_dagster.evaluation.suites import Suite
from coworkenv_dagster.gate import check
from coworkenv_dagster.generation import Pool, ProceduralAuthor
from coworkenv_dagster.hashing import derive_seed
from coworkenv_dagster.schema import Cell, TaskSpec

_HELD_OUT_SEED = 7_190_316
_PROBE_SEED = 2_604_061
_DRAWS = 8
"""Rounds of drawing; a cell that isn't full after them is a defect of the author."""


@lru_cache(maxsize=4)
def held_out_suite(per_cell: int = 8, cells: tuple[Cell, ...] = ProceduralAuthor.cells()) -> Suite:
    """Gives the suite scores are reported on; nothing near it may be trained on.

    Args:
        per_cell: Tasks for each cell.
        cells: The cells, in the order of the suite.
    """
    tasks = _drawn(Pool.HELD_OUT, _HELD_OUT_SEED, per_cell, cells)
    return Suite(name="builtin", tasks=tasks, title="Held-out suite (built in)")


@lru_cache(maxsize=4)
def probe_suite(per_cell: int = 4, cells: tuple[Cell, ...] = ProceduralAuthor.cells()) -> Suite:
    """Gives the frozen probe set that the capability profile is measured on.

    Args:
        per_cell: Tasks for each cell.
        cells: The cells, in the order of the suite.
    """
    tasks = _drawn(Pool.PROBE, _PROBE_SEED, per_cell, cells)
    return Suite(name="probe", tasks=tasks, title="Probe set (built in)")


def _drawn(pool: Pool, seed: int, per_cell: int, cells: Sequence[Cell]) -> tuple[TaskSpec, ...]:
    author = ProceduralAuthor(pool)
    kept: dict[Cell, list[TaskSpec]] = defaultdict(list)
    taken: set[str] = set()
    for draw in range(_DRAWS):
        missing = {cell: per_cell - len(kept[cell]) for cell in cells}
        wanted = {cell: 2 * count for cell, count in missing.items() if count > 0}
        if not wanted:
            break
        for spec in author.candidates(wanted, derive_seed(seed, "draw", draw)):
            names = {spec.task_id, spec.content_hash}
            if len(kept[spec.cell]) < per_cell and not names & taken and check(spec).passed:
                kept[spec.cell].append(spec)
                taken |= names
    short = [str(cell) for cell in cells if len(kept[cell]) < per_cell]
    if short:
        raise CoworkEnvError(
            f"the procedural author gave too few tasks that pass the gate for {', '.join(short)}",
            where=f"suite of the {pool} pool",
            mend="Ask for fewer tasks a cell",
        )
    return tuple(spec for cell in cells for spec in kept[cell])
