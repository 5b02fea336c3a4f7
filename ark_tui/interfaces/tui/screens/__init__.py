"""The screens: the workbench itself, and what opens above it."""
