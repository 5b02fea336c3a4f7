"""Dates, in one place: as files write them, as queries say them, and as terms of the word index.

`text`: days, months and quarters in running text. `documents`: the dates of files. `stamps`: times as index
terms. `query`: the times that a query names, by the `grammar` of English and German (`words`, `tokens`,
`names`, `relative`), as `days`. Standard library only.
"""
