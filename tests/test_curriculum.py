from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coworkenv_dagster.curriculum import (
    PRIOR,
    CapabilityProfile,
    CellEstimate,
    allocate,
    even_allocation,
    measure_profile,
)
from coworkenv_dagster.errors import CoworkEnvError
from coworkenv_dagster.generation import ProceduralAuthor
from coworkenv_dagster.policies.base import Reply
from coworkenv_dagster.policies.scripted import EmptyPolicy
from coworkenv_dagster.schema import Capability, Cell
from tests.conftest import asking_task, ticket_task

CELLS = ProceduralAuthor.cells()


def profile(successes, failures):
    return CapabilityProfile(
        policy="p",
        policy_hash="h",
        cells=tuple(
            CellEstimate(
                capability=cell.capability,
                level=cell.level,
                alpha=PRIOR + successes(cell),
                beta=PRIOR + failures(cell),
            )
            for cell in CELLS
        ),
    )


COUNTS = st.lists(st.integers(0, 20), min_size=len(CELLS), max_size=len(CELLS))


@settings(max_examples=50, deadline=None)
@given(COUNTS, COUNTS, st.integers(0, 3000), st.integers(0, 9))
def test_shares_sum_to_the_total_respect_floors_and_follow_the_seed(good, bad, total, seed):
    known = profile(lambda c: good[CELLS.index(c)], lambda c: bad[CELLS.index(c)])
    shares = allocate(known, total, seed=seed)
    assert sum(shares.values()) == total
    assert set(shares) == set(CELLS)
    for capability in {cell.capability for cell in CELLS}:
        mine = sum(count for cell, count in shares.items() if cell.capability is capability)
        assert mine >= int(0.08 * total)
    assert shares == allocate(known, total, seed=seed)


def test_cells_that_are_mastered_or_hopeless_get_less_than_those_in_between():
    learnable = Cell(Capability.TOOL_USE, 2)
    known = profile(
        lambda c: 10 if c == learnable or c.level == 1 else 0,
        lambda c: 10 if c == learnable or c.level == 3 else 0,
    )
    shares = allocate(known, 2000, seed=1)
    assert shares[learnable] == max(shares.values())
    assert min(shares.values()) > 0


def test_floors_that_exceed_the_whole_are_refused():
    with pytest.raises(CoworkEnvError, match=r"at most 0\.167"):
        allocate(profile(lambda c: 0, lambda c: 0), 10, seed=0, floor=0.5)


@given(st.integers(0, 500))
def test_an_even_spread_differs_by_one_at_most(total):
    shares = even_allocation(total)
    assert sum(shares.values()) == total
    assert max(shares.values()) - min(shares.values()) <= 1


def test_probing_counts_passes_by_cell_and_keeps_weakened_evidence():
    probes = [ticket_task(), asking_task()]
    first = measure_profile(EmptyPolicy(), probes, policy_hash="a", seed=0, trials=3)
    cell = first.estimate(Cell(Capability.TOOL_USE, 1))
    assert (cell.alpha, cell.beta, cell.episodes, cell.passed) == (1.0, 4.0, 3, 0)
    assert cell.mean == pytest.approx(0.2)
    low, high = cell.interval
    assert 0.0 < low < cell.mean < high < 1.0
    again = measure_profile(
        EmptyPolicy(), probes, policy_hash="b", seed=0, previous=first, forgetting=0.5
    )
    assert again.estimate(Cell(Capability.TOOL_USE, 1)).beta == pytest.approx(1 + 1.5 + 1)
    unknown = first.estimate(Cell(Capability.RETRIEVAL, 3))
    assert (unknown.alpha, unknown.beta) == (PRIOR, PRIOR)


def test_episodes_that_ended_in_an_error_count_for_nothing():
    class Dead:
        name = "dead"

        def act(self, turns):
            return [Reply(error="gone") for _ in turns]

        def release(self, episode):
            pass

    measured = measure_profile(Dead(), [ticket_task()], policy_hash="a", seed=0)
    cell = measured.cells[0]
    assert (cell.alpha, cell.beta, cell.unscored) == (PRIOR, PRIOR, 1)
