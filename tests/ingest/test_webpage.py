"""HTML as its reader sees it (I8)."""

from __future__ import annotations

import pytest

from tests.ingest.conftest import ReadText

PAGE = """<!DOCTYPE html>
<html><head><title> Mixing
 times </title><style>p { color: red }</style><script>var secret = 1</script></head>
<body><nav><a href="other.html">Other</a></nav>
<h1>Mixing</h1><p>A chain <b>forg</b>ets&nbsp;its <i>start</i>.<br>Soon.</p>
<ul><li>one<li>two</ul>
<h2>Code</h2><pre>
for x in y:
    pass
</pre><!-- not seen --><noscript>no</noscript>
<table><tr><th>a<th>b<tr><td>1<td>2</table>
<p>14 March 2026 <a href="https://x.y">web</a> <a href="sub/p.html#q">sub</a></body></html>
"""


def test_the_body_is_the_text_without_markup_and_scripts(read: ReadText) -> None:
    draft = read(PAGE, "docs/page.html")

    assert draft.body == (
        "Mixing\n\nA chain forgets its start.\nSoon.\n\none\ntwo\n\n"
        "Code\n\nfor x in y:\n    pass\n\na b\n1 2\n\n14 March 2026 web sub"
    )
    assert (draft.title, draft.format, draft.type) == ("Mixing times", "html", "note")


def test_headings_make_the_breadcrumb(read: ReadText) -> None:
    draft = read(PAGE + "<h2>End</h2>end", "docs/page.html")

    assert [(c.heading, c.start_line) for c in draft.chunks] == [
        ("Mixing", 1),
        ("Mixing › Code", 9),
        ("Mixing › End", 19),
    ]


def test_links_to_other_pages_and_periods_are_kept(read: ReadText) -> None:
    assert [(link.relation, link.target) for link in read(PAGE, "docs/page.html").links] == [
        ("links_to", "docs/sub/p.html"),
        ("occurred_in", "month:2026-03"),
        ("occurred_in", "quarter:2026-Q1"),
    ]


TEXT = f"<p>{'The heron waits. ' * 9}</p>"


@pytest.mark.parametrize(
    "page",
    [
        f"<nav>Home</nav>{TEXT}",
        f"<div role=navigation>Home</div>{TEXT}<footer>Home</footer>",
        f"<div>Home</div><main>{TEXT}</main><div>Home</div>",
        f"<header><a href=x>Home</a></header>{TEXT}<aside><ul><li><a href=x>Home</a></ul></aside>",
        f"<main><nav>Home</nav>{TEXT}</main>",
    ],
)
def test_what_leads_through_the_site_is_no_text_of_the_page(read: ReadText, page: str) -> None:
    assert read(page, "p.html").body == " ".join(["The heron waits."] * 9)


@pytest.mark.parametrize(
    "page",
    [
        f"<header><h1>Home</h1></header>{TEXT}",
        f"<article>{TEXT}<aside><a href=x>Home</a></aside></article>",
        f"<article><header>Home</header>{TEXT}<footer>Home</footer></article>",
        f"<nav>{TEXT} Home</nav><p>Little.</p>",
        f"<main hidden>A</main>{TEXT} Home",
        f"<main>Little.</main>{TEXT} Home",
        f"<main>{TEXT}</main><main>Home</main>",
    ],
)
def test_what_is_of_its_text_stays_and_the_whole_where_little_would(read: ReadText, page: str) -> None:
    body = read(page, "p.html").body
    assert "The heron waits." in body
    assert "Home" in body


def test_date_author_and_language_are_what_the_page_says(read: ReadText) -> None:
    head = '<meta name="DATE" content="2024-05-06T10:00"><meta name=author content="Ann  Lee">'
    draft = read(f"<html lang=de><head>{head}</head>{TEXT}", "2020-01-01.html")
    assert (str(draft.date), draft.date_source) == ("2024-05-06", "properties")
    assert draft.fields == (("author", "Ann Lee"), ("language", "de"))
    assert str(read(f"<article><time datetime=2024-05-06>May</time>{TEXT}", "p.html").date) == "2024-05-06"


@pytest.mark.parametrize(
    ("page", "title"), [("<h1>Head</h1>x", "Head"), ("<p>x", "page"), ("<title></title><h2>H</h2>", "page")]
)
def test_without_a_title_the_first_heading_or_the_name_stands_in(
    read: ReadText, page: str, title: str
) -> None:
    assert read(page, "page.htm").title == title


def test_a_declared_encoding_is_used(read: ReadText) -> None:
    page = '<meta charset="iso-8859-1"><p>Größe'

    assert read(page.encode("latin-1"), "p.html").body == "Größe"
    assert read(page.encode("utf-8"), "p.html").body == "Größe"


def test_a_page_is_known_by_its_content_when_it_has_no_suffix(read: ReadText) -> None:
    assert read("\n<!doctype HTML><p>a<p>b", "page").body == "a\n\nb"
    assert read("<p>a", "page").body == "<p>a"
