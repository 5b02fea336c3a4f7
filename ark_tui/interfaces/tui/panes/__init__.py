"""The panes, each a module with a stylesheet."""
