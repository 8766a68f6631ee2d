from __future__ import annotations

from coworkenv_dagster.evaluation.builtin import held_out_suite
from coworkenv_dagster.evaluation.contamination import contamination
from coworkenv_dagster.generation import ProceduralAuthor
from coworkenv_dagster.schema import TaskSpec


def changed(task: TaskSpec, **changes) -> TaskSpec:
    return TaskSpec.model_validate({**task.model_dump(), **changes})


def test_a_training_set_of_another_pool_is_clean():
    author = ProceduralAuthor("train")
    training = author.candidates(dict.fromkeys(author.cells(), 2), seed=1)
    found = contamination(training, held_out_suite(2))
    assert found.clean
    assert found.training_tasks == 2 * len(author.cells())
    assert found.sentence.startswith("None of 36 training tasks")


def test_exact_and_near_copies_are_found_whatever_they_are_called():
    suite = held_out_suite(2)
    one, two, three = suite.tasks[:3]
    training = [
        changed(one, task_id="renamed"),
        changed(two, request=f"Please: {two.request}"),
        changed(three, task_id="other", request=f"{three.request} Thanks!"),
    ]
    found = contamination(training, suite)
    assert found.exact == (("renamed", one.task_id),)
    assert found.near == ((two.task_id, two.task_id), ("other", three.task_id))
    assert "Contaminated: of 3 training tasks 1 are and 2 are near" in found.sentence
