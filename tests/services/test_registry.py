from __future__ import annotations

from pathlib import Path

import pytest

from coworkenv_dagster import services
from coworkenv_dagster.errors import UnknownServiceError, UnknownToolError
from coworkenv_dagster.services import (
    Access,
    Prepared,
    Request,
    Service,
    register,
    service_class,
    service_names,
    tool_endpoint,
    tool_names,
)
from coworkenv_dagster.services.base import endpoint
from tests.services.fixtures import NOW

DOCS = Path(__file__).parents[2] / "docs/services.md"


class Ring(Request):
    times: int


class Bell(Service):
    """A service made in one file."""

    name = "bell"
    logs = ("rings",)

    @classmethod
    def prepare(cls, fixture, now):
        return Prepared({"bells": tuple(fixture)})

    @endpoint("/bell/ring", tool="bell_ring", access=Access.WRITE)
    def ring(self, request: Ring) -> object:
        """Ring the bell.

        This is for readers of the code, not for agents.
        """
        self.log["rings"].append({"times": request.times})
        return {"rung": request.times}


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    monkeypatch.setattr(services, "_SERVICES", dict(services._SERVICES))
    monkeypatch.setattr(services, "_TOOLS", dict(services._TOOLS))


def test_a_service_is_one_class_and_one_registration():
    assert register(Bell) is Bell
    assert "bell" in service_names()
    owner, declared = tool_endpoint("bell_ring")
    assert (owner, declared.access) == ("bell", Access.WRITE)
    schema = declared.tool_schema()["function"]
    assert schema["description"] == "Ring the bell."
    assert schema["parameters"] == {
        "type": "object",
        "properties": {"times": {"type": "integer"}},
        "required": ["times"],
    }
    bell = Bell(Bell.prepare([], NOW), NOW)
    assert bell.call("/bell/ring", {"times": "2"}).body == {"rung": 2}
    assert bell.audit()["rings"] == [{"times": 2}]
    assert bell.audit()["calls"][0]["request_body"] == {"times": 2}


def test_two_services_cannot_provide_one_tool():
    register(Bell)
    register(Bell)
    with pytest.raises(UnknownToolError, match="'bell_ring' is already provided by service 'bell'"):
        register(type("Gong", (Bell,), {"name": "gong"}))
    assert "gong" not in service_names()


def test_unknown_names_are_errors_that_help():
    with pytest.raises(UnknownServiceError, match=r"unknown service 'telex'.*helpdesk"):
        service_class("telex")
    with pytest.raises(UnknownToolError, match=r"unknown tool 'telex_send'.*coworkenv tools"):
        tool_endpoint("telex_send")


def test_every_tool_is_described_and_leads_back_to_its_endpoint():
    for tool in tool_names():
        owner, declared = tool_endpoint(tool)
        assert service_class(owner).endpoints[declared.path] is declared
        assert declared.path.startswith(f"/{owner}/")
        function = declared.tool_schema()["function"]
        assert function["description"]
        assert "original" not in function["description"]
        assert all(part["description"] for part in function["parameters"]["properties"].values())


def rows():
    """Gives the rows of the table in docs/services.md, from the declarations."""
    for name in service_names():
        cls = service_class(name)
        collections = ", ".join(cls.prepare([], NOW).records)
        yield f"| **{name}** | {collections} | {', '.join(cls.logs) or 'none'} |"
        for declared in cls.endpoints.values():
            yield f"| `{declared.tool}` | `{declared.path}` | {declared.access.upper()} |"


def test_the_docs_list_every_service_and_endpoint_and_no_other():
    """Where this fails, the rows to paste are those it expects."""
    lines = DOCS.read_text(encoding="utf-8").splitlines()
    listed = [line for line in lines if line.startswith(("| **", "| `"))]
    assert "\n".join(listed) == "\n".join(rows())


def test_the_docs_walk_through_the_same_bell():
    page = DOCS.read_text(encoding="utf-8")
    assert '@endpoint("/bell/ring", tool="bell_ring", access=Access.WRITE)' in page
    assert 'return Prepared({"bells": tuple(fixture)})' in page
