"""Laws of every service: resets, snapshots, independence, records never changed in place."""

from __future__ import annotations

import copy
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coworkenv_dagster.errors import TaskFileError
from coworkenv_dagster.hashing import canonical_json
from tests.services.fixtures import CLASSES, FIXTURES, NOW, live

VALUES = {
    "string": st.sampled_from(
        [next(iter(item.values())) for name, items in FIXTURES.items() if isinstance(items, list)
         for item in items] + ["todo_003", "evt_003", "JOB-003", "all", "", "故", "2026-03-02"]
    ),
    "integer": st.integers(-2, 5),
    "number": st.floats(0, 100),
    "boolean": st.booleans(),
    "array": st.lists(st.sampled_from(["a", "b"]), max_size=2),
}  # fmt: skip


def values(schema):
    kind = schema.get("type") or schema["anyOf"][0]["type"]
    return VALUES[kind]


@st.composite
def calls_of(draw, name):
    path = draw(st.sampled_from(sorted(CLASSES[name].endpoints)))
    schema = CLASSES[name].endpoints[path].parameters()
    required = schema.get("required", [])
    body = {
        key: draw(values(part))
        for key, part in schema["properties"].items()
        if key in required or draw(st.booleans())
    }
    return path, body


def state(service):
    return canonical_json([service.records, service.log, service.now.isoformat()])


@pytest.mark.parametrize("name", sorted(CLASSES))
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_reset_and_snapshot_bring_back_every_byte(name, data):
    before = data.draw(st.lists(calls_of(name), max_size=5))
    after = data.draw(st.lists(calls_of(name), max_size=5))
    cls, fixture = CLASSES[name], copy.deepcopy(FIXTURES[name])
    prepared = cls.prepare(fixture, NOW)
    service, other = cls(prepared, NOW), cls(prepared, NOW)
    start = state(service)
    for call in before:
        service.call(*call)
    kept, saved = state(service), service.snapshot()
    service.now += timedelta(hours=1)
    answers = [canonical_json(service.call(*call).body) for call in after]
    ended = state(service)
    for _ in range(2):
        service.restore(saved)
        assert state(service) == kept
        service.now += timedelta(hours=1)
        assert [canonical_json(service.call(*call).body) for call in after] == answers
        assert state(service) == ended
    service.reset()
    service.now = NOW
    assert state(service) == start == state(other)
    assert fixture == FIXTURES[name], "a handler changed a record of the fixture in place"


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_a_collection_is_data_or_audit(name):
    service = live(name)
    for collection in (*service.records, "calls", *service.logs):
        assert service.collection(collection) is not None
    assert service.collection("nothing") is None


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_an_empty_fixture_is_an_empty_service(name):
    assert not any(live(name, []).records.values())


@pytest.mark.parametrize("name", sorted(set(CLASSES) - {"web"}))
@pytest.mark.parametrize("fixture", ["text", 3, {"a": 1}, [1], [{"label": "no id"}], [None]])
def test_a_fixture_of_the_wrong_shape_names_service_and_mend(name, fixture):
    with pytest.raises(TaskFileError, match=rf"workspace\.{name}.*Give ") as caught:
        CLASSES[name].prepare(fixture, NOW)
    assert caught.value.mend
