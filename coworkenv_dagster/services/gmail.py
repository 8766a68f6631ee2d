"""Mail: an inbox, sending, drafts."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from pydantic import Field

from coworkenv_dagster.services._fixtures import instant, instants, records_of, stamp
from coworkenv_dagster.services.base import (
    Access,
    BrokenCallError,
    Json,
    Prepared,
    Request,
    Service,
    endpoint,
)

_SHOWN = ("message_id", "from", "subject", "date", "is_read", "labels")


class ListMessages(Request):
    """Arguments of `gmail_list_messages`."""

    days_back: int = Field(7, description="How many days to look back")
    max_results: int = Field(20, description="Most messages to return")


class GetMessage(Request):
    """Arguments of `gmail_get_message`."""

    message_id: str = Field(description="Message id")


class SendMessage(Request):
    """Arguments of `gmail_send_message`."""

    to: str = Field(description="Recipient address")
    subject: str = Field(description="Subject line")
    body: str = Field(description="Text of the mail")


class SaveDraft(SendMessage):
    """Arguments of `gmail_save_draft`."""

    reply_to_message_id: str | None = Field(None, description="Message this draft answers")


class Gmail(Service):
    """Mail of one user; the newest mail is always one day old."""

    name = "gmail"
    variables = ("GMAIL_FIXTURES",)
    logs = ("sent_messages", "drafts")

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Shifts all mails by the same span, so that the newest is one day before now."""
        mails = records_of(cls.name, fixture, "message_id")
        dates = instants(mail.get("date") for mail in mails)
        if dates:
            span = now - timedelta(days=1) - max(dates)
            mails = tuple(_shifted(mail, span) for mail in mails)
        return Prepared({"messages": mails})

    @endpoint("/gmail/messages", tool="gmail_list_messages", access=Access.READ, without_body={})
    def list_messages(self, request: ListMessages) -> Json:
        """List recent mails."""
        try:
            since = self.now - timedelta(days=request.days_back)
        except OverflowError:
            raise BrokenCallError(f"{request.days_back} days back is out of range") from None
        found: list[dict[str, Any]] = []
        for mail in self.records["messages"]:
            date = instant(mail.get("date"))
            if date is None or date >= since:
                found.append({key: mail.get(key) for key in _SHOWN})
        found = found[: request.max_results]
        return {"messages": found, "total": len(found)}

    @endpoint("/gmail/messages/get", tool="gmail_get_message", access=Access.READ)
    def get_message(self, request: GetMessage) -> Json:
        """Read one mail with its text."""
        found = self.find("messages", "message_id", request.message_id)
        return found[1] if found else {"error": f"Message {request.message_id} not found"}

    @endpoint("/gmail/send", tool="gmail_send_message", access=Access.WRITE)
    def send_message(self, request: SendMessage) -> Json:
        """Send a mail."""
        sent = {**request.model_dump(), "timestamp": self.timestamp()}
        self.log["sent_messages"].append(sent)
        return {"status": "sent", "message": sent}

    @endpoint("/gmail/drafts/save", tool="gmail_save_draft", access=Access.WRITE)
    def save_draft(self, request: SaveDraft) -> Json:
        """Save a mail as a draft without sending it."""
        draft = {**request.model_dump(), "timestamp": self.timestamp()}
        self.log["drafts"].append(draft)
        return {"status": "draft_saved", "draft": draft}


def _shifted(mail: dict[str, Any], span: timedelta) -> dict[str, Any]:
    date = instant(mail.get("date"))
    return mail if date is None else {**mail, "date": stamp(date + span)}
