"""OCR: the text in images."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from coworkenv_dagster.services._fixtures import files_of, image_of
from coworkenv_dagster.services.base import Access, Json, Prepared, Request, Service, endpoint


class Extract(Request):
    """Arguments of `ocr_extract_text`."""

    image_path: str = Field("", description="Path of the image")


class Ocr(Service):
    """Images whose text was read beforehand.

    The fixture is a list of `{"image_path": ..., "text": ...}`, or
    `{"files": {path: {"text": ...}}}`. A single image answers for every path, as the original does.
    """

    name = "ocr"
    variables = ("OCR_FIXTURES",)

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Takes the images as they are."""
        return Prepared({"images": files_of(cls.name, fixture, "image_path", "text")})

    @endpoint("/ocr/extract", tool="ocr_extract_text", access=Access.READ)
    def extract(self, request: Extract) -> Json:
        """Read the text in an image."""
        image = image_of(self.records["images"], request.image_path)
        if image is None:
            return {"error": f"Image {request.image_path} not found"}
        return {
            "text": image["text"],
            "confidence": image.get("confidence", 0.95),
            "language": image.get("language", "mixed"),
        }
