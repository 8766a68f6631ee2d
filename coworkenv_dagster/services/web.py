"""A recorded web: search, pages, notices."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from coworkenv_dagster.errors import TaskFileError
from coworkenv_dagster.services._fixtures import records_of
from coworkenv_dagster.services._words import keyword_terms, search_terms
from coworkenv_dagster.services.base import (
    Access,
    Json,
    Prepared,
    Record,
    Request,
    Service,
    endpoint,
)

_ABSENT: Record = {"status_code": 404, "error": "Page not found or unavailable"}


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
        """Takes `search` and `pages` (or the two variables), each a list; a missing one is empty.

        Pages may also be an object of pages by address.
        """
        given = fixture or {}
        if not isinstance(given, dict):
            raise TaskFileError(
                f"the fixture must be an object, not {type(fixture).__name__}",
                where="workspace.web",
                mend="Give an object with the lists `search` and `pages`",
            )
        search, pages = (
            given.get(variable, given.get(name, []))
            for variable, name in zip(cls.variables, ("search", "pages"), strict=True)
        )
        if isinstance(pages, dict) and all(isinstance(page, dict) for page in pages.values()):
            pages = [{"url": url, **page} for url, page in pages.items()]
        return Prepared(
            {
                "search": records_of("web.search", search, "url"),
                "pages": records_of("web.pages", pages, "url"),
            }
        )

    @endpoint("/web/search", tool="web_search", access=Access.READ)
    def search(self, request: Search) -> Json:
        """Search the web."""
        terms = search_terms(request.query)
        scored: list[tuple[int, Record]] = []
        for item in self.records["search"]:
            overlap = len(terms & keyword_terms(tuple(map(str, item.get("keywords") or []))))
            if overlap:
                scored.append((overlap, item))
        scored.sort(key=lambda pair: -pair[0])
        results = [
            {
                "url": item["url"],
                "title": item.get("title"),
                "snippet": item.get("snippet"),
                "source": item.get("source", ""),
                "published_at": item.get("published_at", ""),
            }
            for _, item in scored[: request.max_results]
        ]
        return {"results": results, "total": len(results), "query": request.query}

    @endpoint("/web/fetch", tool="web_fetch", access=Access.READ)
    def fetch(self, request: Fetch) -> Json:
        """Read a page."""
        found = self.find("pages", "url", request.url)
        page = found[1] if found else _ABSENT
        status = page.get("status_code", 200)
        if status >= 400:
            error = page.get("error", f"HTTP {status}")
            return {"status_code": status, "url": request.url, "error": error, "content": None}
        return {
            "status_code": status,
            "url": request.url,
            "title": page.get("title", ""),
            "content": page.get("content", ""),
            "content_type": page.get("content_type", "text/html"),
            "fetched_at": self.timestamp(),
        }

    @endpoint("/web/notify", tool="send_notification", access=Access.WRITE)
    def notify(self, request: Notify) -> Json:
        """Send a notice to a channel."""
        record = {**request.model_dump(), "timestamp": self.timestamp()}
        self.log["notifications"].append(record)
        return {"status": "sent", "record": record}
