"""The report as one self-contained HTML page: no network, light and dark, desk and phone."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from coworkenv_dagster.hashing import canonical_json
from coworkenv_dagster.reporting import figures, replay
from coworkenv_dagster.reporting.data import ReportData
from coworkenv_dagster.reporting.numbers import report_json
from coworkenv_dagster.storage import atomic_path

_TEMPLATES = Path(__file__).parent / "templates"


def round_report(data: ReportData) -> str:
    """Gives the report's HTML; every text from a task is escaped."""
    style = (_TEMPLATES / "style.css").read_text(encoding="utf-8")
    script = (_TEMPLATES / "script.js").read_text(encoding="utf-8")
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(one=one, signed=signed, plain=plain, duration=duration)
    light, dark = (
        figures.draw_figures(data, figures.LIGHT),
        figures.draw_figures(data, figures.DARK),
    )
    return environment.get_template("page.html.j2").render(
        data=data,
        style=Markup(style),
        script=Markup(script),
        # The policy lets only this very script run, should a text ever slip through unescaped.
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        plots={name: (_data_uri(light[name]), _data_uri(dark[name])) for name in light},
        parts=figures.yield_parts(data, figures.LIGHT),
        entries=replay.entries,
        changes=replay.changes,
        outcomes=sorted({item.outcome for item in data.replays}),
        replay_capabilities=sorted({item.capability for item in data.replays}),
        longest=max((stage.seconds for stage in data.stages), default=0.0) or 1.0,
    )


def write_report(data: ReportData, folder: Path) -> dict[str, Path]:
    """Writes report.html, report.json and the plots, each whole or not at all.

    Returns:
        The paths by name: `html`, `json` and one for each plot.

    Raises:
        StorageError: The folder can't be written to.
    """
    files = {"html": ("report.html", round_report(data).encode())}
    files["json"] = ("report.json", canonical_json(report_json(data)).encode())
    for name, png in figures.draw_figures(data).items():
        files[name] = (f"{name}.png", png)
    paths = {}
    for name, (filename, content) in files.items():
        paths[name] = folder / filename
        with atomic_path(paths[name]) as temporary:
            temporary.write_bytes(content)
    return paths


def one(value: float | None) -> str:
    """Gives a number with one decimal, and a dash for none."""
    return "–" if value is None else f"{value:,.1f}"


def signed(value: float | None) -> str:
    """Gives a number with one decimal and its sign, a true minus included."""
    return "–" if value is None else f"{value:+,.1f}".replace("-", "−")


def plain(name: str) -> str:
    """Gives a name for reading: `multi_turn` becomes `multi turn`."""
    return name.replace("_", " ")


def duration(seconds: float) -> str:
    """Gives a duration as a person says it: `8.4 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def _data_uri(png: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"
