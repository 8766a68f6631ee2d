"""News feeds: articles by source, and a newsletter."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from coworkenv_dagster.services._fixtures import records_of
from coworkenv_dagster.services.base import Access, Json, Prepared, Request, Service, endpoint

_SHOWN = ("article_id", "title", "source", "category", "published_at", "summary", "word_count")


class ListFeeds(Request):
    """Arguments of `rss_list_feeds`."""

    category: str | None = Field(None, description="Only feeds with this category")


class ListArticles(Request):
    """Arguments of `rss_list_articles`."""

    source: str | None = Field(None, description="Only this source")
    category: str | None = Field(None, description="Only this category")
    max_results: int = Field(20, description="Most articles to return")


class GetArticle(Request):
    """Arguments of `rss_get_article`."""

    article_id: str = Field(description="Article id")


class Publish(Request):
    """Arguments of `rss_publish`."""

    title: str = Field(description="Title of the newsletter")
    content: str = Field(description="Its text")
    recipients: list[str] = Field([], description="Who gets it")


class Rss(Service):
    """News by feed."""

    name = "rss"
    variables = ("RSS_FIXTURES",)
    logs = ("published",)
    unordered = ("categories",)

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Takes the fixture as it is."""
        return Prepared({"articles": records_of(cls.name, fixture, "article_id")})

    @endpoint("/rss/feeds", tool="rss_list_feeds", access=Access.READ, without_body={})
    def list_feeds(self, request: ListFeeds) -> Json:
        """List the feeds."""
        feeds: dict[str, dict[str, Json]] = {}
        for article in self.records["articles"]:
            if request.category and article.get("category") != request.category:
                continue
            source = article.get("source", "")
            feed = feeds.setdefault(
                source, {"source": source, "categories": [], "article_count": 0}
            )
            if article.get("category") not in feed["categories"]:
                feed["categories"].append(article.get("category"))
            feed["article_count"] += 1
        return {"feeds": list(feeds.values()), "total": len(feeds)}

    @endpoint("/rss/articles", tool="rss_list_articles", access=Access.READ, without_body={})
    def list_articles(self, request: ListArticles) -> Json:
        """List articles."""
        found = [
            {key: article.get(key) for key in _SHOWN}
            for article in self.records["articles"]
            if (not request.source or article.get("source") == request.source)
            and (not request.category or article.get("category") == request.category)
        ][: request.max_results]
        return {"articles": found, "total": len(found)}

    @endpoint("/rss/articles/get", tool="rss_get_article", access=Access.READ)
    def get_article(self, request: GetArticle) -> Json:
        """Read one article."""
        found = self.find("articles", "article_id", request.article_id)
        return found[1] if found else {"error": f"Article {request.article_id} not found"}

    @endpoint("/rss/publish", tool="rss_publish", access=Access.WRITE)
    def publish(self, request: Publish) -> Json:
        """Publish a newsletter."""
        record = {**request.model_dump(), "timestamp": self.timestamp()}
        self.log["published"].append(record)
        return {"status": "published", "record": record}
