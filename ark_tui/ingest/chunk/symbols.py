"""Chunking of source code by functions and classes, with tree-sitter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate, count, repeat
from math import inf
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple

from ark_tui.ingest.chunk.pack import Piece
from ark_tui.ingest.chunk.strategies import short
from ark_tui.ingest.markdown import characters

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree

LARGEST = 500_000  # bytes; longer files are generated or data
DEEPEST = 20  # nesting depth of definitions
FAIR = 200  # parser steps and reads allowed for any source
STEP = 50  # bytes per additional step
LONGEST_S, EACH_S = 0.4, 2e-6  # CPU seconds allowed per source, and per byte; real code needs less
SLICE = 1_024  # bytes passed to the parser per read
NESTED = 1_000  # nesting depth of brackets; handwritten source has less
BARE = 60  # maximum characters of a class header that joins its first method
CLOSING = 12  # maximum characters of a remainder that only closes a symbol: `}`, `end`, `#endif`
INDENT = 200  # maximum indentation in bytes


GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "rust": ("tree_sitter_rust", "language"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "bash": ("tree_sitter_bash", "language"),
    # From the extra `code`:
    "ruby": ("tree_sitter_ruby", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "kotlin": ("tree_sitter_kotlin", "language"),
    "lua": ("tree_sitter_lua", "language"),
    "swift": ("tree_sitter_swift", "language"),
}
"""The parser module of each language, and its function that returns the grammar."""


def _kinds(names: str) -> frozenset[str]:
    return frozenset(names.split())


# Types of nodes. They mean the same in every grammar that has them, so one set serves all languages.
TYPES = _kinds(
    "abstract_class_declaration class class_declaration class_definition class_specifier enum_declaration "
    "impl_item interface_declaration internal_module mod_item module namespace_definition object_declaration "
    "protocol_declaration record_declaration struct_declaration struct_specifier trait_declaration trait_item"
)
"""Named definitions that contain further ones."""
SYMBOLS = TYPES | _kinds(
    "annotation_type_declaration constructor_declaration enum_item enum_specifier function_declaration "
    "function_definition function_item generator_function_declaration init_declaration macro_definition "
    "method method_declaration method_definition protocol_function_declaration singleton_method struct_item "
    "type_alias_declaration type_declaration type_definition union_item union_specifier variable_declarator"
)
"""All named definitions."""
HOLDERS = TYPES | _kinds(
    "block class_body companion_object compound_statement declaration_list enum_body_declarations "
    "enum_class_body if_statement linkage_specification namespace_declaration preproc_if preproc_ifdef "
    "protocol_body try_statement ERROR"
)
"""Nodes that are searched for definitions."""
WRAPPERS = _kinds(
    "decorated_definition export_statement expression_statement lexical_declaration template_declaration "
    "variable_declaration"
)
"""Nodes around a definition, such as a decorator or an export."""
LEADERS = _kinds("attribute_item block_comment comment decorator line_comment multiline_comment")
"""Nodes that belong to the definition after them."""

_RECEIVER = re.compile(r"(\w+)(?:\[[^\]]*\])?\s*\)$")  # the type in Go's `(s *Store[K])`
_FUNCTION_VALUES = _kinds("arrow_function function_expression generator_function")


def pieces(body: str, language: str, start: int = 0) -> list[Piece]:
    """Functions, methods and classes, each a chunk with its qualified name as heading (`Store.commit`).

    Code of a class outside its methods has the class as heading; imports and the like have none. Empty for
    a language without a grammar, for very large sources, and for sources that cannot be parsed in time.
    """
    data = body[start:].encode("utf-8", "replace")
    if language not in GRAMMARS or len(data) > LARGEST or missing(language):
        return []
    tree = _tree(language, data)
    if tree is None:
        return []
    borders = [_Border(0, ""), *_borders(tree.root_node, data, "", DEEPEST)]
    places = characters(data, accumulate((border.at for border in borders), max), start)
    found: list[Piece] = []
    for begin, end, border in zip(places, [*places[1:], len(body)], borders, strict=True):
        piece = Piece(begin, end, border.name, True, False, "symbol" if border.name else "code", language)
        last = found[-1] if found else None
        if last and not border.opens and len(body[begin:end].strip()) <= CLOSING:
            found[-1] = last._replace(end=end)
        elif last and border.name.startswith(f"{last.heading}.") and _is_bare(body[last.start : last.end]):
            found[-1] = piece._replace(start=last.start)
        elif begin < end:
            found.append(piece)
    return found


@cache
def missing(language: str) -> bool:
    """Whether the grammar of a language is missing because its extra is not installed."""
    return language in GRAMMARS and find_spec(GRAMMARS[language][0]) is None


def _is_bare(text: str) -> bool:
    """Whether a class consists of its header line only; it then joins its first method."""
    return len(text) < BARE and "\n" not in text.strip()


class _Border(NamedTuple):
    """Byte offset where a symbol begins (`opens`) or ends, and the name that applies from there on."""

    at: int
    name: str
    opens: bool = False


def _borders(parent: Node, data: bytes, prefix: str, depth: int) -> Iterator[_Border]:
    """The borders of the symbols inside `parent`, in order."""
    lead, lead_row, ended = None, -1, 0
    for child in parent.children:
        if child.type in LEADERS and child.start_byte >= ended:
            if lead is None or child.start_point.row > lead_row + 1:
                lead = child
            lead_row = child.end_point.row
            continue
        node = _unwrapped(child)
        name = _name(node) if _is_definition(node) else ""
        if name:
            close = lead is not None and child.start_point.row <= lead_row + 1
            qualified = short(f"{prefix}.{name}" if prefix else name)
            yield _Border(_line_start(data, lead if lead and close else child), qualified, opens=True)
            if depth and node.type in TYPES:
                inside = node.child_by_field_name("body") or node
                yield from _borders(inside, data, qualified, depth - 1)
            ended = _line_end(data, child.end_byte)
            yield _Border(ended, prefix)
        elif depth and child.type in HOLDERS:
            yield from _borders(child, data, prefix, depth - 1)
        lead = None


def _unwrapped(node: Node) -> Node:
    while node.type in WRAPPERS:
        inner = next((c for c in node.named_children if c.type in WRAPPERS | SYMBOLS), None)
        if inner is None:
            return node
        node = inner
    return node


def _is_definition(node: Node) -> bool:
    if node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        return value is not None and value.type in _FUNCTION_VALUES
    if node.type == "namespace_definition":  # without a body, it is a line of PHP for the rest of the file
        return node.child_by_field_name("body") is not None
    return node.type in SYMBOLS


def _name(node: Node) -> str:
    """The name of a definition, or "" if it has none."""
    if node.type == "type_declaration":
        return next((_text(spec, "name") for spec in node.named_children if _text(spec, "name")), "")
    if name := _text(node, "name"):
        receiver = _RECEIVER.search(_text(node, "receiver")[-INDENT:])
        return f"{receiver[1]}.{name}" if receiver else name.replace("::", ".").replace(":", ".")
    if node.type == "impl_item":
        return _text(node, "type").partition("<")[0]
    declarator = node.child_by_field_name("declarator")
    while declarator is not None:
        inner = declarator.child_by_field_name("declarator")
        if inner is None:
            return (declarator.text or b"").decode("utf-8", "replace").replace("::", ".")
        declarator = inner
    return ""


def _text(node: Node, field: str) -> str:
    found = node.child_by_field_name(field)
    return (found.text or b"").decode("utf-8", "replace") if found else ""


def _line_start(data: bytes, node: Node) -> int:
    """Start of the node's line if only indentation precedes the node, else start of the node."""
    at, column = node.start_byte, node.start_point.column
    return at if column > INDENT or data[at - column : at].strip() else at - column


def _line_end(data: bytes, at: int) -> int:
    """End of the line if only a comment or a semicolon follows, else `at`."""
    rest, line_break, _ = data[at : at + INDENT].partition(b"\n")
    ends = line_break or at + len(rest) == len(data)
    remark = not rest.strip() or rest.strip().startswith((b";", b"#", b"//"))
    return at + len(rest) if ends and remark else at


def _tree(language: str, data: bytes) -> Tree | None:
    """Parse source into a syntax tree; None if the parser exceeds its limits.

    Code needs up to 1/60 step per byte. Pathological input needs a quadratic number of steps, is read
    repeatedly, or makes each step slower than the one before; only the time limit detects the last case.
    """
    from tree_sitter import Parser

    if _nests_too_deep(data):
        return None
    work: Iterator[int] = count()
    end = thread_time() + LONGEST_S + EACH_S * len(data)
    hopeless = False

    def beyond(at: int) -> bool:
        nonlocal hopeless
        hopeless = hopeless or next(work) > FAIR + at // STEP or thread_time() > end
        return hopeless

    def read(at: int, _: object) -> bytes:
        return b"" if beyond(len(data)) else data[at : at + SLICE]

    try:
        tree = Parser(_language(language)).parse(read, progress_callback=lambda at, _: beyond(at))
    except ValueError:
        return None
    work, end = repeat(0), inf  # no limits from here on: node texts use the same read callback
    return None if hopeless else tree


_NO_BRACKETS = bytes(set(range(256)) - set(b"([{}])"))
_NO_TYPE = re.compile(rb"[>;(){}]")  # ends nested type arguments, or shows that `<` is not one


def _nests_too_deep(data: bytes) -> bool:
    """Whether brackets nest so deeply that a single parser step may need seconds and gigabytes."""
    depth = 0
    for byte in data.translate(None, delete=_NO_BRACKETS):
        depth = depth + 1 if byte in b"([{" else max(0, depth - 1)
        if depth > NESTED:
            return True
    return any(part.count(b"<") > NESTED for part in _NO_TYPE.split(data))


@cache
def _language(name: str) -> Language:
    from tree_sitter import Language

    module, function = GRAMMARS[name]
    return Language(getattr(import_module(module), function)())
