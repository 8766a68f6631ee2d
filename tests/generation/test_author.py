from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coworkenv_dagster.environment import Environment
from coworkenv_dagster.episode import run_episode
from coworkenv_dagster.errors import TaskFileError
from coworkenv_dagster.gate import check
from coworkenv_dagster.generation import Pool, ProceduralAuthor, pools
from coworkenv_dagster.generation.near_duplicates import NearDuplicates
from coworkenv_dagster.policies.scripted import ReferencePolicy, ScriptedPolicy
from coworkenv_dagster.schema import Call, Capability, Cell, StateCheck

AUTHOR = ProceduralAuthor()
CELLS = st.sampled_from(AUTHOR.cells())


@settings(max_examples=30, deadline=None)
@given(CELLS, st.integers(0, 10**6), st.integers(0, 10**6))
def test_equal_arguments_give_equal_bytes_and_others_do_not(cell, seed, index):
    one = AUTHOR.candidate(cell, seed, index)
    assert one.model_dump_json() == AUTHOR.candidate(cell, seed, index).model_dump_json()
    assert one.content_hash != AUTHOR.candidate(cell, seed, index + 1).content_hash


@pytest.mark.parametrize(
    "entities",
    [
        pools.first_names,
        pools.last_names,
        pools.companies,
        pools.ticket_titles,
        pools.todo_titles,
        pools.event_titles,
        pools.subjects,
    ],
)
def test_pools_share_no_entity_and_each_has_plenty(entities):
    drawn = [set(entities(pool)) for pool in Pool]
    assert all(len(names) >= 30 for names in drawn)
    assert len(set.union(*drawn)) == sum(len(names) for names in drawn)


def test_every_cell_gives_mostly_sound_candidates_and_some_that_fail():
    specs = list(AUTHOR.candidates(dict.fromkeys(AUTHOR.cells(), 12), seed=5))
    passed = {spec.task_id: check(spec).passed for spec in specs}
    assert len(passed) == len(specs)
    for cell in AUTHOR.cells():
        mine = [passed[spec.task_id] for spec in specs if spec.cell == cell]
        assert sum(mine) >= 0.5 * len(mine), cell
    assert not all(passed.values())
    assert len({spec.provenance.structure for spec in specs}) > 80


def test_harder_levels_are_bigger():
    def mean(level, field):
        specs = [
            AUTHOR.candidate(Cell(c, level), 1, i)
            for c in Capability
            if Cell(c, level) in AUTHOR.cells()
            for i in range(8)
        ]
        return sum(getattr(spec.knobs, field) for spec in specs) / len(specs)

    for field in ("steps", "services", "distractors"):
        assert mean(1, field) < mean(2, field) < mean(3, field)


def test_another_way_to_the_goal_gets_the_full_score():
    found = 0
    for index in range(40):
        spec = AUTHOR.candidate(Cell(Capability.TOOL_USE, 3), 2, index)
        if not check(spec).passed:
            continue
        # No look-ups at all, and the changes in the opposite order.
        acts = [step for step in spec.reference.steps if isinstance(step, Call) and step.required]
        trajectory = run_episode(
            ScriptedPolicy(acts[::-1], spec.reference.answer), Environment(spec)
        )
        assert trajectory.verdict.score == 1.0
        found += 1
    assert found > 20


def test_guessing_what_only_the_user_knows_does_not_pay():
    for index in range(20):
        spec = AUTHOR.candidate(Cell(Capability.CLARIFICATION, 1), 3, index)
        steps = [step for step in spec.reference.steps if isinstance(step, Call)]
        verdict = run_episode(
            ScriptedPolicy(steps, spec.reference.answer), Environment(spec)
        ).verdict
        assert verdict.completion < 0.75
        assert any(isinstance(part.check, StateCheck) for part in spec.grader.checks)


def test_the_simulated_dates_are_those_the_request_speaks_of():
    spec = next(
        spec
        for index in range(50)
        if "tomorrow" in (spec := AUTHOR.candidate(Cell(Capability.RETRIEVAL, 1), 0, index)).request
    )
    assert run_episode(ReferencePolicy(spec), Environment(spec)).verdict.score == 1.0


def test_a_cell_without_a_plot_is_refused_by_name():
    with pytest.raises(TaskFileError, match="visual/1"):
        AUTHOR.candidate(Cell(Capability.VISUAL, 1), 0, 0)


def test_a_task_with_a_word_changed_is_a_near_duplicate_and_a_sibling_is_not():
    specs = [AUTHOR.candidate(cell, 4, i) for cell in AUTHOR.cells() for i in range(15)]
    index = NearDuplicates()
    for spec in specs:
        index.add(spec)
    assert [index.find(spec) for spec in specs] == [None] * len(specs)
    for spec in specs[::7]:
        twin = spec.model_copy(update={"task_id": "new", "request": spec.request + " Thanks."})
        assert index.find(twin) == spec.task_id


def test_of_two_twins_the_first_stays():
    spec = AUTHOR.candidate(AUTHOR.cells()[0], 0, 0)
    twin = spec.model_copy(update={"task_id": spec.task_id + "-b"})
    index = NearDuplicates(earlier_only=True)
    index.add(spec)
    index.add(twin)
    assert index.find(spec) is None
    assert index.find(twin) == spec.task_id
