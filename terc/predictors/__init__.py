"""How probable an action is, given some variables, on held-out episodes: several predictors, one mixture."""
