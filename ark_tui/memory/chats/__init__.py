"""Chats that people have already: exports of other programs, read as conversations."""
