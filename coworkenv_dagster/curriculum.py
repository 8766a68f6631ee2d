"""The curriculum: what the current policy can do, and what should be generated for it next.

The profile keeps a Beta posterior over success for each cell (capability x level). Cells are
filled by Thompson sampling on p(1 - p), the variance of a success: it is largest where a policy
sometimes succeeds, and that is where it learns most (compare arXiv 2504.03380, 2507.04632).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict
from scipy.stats import beta

from coworkenv_dagster.environment import Environment
from coworkenv_dagster.episode import Trajectory, rollout
from coworkenv_dagster.errors import CoworkEnvError
from coworkenv_dagster.generation import ProceduralAuthor
from coworkenv_dagster.hashing import derive_seed
from coworkenv_dagster.policies.base import Policy
from coworkenv_dagster.schema import Capability, Cell, TaskSpec

PRIOR = 1.0
"""Pseudo-count of a success and of a failure in a fresh cell."""


class CellEstimate(BaseModel):
    """What is known of the policy's success in one cell."""

    model_config = ConfigDict(frozen=True)

    capability: Capability
    level: int
    alpha: float
    """Prior plus (forgotten) successes."""
    beta: float
    """Prior plus (forgotten) failures."""
    episodes: int = 0
    """Scored episodes of this measurement."""
    passed: int = 0
    unscored: int = 0
    """Episodes that ended in an error; they count for nothing."""
    mean_score: float | None = None
    """Mean score of this measurement's scored episodes, in [0, 1]."""

    @property
    def cell(self) -> Cell:
        """The cell this is about."""
        return Cell(self.capability, self.level)

    @property
    def mean(self) -> float:
        """Posterior mean of the chance of success."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def interval(self) -> tuple[float, float]:
        """The central 95 % of the posterior."""
        low, high = beta.ppf([0.025, 0.975], self.alpha, self.beta)
        return float(low), float(high)


class CapabilityProfile(BaseModel):
    """A policy's success by cell."""

    model_config = ConfigDict(frozen=True)

    policy: str
    policy_hash: str
    """Content hash of the checkpoint that was probed."""
    probe_hash: str = ""
    """Identity of the probe set."""
    cells: tuple[CellEstimate, ...]

    def estimate(self, cell: Cell) -> CellEstimate:
        """Gives a cell's estimate; the bare prior for a cell that wasn't measured."""
        for item in self.cells:
            if item.cell == cell:
                return item
        return CellEstimate(capability=cell.capability, level=cell.level, alpha=PRIOR, beta=PRIOR)


def measure_profile(
    policy: Policy,
    probes: Sequence[TaskSpec],
    *,
    policy_hash: str,
    seed: int,
    trials: int = 1,
    probe_hash: str = "",
    previous: CapabilityProfile | None = None,
    forgetting: float = 0.5,
    batch_size: int = 64,
    on_done: Callable[[Trajectory], None] | None = None,
) -> CapabilityProfile:
    """Probes a policy on a frozen set of tasks.

    Args:
        policy: The policy.
        probes: The probe set; never trained on.
        policy_hash: Identity of the policy.
        seed: Equal seeds give equal profiles.
        trials: Episodes for each probe.
        probe_hash: Identity of the probe set.
        previous: The profile of an earlier policy, whose evidence counts on, weakened.
        forgetting: Weight in [0, 1] of the previous evidence; the policy has moved since.
        batch_size: Episodes live at a time.
        on_done: Called with each finished episode.
    """
    specs = [spec for _ in range(trials) for spec in probes]
    trajectories = rollout(
        policy,
        [Environment(spec) for spec in specs],
        seed=derive_seed(seed, "profile"),
        batch_size=batch_size,
        on_done=(lambda _, trajectory: on_done(trajectory)) if on_done else None,
    )
    scores: dict[Cell, list[float]] = defaultdict(list)
    unscored: Counter[Cell] = Counter()
    for spec, trajectory in zip(specs, trajectories, strict=True):
        score = trajectory.verdict.score
        if score is None:
            unscored[spec.cell] += 1
        else:
            scores[spec.cell].append(float(trajectory.verdict.passed))
    by_cell = defaultdict(list)
    for spec, trajectory in zip(specs, trajectories, strict=True):
        if trajectory.verdict.score is not None:
            by_cell[spec.cell].append(trajectory.verdict.score)
    cells = sorted({spec.cell for spec in probes}, key=_order)
    return CapabilityProfile(
        policy=policy.name,
        policy_hash=policy_hash,
        probe_hash=probe_hash,
        cells=tuple(
            _updated(cell, scores[cell], by_cell[cell], unscored[cell], previous, forgetting)
            for cell in cells
        ),
    )


def allocate(
    profile: CapabilityProfile,
    total: int,
    *,
    seed: int,
    exploration: float = 0.15,
    floor: float = 0.08,
) -> dict[Cell, int]:
    """Shares out the candidates of a round among the cells of a profile.

    A share `exploration` is spread evenly, each capability gets at least `floor` of the total, and
    the rest is drawn one by one: success chances are sampled from the posteriors and the cell with
    the largest p(1 - p) gets the candidate (Thompson sampling).

    Args:
        profile: The profile.
        total: Candidates in all; the shares sum to it exactly.
        seed: Equal seeds give equal shares.
        exploration: Share in [0, 1] that is spread evenly.
        floor: Least share of a capability; the floors together must not exceed 1.

    Raises:
        CoworkEnvError: The profile has no cell, or the floors exceed the whole.
    """
    cells = [item.cell for item in profile.cells]
    capabilities = list(dict.fromkeys(cell.capability for cell in cells))
    if not cells or total < 0:
        raise CoworkEnvError("can't share out candidates", mend="Give a profile with cells")
    if floor * len(capabilities) > 1.0 + 1e-9:
        raise CoworkEnvError(
            f"a floor of {floor:g} for {len(capabilities)} capabilities exceeds the whole",
            mend=f"Use at most {1 / len(capabilities):.3f}",
        )
    rng = np.random.default_rng(derive_seed(seed, "allocate"))
    alphas = np.array([item.alpha for item in profile.cells])
    betas = np.array([item.beta for item in profile.cells])
    shares: Counter[Cell] = Counter(dict.fromkeys(cells, 0))
    _spread(shares, cells, int(total * exploration))
    for capability in capabilities:
        mine = [cell for cell in cells if cell.capability is capability]
        missing = int(total * floor) - sum(shares[cell] for cell in mine)
        _draw(shares, mine, missing, [cells.index(cell) for cell in mine], alphas, betas, rng)
    rest = total - sum(shares.values())
    _draw(shares, cells, rest, list(range(len(cells))), alphas, betas, rng)
    return {cell: shares[cell] for cell in cells}


def even_allocation(total: int, cells: Iterable[Cell] | None = None) -> dict[Cell, int]:
    """Spreads candidates evenly over cells (by default all the author fills); sums exactly."""
    listed = list(cells) if cells is not None else list(ProceduralAuthor.cells())
    shares: Counter[Cell] = Counter(dict.fromkeys(listed, 0))
    _spread(shares, listed, total)
    return {cell: shares[cell] for cell in listed}


def _spread(shares: Counter[Cell], cells: Sequence[Cell], count: int) -> None:
    whole, extra = divmod(count, len(cells))
    for index, cell in enumerate(cells):
        shares[cell] += whole + (index < extra)


def _draw(
    shares: Counter[Cell],
    cells: Sequence[Cell],
    count: int,
    columns: Sequence[int],
    alphas: np.ndarray,
    betas: np.ndarray,
    rng: np.random.Generator,
) -> None:
    if count <= 0:
        return
    chances = rng.beta(alphas[columns], betas[columns], size=(count, len(columns)))
    for winner in np.argmax(chances * (1.0 - chances), axis=1):
        shares[cells[int(winner)]] += 1


def _updated(
    cell: Cell,
    passes: Sequence[float],
    scores: Sequence[float],
    unscored: int,
    previous: CapabilityProfile | None,
    forgetting: float,
) -> CellEstimate:
    old = previous.estimate(cell) if previous else None
    successes = sum(passes)
    kept_alpha = forgetting * (old.alpha - PRIOR) if old else 0.0
    kept_beta = forgetting * (old.beta - PRIOR) if old else 0.0
    return CellEstimate(
        capability=cell.capability,
        level=cell.level,
        alpha=PRIOR + kept_alpha + successes,
        beta=PRIOR + kept_beta + len(passes) - successes,
        episodes=len(passes),
        passed=int(successes),
        unscored=unscored,
        mean_score=float(np.mean(scores)) if scores else None,
    )


def _order(cell: Cell) -> tuple[int, int]:
    return list(Capability).index(cell.capability), cell.level


def cells_by_capability(shares: Mapping[Cell, int]) -> dict[Capability, dict[Cell, int]]:
    """Groups an allocation by capability."""
    grouped: dict[Capability, dict[Cell, int]] = defaultdict(dict)
    for cell, count in shares.items():
        grouped[cell.capability][cell] = count
    return dict(grouped)
