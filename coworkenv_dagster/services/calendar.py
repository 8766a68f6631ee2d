"""Calendar: events of the user and of colleagues."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import Field

from coworkenv_dagster.services._fixtures import instant, instants, records_of, stamp
from coworkenv_dagster.services.base import (
    Access,
    BrokenCallError,
    Json,
    Prepared,
    Record,
    Request,
    Service,
    endpoint,
)


class ListEvents(Request):
    """Arguments of `calendar_list_events`."""

    date: str = Field(description="First day, YYYY-MM-DD")
    days: int = Field(1, description="How many days")


class GetEvent(Request):
    """Arguments of `calendar_get_event` and `calendar_delete_event`."""

    event_id: str = Field(description="Event id")


class CreateEvent(Request):
    """Arguments of `calendar_create_event`."""

    title: str = Field(description="Title")
    start_time: str = Field(description="Start, ISO 8601")
    end_time: str = Field(description="End, ISO 8601")
    attendees: list[str] = Field([], description="Names of those who attend")
    location: str = Field("", description="Place")


class UserEvents(Request):
    """Arguments of `calendar_get_user_events`."""

    user: str = Field(description="Name, or a part of it")
    date: str = Field(description="Day, YYYY-MM-DD")


class Calendar(Service):
    """A calendar whose earliest event is always tomorrow at its own hour."""

    name = "calendar"
    variables = ("CALENDAR_FIXTURES",)
    logs = ("deleted", "created_events")

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Shifts all events by the same span, so that the earliest start is tomorrow."""
        events = records_of(cls.name, fixture, "event_id")
        starts = instants(event.get("start_time") for event in events)
        if starts:
            first, tomorrow = min(starts), now.astimezone(UTC) + timedelta(days=1)
            span = (
                tomorrow.replace(hour=first.hour, minute=first.minute, second=0, microsecond=0)
                - first
            )
            events = tuple(_shifted(event, span) for event in events)
        return Prepared({"events": events})

    @endpoint(
        "/calendar/events",
        tool="calendar_list_events",
        access=Access.READ,
        without_body={"date": "2026-03-02"},
    )
    def list_events(self, request: ListEvents) -> Json:
        """List the events of some days."""
        return self._between(request.date, request.days, lambda event: True)

    @endpoint("/calendar/events/get", tool="calendar_get_event", access=Access.READ)
    def get_event(self, request: GetEvent) -> Json:
        """Get one event."""
        found = self.find("events", "event_id", request.event_id)
        return found[1] if found else {"error": f"Event {request.event_id} not found"}

    @endpoint("/calendar/events/create", tool="calendar_create_event", access=Access.WRITE)
    def create_event(self, request: CreateEvent) -> Json:
        """Create an event."""
        number = len(self.records["events"]) + 1
        event = {"event_id": f"evt_{number:03d}", **request.model_dump(), "recurring": False}
        self.records["events"].append(event)
        self.log["created_events"].append(event)
        return {"status": "created", "event": event}

    @endpoint("/calendar/user_events", tool="calendar_get_user_events", access=Access.READ)
    def user_events(self, request: UserEvents) -> Json:
        """List a person's events of one day."""
        user = request.user
        answer = self._between(
            request.date,
            1,
            lambda event: any(user in str(name) for name in event.get("attendees") or []),
        )
        return {**answer, "user": user} if "events" in answer else answer

    @endpoint("/calendar/events/delete", tool="calendar_delete_event", access=Access.WRITE)
    def delete_event(self, request: GetEvent) -> Json:
        """Delete an event."""
        found = self.find("events", "event_id", request.event_id)
        if found is None:
            return {"error": f"Event {request.event_id} not found"}
        index, event = found
        del self.records["events"][index]
        self.log["deleted"].append(event)
        return {"status": "deleted", "event": event}

    def _between(self, date: str, days: int, wanted: Callable[[Record], bool]) -> Json:
        try:
            start = datetime.strptime(date, "%Y-%m-%d").replace(tzinfo=UTC)
        except ValueError:
            return {"error": f"Invalid date format: {date}"}
        try:
            end = start + timedelta(days=days)
        except OverflowError:
            raise BrokenCallError(f"{days} days from {date} is out of range") from None
        found: list[tuple[str, Record]] = []
        for event in self.records["events"]:
            moment = instant(event.get("start_time"), zone=None)
            if moment is None:
                raise BrokenCallError(
                    f"Event {event['event_id']} has a malformed start_time: "
                    "it must be ISO 8601 with a time zone"
                )
            if start <= moment < end and wanted(event):
                found.append((event["start_time"], event))
        events = [event for _, event in sorted(found, key=lambda pair: pair[0])]
        return {"events": events, "total": len(events)}


def _shifted(event: dict[str, Any], span: timedelta) -> dict[str, Any]:
    moved = {
        key: stamp(moment + span)
        for key in ("start_time", "end_time")
        if (moment := instant(event.get(key))) is not None
    }
    return {**event, **moved}
