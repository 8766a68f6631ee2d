"""Notes: meeting notes, and sharing them."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from coworkenv_dagster.services._fixtures import records_of
from coworkenv_dagster.services.base import Access, Json, Prepared, Request, Service, endpoint

_SHOWN = ("note_id", "title", "created_at", "participants", "duration_minutes")


class ListNotes(Request):
    """Arguments of `notes_list`."""

    max_results: int = Field(10, description="Most notes to return")


class GetNote(Request):
    """Arguments of `notes_get`."""

    note_id: str = Field(description="Note id")


class ShareNote(Request):
    """Arguments of `notes_share`."""

    note_id: str = Field(description="Note id")
    recipients: list[str] = Field(description="Who gets it")


class Notes(Service):
    """Notes of meetings."""

    name = "notes"
    variables = ("NOTES_FIXTURES",)
    logs = ("shared",)

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Takes the fixture as it is."""
        return Prepared({"notes": records_of(cls.name, fixture, "note_id")})

    @endpoint("/notes/list", tool="notes_list", access=Access.READ, without_body={})
    def list_notes(self, request: ListNotes) -> Json:
        """List notes."""
        notes = [
            {key: note.get(key) for key in _SHOWN}
            for note in self.records["notes"][: request.max_results]
        ]
        return {"notes": notes, "total": len(notes)}

    @endpoint("/notes/get", tool="notes_get", access=Access.READ)
    def get_note(self, request: GetNote) -> Json:
        """Read one note."""
        found = self.find("notes", "note_id", request.note_id)
        return found[1] if found else {"error": f"Note {request.note_id} not found"}

    @endpoint("/notes/share", tool="notes_share", access=Access.WRITE)
    def share_note(self, request: ShareNote) -> Json:
        """Share a note.

        The original does not look whether the id exists.
        """
        record = {**request.model_dump(), "timestamp": self.timestamp()}
        self.log["shared"].append(record)
        return {"status": "shared", "record": record}
