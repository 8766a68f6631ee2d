"""Authors of candidate tasks."""

from coworkenv_dagster.generation.author import LEVELS, ProceduralAuthor
from coworkenv_dagster.generation.pools import Pool

__all__ = ["LEVELS", "Pool", "ProceduralAuthor"]
