"""Questions: something is to be found and told."""

from __future__ import annotations

from coworkenv_dagster.generation.company import INDUSTRIES, Person, Record
from coworkenv_dagster.generation.draft import Draft
from coworkenv_dagster.generation.goals import find
from coworkenv_dagster.schema import AnswerCheck


def _tell(draft: Draft, structure: str, question: str, value: str, others: list[str]) -> None:
    draft.sentences.append(question)
    draft.structure.append(structure)
    wrong = tuple(sorted({other for other in others if other != value}))
    draft.check(f"tells the {structure}", AnswerCheck(contains=(value,), absent=wrong))


def _others(records: list[Record], field: str, mine: Record) -> list[str]:
    return [record[field] for record in records if record is not mine]


def about_person(draft: Draft) -> None:
    """Asks for a field of someone's entry in the address book."""
    entry = find.contact(draft)
    field, word = draft.rng.choice(
        (("phone", "phone number"), ("email", "mail address"), ("department", "department"))
    )
    question = draft.rng.choice(
        (
            f"What is the {word} of {entry['name']}?",
            f"Tell me the {word} of {entry['name']}.",
            f"I need the {word} of {entry['name']}.",
        )
    )
    draft.look_up("contacts_search", query=entry["name"])
    _tell(draft, f"contact.{field}", question, entry[field], [])
    draft.answers.append(f"The {word} of {entry['name']} is {entry[field]}.")


def about_ticket(draft: Draft) -> None:
    """Asks who reported a ticket, or for its id."""
    ticket = find.ticket(draft)
    field, word = draft.rng.choice((("reporter", "reporter"), ("ticket_id", "id")))
    title = ticket["title"]
    question = draft.rng.choice(
        (
            f'What is the {word} of the ticket "{title}"?',
            f'Tell me the {word} of the ticket "{title}".',
            f'I need the {word} of the ticket "{title}".',
        )
    )
    draft.look_up("helpdesk_list_tickets")
    others = _others(draft.company.workspace["helpdesk"], field, ticket)
    _tell(draft, f"ticket.{field}", question, ticket[field], others)
    draft.answers.append(f'The {word} of the ticket "{title}" is {ticket[field]}.')


def about_todo(draft: Draft) -> None:
    """Asks when a to-do is due."""
    todo = find.todo(draft)
    title = todo["title"]
    question = draft.rng.choice(
        (
            f'When is the to-do "{title}" due?',
            f'Tell me when the to-do "{title}" is due.',
            f'I need the due date of the to-do "{title}".',
        )
    )
    draft.look_up("todo_list_tasks")
    others = _others(draft.company.workspace["todo"], "due_date", todo)
    _tell(draft, "todo.due_date", question, todo["due_date"], others)
    draft.answers.append(f'The to-do "{title}" is due on {todo["due_date"]}.')


def about_event(draft: Draft) -> None:
    """Asks where an event of tomorrow takes place."""
    event = find.event(draft)
    title = event["title"]
    question = draft.rng.choice(
        (
            f'Where is "{title}" tomorrow?',
            f'Tell me where "{title}" is tomorrow.',
            f'I need the place of "{title}" tomorrow.',
        )
    )
    draft.look_up("calendar_list_events", date=draft.company.day(1))
    others = _others(draft.company.workspace["calendar"], "location", event)
    _tell(draft, "event.location", question, event["location"], others)
    draft.answers.append(f'"{title}" is in {event["location"]}.')


def about_customer(draft: Draft) -> None:
    """Asks for a field of a customer; phone and mail stand in the details alone."""
    customer = find.customer(draft)
    name = customer["name"]
    field, word = draft.rng.choice(
        (("contact_person", "contact person"), ("phone", "phone number"), ("email", "mail address"))
    )
    question = draft.rng.choice(
        (
            f"What is the {word} of the customer {name}?",
            f"Tell me the {word} of the customer {name}.",
            f"I need the {word} of the customer {name}.",
        )
    )
    draft.look_up("crm_list_customers")
    if field != "contact_person":
        draft.look_up("crm_get_customer", customer_id=customer["customer_id"])
    others = _others(draft.company.workspace["crm"], field, customer)
    _tell(draft, f"customer.{field}", question, customer[field], others)
    draft.answers.append(f"The {word} of {name} is {customer[field]}.")


def about_industry(draft: Draft) -> None:
    """Asks which customer is in an industry that no other customer is in."""
    customer = find.customer(draft)
    taken = {other["industry"] for other in draft.company.workspace["crm"]}
    industry = draft.rng.choice([name for name in INDUSTRIES if name not in taken])
    customer["industry"] = industry
    question = draft.rng.choice(
        (f"Which customer is in {industry}?", f"Tell me which customer is in {industry}.")
    )
    draft.look_up("crm_list_customers", industry=industry)
    others = _others(draft.company.workspace["crm"], "name", customer)
    _tell(draft, "customer.by_industry", question, customer["name"], others)
    draft.answers.append(f"{customer['name']} is in {industry}.")


def about_mail(draft: Draft) -> None:
    """Asks for what stands in the text of a mail."""
    number = f"555-{draft.company.number(1000, 9999)}"
    mail, sender = find.mail(draft, f"My number is {number}.")
    question = draft.rng.choice(
        (
            f"Which number does {sender.name} give in the mail?",
            f"Tell me the number in the mail from {sender.name}.",
            f"I need the number in the mail from {sender.name}.",
        )
    )
    draft.look_up("gmail_list_messages")
    draft.look_up("gmail_get_message", message_id=mail["message_id"])
    _tell(draft, "mail.number", question, number, [])
    draft.answers.append(f"The number is {number}.")


def about_reporter(draft: Draft) -> None:
    """Asks how to reach whoever reported a ticket: two services, one after the other."""
    person = draft.company.person()
    ticket = find.ticket(draft, person)
    entry = find.contact(draft, person)
    title = ticket["title"]
    question = draft.rng.choice(
        (
            f'What is the phone number of whoever reported the ticket "{title}"?',
            f'Tell me the phone number of the person who reported the ticket "{title}".',
        )
    )
    draft.look_up("helpdesk_list_tickets")
    draft.look_up("contacts_search", query=person.name)
    others = _others(draft.company.workspace["contacts"], "phone", entry)
    _tell(draft, "reporter.phone", question, entry["phone"], others)
    draft.answers.append(f"The phone number of {person.name} is {entry['phone']}.")


def about_customer_contact(draft: Draft) -> None:
    """Asks in which place a customer's contact person sits: two services."""
    customer = find.customer(draft)
    person = Person(customer["contact_person"], customer["email"])
    entry = find.contact(draft, person)
    question = draft.rng.choice(
        (
            f"In which department is the contact person of {customer['name']}?",
            f"Tell me the department of the contact person of {customer['name']}.",
        )
    )
    draft.look_up("crm_list_customers")
    draft.look_up("contacts_search", query=person.name)
    _tell(draft, "customer_contact.department", question, entry["department"], [])
    draft.answers.append(f"{person.name} is in {entry['department']}.")


SIMPLE = (about_person, about_ticket, about_todo, about_event, about_customer)
DETAIL = (*SIMPLE, about_industry, about_mail)
TWO_HOP = (about_reporter, about_customer_contact, about_mail, about_industry, about_customer)
