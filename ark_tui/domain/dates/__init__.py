"""Date parsing: dates in files, time expressions in queries, and dates as index terms.

`text`: days, months and quarters in running text. `stamps`: times as index terms, and the dates of files.
`query`: time expressions of a query, parsed by the English and German `grammar` (`words`, `tokens`, `names`,
`relative`) into `days`. Standard library only.
"""
