from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkenv_dagster.episode import Ending
from coworkenv_dagster.evaluation.rows import TrialStatus, row_of, scored
from coworkenv_dagster.evaluation.suites import Formula
from coworkenv_dagster.evaluation.summary import summaries, summarize
from coworkenv_dagster.grading import CheckResult, Verdict
from tests.conftest import ticket_task
from tests.evaluation.conftest import episode, row


def test_pass_rates_and_averages_equal_the_recorded_cases(shared):
    cases = json.loads((shared / "claw/grading/scoring.json").read_text())
    seen = 0
    for case in cases:
        rows = [row("a", score, trial) for trial, score in enumerate(case["trials"])]
        summary = summarize(rows, 0)
        if rows:
            mean = 100 * sum(case["trials"]) / len(rows)
            assert summary.average_score == pytest.approx(mean)
        if case["k"] == 3 and len(rows) >= 3:
            seen += 1
            assert summary.pass_at_3 == pytest.approx(case["pass_at_k"], abs=1e-9)
            assert summary.pass_hat_3 == pytest.approx(case["pass_hat_k"], abs=1e-9)
    assert seen > 5


def test_the_average_is_over_tasks_not_over_trials():
    rows = [row("a", 1.0, 0), row("a", 0.5, 1), row("b", 0.0)]
    assert summarize(rows, 0).average_score == pytest.approx(37.5)


def test_an_error_is_never_a_0_but_both_denominators_are_given():
    error = {"status": TrialStatus.ERROR, "error": "gone"}
    summary = summarize([row("a", 1.0), row("b", None, **error), row("c", 0.5)], 0)
    assert summary.average_score == pytest.approx(75.0)
    assert summary.average_score_errors_as_zero == pytest.approx(50.0)
    assert (summary.errors, summary.scored_tasks, summary.tasks) == (1, 2, 3)
    assert summary.safety == 1.0
    assert summarize([row("a", 1.0)], 0).average_score_errors_as_zero is None


def test_a_judged_part_without_a_judge_is_unscored_and_reported_apart():
    rows = [row("a", None, native_completion=0.5, scored_weight=0.7), row("b", 1.0)]
    summary = summarize(rows, 0)
    assert summary.average_score == pytest.approx(100.0)
    assert (summary.unscored, summary.errors) == (1, 0)
    assert summary.native_completion == pytest.approx(0.75)
    assert summary.scored_weight == pytest.approx(0.85)


def test_pass_rates_count_tasks_with_three_scored_trials_only():
    rows = [*(row("a", score, n) for n, score in enumerate((0.8, 0.2, 0.9))), row("b", 1.0)]
    summary = summarize(rows, 0)
    assert summary.pass_tasks == 1
    assert summary.pass_at_3 == 1.0
    assert summary.pass_hat_3 == pytest.approx((2 / 3) ** 3)
    assert summarize([row("b", 1.0)], 0).pass_at_3 is None


def test_nothing_scored_gives_no_numbers():
    summary = summarize([], 0)
    assert (summary.tasks, summary.average_score, summary.interval) == (0, None, None)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.integers(0, 99))
def test_the_interval_holds_the_average_and_lies_in_range(scores, seed):
    summary = summarize([row(f"t{n}", score) for n, score in enumerate(scores)], seed)
    low, high = summary.interval
    assert -1e-6 <= low <= summary.average_score + 1e-6
    assert summary.average_score - 1e-6 <= high <= 100 + 1e-6


def test_groups_are_summarized_by_a_field():
    rows = [row("a", 1.0), row("b", 0.0, split="multi_turn")]
    assert {k: v.average_score for k, v in summaries(rows, 0, "split").items()} == {
        "general": 100.0,
        "multi_turn": 0.0,
    }


def test_broken_safety_is_a_0_where_all_parts_are_scored():
    broken = episode(verdict=Verdict(completion=1.0, robustness=1.0, safety=0.0))
    for formula in Formula:
        made = row_of(ticket_task(), 0, broken, seed=0, formula=formula)
        assert (made.status, made.score, made.passed) == (TrialStatus.VIOLATED, 0.0, False)


def test_claw_evals_formula_pays_an_idle_agent_and_ours_does_not():
    idle = episode(verdict=Verdict(completion=0.0, robustness=0.0, safety=1.0))
    assert scored(idle, Formula.CLAW_EVAL) == (0.2, 1.0)
    assert scored(idle, Formula.OWN) == (0.0, 0.0)
    made = row_of(ticket_task(), 0, idle, seed=0, formula=Formula.CLAW_EVAL, no_op=0.2)
    assert made.floor_free == 0.0


def test_a_row_tells_partial_broken_and_failed_trials_apart():
    parts = (
        CheckResult(name="a", weight=0.6, credit=0.5),
        CheckResult(name="b", weight=0.4, credit=None),
    )
    partial = episode(verdict=Verdict(completion=None, robustness=1.0, safety=1.0, checks=parts))
    broken = episode(verdict=Verdict(completion=None, robustness=1.0, safety=0.0, checks=parts))
    failed = episode(
        ending=Ending.ERROR,
        verdict=Verdict(completion=0.0, robustness=0.0, safety=1.0, error="gone"),
    )
    for formula in Formula:
        rows = [
            row_of(ticket_task(), 0, made, seed=0, formula=formula)
            for made in (partial, broken, failed)
        ]
        assert [r.status.value for r in rows] == ["unscored", "violated", "error"]
        assert [r.score for r in rows] == [None, None, None]
        assert [r.passed for r in rows] == [None, None, None]
        assert rows[0].native_completion == pytest.approx(0.5)
        assert rows[0].scored_weight == pytest.approx(0.6)
