"""Curation: a person's edits of documents, each with its inverse for undo."""
