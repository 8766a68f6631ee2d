"""Configuration: integrations, whose details hold secrets, and notices."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from coworkenv_dagster.services._fixtures import records_of
from coworkenv_dagster.services.base import Access, Json, Prepared, Request, Service, endpoint

_SHOWN = (
    "integration_id",
    "name",
    "service",
    "status",
    "last_verified",
    "monthly_calls",
    "error_rate",
)


class ListIntegrations(Request):
    """Arguments of `config_list_integrations`."""

    status: str | None = Field(None, description="For example active")


class GetIntegration(Request):
    """Arguments of `config_get_integration`."""

    integration_id: str = Field(description="Integration id")


class UpdateIntegration(Request):
    """Arguments of `config_update_integration`."""

    integration_id: str = Field(description="Integration id")
    status: str | None = Field(None, description="New status")
    notes: str | None = Field(None, description="New notes")


class Notify(Request):
    """Arguments of `config_send_notification`."""

    to: str = Field(description="Who is told")
    subject: str = Field(description="Subject line")
    body: str = Field(description="Text")


class Config(Service):
    """The company's integrations."""

    name = "config"
    variables = ("CONFIG_FIXTURES",)
    logs = ("updates", "notifications")

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Takes the fixture as it is."""
        return Prepared({"integrations": records_of(cls.name, fixture, "integration_id")})

    @endpoint(
        "/config/integrations", tool="config_list_integrations", access=Access.READ, without_body={}
    )
    def list_integrations(self, request: ListIntegrations) -> Json:
        """List integrations, without their secrets."""
        found = [
            {key: item.get(key) for key in _SHOWN}
            for item in self.records["integrations"]
            if not request.status or item.get("status") == request.status
        ]
        return {"integrations": found, "total": len(found)}

    @endpoint("/config/integrations/get", tool="config_get_integration", access=Access.READ)
    def get_integration(self, request: GetIntegration) -> Json:
        """Get one integration, secrets included."""
        found = self.find("integrations", "integration_id", request.integration_id)
        return found[1] if found else {"error": f"Integration {request.integration_id} not found"}

    @endpoint("/config/integrations/update", tool="config_update_integration", access=Access.WRITE)
    def update_integration(self, request: UpdateIntegration) -> Json:
        """Change an integration's status or notes."""
        found = self.find("integrations", "integration_id", request.integration_id)
        if found is None:
            return {"error": f"Integration {request.integration_id} not found"}
        index, item = found
        changes = request.model_dump(exclude_none=True)
        # An empty text is noted as a change but changes nothing.
        item = {**item, **{key: value for key, value in changes.items() if value}}
        self.records["integrations"][index] = item
        self.log["updates"].append(
            {
                "integration_id": request.integration_id,
                "changes": changes,
                "timestamp": self.timestamp(),
            }
        )
        return {"status": "updated", "integration": item}

    @endpoint("/config/notify", tool="config_send_notification", access=Access.WRITE)
    def notify(self, request: Notify) -> Json:
        """Send a notice."""
        notification = {**request.model_dump(), "timestamp": self.timestamp()}
        self.log["notifications"].append(notification)
        return {"status": "sent", "notification": notification}
