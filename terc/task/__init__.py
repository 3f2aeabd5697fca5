"""Beyond one policy: how stable a selection is, what the task needs, and how dependence grew in training."""
