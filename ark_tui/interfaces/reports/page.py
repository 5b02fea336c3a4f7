"""A report as one self-contained HTML page without scripts, responsive, with dark and light colors.

All text is escaped; a content security policy forbids loading and running anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from ark_tui.interfaces.reports import plots
from ark_tui.interfaces.reports.report import Block, Excerpt, Facts, Figure, Paragraph, Report, Table

_RIGHT = ("count", "number", "share")
_COLOR = re.compile(r"\x1b\[([\d;]*)m")
CARDS = 3  # tables with more columns show rows as cards on narrow screens

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1c2024;--faint:#5c6570;--line:#d9dee3;--soft:#f4f6f8;
--words:#0072b2;--meaning:#c04a00;--time:#00704f;--structure:#882255;--model:#333;--on:#fff;--mark:#ffe9a8}
@media (prefers-color-scheme:dark){:root{--paper:#14171a;--ink:#e6e8ea;--faint:#9aa4ae;--line:#343a41;
--soft:#1d2125;--words:#56b4e9;--meaning:#e69f00;--time:#2fbf94;--structure:#cc79a7;--model:#f0e442;--on:#14171a;--mark:#5a4a12}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0 auto;max-width:60rem;padding:1.5rem 1.25rem 4rem;background:var(--paper);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .25rem}
h2{font-size:1.4rem;margin:3rem 0 .75rem;padding-bottom:.3rem;border-bottom:2px solid var(--line)}
h3{font-size:1.05rem;margin:2rem 0 .5rem}
p{margin:.5rem 0;max-width:44rem}
.made,.note,.about,figcaption{color:var(--faint);font-size:.9rem}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;padding:0;margin:1rem 0 0}
a{color:var(--words)}
dl{display:grid;grid-template-columns:fit-content(11rem) 1fr;gap:.2rem 1.25rem;margin:.75rem 0}
dt{color:var(--faint)}dd{margin:0}
table{border-collapse:collapse;max-width:100%;margin:.5rem 0;font-size:.92rem}
.cards{width:100%}
th{text-align:left;color:var(--faint);font-weight:600;border-bottom:2px solid var(--line)}
th{overflow-wrap:break-word}
th,td{padding:.35rem 1.1rem .35rem 0;vertical-align:top}
th:last-child,td:last-child{padding-right:0}
td{border-bottom:1px solid var(--line)}
.r{text-align:right;font-variant-numeric:tabular-nums;overflow-wrap:normal}
.d{white-space:nowrap;font-variant-numeric:tabular-nums}
.path{color:var(--faint);font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.85em}
summary{cursor:pointer}summary h3{display:inline}
details{margin:2rem 0 0}
figure{margin:.5rem 0 1rem}
figcaption{margin-bottom:.5rem;max-width:44rem}
article{border-left:3px solid var(--line);padding:.1rem 0 .1rem 1rem;margin:1rem 0}
article h4{margin:0;font-size:1rem}
article p{margin:.2rem 0}
mark{background:var(--mark);color:inherit;border-radius:2px}
pre.plot{overflow-x:auto;margin:.5rem 0;padding:.75rem;background:var(--soft);border-radius:6px;
font:13px/1.2 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:normal}
.words{color:var(--words)}.meaning{color:var(--meaning)}.time{color:var(--time)}
.structure{color:var(--structure)}.model{color:var(--model)}
@media (max-width:48rem){
body{padding:1rem 1rem 3rem}h1{font-size:1.55rem}
.cards thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.cards,.cards tbody{display:block}
.cards tr{display:block;border:1px solid var(--line);border-radius:6px;background:var(--soft);
padding:.4rem .75rem;margin:.6rem 0}
.cards td{display:grid;grid-template-columns:7.5rem 1fr;gap:.75rem;border:0;padding:.1rem 0;text-align:left}
.cards td::before{content:attr(data-label);color:var(--faint);
font:.92rem system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}}
@media print{body{max-width:none}article,figure,tr{break-inside:avoid}}
"""


def written(report: Report) -> str:
    """The whole page."""
    return "".join(_page(report))


def _page(report: Report) -> Iterator[str]:
    title = _text(report.title)
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield '<meta name="generator" content="ark-tui">\n<link rel="icon" href="data:,">\n'
    yield f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n"
    made = _text(report.made)
    yield f'<p class="made">Made by ark-tui at <time datetime="{made}">{made}</time>.</p>\n'
    if len(report.sections) > 1:
        yield '<nav aria-label="Contents"><ul>'
        for section in report.sections:
            yield f'<li><a href="#{_text(section.name)}">{_text(section.title)}</a></li>'
        yield "</ul></nav>\n"
    yield "</header>\n<main>\n"
    for section in report.sections:
        head = "" if report.single else f"<h2>{_text(section.title)}</h2>\n"
        yield f'<section id="{_text(section.name)}">\n{head}'
        for block in section.visible:
            yield from _block(block)
        yield "</section>\n"
    yield "</main>\n</body>\n</html>\n"


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            yield f"<p>{_text(block.text)}</p>\n"
        case Facts():
            yield "<dl>"
            for label, value in block.rows:
                yield f"<dt>{_text(label)}</dt><dd>{_text(value)}</dd>\n"
            yield "</dl>\n"
        case Table():
            yield from _table(block)
        case Excerpt():
            yield from _excerpt(block)
        case Figure():
            yield f"<h3>{_text(block.title)}</h3>\n<figure>\n<figcaption>{_text(block.about)}</figcaption>\n"
            yield f'<pre class="plot" role="img" aria-label="{_text(block.about)}">'
            yield f"{_coloured(plots.drawn(block.chart, *plots.size(block.chart), colour=True))}</pre>\n"
            yield "</figure>\n"


def _table(block: Table) -> Iterator[str]:
    head = f"<h3>{_text(block.title)}</h3>"
    if not block.rows:
        yield f'{head}\n<p class="note">{_text(block.note)}</p>\n'
        return
    yield f"<details><summary>{head}</summary>\n" if block.folded else f"{head}\n"
    yield from _rows(block)
    for sentence in (block.rest, block.note):
        if sentence:
            yield f'<p class="note">{_text(sentence)}</p>\n'
    yield "</details>\n" if block.folded else ""


def _rows(block: Table) -> Iterator[str]:
    columns = block.shown
    cards = ' class="cards"' if len(columns) > CARDS else ""
    yield f"<table{cards}>\n<thead><tr>"
    for column in columns:
        right = ' class="r"' if column.kind in _RIGHT else ""
        yield f'<th scope="col"{right}>{_text(column.label)}</th>'
    yield "</tr></thead>\n<tbody>\n"
    for cells in block.cells:
        yield "<tr>"
        for column, cell in zip(columns, cells, strict=True):
            yield f'<td data-label="{_text(column.label)}"{_class(column.kind)}>{_text(cell)}</td>'
        yield "</tr>\n"
    yield "</tbody>\n</table>\n"


def _class(kind: str) -> str:
    name = "r" if kind in _RIGHT else {"path": "path", "date": "d", "short": "d"}.get(kind, "")
    return f' class="{name}"' if name else ""


def _excerpt(block: Excerpt) -> Iterator[str]:
    yield f'<article>\n<h4>{_text(block.title)}</h4>\n<p class="about">{_text(block.about)}</p>\n<p>'
    done = 0
    for start, end in sorted(block.marks):
        if start >= done and end > start:
            yield f"{_text(block.text[done:start])}<mark>{_text(block.text[start:end])}</mark>"
            done = end
    yield f"{_text(block.text[done:])}</p>\n</article>\n"


def _coloured(drawn: str) -> str:
    """Convert the color escape sequences of a chart to HTML elements."""
    first, *rest = _COLOR.split(drawn)
    found = _text(first)
    for code, text in zip(rest[::2], rest[1::2], strict=True):
        family = plots.FAMILIES_OF.get(int(code) - 30, "") if code.isdigit() else ""
        found += f'<span class="{family}">{_text(text)}</span>' if family and text else _text(text)
    return found


def _text(text: str) -> str:
    return escape(text, quote=True)
