from __future__ import annotations

import numpy as np
import pytest

from coworkenv_dagster.errors import CoworkEnvError
from coworkenv_dagster.evaluation.bootstrap import mean_interval
from coworkenv_dagster.evaluation.compare import Change, compare, compare_rows
from coworkenv_dagster.evaluation.evaluate import evaluate
from tests.evaluation.conftest import Wavering, row, small_suite


def rows(scores):
    return [row(f"t{n}", score) for n, score in enumerate(scores)]


def test_the_interval_is_that_of_the_normal_theory_on_a_large_sample():
    values = np.random.Generator(np.random.PCG64(1)).normal(10, 4, size=400).tolist()
    low, high = mean_interval(values, seed=3)
    half = 1.96 * np.std(values) / np.sqrt(len(values))
    assert (high - low) / 2 == pytest.approx(half, rel=0.1)
    assert (high + low) / 2 == pytest.approx(np.mean(values), abs=0.1)


def test_equal_seeds_give_equal_intervals_and_one_value_gives_none():
    assert mean_interval([1, 2, 5], 7) == mean_interval([1, 2, 5], 7)
    assert mean_interval([1.0], 7) is None


def test_a_steady_gain_is_better_and_its_mirror_worse():
    low, high = rows([0.1, 0.2, 0.3, 0.4, 0.5]), rows([0.3, 0.4, 0.6, 0.6, 0.8])
    gain = compare_rows(low, high, seed=0)
    assert gain.change is Change.BETTER
    assert gain.difference == pytest.approx(24.0)
    assert gain.sentence.startswith("better by 24.0 points (95 % interval ")
    loss = compare_rows(high, low, seed=0)
    assert (loss.change, loss.difference) == (Change.WORSE, pytest.approx(-24.0))


def test_noise_is_no_difference_seen():
    noise = compare_rows(rows([0.1, 0.9, 0.5, 0.4]), rows([0.9, 0.1, 0.5, 0.5]), seed=0)
    assert noise.change is Change.NO_DIFFERENCE
    assert noise.sentence.startswith("no difference seen: +2.5 points")
    same = compare_rows(rows([0.5, 0.5]), rows([0.5, 0.5]), seed=0)
    assert same.change is Change.NO_DIFFERENCE


def test_pairing_sees_a_gain_that_unpaired_intervals_hide():
    before = [n / 20 for n in range(20)]
    after = [score + 0.03 for score in before]
    assert compare_rows(rows(before), rows(after), seed=0).change is Change.BETTER


def test_only_tasks_with_a_score_from_both_are_compared():
    compared = compare_rows(rows([0.5, None, 0.1]), rows([0.7, 0.9, None]), seed=0)
    assert (compared.tasks, compared.change) == (1, Change.NO_DIFFERENCE)
    assert "too few to tell" in compared.sentence
    assert compare_rows([], [], seed=0).difference is None


def test_results_are_compared_by_split_and_capability(suite):
    weak = evaluate(Wavering(0.2), suite, seed=1)
    strong = evaluate(Wavering(1.0), suite, seed=1)
    compared = compare(weak, strong)
    assert next(iter(compared)) == "overall"
    assert {"general", "multi_turn", "capability:retrieval"} <= set(compared)
    assert compared["overall"].change is Change.BETTER
    assert compared["overall"].difference == pytest.approx(
        strong.overall.average_score - weak.overall.average_score
    )


def test_results_of_different_suites_are_not_compared(suite):
    one = evaluate(Wavering(1.0), suite, seed=1, trials=1)
    other = evaluate(Wavering(1.0), small_suite(4), seed=1, trials=1)
    with pytest.raises(CoworkEnvError, match="different suites"):
        compare(one, other)
