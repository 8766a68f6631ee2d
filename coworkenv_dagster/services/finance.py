"""Finance: transactions and expense reports."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from coworkenv_dagster.services._fixtures import records_of
from coworkenv_dagster.services.base import Access, Json, Prepared, Request, Service, endpoint


class ListTransactions(Request):
    """Arguments of `finance_list_transactions`."""

    start_date: str | None = Field(None, description="First day, YYYY-MM-DD")
    end_date: str | None = Field(None, description="Last day, YYYY-MM-DD")


class GetTransaction(Request):
    """Arguments of `finance_get_transaction`."""

    transaction_id: str = Field(description="Transaction id")


class SubmitReport(Request):
    """Arguments of `finance_submit_report`."""

    title: str = Field(description="Title of the report")
    transactions: list[str] = Field(description="Ids of the transactions in it")
    total_amount: float = Field(description="Sum of their amounts")


class Finance(Service):
    """A ledger."""

    name = "finance"
    variables = ("FINANCE_FIXTURES",)
    logs = ("submitted_reports",)

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Takes the fixture as it is."""
        return Prepared({"transactions": records_of(cls.name, fixture, "transaction_id")})

    @endpoint(
        "/finance/transactions",
        tool="finance_list_transactions",
        access=Access.READ,
        without_body={},
    )
    def list_transactions(self, request: ListTransactions) -> Json:
        """List transactions; dates are compared as text."""
        found = [
            item
            for item in self.records["transactions"]
            if (not request.start_date or str(item.get("date", "")) >= request.start_date)
            and (not request.end_date or str(item.get("date", "")) <= request.end_date)
        ]
        return {"transactions": found, "total": len(found)}

    @endpoint("/finance/transactions/get", tool="finance_get_transaction", access=Access.READ)
    def get_transaction(self, request: GetTransaction) -> Json:
        """Get one transaction."""
        found = self.find("transactions", "transaction_id", request.transaction_id)
        return found[1] if found else {"error": f"Transaction {request.transaction_id} not found"}

    @endpoint("/finance/report/submit", tool="finance_submit_report", access=Access.WRITE)
    def submit_report(self, request: SubmitReport) -> Json:
        """Submit an expense report."""
        report = {**request.model_dump(), "timestamp": self.timestamp()}
        self.log["submitted_reports"].append(report)
        return {"status": "submitted", "report": report}
