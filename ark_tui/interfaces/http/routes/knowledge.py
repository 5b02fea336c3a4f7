"""The hand-written search route: search along links."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ark_tui.interfaces.http.server_state import AtPrincipal, AtServer, Body, Limit, Line, Router, shown
from ark_tui.operations import find
from ark_tui.operations.call import Call
from ark_tui.operations.encoding import Json, encoded


class GraphSearch(Body):
    """A search that goes further along links."""

    query: Line
    hops: Annotated[int, Field(ge=1, le=5)] = 2
    limit: Limit = 10


router = Router(tags=["knowledge"])


@router.post("/graph-search", openapi_extra=shown({"query": "spectral gap", "hops": 2}))
def graph_search(server: AtServer, principal: AtPrincipal, wanted: GraphSearch) -> Json:
    """Search, and follow links further; what they lead to is listed, however weak."""
    with server.searches.one():
        call = Call(server.engine, principal=principal)
        with call.admitted():
            return encoded(find.search(call, **wanted.model_dump(), below=True))  # type: ignore[no-any-return]
