"""How deep and how long the JSON of a request may be, found out before anything is made of it."""

from __future__ import annotations

import re

from ark_tui.faces.http.failures import Refused

DEEPEST = 32  # arrays and objects within each other
MOST = 100_000  # values in all

STRING = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
BRACKETS = re.compile(rb"[][{}]")
OPENING = b"[{"


def check(body: bytes) -> None:
    """Raise `Refused` for JSON that is deeper or longer than any request needs to be."""
    bare = STRING.sub(b"", body)
    if bare.count(b",") + bare.count(b"[") + bare.count(b"{") > MOST:
        raise Refused(413, f"A request may hold {MOST:,} values.", "Send it in several parts.")
    depth = 0
    for bracket in BRACKETS.findall(bare):
        depth += 1 if bracket in OPENING else -1
        if depth > DEEPEST:
            raise Refused(400, f"JSON may be {DEEPEST} levels deep here.", "Send it flatter.")
