"""What the workbench knows: settings, session, actions, messages, and what is handed to those above."""
