"""Estimators of the action's conditional entropy given any subset of the variables."""
