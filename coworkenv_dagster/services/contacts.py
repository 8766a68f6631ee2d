"""Contacts: the company's people, and short messages to them."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from coworkenv_dagster.services._fixtures import records_of
from coworkenv_dagster.services.base import Access, Json, Prepared, Request, Service, endpoint


class Search(Request):
    """Arguments of `contacts_search`."""

    query: str = Field(description="Part of a name")
    department: str | None = Field(None, description="Part of a department's name")


class Get(Request):
    """Arguments of `contacts_get`."""

    contact_id: str = Field(description="Contact id")


class SendMessage(Request):
    """Arguments of `contacts_send_message`."""

    contact_id: str = Field(description="Contact id")
    message: str = Field(description="Text of the message")


class Contacts(Service):
    """An address book."""

    name = "contacts"
    variables = ("CONTACTS_FIXTURES",)
    logs = ("sent_messages",)

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Takes the fixture as it is."""
        return Prepared({"contacts": records_of(cls.name, fixture, "contact_id")})

    @endpoint("/contacts/search", tool="contacts_search", access=Access.READ)
    def search(self, request: Search) -> Json:
        """Find people by name."""
        found = [
            contact
            for contact in self.records["contacts"]
            if request.query in str(contact.get("name", ""))
            and (not request.department or request.department in str(contact.get("department", "")))
        ]
        return {"contacts": found, "total": len(found)}

    @endpoint("/contacts/get", tool="contacts_get", access=Access.READ)
    def get(self, request: Get) -> Json:
        """Get one person's entry."""
        found = self.find("contacts", "contact_id", request.contact_id)
        return found[1] if found else {"error": f"Contact {request.contact_id} not found"}

    @endpoint("/contacts/send_message", tool="contacts_send_message", access=Access.WRITE)
    def send_message(self, request: SendMessage) -> Json:
        """Send a person a short message.

        The original does not look whether the id exists.
        """
        record = {**request.model_dump(), "timestamp": self.timestamp()}
        self.log["sent_messages"].append(record)
        return {"status": "sent", "record": record}
