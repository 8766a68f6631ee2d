"""Small plots for metadata."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence

import dagster as dg


def curve_plot(points: Sequence[tuple[int, float]]) -> dg.MetadataValue:
    """Gives a loss curve as an inline PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 2.4), layout="constrained")
    axes = figure.subplots()
    axes.plot([step for step, _ in points], [loss for _, loss in points], linewidth=1.2)
    axes.set_xlabel("step")
    axes.set_ylabel("loss, nats a token")
    axes.spines[["top", "right"]].set_visible(False)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=90)
    text = base64.b64encode(buffer.getvalue()).decode()
    return dg.MetadataValue.md(f"![loss](data:image/png;base64,{text})")
