"""Dagster resources: storage, experiment tracking, settings and progress."""

from resources.io_manager import ParquetIOManager
from resources.progress import NoProgress, Progress
from resources.settings import Settings
from resources.tracking import MLflowTracking

__all__ = ["MLflowTracking", "NoProgress", "ParquetIOManager", "Progress", "Settings"]
