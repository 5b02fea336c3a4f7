"""Whatever a text says, a report shows it as text: it closes no cell, opens no element, ends no fence."""

from __future__ import annotations

import re

import pyromark
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from ark_tui.engine import Engine
from ark_tui.interfaces.reports import charts, export, markdown, page, sections
from ark_tui.interfaces.reports.charts import Chart, Curves, Group, Map, Series
from ark_tui.interfaces.reports.report import (
    Excerpt,
    Figure,
    Report,
    Section,
    facts,
    paragraph,
    table,
)
from ark_tui.interfaces.reports.text import clean
from ark_tui.settings import load
from tests.reports.conftest import FIXED

NASTY = st.text(
    alphabet=st.sampled_from("ab1 |\\`*_~<>[](){}#+-=.!&$\"':;@/\n\r\t\x00\x1b\u202e\u2028é本😀"), max_size=24
) | st.sampled_from(
    [
        "<script>alert(1)</script>",
        "</td></table><img src=x onerror=alert(1)>",
        "```\n# out\n```",
        "| a | b |\n|---|---|",
        "[x](javascript:alert(1))",
        "![x](https://example.org/x.png)",
        "&lt;b&gt; &amp;amp;",
        "\\| \\\\| \\`",
        "__init__ _a_ a_b __a b__",
        "]]> --> <!-- <?php",
        "</style></svg></title>",
        "1. one\n- two\n# three\n---\n> four",
        "x\n===\n",
    ]
)

TABLES = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH
MARKDOWN_ELEMENTS = frozenset(
    {"html", "head", "body", "h1", "h2", "h3", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}
    | {"strong", "blockquote", "pre", "code", "br"}
)
PAGE_ELEMENTS = MARKDOWN_ELEMENTS | {"meta", "link", "title", "style", "span", "nav", "a", "-text"}


def report(text: str) -> Report:
    """A report with the text in every place that there is."""
    figures: list[Chart] = [
        charts.bars([(text, 3), ("b", 1)]),
        Curves((Series(text, (1, 2), (1, 2)), Series("b", (1, 2), (2, 1))), text, text, (text, 1)),
    ]
    world = Map((Group("a", text, "words", (0, 1), (0, 1), 2),))
    return Report(
        "2026-01-01T00:00:00Z",
        (
            Section(
                "hostile",
                f"{clean(text)}!",
                (
                    paragraph(text),
                    facts(("fact", text or "–")),
                    table(
                        "t",
                        clean(text),
                        {"a": str, "b": int},
                        [(text, 1), (text, 2)],
                        note=text,
                    ),
                    Excerpt(clean(text), clean(text), clean(text), ((0, min(3, len(text))),)),
                    *(
                        Figure(f"f{n}", clean(text), chart, clean(text))
                        for n, chart in enumerate([*figures, world])
                    ),
                ),
            ),
            Section("plain", "Plain", ()),
        ),
    )


def words(text: str) -> str:
    return " ".join(text.split())


@settings(max_examples=40)
@given(NASTY)
def test_in_markdown_a_text_stays_a_text(text: str) -> None:
    tree = LexborHTMLParser(pyromark.html(markdown.written(report(text)), options=TABLES))
    assert {node.tag for node in tree.root.traverse()} <= MARKDOWN_ELEMENTS  # type: ignore[union-attr]
    assert len(tree.css("h1, h2, h3")) == 1 + 2 + 1 + 3
    assert len(tree.css("table")) == 1
    assert [words(cell.text()) for cell in tree.css("td")] == [
        words(clean(text)),
        "1",
        words(clean(text)),
        "2",
    ]
    assert len(tree.css("li")) == 1
    assert len(tree.css("pre")) == 3
    assert words(tree.css_first("h2").text()) == words(f"{clean(text)}!")  # type: ignore[union-attr]


@settings(max_examples=40)
@given(NASTY)
def test_in_a_page_a_text_stays_a_text(text: str) -> None:
    written = page.written(report(text))
    tree = LexborHTMLParser(written)
    assert {str(node.tag) for node in tree.root.traverse()} <= PAGE_ELEMENTS  # type: ignore[union-attr]
    cells = [words(cell.text()) for cell in tree.css("td")]
    assert cells == [words(clean(text)), "1", words(clean(text)), "2"]
    assert words(tree.css_first("blockquote").text()) == words(clean(text))  # type: ignore[union-attr]
    assert len(tree.css("pre")) == 3
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", written)


@pytest.mark.parametrize("form", ["md", "html", "json"])
def test_notes_that_would_like_to_be_markup_make_a_harmless_report(
    hostile: object, form: export.Format
) -> None:
    with Engine(load(hostile, environ=FIXED)) as engine:  # type: ignore[arg-type]
        report = sections.report(engine, ("overview", "search"), sections.Asked("spectral"))
    written = export.files(report, form)[""].decode()
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", written)
    if form == "html":
        assert not LexborHTMLParser(written).css("script, img, b, iframe, form, input")
    if form == "md":
        tree = LexborHTMLParser(pyromark.html(written, options=TABLES))
        assert not tree.css("script, img, a, em, del")
