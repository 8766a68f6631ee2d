"""Which of a Claw-Eval task's services and tools exist here."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from coworkenv_dagster.errors import TaskFileError
from coworkenv_dagster.evaluation.claw_files import TASK_FILE, ClawTask
from coworkenv_dagster.schema import CustomTool
from coworkenv_dagster.services import Endpoint, service_class, service_names

CLAW_SERVICES = frozenset(
    {
        "gmail",
        "calendar",
        "todo",
        "contacts",
        "finance",
        "notes",
        "kb",
        "helpdesk",
        "inventory",
        "rss",
        "crm",
        "config",
        "scheduler",
        "web",
        "documents",
        "ocr",
        "caption",
    }
)
"""Claw-Eval's services besides `web_real`, whether or not they are simulated here yet."""


def missing_services(task: ClawTask, folder: Path) -> list[str]:
    """Gives why services of a task can't be had; empty when all can.

    Raises:
        TaskFileError: Neither Claw-Eval nor this package has a service of that name.
    """
    reasons, absent = [], []
    for index, service in enumerate(task.services):
        if service.name.startswith("web_real"):
            reasons.append(f"service {service.name} needs the internet")
        elif service.name in service_names():
            rate = service.env.get("ERROR_RATE", "0")
            if rate.strip("0.") != "":
                reasons.append(f"service {service.name} injects errors (ERROR_RATE {rate})")
        elif service.name in CLAW_SERVICES:
            absent.append(service.name)
        else:
            raise TaskFileError(
                f"field services.{index}.name: unknown service {service.name!r}",
                where=str(folder / TASK_FILE),
                mend=f"Known services: {', '.join(sorted(CLAW_SERVICES | set(service_names())))}",
            )
    if absent:
        verb, s = ("aren't", "s") if len(absent) > 1 else ("isn't", "")
        reasons.append(f"service{s} {', '.join(absent)} {verb} simulated yet")
    return reasons


def tools_without_endpoint(task: ClawTask) -> list[str]:
    """Gives the tools that no service serves: Claw-Eval runs them in its sandbox."""
    served = {endpoint.tool_name for endpoint in task.tool_endpoints}
    return [tool.name for tool in task.tools if tool.name not in served]


def tools_of(task: ClawTask, folder: Path) -> tuple[CustomTool, ...]:
    """Gives the task's own tools, bound to our services by port and path.

    Raises:
        TaskFileError: An endpoint's URL leads to no service of the task.
    """
    described = {tool.name: tool for tool in task.tools}
    tools = []
    for index, endpoint in enumerate(task.tool_endpoints):
        tool = described.get(endpoint.tool_name)
        if tool is None:
            continue  # served, but not on offer to the agent
        address = _address(endpoint.url)
        owner = _owner(task, address) if address else None
        if address is None or owner is None:
            raise TaskFileError(
                f"field tool_endpoints.{index}.url: {endpoint.url!r} leads to no service of the "
                "task",
                where=str(folder / TASK_FILE),
                mend="Use http://localhost:PORT/PATH with the port of one of `services`",
            )
        tools.append(
            CustomTool(
                name=tool.name,
                service=owner,
                path=address[1],
                description=tool.description,
                parameters=tool.input_schema,
            )
        )
    return tuple(tools)


def service_of(task: ClawTask, tool: str) -> Endpoint | None:
    """Gives our endpoint behind a tool of the task, or None."""
    for endpoint in task.tool_endpoints:
        address = _address(endpoint.url) if endpoint.tool_name == tool else None
        owner = _owner(task, address) if address else None
        if address and owner and owner in service_names():
            return service_class(owner).endpoints.get(address[1])
    return None


def _address(url: str) -> tuple[int | None, str] | None:
    """Gives port and path of a URL; None when it can't be read."""
    try:
        parts = urlsplit(url)
        return parts.port, parts.path
    except ValueError:
        return None


def _owner(task: ClawTask, address: tuple[int | None, str]) -> str | None:
    port, path = address
    for service in task.services:
        if port is not None and service.port == port:
            return service.name
    first = path.strip("/").split("/")[0]
    return first if first in {service.name for service in task.services} else None
