"""Indexes: followers that apply the store's change log, and their readers."""
