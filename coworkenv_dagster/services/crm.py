"""CRM: customers and reports on them."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from coworkenv_dagster.services._fixtures import records_of
from coworkenv_dagster.services.base import Access, Json, Prepared, Request, Service, endpoint

_SHOWN = (
    "customer_id",
    "name",
    "contact_person",
    "tier",
    "status",
    "industry",
    "annual_revenue",
)


class ListCustomers(Request):
    """Arguments of `crm_list_customers`."""

    status: str | None = Field(None, description="For example active")
    tier: str | None = Field(None, description="For example vip")
    industry: str | None = Field(None, description="Industry")


class GetCustomer(Request):
    """Arguments of `crm_get_customer`."""

    customer_id: str = Field(description="Customer id")


class ExportReport(Request):
    """Arguments of `crm_export_report`."""

    title: str = Field(description="Title of the report")
    customer_ids: list[str] = Field(description="Customers in the report")
    summary: str = Field(description="What the report says")


class Crm(Service):
    """A customer data base."""

    name = "crm"
    variables = ("CRM_FIXTURES",)
    logs = ("exported_reports",)

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Takes the fixture as it is."""
        return Prepared({"customers": records_of(cls.name, fixture, "customer_id")})

    @endpoint("/crm/customers", tool="crm_list_customers", access=Access.READ, without_body={})
    def list_customers(self, request: ListCustomers) -> Json:
        """List customers."""
        wanted = {key: value for key, value in request if value}
        customers = [
            {key: customer.get(key) for key in _SHOWN}
            for customer in self.records["customers"]
            if all(customer.get(key) == value for key, value in wanted.items())
        ]
        return {"customers": customers, "total": len(customers)}

    @endpoint("/crm/customers/get", tool="crm_get_customer", access=Access.READ)
    def get_customer(self, request: GetCustomer) -> Json:
        """Get one customer with all details."""
        found = self.find("customers", "customer_id", request.customer_id)
        return found[1] if found else {"error": f"Customer {request.customer_id} not found"}

    @endpoint("/crm/export", tool="crm_export_report", access=Access.WRITE)
    def export(self, request: ExportReport) -> Json:
        """Export a report on customers."""
        report = {**request.model_dump(), "timestamp": self.timestamp()}
        self.log["exported_reports"].append(report)
        return {"status": "exported", "report": report}
