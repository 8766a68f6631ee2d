"""Where a goal's value comes from: said in the request, looked up, or known to the user alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from coworkenv_dagster.generation import pools
from coworkenv_dagster.generation.company import PRIORITIES, Person, Record
from coworkenv_dagster.generation.draft import Draft
from coworkenv_dagster.generation.goals import find


class Source(StrEnum):
    """How the agent comes by a value."""

    SAID = "said"
    ASKED = "asked"
    FOUND = "found"
    """In another service than the one the value is used in."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value with the words of the request for it and the steps that lead to it."""

    text: str
    phrase: str
    """What the request says; empty where the user keeps it."""
    source: Source
    origin: str
    """Names the place it is looked up in, for the structure; empty otherwise."""
    obtain: Callable[[], None]
    """Adds the steps of the reference that get it."""


@dataclass(frozen=True, slots=True)
class Recipient:
    """A person to write to: a value whose steps end with knowing the address."""

    person: Person
    value: Value


def _nothing() -> None:
    return None


def priority(draft: Draft, source: Source) -> Value:
    """Gives a priority; drawn without a look at what the record has now."""
    text = draft.rng.choice(PRIORITIES)
    if source is Source.SAID:
        return Value(text, text, source, "", _nothing)

    def ask() -> None:
        reply = draft.rng.choice((f"Make it {text}.", f"It should be {text}.", f"{text}, please."))
        draft.ask("priority", text, "Which priority should it get?", ("priority",), reply)

    return Value(text, "", source, "", ask)


def date(draft: Draft, source: Source) -> Value:
    """Gives a working date of the next three weeks."""
    text = draft.company.day(draft.rng.randint(2, 21))
    if source is Source.SAID:
        return Value(text, text, source, "", _nothing)
    if source is Source.FOUND:
        due = find.todo(draft)
        phrase = f'the due date of the to-do "{due["title"]}"'

        def look() -> None:
            draft.look_up("todo_list_tasks")

        return Value(due["due_date"], phrase, source, "todo", look)

    def ask() -> None:
        reply = draft.rng.choice((f"Use {text}.", f"On {text}.", f"{text} is good."))
        draft.ask("date", text, "Which date should I use?", ("date", "day"), reply)

    return Value(text, "", source, "", ask)


def subject(draft: Draft, source: Source) -> Value:
    """Gives the subject line of a mail."""
    text = draft.company.fresh(pools.subjects(draft.company.pool))
    if source is not Source.ASKED:
        return Value(text, f'"{text}"', Source.SAID, "", _nothing)

    def ask() -> None:
        reply = draft.rng.choice((f'Use "{text}".', f'Write "{text}".', f'"{text}", please.'))
        draft.ask("subject", text, "Which subject should it have?", ("subject", "title"), reply)

    return Value(text, "", source, "", ask)


def recipient(draft: Draft, source: Source) -> Recipient:
    """Gives a person: named, told by the user, or found by way of a ticket or a customer."""
    if source is Source.FOUND:
        return draft.rng.choice((_reporter, _customer_contact))(draft)
    entry = find.contact(draft)
    person = Person(entry["name"], entry["email"])

    def search() -> None:
        draft.look_up("contacts_search", query=person.name)

    if source is Source.SAID:
        return Recipient(person, Value(person.email, person.name, source, "", search))

    def ask() -> None:
        reply = draft.rng.choice((f"{person.name}.", f"To {person.name}.", f"It is {person.name}."))
        draft.ask("person", person.name, "Who is it for?", ("who", "whom"), reply)
        search()

    return Recipient(person, Value(person.email, "", source, "", ask))


def _reporter(draft: Draft) -> Recipient:
    person = draft.company.person()
    ticket = find.ticket(draft, person)
    find.contact(draft, person)
    phrase = f'whoever reported the ticket "{ticket["title"]}"'

    def look() -> None:
        draft.look_up("helpdesk_list_tickets")
        draft.look_up("contacts_search", query=person.name)

    return Recipient(person, Value(person.email, phrase, Source.FOUND, "ticket", look))


def _customer_contact(draft: Draft) -> Recipient:
    customer = find.customer(draft)
    person = Person(customer["contact_person"], customer["email"])
    phrase = f"the contact person of {customer['name']}"

    def look() -> None:
        draft.look_up("crm_list_customers")
        draft.look_up("crm_get_customer", customer_id=customer["customer_id"])

    return Recipient(person, Value(person.email, phrase, Source.FOUND, "customer", look))


def named(record: Record, kind: str) -> str:
    """Gives how a request names a record."""
    return f'the {kind} "{record["title"]}"'
