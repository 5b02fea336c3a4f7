"""The first pass against its slowest leg, and the whole default pipeline above it, over 100,000 chunks."""

from __future__ import annotations

from itertools import cycle

from ark_tui.domain.protocols import NEVER
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.retrieval import opening, pipeline
from ark_tui.settings import load
from benchmarks import corpus
from benchmarks.measure import Figure, in_turns, middle, percentile, rounded, tell

QUERIES = 120
FIRST = ("read", "bm25", "first pass")  # laps


def main() -> None:
    with Engine(load(corpus.home(), environ={})) as engine:
        engine.warm()
        at = engine._parts.corpus  # noqa: SLF001  the legs are no public thing
        queries = cycle(corpus.queries(QUERIES))
        whole_query = cycle(corpus.queries(QUERIES))

        def leg(query: str, *names: str) -> None:
            """The first pass of one leg alone, or of the others."""
            search = opening.read(at, Request(query, profile="default"), NEVER)
            first = [signal for signal in opening.active(search) if signal.stage == "first"]
            mine = [signal for signal in first if (signal.backend == "words") == ("words" in names)]
            pipeline._proposals(search, mine)  # noqa: SLF001

        stages: list[dict[str, float]] = []

        def whole() -> None:
            result = engine.search(Request(next(whole_query)))
            stages.append(dict(result.stages))

        def legs() -> None:
            query = next(queries)
            leg(query, "words")
            leg(query)

        both, _ = in_turns([legs, whole], rounds=QUERIES)
        stages.clear()
        words_alone, vectors_alone, pipe = in_turns(
            [lambda: leg(next(queries), "words"), lambda: leg(next(queries)), whole], rounds=QUERIES
        )
        stages = stages[-QUERIES:]
    first = [sum(lap[name] for name in FIRST) for lap in stages]
    names = [name for name in stages[0] if name not in FIRST]
    later = {f"{name}_ms": middle([lap[name] for lap in stages]) for name in names}
    slowest = max(middle(words_alone), middle(vectors_alone))
    above = middle(pipe) - middle(first)
    ratio = middle(first) / slowest
    tell(
        Figure(
            "first_pass", round(ratio, 3), "≤ 1.3",
            rounded(
                words_ms=middle(words_alone), vectors_ms=middle(vectors_alone), one_by_one_ms=middle(both),
                first_pass_ms=middle(first), **later, above_ms=above,
                pipeline_p50_ms=middle(pipe), pipeline_p95_ms=percentile(pipe, 0.95),
            ),
        ),
        f"The first pass costs {ratio:.2f} × its slowest leg; the whole pipeline takes {above:.1f} ms more: "
        f"p50 {middle(pipe):.1f} ms, p95 {percentile(pipe, 0.95):.1f} ms, 100,000 chunks (≤ 25 ms more)",
    )  # fmt: skip


if __name__ == "__main__":
    main()
