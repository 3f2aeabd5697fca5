"""From an environment to a smaller agent: train, roll out, select, retrain, time, report."""
