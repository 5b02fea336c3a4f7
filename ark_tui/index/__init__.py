"""The followers: indexes that catch up with the store's change log, and their readers."""
