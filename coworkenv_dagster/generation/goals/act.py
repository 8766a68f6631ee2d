"""Acts: something in the workspace is to be changed, and exactly that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from coworkenv_dagster.generation import pools
from coworkenv_dagster.generation.draft import Draft
from coworkenv_dagster.generation.goals import find, values
from coworkenv_dagster.generation.goals.values import Source, Value
from coworkenv_dagster.schema import StateCheck


@dataclass(frozen=True, slots=True)
class Act:
    """A kind of change."""

    name: str
    slots: tuple[str, ...]
    """Values that can come from elsewhere than the request."""
    add: Callable[[Draft, Mapping[str, Source]], None]
    """Writes the goal into a draft; slots that aren't named are said in the request."""

    def __call__(self, draft: Draft, sources: Mapping[str, Source] | None = None) -> None:
        """Adds the act to a draft."""
        self.add(draft, sources or {})


def _source(sources: Mapping[str, Source], slot: str) -> Source:
    return sources.get(slot, Source.SAID)


def _structure(draft: Draft, act: str, **parts: Value) -> None:
    marks = [
        f"{name}<{value.origin or value.source.value}"
        for name, value in parts.items()
        if value.source is not Source.SAID
    ]
    draft.structure.append("+".join((act, *marks)))


def _ticket_priority(draft: Draft, sources: Mapping[str, Source]) -> None:
    ticket = find.ticket(draft)
    priority = values.priority(draft, _source(sources, "priority"))
    title = ticket["title"]
    if priority.phrase:
        sentence = draft.rng.choice(
            (
                f'Set the ticket "{title}" to {priority.phrase}.',
                f'Change the priority of the ticket "{title}" to {priority.phrase}.',
                f'Make the ticket "{title}" {priority.phrase}.',
            )
        )
    else:
        sentence = draft.rng.choice(
            (
                f'Change the priority of the ticket "{title}".',
                f'The ticket "{title}" needs another priority.',
            )
        )
    draft.sentences.append(sentence)
    priority.obtain()
    draft.look_up("helpdesk_list_tickets")
    draft.call("helpdesk_update_ticket", ticket_id=ticket["ticket_id"], priority=priority.text)
    match = {"ticket_id": ticket["ticket_id"], "priority": priority.text}
    draft.check(
        "ticket priority", StateCheck(service="helpdesk", collection="tickets", match=match)
    )
    _structure(draft, "ticket.priority", priority=priority)


def _close_ticket(draft: Draft, sources: Mapping[str, Source]) -> None:
    ticket = find.ticket(draft)
    title = ticket["title"]
    sentence = draft.rng.choice(
        (f'Close the ticket "{title}", it is solved.', f'The ticket "{title}" is solved, close it.')
    )
    draft.sentences.append(sentence)
    draft.look_up("helpdesk_list_tickets")
    draft.call("helpdesk_close_ticket", ticket_id=ticket["ticket_id"], resolution="solved")
    match = {"ticket_id": ticket["ticket_id"]}
    draft.check("ticket closed", StateCheck(service="helpdesk", collection="closed", match=match))
    draft.structure.append("ticket.close")


def _mail(draft: Draft, sources: Mapping[str, Source]) -> None:
    to = values.recipient(draft, _source(sources, "person"))
    subject = values.subject(draft, _source(sources, "subject"))
    draft.use("gmail")
    whom = f" to {to.value.phrase}" if to.value.phrase else ""
    about = f" with the subject {subject.phrase}" if subject.phrase else ""
    verb = draft.rng.choice(("Send a mail", "Write a mail", "Mail a note"))
    draft.sentences.append(f"{verb}{whom}{about}.")
    to.value.obtain()
    subject.obtain()
    draft.call(
        "gmail_send_message", to=to.person.email, subject=subject.text, body=f"{subject.text}."
    )
    match = {"to": to.person.email, "subject": subject.text}
    draft.check("mail sent", StateCheck(service="gmail", collection="sent_messages", match=match))
    _structure(draft, "mail.send", person=to.value, subject=subject)


def _draft_mail(draft: Draft, sources: Mapping[str, Source]) -> None:
    to = values.recipient(draft, _source(sources, "person"))
    subject = values.subject(draft, _source(sources, "subject"))
    draft.use("gmail")
    whom = f" to {to.value.phrase}" if to.value.phrase else ""
    about = f" with the subject {subject.phrase}" if subject.phrase else ""
    draft.sentences.append(
        draft.rng.choice((f"Draft a mail{whom}{about}.", f"Save a draft{whom}{about}."))
    )
    to.value.obtain()
    subject.obtain()
    draft.call(
        "gmail_save_draft", to=to.person.email, subject=subject.text, body=f"{subject.text}."
    )
    match = {"to": to.person.email, "subject": subject.text}
    draft.check("draft saved", StateCheck(service="gmail", collection="drafts", match=match))
    _structure(draft, "mail.draft", person=to.value, subject=subject)


def _message(draft: Draft, sources: Mapping[str, Source]) -> None:
    source = _source(sources, "person")
    to = values.recipient(draft, source)
    entry = find.contact(draft, to.person)
    text = draft.company.fresh(pools.subjects(draft.company.pool))
    whom = to.value.phrase
    if whom:
        sentence = draft.rng.choice(
            (f'Message {whom}: "{text}".', f'Send {whom} the message "{text}".')
        )
    else:
        sentence = draft.rng.choice(
            (f'Send the message "{text}".', f'Pass on this message: "{text}".')
        )
    draft.sentences.append(sentence)
    to.value.obtain()
    draft.look_up("contacts_search", query=to.person.name)
    draft.call("contacts_send_message", contact_id=entry["contact_id"], message=text)
    match = {"contact_id": entry["contact_id"], "message": {"contains": [text]}}
    draft.check(
        "message sent", StateCheck(service="contacts", collection="sent_messages", match=match)
    )
    _structure(draft, "contact.message", person=to.value)


def _new_todo(draft: Draft, sources: Mapping[str, Source]) -> None:
    draft.use("todo")
    title = draft.company.fresh(pools.todo_titles(draft.company.pool))
    priority = values.priority(draft, _source(sources, "priority"))
    due = values.date(draft, _source(sources, "date"))
    by = f", due on {due.phrase}" if due.phrase else ""
    sort = f", priority {priority.phrase}" if priority.phrase else ""
    verb = draft.rng.choice(("Add a to-do", "Create a to-do", "Note a to-do"))
    draft.sentences.append(f'{verb} "{title}"{sort}{by}.')
    priority.obtain()
    due.obtain()
    draft.call("todo_create_task", title=title, priority=priority.text, due_date=due.text)
    match = {"title": title, "priority": priority.text, "due_date": due.text}
    draft.check("to-do added", StateCheck(service="todo", collection="tasks", match=match))
    _structure(draft, "todo.create", priority=priority, date=due)


def _todo_priority(draft: Draft, sources: Mapping[str, Source]) -> None:
    todo = find.todo(draft)
    title = todo["title"]
    priority = values.priority(draft, _source(sources, "priority"))
    if priority.phrase:
        sentence = draft.rng.choice(
            (
                f'Set the to-do "{title}" to {priority.phrase}.',
                f'Change the priority of the to-do "{title}" to {priority.phrase}.',
            )
        )
    else:
        sentence = f'Change the priority of the to-do "{title}".'
    draft.sentences.append(sentence)
    priority.obtain()
    draft.look_up("todo_list_tasks")
    draft.call("todo_update_task", task_id=todo["task_id"], priority=priority.text)
    match = {"task_id": todo["task_id"], "priority": priority.text}
    draft.check("to-do priority", StateCheck(service="todo", collection="tasks", match=match))
    _structure(draft, "todo.priority", priority=priority)


def _finish_todo(draft: Draft, sources: Mapping[str, Source]) -> None:
    todo = find.todo(draft)
    title = todo["title"]
    sentence = draft.rng.choice(
        (f'Mark the to-do "{title}" as completed.', f'The to-do "{title}" is completed, mark it.')
    )
    draft.sentences.append(sentence)
    draft.look_up("todo_list_tasks")
    draft.call("todo_update_task", task_id=todo["task_id"], status="completed")
    match = {"task_id": todo["task_id"], "status": "completed"}
    draft.check("to-do completed", StateCheck(service="todo", collection="tasks", match=match))
    draft.structure.append("todo.complete")


def _new_event(draft: Draft, sources: Mapping[str, Source]) -> None:
    company = draft.company
    draft.use("calendar")
    title = company.fresh(pools.event_titles(company.pool))
    date = values.date(draft, _source(sources, "date"))
    hour = draft.rng.randint(9, 16)
    on = f" on {date.phrase}" if date.phrase else ""
    verb = draft.rng.choice(("Plan", "Schedule", "Put into the calendar"))
    draft.sentences.append(f'{verb} "{title}"{on} from {hour:02d}:00 to {hour + 1:02d}:00.')
    date.obtain()
    start, end = f"{date.text}T{hour:02d}:00:00Z", f"{date.text}T{hour + 1:02d}:00:00Z"
    draft.call("calendar_create_event", title=title, start_time=start, end_time=end)
    match = {"title": title, "start_time": start, "end_time": end}
    draft.check(
        "event planned", StateCheck(service="calendar", collection="created_events", match=match)
    )
    _structure(draft, "event.create", date=date)


def _cancel_event(draft: Draft, sources: Mapping[str, Source]) -> None:
    event = find.event(draft)
    title = event["title"]
    sentence = draft.rng.choice(
        (f'Cancel "{title}" tomorrow.', f'"{title}" tomorrow is off, delete it.')
    )
    draft.sentences.append(sentence)
    draft.look_up("calendar_list_events", date=draft.company.day(1))
    draft.call("calendar_delete_event", event_id=event["event_id"])
    match = {"event_id": event["event_id"]}
    draft.check(
        "event cancelled", StateCheck(service="calendar", collection="deleted", match=match)
    )
    draft.structure.append("event.delete")


TICKET_PRIORITY = Act("ticket.priority", ("priority",), _ticket_priority)
CLOSE_TICKET = Act("ticket.close", (), _close_ticket)
MAIL = Act("mail.send", ("person", "subject"), _mail)
DRAFT_MAIL = Act("mail.draft", ("person", "subject"), _draft_mail)
MESSAGE = Act("contact.message", ("person",), _message)
NEW_TODO = Act("todo.create", ("priority", "date"), _new_todo)
TODO_PRIORITY = Act("todo.priority", ("priority",), _todo_priority)
FINISH_TODO = Act("todo.complete", (), _finish_todo)
NEW_EVENT = Act("event.create", ("date",), _new_event)
CANCEL_EVENT = Act("event.delete", (), _cancel_event)

ALL = (
    TICKET_PRIORITY,
    CLOSE_TICKET,
    MAIL,
    DRAFT_MAIL,
    MESSAGE,
    NEW_TODO,
    TODO_PRIORITY,
    FINISH_TODO,
    NEW_EVENT,
    CANCEL_EVENT,
)
