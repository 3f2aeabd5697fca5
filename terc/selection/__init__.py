"""Deciding which variables are needed, and saying why."""
