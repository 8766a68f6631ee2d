from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from coworkenv_dagster.reporting import ReportData, round_report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

DRIVER = """<iframe src="report.html" style="width:390px;height:900px"></iframe><pre id="out"></pre>
<script>
document.querySelector("iframe").onload = (event) => {
  const page = event.target.contentDocument;
  const shown = () => [...page.querySelectorAll(".task")].filter((task) => !task.hidden).length;
  const form = page.querySelector(".filters");
  const said = [shown()];
  form.elements.capability.value = "retrieval";
  form.dispatchEvent(new Event("change"));
  said.push(shown(), page.querySelector("output").textContent);
  const task = page.querySelector(".task:not([hidden])");
  task.querySelector("summary").click();
  said.push(task.open, page.documentElement.scrollWidth);
  document.querySelector("#out").textContent = JSON.stringify(said);
};
</script>"""


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium here")
def test_filters_and_replays_work_in_a_browser_at_phone_width(data: ReportData, tmp_path: Path):
    (tmp_path / "report.html").write_text(round_report(data))
    (tmp_path / "driver.html").write_text(DRIVER)
    done = subprocess.run(
        [
            str(CHROMIUM),
            *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
            *("--disable-background-networking", "--allow-file-access-from-files"),
            f"--user-data-dir={tmp_path / 'profile'}",
            "--virtual-time-budget=4000",
            "--dump-dom",
            (tmp_path / "driver.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    found = re.search(r'<pre id="out">(.*?)</pre>', done.stdout)
    assert found, done.stderr
    total, retrieval, text, opened, width = json.loads(found.group(1))
    expected = sum(replay.capability == "retrieval" for replay in data.replays)
    assert (total, retrieval) == (len(data.replays), expected)
    assert text == f"{expected} shown"
    assert opened is True
    assert width <= 390
