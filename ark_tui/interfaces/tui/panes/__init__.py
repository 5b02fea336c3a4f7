"""The panes, each a module and a stylesheet."""
