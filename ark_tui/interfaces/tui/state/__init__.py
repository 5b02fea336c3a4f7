"""State of the workbench: settings, session, actions, messages, and services for the parts above."""
