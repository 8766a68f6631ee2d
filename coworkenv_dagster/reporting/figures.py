"""The report's plots as PNG, in a light and a dark theme."""

from __future__ import annotations

import io
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coworkenv_dagster.reporting.data import ReportData

WIDTH_IN = 5.6
DPI = 200


@dataclass(frozen=True)
class Theme:
    """Colours of a plot; the same as the page's."""

    paper: str
    ink: str
    faint: str
    line: str
    base: str
    trained: str
    tints: tuple[str, str, str]
    """Repair rounds 1 to 3."""
    bad: str


LIGHT = Theme(
    paper="#ffffff",
    ink="#1c2024",
    faint="#5f6770",
    line="#dfe3e8",
    base="#8b939c",
    trained="#1f6feb",
    tints=("#7fb0f5", "#a9c9f8", "#cfe0fb"),
    bad="#d1603d",
)
DARK = Theme(
    paper="#14171a",
    ink="#e6e8ea",
    faint="#9aa3ac",
    line="#2c3238",
    base="#8b939c",
    trained="#6aa5ff",
    tints=("#4c7dc4", "#3a5f94", "#2c4668"),
    bad="#e08562",
)


def draw_figures(data: ReportData, theme: Theme = LIGHT) -> dict[str, bytes]:
    """Gives the plots the data has something for, by name: `capabilities`, `curve`, `yields`."""
    made = {}
    if data.trained.capabilities:
        made["capabilities"] = capability_figure(data, theme)
    if len([p for p in data.curve if p.loss is not None or p.eval_loss is not None]) > 1:
        made["curve"] = curve_figure(data, theme)
    if data.synthesis and data.synthesis.generated:
        made["yields"] = yield_figure(data, theme)
    return made


def capability_figure(data: ReportData, theme: Theme) -> bytes:
    """Draws before and after for each capability, with 95 % intervals."""
    names = list(data.trained.capabilities)[::-1]
    figure, axes = _canvas(theme, 0.9 + 0.55 * len(names))
    for series, colour, shift, label in (
        (data.base.capabilities, theme.base, 0.13, "base"),
        (data.trained.capabilities, theme.trained, -0.13, "trained"),
    ):
        for place, name in enumerate(names):
            summary = series.get(name)
            if summary is None or summary.average_score is None:
                continue
            y = place + shift
            if summary.interval:
                axes.plot(summary.interval, [y, y], color=colour, lw=1.6, alpha=0.55, zorder=2)
            axes.plot([summary.average_score], [y], "o", color=colour, ms=6.5, zorder=3)
        axes.plot([], [], "o", color=colour, ms=6.5, label=label)
    axes.set_yticks(range(len(names)), [name.replace("_", " ") for name in names])
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.set_xlim(-2, 102)
    axes.set_xticks([0, 25, 50, 75, 100])
    axes.grid(axis="x", color=theme.line, lw=0.8, zorder=0)
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(axis="both", length=0)
    _legend(axes, theme)
    return _png(figure, theme)


def curve_figure(data: ReportData, theme: Theme) -> bytes:
    """Draws the loss over the training steps."""
    figure, axes = _canvas(theme, 2.9)
    for label, colour, points in (
        ("training loss", theme.trained, [(p.step, p.loss) for p in data.curve]),
        ("loss on episodes held back", theme.base, [(p.step, p.eval_loss) for p in data.curve]),
    ):
        known = [(step, loss) for step, loss in points if loss is not None]
        if known:
            steps, losses = zip(*known, strict=True)
            axes.plot(steps, losses, color=colour, lw=1.8, label=label, solid_capstyle="round")
    axes.set_ylim(bottom=0)
    axes.margins(x=0.01)
    axes.set_xlabel("step", color=theme.faint)
    axes.grid(axis="y", color=theme.line, lw=0.8)
    axes.tick_params(axis="both", length=0)
    _legend(axes, theme)
    return _png(figure, theme)


def yield_figure(data: ReportData, theme: Theme) -> bytes:
    """Draws what became of the generated tasks as one bar."""
    figure, axes = _canvas(theme, 1.25)
    left = 0
    for label, count, colour in yield_parts(data, theme):
        axes.barh([0], [count], left=left, color=colour, height=0.5, label=f"{label} {count}")
        left += count
    axes.set_xlim(0, max(left, 1))
    axes.set_yticks([])
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    _legend(axes, theme, columns=3)
    return _png(figure, theme)


def yield_parts(data: ReportData, theme: Theme) -> list[tuple[str, int, str]]:
    """Gives (label, tasks, colour) of what became of the generated tasks, empty parts left out."""
    synthesis = data.synthesis
    if synthesis is None:
        return []
    parts = [("passed at once", synthesis.accepted, theme.trained)]
    if synthesis.rescued_in_round:
        parts.extend(
            (f"repaired in round {number}", count, theme.tints[min(number, 3) - 1])
            for number, count in sorted(synthesis.rescued_in_round.items())
        )
    else:
        parts.append(("repaired", synthesis.repaired, theme.tints[0]))
    parts.append(("rejected", synthesis.rejected, theme.bad))
    return [part for part in parts if part[1] > 0]


def _canvas(theme: Theme, height_in: float) -> tuple[Figure, Axes]:
    figure = Figure(
        figsize=(WIDTH_IN, height_in), dpi=DPI, facecolor=theme.paper, layout="constrained"
    )
    axes = figure.add_subplot(facecolor=theme.paper)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(theme.line)
    axes.tick_params(colors=theme.ink, labelsize=11.5)
    return figure, axes


def _legend(axes: Axes, theme: Theme, columns: int = 2) -> None:
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=columns,
        frameon=False,
        labelcolor=theme.ink,
        fontsize=11.5,
        handlelength=1.2,
        columnspacing=1.4,
        borderaxespad=0.2,
        borderpad=0.0,
    )


def _png(figure: Figure, theme: Theme) -> bytes:
    sink = io.BytesIO()
    figure.savefig(
        sink,
        format="png",
        facecolor=theme.paper,
        metadata={"Software": None},
    )
    return sink.getvalue()
