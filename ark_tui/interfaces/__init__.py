"""Interfaces: what a person or a program sees of the engine."""
