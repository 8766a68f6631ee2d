"""Finding: records among others like them, and the look-ups that lead to them."""

from __future__ import annotations

from coworkenv_dagster.generation import pools
from coworkenv_dagster.generation.company import Person, Record
from coworkenv_dagster.generation.draft import Draft


def ticket(draft: Draft, reporter: Person | None = None) -> Record:
    """Gives a ticket among others; from level 3 on, one other is about the same thing."""
    company = draft.company
    first = "helpdesk" not in draft.services
    draft.use("helpdesk")
    title = company.fresh(pools.ticket_titles(company.pool))
    found = company.ticket(title, reporter or company.person())
    if first:
        _crowd_tickets(draft, title)
    return found


def _crowd_tickets(draft: Draft, title: str) -> None:
    company = draft.company
    titles = pools.ticket_titles(company.pool)
    alike = tuple(t for t in titles if t.split()[0] == title.split()[0] and t != title)
    for index in range(draft.crowd):
        near = draft.level >= 3 and index == 0 and alike
        company.ticket(company.fresh(alike if near else titles), company.person())
        draft.distractors += 1


def contact(draft: Draft, person: Person | None = None) -> Record:
    """Gives someone's entry in the address book; from level 2 on, someone has a like name."""
    company = draft.company
    first = "contacts" not in draft.services
    draft.use("contacts")
    known = {record["name"]: record for record in company.workspace["contacts"]}
    if person is not None and person.name in known:
        return known[person.name]
    someone = person or company.person()
    found = company.contact(someone)
    if first:
        for index in range(draft.crowd):
            near = draft.level >= 2 and index < draft.level - 1
            company.contact(company.person(someone if near else None))
            draft.distractors += 1
    return found


def customer(draft: Draft) -> Record:
    """Gives a customer among others; from level 2 on, one other has a like name."""
    company = draft.company
    first = "crm" not in draft.services
    draft.use("crm")
    names = pools.companies(company.pool)
    name = company.fresh(names)
    found = company.customer(name, company.person())
    if first:
        alike = tuple(n for n in names if n.split()[0] == name.split()[0] and n != name)
        for index in range(draft.crowd):
            near = draft.level >= 2 and index == 0 and alike
            company.customer(company.fresh(alike if near else names), company.person())
            draft.distractors += 1
    return found


def todo(draft: Draft) -> Record:
    """Gives a to-do among others; from level 3 on, one other is about the same thing."""
    company = draft.company
    first = "todo" not in draft.services
    draft.use("todo")
    titles = pools.todo_titles(company.pool)
    title = company.fresh(titles)
    found = company.todo(title)
    if first:
        alike = tuple(t for t in titles if t.split()[1] == title.split()[1] and t != title)
        for index in range(draft.crowd):
            near = draft.level >= 3 and index == 0 and alike
            company.todo(company.fresh(alike if near else titles))
            draft.distractors += 1
    return found


def event(draft: Draft) -> Record:
    """Gives an event of tomorrow among others of that day."""
    company = draft.company
    first = not company.workspace.get("calendar")
    draft.use("calendar")
    titles = pools.event_titles(company.pool)
    found = company.event(company.fresh(titles), company.person(), tomorrow=True)
    if first:
        for index in range(draft.crowd):
            tomorrow = index < draft.level
            company.event(company.fresh(titles), company.person(), tomorrow=tomorrow)
            draft.distractors += 1
    return found


def mail(draft: Draft, body: str) -> tuple[Record, Person]:
    """Gives a mail with that text among others, and who sent it."""
    company = draft.company
    first = not company.workspace.get("gmail")
    draft.use("gmail")
    sender = company.person()
    titles = pools.subjects(company.pool)
    found = company.mail(company.fresh(titles), sender, body, newest=True)
    if first:
        for _ in range(draft.crowd):
            other = f"My number is 555-{company.number(1000, 9999)}."
            company.mail(company.fresh(titles), company.person(), other, newest=False)
            draft.distractors += 1
    return found, sender
