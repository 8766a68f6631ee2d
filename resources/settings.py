"""Settings of the code location: the home and the size of a round."""

from __future__ import annotations

from pathlib import Path

import dagster as dg

from coworkenv_dagster.config import Home, RoundConfig, round_config


class Settings(dg.ConfigurableResource["Settings"]):
    """Where results go and how big a round is."""

    home_path: str
    """The home folder."""
    preset: str = "pocket"
    """Size of a round."""

    @property
    def home(self) -> Home:
        """The home."""
        return Home(root=Path(self.home_path))

    @property
    def config(self) -> RoundConfig:
        """The sizes."""
        return round_config(self.preset)
