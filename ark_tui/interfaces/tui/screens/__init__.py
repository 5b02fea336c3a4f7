"""The screens: the workbench and the screens that open above it."""
