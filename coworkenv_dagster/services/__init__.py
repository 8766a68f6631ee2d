"""In-process coworker services and the registry that names them.

Adding a service is one file with a `Service` subclass and one line in `_BUILTIN` (or a call of
`register` from outside the package).
"""

from __future__ import annotations

from coworkenv_dagster.errors import UnknownServiceError, UnknownToolError
from coworkenv_dagster.services.base import Access, Endpoint, Prepared, Request, Response, Service

__all__ = [
    "Access",
    "Endpoint",
    "Prepared",
    "Request",
    "Response",
    "Service",
    "register",
    "service_class",
    "service_names",
    "tool_endpoint",
    "tool_names",
]

_SERVICES: dict[str, type[Service]] = {}
_TOOLS: dict[str, tuple[str, Endpoint]] = {}


def register(service: type[Service]) -> type[Service]:
    """Makes a service known under its name, and its tools under theirs; usable as a decorator."""
    for declared in service.endpoints.values():
        owner = _TOOLS.get(declared.tool)
        if owner is not None and owner[0] != service.name:
            raise UnknownToolError(
                f"tool {declared.tool!r} is already provided by service {owner[0]!r}",
                where=service.name,
                mend="Give the endpoint a tool name of its own",
            )
    _SERVICES[service.name] = service
    for declared in service.endpoints.values():
        _TOOLS[declared.tool] = (service.name, declared)
    return service


def service_class(name: str) -> type[Service]:
    """Gives the service registered under a name.

    Raises:
        UnknownServiceError: No such service; the message lists those that exist.
    """
    try:
        return _SERVICES[name]
    except KeyError:
        raise UnknownServiceError(
            f"unknown service {name!r}", mend=f"Known services: {', '.join(sorted(_SERVICES))}"
        ) from None


def service_names() -> tuple[str, ...]:
    """Gives the names of all registered services, sorted."""
    return tuple(sorted(_SERVICES))


def tool_names() -> tuple[str, ...]:
    """Gives the names of all tools of all registered services, sorted."""
    return tuple(sorted(_TOOLS))


def tool_endpoint(tool: str) -> tuple[str, Endpoint]:
    """Gives the service name and the endpoint behind a tool name.

    Raises:
        UnknownToolError: No registered service provides the tool.
    """
    try:
        return _TOOLS[tool]
    except KeyError:
        raise UnknownToolError(
            f"unknown tool {tool!r}", mend="`coworkenv tools` lists the tools of every service"
        ) from None


def _register_builtin() -> None:
    from coworkenv_dagster.services.calendar import Calendar
    from coworkenv_dagster.services.caption import Caption
    from coworkenv_dagster.services.config import Config
    from coworkenv_dagster.services.contacts import Contacts
    from coworkenv_dagster.services.crm import Crm
    from coworkenv_dagster.services.documents import Documents
    from coworkenv_dagster.services.finance import Finance
    from coworkenv_dagster.services.gmail import Gmail
    from coworkenv_dagster.services.helpdesk import Helpdesk
    from coworkenv_dagster.services.inventory import Inventory
    from coworkenv_dagster.services.kb import Kb
    from coworkenv_dagster.services.notes import Notes
    from coworkenv_dagster.services.ocr import Ocr
    from coworkenv_dagster.services.rss import Rss
    from coworkenv_dagster.services.scheduler import Scheduler
    from coworkenv_dagster.services.todo import Todo
    from coworkenv_dagster.services.web import Web

    services = (
        Calendar,
        Caption,
        Config,
        Contacts,
        Crm,
        Documents,
        Finance,
        Gmail,
        Helpdesk,
        Inventory,
        Kb,
        Notes,
        Ocr,
        Rss,
        Scheduler,
        Todo,
        Web,
    )
    for service in services:
        register(service)


_register_builtin()
