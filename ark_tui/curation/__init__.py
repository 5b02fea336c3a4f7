"""Curation: what a person says of documents, every word of it with its inverse."""
