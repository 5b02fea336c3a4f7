"""The shape of a corpus: numbers in, numbers out. Rows are documents (or chunks), by place.

```
cells → neighbours → network ─┬─ pagerank   what much leads to
                              ├─ betweenness   what shortest paths run through
                              ├─ fiedler   where it comes apart
                              └─ communities ─ terms, layout, gaps
spectrum → novelty   what stands apart
```
"""
