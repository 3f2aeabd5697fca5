"""What tells two functions or objects apart, and what is known again in another process."""

import os
import subprocess
import sys
from functools import cached_property, lru_cache, partial
from pathlib import Path
from types import MappingProxyType

import gymnasium as gym
import numpy as np
import pytest
import torch

from terc.identity import UNTOLD, content_digest, identity_of

SIZE = 5


def made(size):
    return lambda: dict(size=size)


def notebook(source):
    """The names of a notebook after a cell was run: a place that nothing can be imported from."""
    names = {"__name__": "__main__"}
    exec(compile(source, "<cell>", "exec"), names)
    return names


CELL = """
import gymnasium as gym

SIZE = 5

class World(gym.Env):
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}

def make():
    return World(), SIZE
"""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda: dict(size=5), lambda: dict(size=6)),
        (made(5), made(6)),
        (partial(dict, size=5), partial(dict, size=6)),
        (partial(made(5)), partial(made(6))),
        (lambda size=5: size, lambda size=6: size),
        (lambda: lambda: 5, lambda: lambda: 6),
        (lambda state: state.real, lambda state: state.imag),
        (partial(np.take, np.zeros(3)), partial(np.take, np.ones(3))),
        (np.random.default_rng(0).random, np.random.default_rng(1).random),
    ],
)
def test_what_differs_is_told_apart(one, other):
    assert identity_of(one) != identity_of(other)
    assert UNTOLD not in identity_of(one) + identity_of(other)
    assert identity_of(one) == identity_of(one)


def test_equal_functions_are_the_same():
    assert identity_of(made(5)) == identity_of(made(5))
    assert identity_of(partial(dict, size=5)) == identity_of(partial(dict, size=5))


def test_what_a_module_names_is_known_by_that_name():
    assert identity_of(np.mean) == "numpy:mean"
    assert identity_of(gym.spaces.Box) == "gymnasium.spaces.box:Box"
    assert identity_of(dict.fromkeys).startswith("None:dict.fromkeys#")


@pytest.mark.parametrize(
    ("before", "after"),
    [("SIZE = 5", "SIZE = 6"), ("Discrete(2)", "Discrete(3)"), ("return 0, {}", "return 1, {}")],
)
def test_a_change_anywhere_in_a_notebook_is_seen(before, after):
    assert identity_of(notebook(CELL)["make"]) == identity_of(notebook("\n\n" + CELL)["make"])
    assert identity_of(notebook(CELL)["make"]) != identity_of(notebook(CELL.replace(before, after))["make"])


def test_use_of_a_space_is_no_change():
    names = notebook(CELL)
    before = identity_of(names["make"])
    names["World"].action_space.sample()
    assert identity_of(names["make"]) == before


def test_another_process_agrees():
    script = f"from terc.identity import identity_of\n{CELL}\nprint(identity_of(make))"
    repository = Path(__file__).parent.parent
    seen = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=repository
    )
    assert seen.stdout.strip() == identity_of(notebook(CELL)["make"])


def test_what_has_no_lasting_form_is_said(tmp_path):
    with open(tmp_path / "file", "w") as stream:
        assert identity_of(lambda: stream).endswith(
            f":test_what_has_no_lasting_form_is_said.<locals>.<lambda>{UNTOLD}"
        )
        assert content_digest([stream]) is None


def test_tensors_are_their_numbers():
    one, same, other = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
    same.load_state_dict(one.state_dict())
    assert content_digest(one) == content_digest(same) is not None
    assert content_digest(one) != content_digest(other)


def test_circles_end():
    circle = []
    circle.append(circle)
    assert content_digest(circle) == content_digest(circle) is not None


def test_wrappers_are_known_by_what_they_wrap():
    def world(size):
        class World:
            @cached_property
            def length(self):
                return size

        return World

    @lru_cache
    def settings():
        return MappingProxyType({"size": 5})

    assert identity_of(world(5)) == identity_of(world(5))
    assert identity_of(world(5)) != identity_of(world(6))
    assert not identity_of(lambda: settings()).endswith(UNTOLD)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_sets_have_one_identity_in_every_process(order):
    code = (
        "from enum import Enum\n"
        "from terc.identity import identity_of\n"
        "Way = Enum('Way', 'left right')\n"
        "class Thing:\n    def __init__(self, size):\n        self.size = size\n"
        "held = {Way.left, Way.right, 'text', (1, 2), *map(Thing, range(4))}\n"
        "print(identity_of(lambda: held))\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (0, order)
    ]
    assert said[0] == said[1]
    assert UNTOLD not in said[0]
