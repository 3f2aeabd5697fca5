"""Which variables stand in for one another, does condition 1 hold, how long a history is needed."""
