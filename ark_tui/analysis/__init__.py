"""Numerical analysis of a corpus: arrays in, arrays out. Rows are documents (or chunks), by index.

```
neighbours → network ─┬─ pagerank   what many paths lead to
                      ├─ betweenness   what shortest paths pass through
                      ├─ fiedler   the easiest division
                      └─ communities ─ terms, layout, gaps
novelty   the spectrum, and outliers
```
"""
