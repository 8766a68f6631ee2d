"""The exception hierarchy: every error says what was wrong, where, and what to do about it."""

from __future__ import annotations


class CoworkEnvError(Exception):
    """Base of every error a user can meet; `str(error)` is fit to be shown as it is.

    Args:
        problem: What is wrong, as one sentence without a trailing full stop.
        where: File, field or task id at fault.
        mend: What the reader can do about it.
    """

    def __init__(self, problem: str, *, where: str = "", mend: str = "") -> None:
        self.problem = problem
        self.where = where
        self.mend = mend
        place = f"{where}: " if where else ""
        hint = f". {mend}" if mend else ""
        super().__init__(f"{place}{problem}{hint}")


class TaskFileError(CoworkEnvError):
    """A task file or folder can't be read as a task."""


class UnknownServiceError(CoworkEnvError):
    """A task names a service that no registration provides."""


class UnknownToolError(CoworkEnvError):
    """A task names a tool that none of its services provides."""


class ReferenceSolutionError(CoworkEnvError):
    """A reference solution can't be played: a step refers to something that isn't there."""


class PolicyError(CoworkEnvError):
    """A policy can't answer: a missing model, an endpoint that fails or talks nonsense."""


class CheckpointError(CoworkEnvError):
    """A checkpoint folder is missing, incomplete or differs from its recorded checksum."""


class TrainingError(CoworkEnvError):
    """Training can't start or go on, for example because no episode fits the length limit."""


class MissingExtraError(CoworkEnvError):
    """An optional dependency is needed; names the extra that brings it."""


class StorageError(CoworkEnvError):
    """A result can't be written or read back: a full disk, a damaged file."""


def own_cause(error: BaseException) -> CoworkEnvError | None:
    """Gives the error of ours that another one wraps, if there is one."""
    current: BaseException | None = error
    while current is not None:
        if isinstance(current, CoworkEnvError):
            return current
        current = current.__cause__ or current.__context__
    return None
