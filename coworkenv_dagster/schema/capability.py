"""The capability taxonomy and the levels of difficulty."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Capability(StrEnum):
    """What a task asks of an agent; one axis of the capability profile."""

    RETRIEVAL = "retrieval"
    TOOL_USE = "tool_use"
    AGGREGATION = "aggregation"
    MULTI_STEP = "multi_step"
    MULTI_SERVICE = "multi_service"
    CLARIFICATION = "clarification"
    ADAPTATION = "adaptation"
    RECOVERY = "recovery"
    RESTRAINT = "restraint"
    VISUAL = "visual"
    WORKSPACE_FILES = "workspace_files"
    COMMUNICATION = "communication"


class Cell(NamedTuple):
    """One cell of the capability profile."""

    capability: Capability
    level: int
    """1 (easiest) and up."""

    def __str__(self) -> str:
        return f"{self.capability.value}/{self.level}"


class Split(StrEnum):
    """Which part of Claw-Eval's division a task counts to."""

    GENERAL = "general"
    MULTI_TURN = "multi_turn"
    MULTIMODAL = "multimodal"
