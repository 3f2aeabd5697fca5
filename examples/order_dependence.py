"""Algorithm 1 depends on the order in which variables are tried; method="minimal" does not.

The action is x3 = x1 xor x2, and all three are observed. {x3} is enough, and so is {x1, x2}: two subsets
of different size stand in for each other, condition 1 of the paper fails, and Algorithm 1 ends at whichever
is tried last.
"""

from itertools import permutations

import numpy as np

import terc


def xor_world(steps: int = 3000, seed: int = 0) -> terc.Trajectories:
    """Two fair bits, their XOR, and an action that follows it nine times out of ten."""
    rng = np.random.default_rng(seed)
    x1, x2 = rng.integers(0, 2, (2, steps))
    x3 = x1 ^ x2
    action = x3 ^ (rng.random(steps) < 0.1)
    return terc.Trajectories(
        np.stack([x1, x2, x3], axis=1), action, names=["x1", "x2", "x3"], episodes=np.arange(steps)
    )


def main() -> None:
    """Show both methods in every order, and why."""
    data = xor_world()
    print("tried first ... last     sequential   minimal")
    for order in permutations(data.names):
        sequential = terc.select(data, "plugin", "sequential", order=order).kept
        minimal = terc.select(data, "plugin", "minimal", order=order).kept
        print(f"{' '.join(order):<24} {' '.join(sequential):<12} {' '.join(minimal)}")
    print()
    print(terc.check_condition_1(data))


if __name__ == "__main__":
    main()
