"""The word index: tantivy's BM25 over title, headings, body, identifiers and text without spaces."""
