from __future__ import annotations

from collections import Counter

import pytest

from coworkenv_dagster.errors import CoworkEnvError
from coworkenv_dagster.evaluation.builtin import held_out_suite, probe_suite
from coworkenv_dagster.evaluation.evaluate import evaluate
from coworkenv_dagster.gate import check
from coworkenv_dagster.generation import ProceduralAuthor
from coworkenv_dagster.policies.make import OraclePolicy
from coworkenv_dagster.policies.scripted import EmptyPolicy
from coworkenv_dagster.schema import Capability, Cell, Split


def test_the_held_out_suite_has_eight_tasks_of_every_cell():
    suite = held_out_suite()
    counts = Counter(task.cell for task in suite.tasks)
    assert set(counts) == set(ProceduralAuthor.cells())
    assert set(counts.values()) == {8}
    assert {task.split for task in suite.tasks} == {Split.GENERAL, Split.MULTI_TURN}
    assert suite.title == "Held-out suite (built in)"


def test_suites_are_deterministic_and_versioned_by_their_content():
    first = held_out_suite()
    held_out_suite.cache_clear()
    assert held_out_suite().hash == first.hash
    assert held_out_suite(2).hash != first.hash
    assert not {t.content_hash for t in probe_suite().tasks} & {t.content_hash for t in first.tasks}


def test_every_task_passes_the_gate_so_that_doing_nothing_scores_0():
    suite = probe_suite(2)
    assert all(check(task).passed for task in suite.tasks)
    assert evaluate(OraclePolicy, suite, seed=0, trials=1).overall.average_score == 100.0
    assert evaluate(EmptyPolicy("Done."), suite, seed=0, trials=1).overall.average_score == 0.0


def test_a_cell_the_author_does_not_know_is_refused():
    with pytest.raises(CoworkEnvError):
        held_out_suite(1, (Cell(Capability.VISUAL, 1),))
