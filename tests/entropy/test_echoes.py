"""Echoes: what helps only until the others are learnt."""

from types import SimpleNamespace

import numpy as np
import pytest

import terc
from terc.entropy.echoes import MOST_TRIED, TO_COME, Echoes
from terc.entropy.evidence import Evidence, Level, Question
from terc.predictors.splits import split
from terc.synthetic import KINDS

LEVEL = Level(alpha=0.05, tests=4, floor=0.01)


def needed(gain, instrument="mixture"):
    return Evidence(gain, 0.001, 1e-9, True, instrument)


class Learning:
    """Views of which the loss from half of the steps and from all is given."""

    def __init__(self, rng, losses, noise=0.05, own_noise=0.0):
        self.splits = split(np.repeat(np.arange(50), 8), rng=rng)
        self.noise, self.own = noise * rng.standard_normal(400), own_noise * rng.standard_normal((4, 400))
        self.losses, self.asked = losses, []

    def while_learning(self, view):
        self.asked.append(view)
        half, full = self.losses.get(view, (3.0, 3.0))
        both = zip((half, full), self.own[2 * (len(view) > 1) :], strict=False)
        return tuple(SimpleNamespace(mean=m, losses=m + self.noise + own, residual=m) for m, own in both)


class Covariance:
    """Gains that are a share of the residual that one looks at; what is said of each variable is given."""

    def __init__(self, share, said=None, least=0.0):
        self.share, self.said, self.least = share, said or {}, least

    def scores(self, left, residual, *, among):
        return SimpleNamespace(gain=np.full(10, max(self.least, self.share * (residual - 1))))

    def said_of(self, variables, given):
        return self.said.get(variables[0], 9.0)


def searched(views, gains, instrument="mixture", share=0.0, said=None, least=0.0):
    """What is found of units 0, 1, .. whose gains beside the others are given."""
    echoes = Echoes(views, Covariance(share, said, least))

    def ask(questions):
        return [echoes.known(q) or needed(gains[q.removed[0][0]], instrument) for q in questions]

    return echoes, echoes.search(ask, LEVEL, [(j,) for j in range(len(gains))], ())


def test_a_gain_that_falls_to_nothing_is_that_of_an_echo(rng):
    """Without 1 the loss falls from 2.5 to 1.2, with it from 2.0 to 1.0: its gain falls from 0.5 to 0.2."""
    views = Learning(rng, {(0,): (2.5, 1.2), (1,): (1.4, 1.4), (0, 1): (2.0, 1.0)})
    echoes, may = searched(views, {0: 0.4, 1: 0.2})
    assert echoes.units == ((1,),) and may == ()
    (found,) = echoes.found.values()
    assert not found.needed and found.instrument == "learning"
    # 0.2 - 2.41 x 0.3 is below nothing.
    assert (found.gain, found.error) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("half", "full"),
    [
        (2.1, 1.2),  # the gain rises from 0.1 to 0.2
        (2.2, 1.2),  # it stays
        (2.24, 1.2),  # it falls by too little to come to nothing
    ],
)
def test_a_gain_that_does_not_fall_to_nothing_is_a_doubt_only(half, full, rng):
    views = Learning(rng, {(0,): (half, full), (1,): (1.4, 1.4), (0, 1): (2.0, 1.0)})
    echoes, may = searched(views, {0: 0.4, 1: 0.2})
    assert echoes.units == () and may == ((1,),)


def test_no_doubt_where_nothing_is_left_to_learn(rng):
    """The last doubling taught 0.05 nats: 2.41 times that, 0.12, may still come, and 0.2 is more."""
    views = Learning(rng, {(0,): (1.25, 1.2), (1,): (1.4, 1.4), (0, 1): (1.0, 1.0)})
    assert searched(views, {0: 0.4, 1: 0.2})[1] == ()
    assert round(0.05 * TO_COME, 2) == 0.12


def test_a_gain_that_falls_and_may_not_come_to_nothing_is_a_doubt_only(rng):
    """Needed variables that go together gain a little less, too: from 0.28 to 0.2 leaves 0.007 +- 0.06."""
    views = Learning(rng, {(0,): (2.28, 1.2), (1,): (1.4, 1.4), (0, 1): (2.0, 1.0)}, own_noise=0.2)
    echoes, may = searched(views, {0: 0.4, 1: 0.2})
    assert echoes.units == () and may == ((1,),)


def test_what_residuals_saw_must_fall_by_residuals_too(rng):
    """They saw 0.15 and then 0.02; where they see 0.06 throughout, it is not known to be an echo."""
    losses = {(0,): (2.5, 1.2), (1,): (1.4, 1.4), (0, 1): (2.0, 1.0)}
    echoes, may = searched(Learning(rng, losses), {0: 0.4, 1: 0.05}, "residuals", 0.1)
    assert echoes.units == ((1,),) and may == ()
    echoes, may = searched(Learning(rng, losses), {0: 0.4, 1: 0.05}, "residuals", least=0.06)
    assert echoes.units == () and may == ((1,),)


def test_what_is_no_echo_beside_more_is_not_asked_about_beside_fewer(rng):
    views = Learning(rng, {})
    echoes, may = searched(views, {0: 0.4, 1: 0.2, 2: 0.3})
    looked = len(views.asked)
    assert looked == 3 and may == ()
    echoes.search(lambda questions: [needed(0.3) for _ in questions], LEVEL, [(0,), (2,)], ())
    assert len(views.asked) == looked
    echoes.search(lambda questions: [needed(0.3) for _ in questions], LEVEL, [(0,), (3,)], ())
    assert len(views.asked) > looked


def test_an_echo_is_known_beside_more_than_it_repeats_and_not_beside_less(rng):
    echoes = Echoes(Learning(rng, {}), Covariance(0.0))
    found = Evidence(0.0, 0.0, 1.0, False, "learning")
    echoes.found[Question(((1,),), ((0,), (2,)))] = found
    assert echoes.known(Question(((1,),), ((0,), (2,), (3,)))) is found
    assert echoes.known(Question(((1,),), ((0,), (3,)))) is None
    assert echoes.known(Question(((2,),), ((0,), (1,), (3,)))) is None


def test_what_gains_more_than_the_others_say_of_it_is_no_echo(rng):
    """The same data as in the first test, but 0 says 0.05 nats of 1, which gains four times that."""
    views = Learning(rng, {(0,): (2.5, 1.2), (1,): (1.4, 1.4), (0, 1): (2.0, 1.0)})
    echoes, may = searched(views, {0: 0.4, 1: 0.2}, said={1: 0.05})
    assert echoes.units == () and may == ()
    assert (0,) not in views.asked


def test_those_are_tried_that_gain_least_of_what_is_said_of_them(rng):
    count = MOST_TRIED + 3
    others = [tuple(k for k in range(count) if k != j) for j in range(count)]
    views = Learning(rng, dict.fromkeys(others, (1.0, 1.0)))
    said = {j: 0.2 if j == 2 else 10.0 - j for j in range(count)}
    searched(views, dict.fromkeys(range(count), 0.1), said=said)
    assert [others.index(view) for view in views.asked] == [0, 1, 3, 4, 5]


@pytest.mark.parametrize(
    ("kind", "echo"), [("last_action_recorded", "last_action"), ("mate_that_follows", "mate")]
)
def test_an_echo_of_a_network_policy_is_not_kept(kind, echo):
    """Without the search both are: see the next test."""
    found = KINDS[kind](6000, seed=4)
    selection = terc.select(found.data)
    assert found.is_exact(selection.kept)
    (note,) = (note.text for note in selection.notes if note.code == "repeated")
    assert echo in note


def test_an_echo_is_not_kept_by_the_naive_method_either():
    found = KINDS["last_action_recorded"](6000, seed=4)
    assert found.is_exact(terc.select(found.data, method="naive").kept)


@pytest.mark.parametrize("kind", ["last_action_recorded", "mate_that_follows"])
def test_without_the_search_it_is_kept(kind, monkeypatch):
    monkeypatch.setattr(Echoes, "search", lambda *_: ())
    found = KINDS[kind](6000, seed=4)
    assert not found.is_exact(terc.select(found.data).kept)
