from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from coworkenv_dagster.errors import StorageError
from coworkenv_dagster.evaluation.evaluate import evaluate
from coworkenv_dagster.policies.make import OraclePolicy
from coworkenv_dagster.reporting import (
    SynthesisYield,
    report_data,
    report_json,
    round_report,
    write_report,
)
from coworkenv_dagster.reporting.page import duration, one, signed
from coworkenv_dagster.reporting.replay import entries
from tests.evaluation.conftest import full_disk
from tests.reporting.conftest import HOSTILE, hostile_suite


class Page(HTMLParser):
    """Collects what a browser would run, load or show."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.handlers: list[str] = []
        self.links: list[str] = []
        self.tasks: list[dict[str, str | None]] = []
        self.text: list[str] = []
        self._in_script = False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self._in_script = tag == "script"
        if self._in_script:
            self.scripts.append("")
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        self.links += [v for k, v in attrs if k in ("src", "href", "srcset") and v]
        if tag == "details" and ("class", "task") in attrs:
            self.tasks.append(dict(attrs))

    def handle_endtag(self, tag):
        self._in_script = False

    def handle_data(self, data):
        if self._in_script:
            self.scripts[-1] += data
        else:
            self.text.append(data)


@pytest.fixture(scope="session")
def html(data) -> str:
    return round_report(data)


@pytest.fixture(scope="session")
def page(html) -> Page:
    return Page(html)


def test_the_json_has_the_promised_numbers(data):
    numbers = json.loads(json.dumps(report_json(data)))
    for policy in ("base", "trained"):
        for split in ("overall", "general", "multi_turn"):
            average = numbers["scores"][policy][split]["average_score"]
            assert 0 <= average <= 100
            assert {"pass_at_3", "pass_hat_3", "interval"} <= set(numbers["scores"][policy][split])
    synthesis = numbers["synthesis"]
    assert synthesis["generated"] == 100
    assert sum(synthesis[part] for part in ("accepted", "repaired", "rejected")) == 100
    assert numbers["differences"]["overall"]["change"] == "better"
    assert numbers["stages"][0]["stage"] == "sft_checkpoint"


def test_a_split_without_tasks_has_null_scores():
    suite = [task for task in hostile_suite().tasks if task.split == "general"]
    result = evaluate(OraclePolicy, suite, seed=0, trials=1)
    numbers = report_json(report_data(result, result, round="r"))
    assert numbers["scores"]["base"]["multi_turn"]["average_score"] is None
    assert numbers["scores"]["base"]["general"]["average_score"] == 100.0
    assert numbers["synthesis"] is None


def test_nothing_disappears_between_generation_and_report():
    with pytest.raises(ValueError, match="generated 10, but the parts add up to 9"):
        SynthesisYield(generated=10, accepted=5, repaired=2, rejected=2)


def test_task_texts_are_escaped_everywhere(page, html):
    assert HOSTILE not in html
    assert len(page.scripts) == 1
    assert "alert" not in page.scripts[0]
    assert page.handlers == []
    shown = "".join(page.text)
    assert shown.count(HOSTILE) >= 4  # request, remark, fact, rejection reason


def test_the_page_needs_no_network(page, html):
    assert all(link.startswith("data:image/png;base64,") for link in page.links)
    assert len(page.links) == 4  # two plots, light and dark
    assert not re.search(r"url\(|@import|https?://", html)
    assert "default-src 'none'" in html


def test_the_page_says_what_was_measured(page, data):
    shown = " ".join("".join(page.text).split())
    assert f"Better by {data.comparisons['overall'].difference:.1f} points" in shown
    assert "held-out suite (built in)" in shown
    assert "Claw-Eval" not in shown
    assert "100 tasks were generated. 70 passed the gate at once, 20 after repair, 10" in shown
    assert "3 min 20 s" in shown
    assert "With every error counted as 0" in shown


def test_replays_can_be_filtered_and_show_each_check(page, data):
    assert len(page.tasks) == len(data.replays) > 0
    assert {task["data-outcome"] for task in page.tasks} <= {
        "passed",
        "failed",
        "safety broken",
        "unscored",
        "error",
    }
    shown = "".join(page.text)
    for replay in data.replays:
        assert replay.task_id in shown
        for check in replay.episode.verdict.checks:
            assert check.detail in shown
    scores = [r.trained_score for r in data.replays if r.trained_score is not None]
    assert scores == sorted(scores)


def test_a_conversation_reads_in_order(data):
    replay = next(r for r in data.replays if len(r.episode.calls) > 1)
    kinds = [entry.kind for entry in entries(replay.episode)]
    assert kinds[:2] == ["system", "user"]
    calls = [kind for kind in kinds if kind == "call"]
    assert len(calls) == sum(bool(call.tool) for call in replay.episode.calls)
    assert kinds.count("result") == len(replay.episode.calls)


def test_equal_data_give_equal_pages(data, html):
    assert round_report(data) == html


def test_page_numbers_and_plots_are_written_whole(data, tmp_path):
    paths = write_report(data, tmp_path / "report")
    assert set(paths) == {"html", "json", "capabilities", "curve", "yields"}
    assert all(path.stat().st_size > 0 for path in paths.values())
    assert paths["yields"].read_bytes().startswith(b"\x89PNG")


def test_a_full_disk_leaves_no_half_page(data, tmp_path):
    with full_disk(), pytest.raises(StorageError, match="can't write"):
        write_report(data, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_numbers_are_shown_with_one_decimal():
    assert (one(None), one(3.14159), one(1234.5)) == ("–", "3.1", "1,234.5")
    assert (signed(2.0), signed(-2.04)) == ("+2.0", "−2.0")
    assert (duration(8.42), duration(200), duration(7500)) == ("8.4 s", "3 min 20 s", "2 h 5 min")
