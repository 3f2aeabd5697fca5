"""A policy in an environment: steps recorded as `Trajectories`, whole episodes side by side."""
