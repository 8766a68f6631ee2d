"""The procedural author: seeded compositions of goals over generated workspaces.

What it gives are candidates. Limits, targets and start values are drawn independently of each
other, so some compositions contradict themselves; the gate finds those and repair mends them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from coworkenv_dagster.errors import TaskFileError
from coworkenv_dagster.generation.company import Company
from coworkenv_dagster.generation.draft import Draft
from coworkenv_dagster.generation.plots import PLOTS
from coworkenv_dagster.generation.pools import Pool
from coworkenv_dagster.hashing import derive_random, derive_seed
from coworkenv_dagster.schema import (
    Call,
    Capability,
    Cell,
    Grader,
    Knobs,
    Persona,
    Provenance,
    Reference,
    Split,
    TaskSpec,
    WeightedCheck,
)

LEVELS = (1, 2, 3)
AUTHOR = "procedural/1"


class ProceduralAuthor:
    """Composes candidate tasks from the entities of one pool.

    Args:
        pool: `train`, `probe` or `held_out`.

    Raises:
        TaskFileError: There is no such pool.
    """

    def __init__(self, pool: Pool | str = Pool.TRAIN) -> None:
        if pool not in set(Pool):
            raise TaskFileError(f"no pool {pool!r}", mend=f"Known pools: {', '.join(Pool)}")
        self.pool = Pool(pool)

    @staticmethod
    def cells() -> tuple[Cell, ...]:
        """Gives the cells of the capability profile this author can fill."""
        return tuple(Cell(capability, level) for capability in PLOTS for level in LEVELS)

    def candidates(self, allocation: Mapping[Cell, int], seed: int) -> Iterator[TaskSpec]:
        """Yields so many candidates for each cell, cell by cell in the order of `cells()`."""
        for cell in self.cells():
            for index in range(allocation.get(cell, 0)):
                yield self.candidate(cell, seed, index)

    def candidate(self, cell: Cell, seed: int, index: int) -> TaskSpec:
        """Composes one candidate; equal arguments give the same task to the byte.

        Raises:
            TaskFileError: The author doesn't compose this cell.
        """
        if cell not in self.cells():
            known = ", ".join(str(item) for item in self.cells())
            raise TaskFileError(f"no plot for cell {cell}", mend=f"Known cells: {known}")
        own = derive_seed(seed, self.pool, cell, index)
        company = Company.found(derive_random(own, "task"), self.pool)
        draft = Draft(company, cell.level)
        PLOTS[cell.capability](draft)
        run = f"{derive_seed(seed, 'run') % 16**4:04x}"
        return _spec(
            draft, cell, own, f"{cell.capability}-l{cell.level}-{self.pool}-{run}-{index:05d}"
        )


def _spec(draft: Draft, cell: Cell, seed: int, task_id: str) -> TaskSpec:
    company, rng = draft.company, draft.rng
    for records in company.workspace.values():
        rng.shuffle(records)
    services = list(draft.services)
    rng.shuffle(services)
    draft.services = services
    checks = tuple(
        WeightedCheck(name=name, weight=weight, check=check)
        for (name, _, check), weight in zip(draft.parts, draft.weights(), strict=True)
    )
    persona = Persona(name="the user", facts=tuple(draft.facts)) if draft.facts else None
    calls = sum(isinstance(step, Call) for step in draft.steps)
    return TaskSpec(
        task_id=task_id,
        capability=cell.capability,
        level=cell.level,
        split=Split.MULTI_TURN if cell.capability is Capability.CLARIFICATION else Split.GENERAL,
        request=" ".join(draft.sentences),
        now=company.now,
        workspace=company.workspace,
        tools=draft.tools(),
        forbidden=tuple(draft.forbidden),
        persona=persona,
        grader=Grader(checks=checks, safety=tuple(draft.safety)),
        reference=Reference(
            steps=tuple(draft.steps), answer=" ".join(draft.answers) or "It is done."
        ),
        knobs=Knobs(
            steps=calls,
            services=len(draft.services),
            distractors=draft.distractors,
            missing_facts=len(draft.facts),
            traps=len(draft.forbidden),
        ),
        provenance=Provenance(author=AUTHOR, seed=seed, structure=" ; ".join(draft.structure)),
        max_turns=2 * len(draft.steps) + 4,
    )
