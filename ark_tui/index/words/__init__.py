"""The word index: tantivy's BM25 over title, headings and body, with identifiers and text without spaces."""
