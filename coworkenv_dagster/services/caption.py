"""Captions: what images show."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from coworkenv_dagster.services._fixtures import files_of, image_of
from coworkenv_dagster.services.base import Access, Json, Prepared, Request, Service, endpoint


class Describe(Request):
    """Arguments of `caption_describe`."""

    image_path: str = Field("", description="Path of the image")


class Caption(Service):
    """Images that were described beforehand.

    The fixture is a list of `{"image_path": ..., "caption": ...}`, or
    `{"files": {path: {"caption": ...}}}`. A single image answers for every path, as the original
    does.
    """

    name = "caption"
    variables = ("CAPTION_FIXTURES",)

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Takes the images as they are."""
        return Prepared({"images": files_of(cls.name, fixture, "image_path", "caption")})

    @endpoint("/caption/describe", tool="caption_describe", access=Access.READ)
    def describe(self, request: Describe) -> Json:
        """Describe what an image shows."""
        image = image_of(self.records["images"], request.image_path)
        if image is None:
            return {"error": f"Image {request.image_path} not found"}
        return {"caption": image["caption"], "confidence": image.get("confidence", 0.92)}
