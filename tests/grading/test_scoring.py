from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkenv_dagster.grading.scoring import (
    claw_robustness,
    earned_robustness,
    floor_free,
    pass_at_k,
    pass_hat_k,
    task_score,
)

CALLS = st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=8)


def test_the_formulae_equal_the_recorded_cases(shared):
    cases = json.loads((shared / "claw/grading/scoring.json").read_text())
    for case in cases:
        calls = [(d["tool_name"], d["response_status"] < 400) for d in case["dispatches"]]
        trials, k = case["trials"], case["k"]
        passed = sum(score >= 0.75 for score in trials)
        assert claw_robustness(calls) == pytest.approx(case["robustness"], abs=1e-9)
        assert task_score(**case["scores"]) == case["task_score"]
        assert pass_at_k(len(trials), passed, k) == pytest.approx(case["pass_at_k"], abs=1e-9)
        assert pass_hat_k(len(trials), passed, k) == pytest.approx(case["pass_hat_k"], abs=1e-9)


def test_robustness_is_the_share_of_failing_tools_that_recover():
    assert claw_robustness([("a", False), ("a", True)]) == 1.0
    assert claw_robustness([("a", False), ("b", False), ("a", True)]) == 0.5
    assert claw_robustness([("a", True), ("a", False)]) == 0.5
    assert claw_robustness([("a", False)]) == 0.0


@given(CALLS)
def test_robustness_lies_in_0_1_and_must_be_earned(calls):
    assert 0.0 <= claw_robustness(calls) <= 1.0
    assert earned_robustness([], frozenset()) == 0.0
    assert earned_robustness(calls, frozenset("z")) == 0.0
    if ("a", True) in calls:
        assert earned_robustness(calls, frozenset("a")) == claw_robustness(calls)


def test_a_score_at_the_no_op_floor_is_worth_nothing():
    assert floor_free(0.2, 0.2) == 0.0
    assert floor_free(1.0, 0.2) == 1.0
