"""The services that search, and those that read files."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coworkenv_dagster.errors import TaskFileError
from coworkenv_dagster.services._words import search_terms, share_a_token, tokens
from tests.services.fixtures import FIXTURES, ids, live

TEXTS = st.text(st.sampled_from("abA5 \n\t年假。-İΣσςß"), max_size=12)


@settings(max_examples=300)
@given(TEXTS, TEXTS)
def test_looking_for_shared_tokens_equals_comparing_the_token_sets(query, text):
    assert share_a_token(query, text) == (not tokens(query).isdisjoint(tokens(text)))


def test_tokens_are_words_pairs_and_single_cjk_characters():
    assert tokens("VPN 年假") == {"vpn", "年假", "vp", "pn", "n ", " 年", "年", "假"}
    assert tokens(" \n ") == frozenset()


def test_search_terms_lose_punctuation_at_their_ends_alone():
    assert search_terms("“Acme's” (outage)! 50%-off") == {"“acme's”", "outage", "50%-off"}
    assert search_terms("故 障恢") == {"故", "障恢", "障", "恢"}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"query": "VPN"}, ["a1"]),
        ({"query": "xx"}, ["a1"]),
        ({"query": "5"}, ["a2"]),
        ({"query": "v"}, []),
        ({"query": "年"}, ["a2"]),
        ({"query": ""}, []),
        ({"query": "vpn 年", "max_results": 1}, ["a1"]),
        ({"query": "vpn 年", "max_results": 0}, []),
        ({"query": "vpn 年", "category": "HR"}, ["a2"]),
        ({"query": "vpn 年", "category": ""}, ["a1", "a2"]),
    ],
)
def test_the_knowledge_base_finds_any_overlap(body, found):
    assert ids(live("kb").call("/kb/search", body).body) == found


def test_an_article_is_found_by_its_new_text_on_the_day_of_its_update():
    kb = live("kb")
    (hit,) = kb.call("/kb/search", {"query": "VPN"}).body["articles"]
    assert hit["snippet"] == "x" * 150 + "..."
    answer = kb.call("/kb/articles/update", {"article_id": "a1", "content": "qq"}).body
    assert answer == {"status": "updated", "article_id": "a1"}
    (hit,) = kb.call("/kb/search", {"query": "qq"}).body["articles"]
    assert (hit["snippet"], hit["last_updated"]) == ("qq...", "2026-03-01")
    assert kb.audit()["updates"] == [{"article_id": "a1", "timestamp": "2026-03-01T09:00:00+00:00"}]
    assert kb.call("/kb/search", {"query": "xx"}).body["total"] == 0


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"query": "ACME, outage?"}, ["a", "b"]),
        ({"query": "outage"}, ["a", "b"]),
        ({"query": "$9"}, ["b"]),
        ({"query": "9"}, []),
        ({"query": "复恢"}, ["a"]),
        ({"query": "outage", "max_results": 1}, ["a"]),
        ({"query": "outage", "max_results": -1}, ["a"]),
        ({"query": " "}, []),
    ],
)
def test_the_web_ranks_by_overlap_then_by_order(body, found):
    answer = live("web").call("/web/search", body).body
    assert ids(answer) == [f"https://{name}.example" for name in found]
    assert answer["query"] == body["query"]


def test_results_and_pages_have_fixed_fields():
    web = live("web")
    assert web.call("/web/search", {"query": "$9"}).body["results"] == [
        {"url": "https://b.example", "title": "B", "snippet": "S", "source": "", "published_at": ""}
    ]
    assert web.call("/web/fetch", {"url": "https://a.example"}).body == {
        "status_code": 200,
        "url": "https://a.example",
        "title": "A",
        "content": "text",
        "content_type": "text/html",
        "fetched_at": "2026-03-01T09:00:00+00:00",
    }


@pytest.mark.parametrize(
    ("name", "status", "error"),
    [("b", 503, "Down"), ("c", 410, "HTTP 410"), ("d", 404, "Page not found or unavailable")],
)
def test_a_page_that_cannot_be_had_says_so_in_the_body(name, status, error):
    url = f"https://{name}.example"
    response = live("web").call("/web/fetch", {"url": url})
    assert response.status == 200
    assert response.body == {"status_code": status, "url": url, "error": error, "content": None}


def test_the_web_takes_claw_evals_variables_and_pages_by_address():
    given_web = FIXTURES["web"]
    named = {"WEB_SEARCH_FIXTURES": given_web["search"], "WEB_FETCH_FIXTURES": given_web["pages"]}
    by_url = {"pages": {page["url"]: {"title": page.get("title")} for page in given_web["pages"]}}
    assert live("web", named).records == live("web").records
    assert live("web", by_url).call("/web/fetch", {"url": "https://a.example"}).body["title"] == "A"
    for fixture in ([1], "x", {"search": {}}, {"pages": [{"title": "no address"}]}):
        with pytest.raises(TaskFileError, match=r"workspace\.web"):
            live("web", fixture)


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ({"path": "./docs//a.pdf"}, (3, "one\n\ntwo \n\n three")),
        ({"path": "docs/a.pdf", "max_pages": 2}, (2, "one\n\ntwo")),
        ({"path": "docs/a.pdf", "max_pages": 0}, (3, "one\n\ntwo \n\n three")),
        ({"path": "docs/a.pdf", "max_pages": 9}, (3, "one\n\ntwo \n\n three")),
    ],
)
def test_a_document_gives_the_text_of_its_first_pages(body, answer):
    response = live("documents").call("/documents/extract_text", body)
    returned, text = answer
    assert response.body == {
        "path": "docs/a.pdf",
        "page_count": 3,
        "pages_returned": returned,
        "text": text,
    }


@pytest.mark.parametrize(
    ("path", "status"),
    [("docs/b.pdf", 404), ("docs/a.txt", 400), ("../a.pdf", 400), ("/docs/a.pdf", 400)],
)
def test_a_document_that_cannot_be_read_is_an_http_error_outside_the_audit(path, status):
    documents = live("documents")
    response = documents.call("/documents/extract_text", {"path": path})
    assert (response.status, list(response.body)) == (status, ["detail"])
    assert documents.audit() == {"calls": []}


def test_images_are_found_by_path_or_name_and_a_single_one_always():
    ocr, caption = live("ocr"), live("caption")
    assert ocr.call("/ocr/extract", {"image_path": "/tmp/b.png"}).body == {
        "text": "MENU",
        "confidence": 0.95,
        "language": "mixed",
    }
    assert "error" in ocr.call("/ocr/extract", {"image_path": "c.png"}).body
    assert caption.call("/caption/describe", {"image_path": "x"}).body == {
        "caption": "A cat",
        "confidence": 0.92,
    }


@pytest.mark.parametrize(
    ("name", "fixture"),
    [
        ("documents", [{"path": "a.pdf"}]),
        ("documents", [{"path": "a.pdf", "pages": [1]}]),
        ("documents", {"a.pdf": ["text"]}),
        ("ocr", [{"image_path": "a.png", "text": 1}]),
        ("caption", {"files": {"a.png": {}}}),
    ],
)
def test_files_of_the_wrong_shape_are_one_clear_message(name, fixture):
    with pytest.raises(TaskFileError, match=rf"workspace\.{name}"):
        live(name, fixture)
