"""Pictures of a selection and of a run, each a function that returns a matplotlib Figure.

>>> import terc.figures
>>> from example_data import cart_pole
>>> figure = terc.figures.gain_bars(cart_pole())            # any Selection
>>> text = terc.figures.to_svg(figure)                       # or terc.figures.save(figure, "gains.png")
"""

from terc.figures.bayesian_network import bayesian_network
from terc.figures.condition_1_bars import condition_1_bars
from terc.figures.elimination_path import elimination_path
from terc.figures.estimator_health import estimator_health
from terc.figures.frontier import frontier
from terc.figures.gain_bars import gain_bars
from terc.figures.inference_times import InferenceTime, inference_times
from terc.figures.lag_heat_map import history_length_curve, lag_heat_map
from terc.figures.learning_curves import learning_curves, return_by_state_length
from terc.figures.method_agreement import agent_agreement, method_agreement
from terc.figures.quarter_gains import quarter_gains
from terc.figures.redundancy_groups import redundancy_groups
from terc.figures.svg import save, to_svg
from terc.interquartile import bootstrap_band, interquartile_mean

__all__ = [
    "InferenceTime", "agent_agreement", "bayesian_network", "bootstrap_band", "condition_1_bars",
    "elimination_path", "estimator_health", "frontier", "gain_bars", "history_length_curve",
    "inference_times", "interquartile_mean", "lag_heat_map", "learning_curves", "method_agreement",
    "quarter_gains", "redundancy_groups", "return_by_state_length", "save", "to_svg",
]  # fmt: skip
