"""Whether agents learn faster on TERC's state, and when that needs to be repeated."""

from dataclasses import replace

import pytest

from terc.paper.claims import AGREES, DIFFERS, OPEN
from terc.paper.gains import SHORT
from terc.paper.learning import again_tasks
from terc.paper.scale import PRESETS, TOY
from terc.paper.study_claims import WorldClaims, _late
from terc.paper.worlds import PAPER_WORLDS, secret_key_world
from terc.selection.result import Interval, Selection, Verdict
from terc.store import Store, Task

SCALE = replace(TOY, agents=3, our_agents=3, mine_agents=3)


def chose(names, *removed):
    """A selection of these variables without those removed."""
    rows = tuple(Verdict(n, 0.0, 0.0, 0.0, 0.0, 1.0, n not in removed, "irrelevant") for n in names)
    return Selection(rows, retained=Interval(1.0, 1.0, 1.0), information=1.0)


def learnt(store, world, names, *removed, smaller=-1.0, whole=-2.0):
    """Three agents of each kind and three learners on what they keep; the third agent keeps everything."""

    def done(key, record):
        store.do(Task(f"{world}/{key}", "", lambda *given: record, {}))

    for whose in PRESETS.values():
        for seed in range(3):
            curve = {"curve": [[10, whole - seed / 100]], "names": names, "played": 10}
            done(f"{whose}-{seed}/agent", curve)
            done(f"learners/{whose}-terc-{seed}", {"curve": [[10, smaller - seed / 100]]})
            one = chose(names) if seed == 2 else chose(names, *removed)  # two of three decide
            for short in SHORT.values():
                done(f"{whose}-{seed}/{short}", one.to_dict())
    return done


@pytest.mark.parametrize(("removed", "verdict"), [(("key_1",), AGREES), ((), OPEN)])
def test_learning_is_compared_on_the_state_that_most_agents_share(removed, verdict, tmp_path):
    store = Store(tmp_path, "paper")
    learnt(store, "secret-key-2", ["key_0", "key_1"], *removed)
    assert WorldClaims(SCALE, store, secret_key_world(2))._learning("fast").verdict == verdict


@pytest.mark.parametrize(("again", "verdict"), [(-2.0, DIFFERS), (-1.0, OPEN)])
def test_slower_learning_without_noise_alone_must_be_repeated(again, verdict, tmp_path):
    store, world = Store(tmp_path, "paper"), PAPER_WORLDS["cart-pole"]
    done = learnt(store, "cart-pole", ["x", "noise_0"], "noise_0", smaller=-2.0, whole=-1.0)
    asked = [task.key for task in again_tasks(SCALE, store, [world]) if "/ours-" in task.key]
    assert asked == [
        f"cart-pole/learners/ours-{name}-{seed}" for name in ("terc", "all") for seed in (3, 4, 5)
    ]
    for key in asked:
        value = again if "-terc-" in key else -1.0
        done(key.removeprefix("cart-pole/"), {"curve": [[10, value - int(key[-1]) / 100]]})
    side = WorldClaims(SCALE, store, world)._learning("fast")
    assert side.verdict == verdict
    assert ("not repeated" in side.cause) is (verdict == OPEN)


def test_slower_learning_without_what_is_needed_names_it(tmp_path):
    store, world = Store(tmp_path, "paper"), PAPER_WORLDS["cart-pole"]
    learnt(store, "cart-pole", ["x", "y"], "y", smaller=-2.0, whole=-1.0)
    assert again_tasks(SCALE, store, [world]) == []
    side = WorldClaims(SCALE, store, world)._learning("fast")
    assert (side.verdict, side.cause) == (DIFFERS, "Without {y} they got -2.0, with it -1.0.")


def test_the_end_of_a_training_is_its_last_tenth():
    curve = [[10 * k, float(k)] for k in range(1, 21)]
    assert (_late(curve, 0), _late(curve, 1)) == (19.5, 17.5)
