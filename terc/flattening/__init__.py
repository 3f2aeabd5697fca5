"""Anybody's observations and actions as flat rows of named columns, and back."""
