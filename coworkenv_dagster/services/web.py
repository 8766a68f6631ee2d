"""A recorded web: search, pages, notices."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from coworkenv_dagster.errors import TaskFileError
from coworkenv_dagster.services._fixtures import records_of
from coworkenv_dagster.services._words import search_terms
from coworkenv_dagster.services.base import (
    Access,
    Json,
    Prepared,
    Record,
    Request,
    Service,
    endpoint,
)


class Search(Request):
    """Arguments of `web_search`."""

    query: str = Field(description="Words to look for")
    max_results: int = Field(10, description="Most results to return")


class Fetch(Request):
    """Arguments of `web_fetch`."""

    url: str = Field(description="Address of the page")
    timeout_seconds: int = Field(30, description="Seconds to wait")


class Notify(Request):
    """Arguments of `send_notification`."""

    channel: str = Field(description="Where it goes")
    message: str = Field(description="Text")
    recipients: list[str] = Field([], description="Who is told")


class Web(Service):
    """Search results and pages that were recorded."""

    name = "web"
    variables = ("WEB_SEARCH_FIXTURES", "WEB_FETCH_FIXTURES")
    logs = ("notifications",)

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Takes a mapping of both variables to their lists; a missing one is empty."""
        given = fixture or {}
        if not isinstance(given, dict):
            raise TaskFileError(
                "the fixture must map WEB_SEARCH_FIXTURES and WEB_FETCH_FIXTURES to lists",
                where="workspace.web",
                mend="Give an object with these two fields",
            )
        search, fetch = (given.get(name, []) for name in cls.variables)
        return Prepared(
            {
                "search": records_of(cls.name, search, "url"),
                "pages": records_of(cls.name, fetch, "url"),
            }
        )

    @endpoint("/web/search", tool="web_search", access=Access.READ)
    def search(self, request: Search) -> Json:
        """Search the web."""
        terms = search_terms(request.query)
        scored: list[tuple[int, Record]] = []
        for item in self.records["search"]:
            overlap = len(terms & search_terms(" ".join(map(str, item.get("keywords") or []))))
            if overlap:
                scored.append((overlap, item))
        scored.sort(key=lambda pair: -pair[0])
        results = [
            {key: value for key, value in item.items() if key != "keywords"}
            for _, item in scored[: request.max_results]
        ]
        return {"results": results, "total": len(results), "query": request.query}

    @endpoint("/web/fetch", tool="web_fetch", access=Access.READ)
    def fetch(self, request: Fetch) -> Json:
        """Read a page."""
        found = self.find("pages", "url", request.url)
        if found is None:
            return {
                "status_code": 404,
                "url": request.url,
                "error": "Page not found or unavailable",
                "content": None,
            }
        page = found[1]
        status = page.get("status_code", 200)
        if status != 200:
            error = page.get("error", "Page not found or unavailable")
            return {"status_code": status, "url": page["url"], "error": error, "content": None}
        return {"status_code": status, **page, "fetched_at": self.timestamp()}

    @endpoint("/web/notify", tool="send_notification", access=Access.WRITE)
    def notify(self, request: Notify) -> Json:
        """Send a notice to a channel."""
        record = {**request.model_dump(), "timestamp": self.timestamp()}
        self.log["notifications"].append(record)
        return {"status": "sent", "record": record}
