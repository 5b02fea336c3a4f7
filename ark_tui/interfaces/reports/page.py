"""A report as one self-contained HTML page: its Markdown, rendered, with plots in color.

It has no scripts and adapts to the width and to dark and light. A content security policy forbids loading and
running anything. HTML in texts is not rendered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt

from ark_tui.interfaces.reports import markdown, plots
from ark_tui.interfaces.reports.report import Figure, Report

if TYPE_CHECKING:
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from rich.text import Text

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1c2024;--faint:#5c6570;--line:#d9dee3;--soft:#f4f6f8;
--words:#0072b2;--meaning:#c04a00;--time:#00704f;--structure:#882255;--model:#333}
@media (prefers-color-scheme:dark){:root{--paper:#14171a;--ink:#e6e8ea;--faint:#9aa4ae;--line:#343a41;
--soft:#1d2125;--words:#56b4e9;--meaning:#e69f00;--time:#2fbf94;--structure:#cc79a7;--model:#f0e442}}
body{margin:0 auto;max-width:60rem;padding:1.5rem 1.25rem 4rem;background:var(--paper);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .25rem}
h2{font-size:1.4rem;margin:3rem 0 .75rem;padding-bottom:.3rem;border-bottom:2px solid var(--line)}
h3{font-size:1.05rem;margin:2rem 0 .5rem}
p{margin:.5rem 0;max-width:44rem}
nav a{margin-right:1.25rem}a{color:var(--words)}
table{border-collapse:collapse;display:block;max-width:100%;overflow-x:auto;margin:.5rem 0;font-size:.92rem;
overflow-wrap:normal}
th{text-align:left;color:var(--faint);font-weight:600;border-bottom:2px solid var(--line)}
th,td{padding:.35rem 1.1rem .35rem 0;vertical-align:top;font-variant-numeric:tabular-nums}
td{border-bottom:1px solid var(--line);max-width:32rem;overflow-wrap:anywhere}
blockquote{border-left:3px solid var(--line);padding:.1rem 0 .1rem 1rem;margin:.5rem 0 1rem}
pre{overflow-x:auto;margin:.5rem 0;padding:.75rem;background:var(--soft);border-radius:6px;
font:13px/1.2 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:normal}
.words{color:var(--words)}.meaning{color:var(--meaning)}.time{color:var(--time)}
.structure{color:var(--structure)}.model{color:var(--model)}
@media print{body{max-width:none}pre,tr{break-inside:avoid}}
"""


def written(report: Report) -> str:
    """The whole page."""
    title, names = escape(report.title), [section.name for section in report.sections]
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("heading_open", _heading)
    figures = iter(one for section in report.sections for one in section.figures)
    content = parser.render(markdown.written(report), {"figures": figures, "names": iter(names)})
    links = [f'<a href="#{section.name}">{escape(section.title)}</a>' for section in report.sections]
    contents = f'<nav aria-label="Contents">{" ".join(links)}</nav>\n' if len(links) > 1 else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="generator" content="ark-tui">\n<link rel="icon" href="data:,">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{contents}{content}</body>\n</html>\n"
    )


def _heading(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """A heading; that of a section has an id, to which the contents lead."""
    if tokens[index].tag == "h2":
        tokens[index].attrSet("id", next(env["names"]))
    return renderer.renderToken(tokens, index, options, env)


def _fence(_: RendererHTML, __: Sequence[Token], ___: int, ____: Any, env: Any) -> str:
    """The next plot: Markdown has it without color."""
    figure: Figure = next(env["figures"])
    lines = "".join(_colored(plots.drawn(figure.chart)))
    return f'<pre role="img" aria-label="{escape(figure.about or figure.title)}">{lines}</pre>\n'


def _colored(drawn: Text) -> Iterator[str]:
    """The text of a plot as HTML, colored by family."""
    done = 0
    for start, end, family in sorted(drawn.spans):
        text = escape(drawn.plain[start:end])
        yield escape(drawn.plain[done:start])
        yield f'<span class="{family}">{text}</span>' if family else text
        done = end
    yield escape(drawn.plain[done:])
