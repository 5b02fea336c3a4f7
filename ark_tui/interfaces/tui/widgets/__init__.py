"""The widgets that panes are made of."""
