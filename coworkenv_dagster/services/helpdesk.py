"""Helpdesk: support tickets."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from coworkenv_dagster.services._fixtures import records_of
from coworkenv_dagster.services.base import Access, Json, Prepared, Request, Service, endpoint

_SHOWN = (
    "ticket_id",
    "title",
    "reporter",
    "department",
    "priority",
    "status",
    "created_at",
)


class ListTickets(Request):
    """Arguments of `helpdesk_list_tickets`."""

    status: str = Field("open", description="open, closed or all")


class GetTicket(Request):
    """Arguments of `helpdesk_get_ticket`."""

    ticket_id: str = Field(description="Ticket id")


class UpdateTicket(Request):
    """Arguments of `helpdesk_update_ticket`."""

    ticket_id: str = Field(description="Ticket id")
    priority: str | None = Field(None, description="urgent, high, medium or low")
    tags: list[str] | None = Field(None, description="New tags")
    category: str | None = Field(None, description="New category")


class CloseTicket(Request):
    """Arguments of `helpdesk_close_ticket`."""

    ticket_id: str = Field(description="Ticket id")
    resolution: str = Field(description="How it was resolved")


class Helpdesk(Service):
    """A ticket system."""

    name = "helpdesk"
    variables = ("HELPDESK_FIXTURES",)
    logs = ("closed", "updated_tickets")

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Takes the fixture as it is."""
        return Prepared({"tickets": records_of(cls.name, fixture, "ticket_id")})

    @endpoint(
        "/helpdesk/tickets", tool="helpdesk_list_tickets", access=Access.READ, without_body={}
    )
    def list_tickets(self, request: ListTickets) -> Json:
        """List tickets."""
        tickets = [
            {key: ticket.get(key) for key in _SHOWN}
            for ticket in self.records["tickets"]
            if request.status == "all" or ticket.get("status") == request.status
        ]
        return {"tickets": tickets, "total": len(tickets)}

    @endpoint("/helpdesk/tickets/get", tool="helpdesk_get_ticket", access=Access.READ)
    def get_ticket(self, request: GetTicket) -> Json:
        """Get one ticket with its description."""
        found = self.find("tickets", "ticket_id", request.ticket_id)
        return found[1] if found else {"error": f"Ticket {request.ticket_id} not found"}

    @endpoint("/helpdesk/tickets/update", tool="helpdesk_update_ticket", access=Access.WRITE)
    def update_ticket(self, request: UpdateTicket) -> Json:
        """Change a ticket's priority, tags or category."""
        found = self.find("tickets", "ticket_id", request.ticket_id)
        if found is None:
            return {"error": f"Ticket {request.ticket_id} not found"}
        index, ticket = found
        changes = request.model_dump(exclude={"ticket_id"}, exclude_none=True)
        ticket = {**ticket, **changes}
        self.records["tickets"][index] = ticket
        self.log["updated_tickets"].append(ticket)
        return {"status": "updated", "ticket": ticket}

    @endpoint("/helpdesk/tickets/close", tool="helpdesk_close_ticket", access=Access.WRITE)
    def close_ticket(self, request: CloseTicket) -> Json:
        """Close a ticket."""
        found = self.find("tickets", "ticket_id", request.ticket_id)
        if found is None:
            return {"error": f"Ticket {request.ticket_id} not found"}
        index, ticket = found
        ticket = {**ticket, "status": "closed", "resolution": request.resolution}
        self.records["tickets"][index] = ticket
        self.log["closed"].append(ticket)
        return {"status": "closed", "ticket": ticket}
