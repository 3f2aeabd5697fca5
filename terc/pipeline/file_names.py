"""Names of the files in a run folder that more than one module reads or writes."""

RETURNS = "returns.json"
ABLATION = "ablation.json"
DISTILLED = "agents/distilled.npz"
FRONTIER = "frontier.json"
LEARNING = "learning.json"
INFERENCE = "inference.json"
