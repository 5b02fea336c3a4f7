"""Judgments: how well documents answer queries, for measuring the ranking."""

from __future__ import annotations

from typing import Annotated, Literal

from ark_tui.domain.curation import GRADES, Done, Judgment
from ark_tui.domain.errors import UsageError
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Page, Param, operation, page
from ark_tui.operations.params import Limit, Line, Offset, Ref

TAKEN_BACK = "0"

Query = Annotated[
    Line, Param("The query, in its words.", example="spectral gap", metavar="QUERY", argument=True)
]


@operation("judge", Effect.SETS, command="eval judge", route="POST /judgments",
           example='ark-tui eval judge "spectral gap" @1 +')  # fmt: skip
def judge(
    call: Call,
    query: Query,
    ref: Ref,
    grade: Annotated[
        Literal["++", "+", "-", "0"],
        Param("++ is the best answer, + an answer, - no answer; 0 removes the judgment.", example="+",
              metavar="++|+|-|0", argument=True),
    ],
) -> Done:  # fmt: skip
    """Judge how well a document answers a query, for measuring the ranking."""
    if not (query and ref and grade):
        raise UsageError("A judgment needs a query, a document and a grade.", "A grade is ++, +, - or 0.")
    from ark_tui.curation import edits

    return call.engine.curation.edit(edits.judge, query, ref, None if grade == TAKEN_BACK else GRADES[grade])


@operation("judgments", Effect.READS, command="eval judgments", listed="judgments",
           example='ark-tui eval judgments "spectral gap"')  # fmt: skip
def judgments(
    call: Call,
    query: Annotated[Query | None, Param("Only of this query.")] = None,
    limit: Limit = 1000,
    offset: Offset = 0,
) -> Page[Judgment]:  # fmt: skip
    """List what was judged, by query, the best first; `grade` is 2, 1 or 0."""
    return page(call.engine.curation.judgments(query or ""), limit, offset)
