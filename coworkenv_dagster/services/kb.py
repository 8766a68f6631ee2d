"""Knowledge base: articles, found by words."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from coworkenv_dagster.services._fixtures import records_of
from coworkenv_dagster.services._words import share_a_token
from coworkenv_dagster.services.base import Access, Json, Prepared, Request, Service, endpoint

_SHOWN = ("article_id", "title", "category", "tags", "last_updated", "views")


class Search(Request):
    """Arguments of `kb_search`."""

    query: str = Field(description="Words to look for")
    category: str | None = Field(None, description="Only this category")
    max_results: int = Field(5, description="Most articles to return")


class GetArticle(Request):
    """Arguments of `kb_get_article`."""

    article_id: str = Field(description="Article id")


class UpdateArticle(Request):
    """Arguments of `kb_update_article`."""

    article_id: str = Field(description="Article id")
    content: str = Field(description="New text")


class Kb(Service):
    """A knowledge base."""

    name = "kb"
    variables = ("KB_FIXTURES",)
    logs = ("updates",)

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Takes the fixture as it is."""
        return Prepared({"articles": records_of(cls.name, fixture, "article_id")})

    @endpoint("/kb/search", tool="kb_search", access=Access.READ)
    def search(self, request: Search) -> Json:
        """Find articles that share a word with the query."""
        found: list[Json] = []
        for article in self.records["articles"]:
            if request.category and article.get("category") != request.category:
                continue
            tags = " ".join(map(str, article.get("tags") or []))
            text = f"{article.get('title', '')} {tags} {article.get('content', '')}"
            if share_a_token(request.query, text):
                snippet = f"{str(article.get('content', ''))[:150]}..."
                found.append({**{key: article.get(key) for key in _SHOWN}, "snippet": snippet})
        found = found[: request.max_results]
        return {"articles": found, "total": len(found)}

    @endpoint("/kb/articles/get", tool="kb_get_article", access=Access.READ)
    def get_article(self, request: GetArticle) -> Json:
        """Read one article."""
        found = self.find("articles", "article_id", request.article_id)
        return found[1] if found else {"error": f"Article {request.article_id} not found"}

    @endpoint("/kb/articles/update", tool="kb_update_article", access=Access.WRITE)
    def update_article(self, request: UpdateArticle) -> Json:
        """Replace the text of an article."""
        found = self.find("articles", "article_id", request.article_id)
        if found is None:
            return {"error": f"Article {request.article_id} not found"}
        index, article = found
        self.records["articles"][index] = {
            **article,
            "content": request.content,
            "last_updated": self.timestamp()[:10],
        }
        self.log["updates"].append(
            {"article_id": request.article_id, "timestamp": self.timestamp()}
        )
        return {"status": "updated", "article_id": request.article_id}
