"""Text that has a structure of its own is cut by it, and keeps its places (I21)."""

from __future__ import annotations

import json

import pytest

from ark_tui.domain.documents import Draft
from ark_tui.domain.work import Problem
from ark_tui.ingest import formats
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.walk import Entry

HERON = "The heron waits."
ORG = """#+TITLE: River birds
#+AUTHOR: Ann
#+DATE: 2026-03-14
#+FILETAGS: :river:cold:

* Opening
Nothing.
** TODO Deep :tag:
#+BEGIN_SRC org
* no heading

#+END_SRC
* Winter
The heron waits.
"""
RST = """===========
River birds
===========

Opening
-------

Nothing.

Winter
------

The heron waits.
"""
ADOC = "= River birds\n\n== Opening\n\n----\n== no heading\n----\n\n== Winter\n\nThe heron waits.\n"
TEX = r"""\title{River \emph{birds}}
\section{Opening}
\subsection*{Deep}
Nothing.
\section[W]{Winter}
The heron waits.
"""
CSV = f'name,count\n{"Opening,1" * 1}\n"{HERON}\nStill.",3\n'
SRT = f"1\n00:00:01,000 --> 00:00:03,000\nOpening.\n\n2\n00:01:02,000 --> 00:01:05,000\n<i>{HERON}</i>\n"
VTT = f"WEBVTT\n\nname\n00:01.000 --> 00:03.000\nOpening.\n\n01:02.000 --> 01:05.000 line:0\n{HERON}\n"
YAML = f"""# who
openapi: '3'
paths:
  /größe:
    get:
      a: b
  /birds:
    get:
      summary: {HERON}
"""
MADE = ("srt", "vtt", "ipynb", "canvas")  # whose text is put together
TREE = {"openapi": "3", "paths": {"/a": {"get": {"a": 1}}, "/birds": {"get": {"summary": HERON}}}}
NOTEBOOK = {
    "metadata": {"language_info": {"name": "python"}},
    "cells": [
        {"cell_type": "markdown", "source": ["# River birds\n", "\n", "Nothing."]},
        {"cell_type": "code", "source": "look()", "outputs": [{"data": {"text/plain": [HERON]}}]},
    ],
}
CANVAS = {
    "nodes": [
        {"type": "text", "text": f"{HERON} See [[b]]. #bird", "x": 0, "y": 10},
        {"type": "file", "file": "notes/c.md", "subpath": "#Winter", "x": 0, "y": 0},
    ]
}

PLACES = {
    "a.org": (ORG, "Winter"),
    "a.rst": (RST, "River birds › Winter"),
    "a.adoc": (ADOC, "River birds › Winter"),
    "a.tex": (TEX, "Winter"),
    "a.csv": (CSV, "name, count"),
    "a.tsv": (f"name\tcount\n{HERON}\t3\n", "name, count"),
    "b.csv": (f"name;count\n{HERON};3\n", "name, count"),
    "a.srt": (SRT, "0:01"),
    "a.vtt": (VTT, "0:01"),
    "a.log": (
        f"2026-03-13 23:59:58 INFO nothing\n  at all\n2026-03-14 00:00:01 INFO {HERON}\n",
        "2026-03-14",
    ),
    "b.log": (f'::1 - ann [14/Mar/2026:10:00:00 +0000] "GET /{HERON}"\n', "14 Mar 2026"),
    "c.log": (f"Mar 13 10:00:00 host a: b\nMar  4 10:00:00 host a: {HERON}\n", "Mar 4"),
    "a.yaml": (YAML, "paths › /birds › get"),
    "a.json": (json.dumps(TREE, indent=2), "paths › /birds › get"),
    "a.ipynb": (json.dumps(NOTEBOOK), "River birds › cell 2"),
    "a.canvas": (json.dumps(CANVAS), "card 2"),
}


def read(text: str, path: str) -> Draft:
    found = Reading().read(Entry(path, len(text), 0, 1), text.encode())
    assert not isinstance(found, Problem), found
    (draft,) = found
    return draft


@pytest.mark.parametrize("path", PLACES)
def test_a_chunk_stands_below_what_leads_to_it(path: str) -> None:
    text, place = PLACES[path]
    draft = read(text, path)
    (chunk,) = [c for c in draft.chunks if HERON in draft.body[c.start_char : c.end_char]]
    assert chunk.heading == place
    assert "no heading" not in {c.heading for c in draft.chunks}


@pytest.mark.parametrize("path", [path for path in PLACES if path.split(".")[1] not in MADE])
def test_text_stays_as_it_is(path: str) -> None:
    assert read(PLACES[path][0], path).body == PLACES[path][0]


@pytest.mark.parametrize("path", ["a.org", "a.rst", "a.adoc", "a.tex", "a.ipynb"])
def test_the_title_is_what_the_file_says(path: str) -> None:
    assert read(PLACES[path][0], path).title == "River birds"


def test_what_org_says_of_itself_is_date_tags_and_fields() -> None:
    draft = read(ORG, "a.org")
    assert (str(draft.date), draft.date_source, draft.tags) == (
        "2026-03-14",
        "properties",
        ("river", "cold", "tag"),
    )
    assert draft.fields == (("author", "Ann"),)


def test_cards_are_read_from_top_to_bottom_and_those_of_files_are_links() -> None:
    draft = read(*PLACES["a.canvas"][:1], "a.canvas")
    assert [(link.target, link.anchor) for link in draft.links] == [("notes/c.md", "Winter"), ("b", "")]
    assert draft.tags == ("bird",)


def test_rows_are_never_cut_and_a_table_of_many_is_many_chunks() -> None:
    text = "name,count\n" + "".join(f'"bird {n}\nof the weir",{n}\n' for n in range(2000))
    draft = read(text, "a.csv")
    starts = [draft.body[chunk.start_char :].partition("\n")[0] for chunk in draft.chunks]
    assert len(starts) > 10
    assert all(line.startswith(('"bird', "name")) for line in starts)


def test_every_suffix_has_a_function_that_reads_it() -> None:
    assert all(callable(formats.of(suffix)) for suffix in formats.FORMATS)


def test_of_a_drawing_the_words_are_read_each_once() -> None:
    draft = read(
        """<?xml version="1.0"?>
        <svg xmlns="http://www.w3.org/2000/svg"><title>River map</title>
        <style><![CDATA[text { fill: red }]]></style>
        <g><desc>Where birds stand</desc><path d="M3 2h18"/>
        <text><tspan x="0">The heron</tspan><tspan x="0" dy="2">waits.</tspan></text></g>
        <switch><foreignObject><div>An island</div></foreignObject><text>An island</text></switch></svg>""",
        "map.svg",
    )
    assert (draft.title, draft.format) == ("River map", "svg")
    assert draft.body == f"River map\n\nWhere birds stand\n\n{HERON}\n\nAn island"


@pytest.mark.parametrize("drawn", ['<path d="M3 2h18"/>', "<title> </title>", "<g>" * 20_000, ""])
def test_a_drawing_without_words_is_no_document(drawn: str) -> None:
    found = Reading().read(Entry("a.svg", 1, 0, 1), f"<svg>{drawn}</svg>".encode())
    assert isinstance(found, Problem)
    assert found.state == "skipped"


@pytest.mark.parametrize("path", ["a.ipynb", "a.canvas"])
@pytest.mark.parametrize("text", ["{", "[]", '{"cells": 3, "nodes": {}}', '{"cells": [4], "nodes": ["a"]}'])
def test_what_is_no_notebook_or_canvas_is_said(text: str, path: str) -> None:
    assert isinstance(Reading().read(Entry(path, 1, 0, 1), text.encode()), Problem)


@pytest.mark.parametrize(
    "text", ["a: b: c", "a: &a [*a]", "- a: 1\n- b: 2\n", "{" * 5000, "\t- x", "? [a]\n: b"]
)
def test_yaml_that_is_none_is_still_text(text: str) -> None:
    assert read(text, "a.yaml").body == text
