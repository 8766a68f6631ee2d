from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkenv_dagster.grading.matching import says, value_matches


@pytest.mark.parametrize(
    ("text", "value", "said"),
    [
        ("It is 42.", "42", True),
        ("It is 142.", "42", False),
        ("It is 42.5", "42", False),
        ("It costs 1,200 euros", "1200", True),
        ("It costs 1200 euros", "1,200", True),
        ("Ask ANA LOPEZ", "Ana Lopez", True),
        ("Ask Ana Lopezova", "Ana Lopez", False),
        ("价格是1200元", "1200", True),
        ("请联系王芳确认", "王芳", True),
    ],
)
def test_a_value_is_said_as_a_whole_word(text, value, said):
    assert says(text, value) is said


@pytest.mark.parametrize(
    ("got", "want", "same"),
    [
        (" High", "high", True),
        ("2026-03-02T14:00:00Z", "2026-03-02T15:00:00+01:00", True),
        ("2026-03-02T14:00:00Z", "2026-03-02T15:00:00Z", False),
        (["b", "A"], ["a", "b"], True),
        (["a"], ["a", "b"], False),
        (3, 3.0, True),
        (True, 1, False),
        (None, "x", False),
        ("see TK-7 please", {"contains": ["tk-7"]}, True),
        (None, {"contains": ["none"]}, False),
        ("low", {"one_of": ["low", "medium"]}, True),
    ],
)
def test_values_are_compared_without_regard_to_form(got, want, same):
    assert value_matches(got, want) is same


@given(st.lists(st.text(max_size=5), max_size=5), st.randoms())
def test_lists_match_in_any_order(items, rng):
    shuffled = list(items)
    rng.shuffle(shuffled)
    assert value_matches(shuffled, items)
    assert not value_matches([*shuffled, "extra"], items)
