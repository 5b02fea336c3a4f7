"""The panes: Search and Library."""
