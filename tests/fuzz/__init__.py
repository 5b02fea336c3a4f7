"""Inputs that nobody means well with, for everything that reads them."""
