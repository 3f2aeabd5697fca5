"""Drop what a controller does not look at and imitate it from the rest, in one scikit-learn pipeline.

The controller pushes a cart left or right by four numbers; three more columns are noise. The pipeline keeps
the columns its actions depend on and fits a classifier to those alone.
"""

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from terc import synthetic
from terc.sklearn import TercSelector


def main() -> None:
    """Record, split by episode, fit, and compare with a classifier that reads every column."""
    data = synthetic.cart_pole_like(4_000, seed=0).data
    states = pd.DataFrame(data.states, columns=list(data.names))
    actions = np.where(data.actions == 1, "right", "left")
    train, test = next(
        GroupShuffleSplit(1, test_size=0.25, random_state=0).split(states, groups=data.episodes)
    )

    selector = TercSelector(random_state=0).set_output(transform="pandas")
    pipeline = make_pipeline(selector, StandardScaler(), KNeighborsClassifier(25))
    pipeline.fit(states.iloc[train], actions[train], tercselector__episodes=data.episodes[train])
    everything = make_pipeline(StandardScaler(), KNeighborsClassifier(25))
    everything.fit(states.iloc[train], actions[train])

    kept = selector.get_feature_names_out()
    print(selector.selection_)
    print(f"\nkept {len(kept)} of {states.shape[1]} variables: {', '.join(kept)}")
    print(f"imitates {pipeline.score(states.iloc[test], actions[test]):.1%} of the actions of new episodes")
    print(f"with every column: {everything.score(states.iloc[test], actions[test]):.1%}")


if __name__ == "__main__":
    main()
