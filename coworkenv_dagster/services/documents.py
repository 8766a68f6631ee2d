"""Documents: the text of PDF files."""

from __future__ import annotations

import posixpath
from datetime import datetime

from pydantic import Field

from coworkenv_dagster.services._fixtures import files_of
from coworkenv_dagster.services.base import (
    Access,
    Json,
    Prepared,
    Request,
    Response,
    Service,
    endpoint,
)


class ExtractText(Request):
    """Arguments of `documents_extract_text`."""

    path: str = Field(description="Path of a PDF file in the workspace")
    max_pages: int | None = Field(None, description="Most pages to read")


class Documents(Service):
    """PDF files whose pages were read beforehand.

    The fixture is a list of `{"path": ..., "pages": [text, ...]}`, or
    `{"files": {path: {"pages": [...]}}}`; paths are relative to the task's folder.
    """

    name = "documents"
    variables = ("DOCUMENTS_BASE_DIR",)

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Takes the files with their pages, under their paths without detours."""
        files = files_of(cls.name, fixture, "path", "pages")
        return Prepared(
            {"files": tuple({**file, "path": posixpath.normpath(file["path"])} for file in files)}
        )

    @endpoint("/documents/extract_text", tool="documents_extract_text", access=Access.READ)
    def extract_text(self, request: ExtractText) -> Json:
        """Read the text of a PDF file."""
        path = posixpath.normpath(request.path)
        if path.startswith(("/", "../")) or path == "..":
            return _refused(400, f"Path escapes base directory: {request.path}")
        found = self.find("files", "path", path)
        if found is None:
            return _refused(404, f"File not found: {request.path}")
        if not path.lower().endswith(".pdf"):
            return _refused(400, "Only PDF files are supported")
        pages = found[1]["pages"]
        # As the original: 0 reads everything, a negative number leaves pages out at the end.
        limit = min(request.max_pages or len(pages), len(pages))
        return {
            "path": path,
            "page_count": len(pages),
            "pages_returned": limit,
            "text": "\n\n".join(pages[:limit]).strip(),
        }


def _refused(status: int, detail: str) -> Response:
    return Response(status, {"detail": detail})
