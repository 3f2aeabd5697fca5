"""Other people's ways to select variables, each returning the same `Selection`, and their comparison."""
