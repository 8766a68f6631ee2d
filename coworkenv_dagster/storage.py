"""Writing results so that they appear whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from coworkenv_dagster.errors import StorageError


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Gives a temporary path beside `path` to write a file or folder to; on success it is renamed.

    A folder that stands at `path` is replaced. On any error the temporary path is removed.

    Raises:
        StorageError: The disk is full or the place can't be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        if path.is_dir() and temporary.is_dir():
            shutil.rmtree(path)
        temporary.replace(path)
    except OSError as error:
        _remove(temporary)
        raise StorageError(
            f"can't write: {error.strerror or error}",
            where=str(path),
            mend="Free some space or choose another place, then run it again",
        ) from error
    except BaseException:
        _remove(temporary)
        raise


def write_text(path: Path, text: str) -> None:
    """Writes a text file atomically."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)
_SAYINGS = ("No space left on device", "disk is full", "readonly database", "unable to open data")


def storage_failure(error: BaseException, where: Path) -> StorageError | None:
    """Gives a clear error when something failed because a place can't be written; else None.

    Libraries wrap the system's error in their own (SQLAlchemy, safetensors, Dagster), so the whole
    chain of causes is looked at.
    """
    current: BaseException | None = error
    while current is not None:
        text = str(current)
        full = isinstance(current, OSError) and current.errno in _ERRNOS
        if full or any(saying in text for saying in _SAYINGS):
            said = [line for line in text.splitlines() if any(s in line for s in _SAYINGS)]
            problem = getattr(current, "strerror", None) or (said or [text])[0].strip()[:200]
            return StorageError(
                f"can't write: {problem}",
                where=str(getattr(current, "filename", None) or where),
                mend="Free some space, then run the same command again: it goes on from there",
            )
        current = current.__cause__ or current.__context__
    return None


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()
