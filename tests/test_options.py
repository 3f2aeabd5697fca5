"""The options of `select` are declared in one place; wherever else they stand, they are the same."""

import inspect
from dataclasses import fields

import numpy as np
import pytest
import typer.main

import terc
from terc.cli.main import app
from terc.cli.options import HOW_TYPED, read_options
from terc.errors import BadValueError, UnknownNameError
from terc.pipeline.config import RunConfig
from terc.selection.settings import OPTIONS, Execution, Settings, Subject
from terc.sklearn import TercSelector

DECLARED = {one.name: one for kind in (Settings, Execution, Subject) for one in fields(kind)}
ODD = {
    "estimator": "plugin",
    "method": "naive",
    "alpha": 0.01,
    "min_effect": 0.25,
    "order": ["b", "a"],
    "costs": {"a": 2.0},
    "groups": [["a", "b"]],
    "keep": ["a"],
    "seed": 7,
    "error_rate": "discovery",
}
"""A value other than the default for each option; one more option needs one more value here."""


@pytest.fixture(scope="module")
def still():
    """Steps whose action never changes, which `select` answers at once."""
    rng = np.random.default_rng(0)
    return terc.Trajectories(rng.integers(0, 2, (200, 2)), np.zeros(200, int), names=["a", "b"])


def test_every_option_has_help_and_a_value_here():
    assert set(ODD) == set(OPTIONS)
    assert all(DECLARED[name].metadata["help"] for name in DECLARED if name != "progress")
    assert all(getattr(Settings(), name) != value for name, value in ODD.items())


def test_the_signature_of_select_is_the_declared_one():
    parameters = dict(inspect.signature(terc.select).parameters)
    del parameters["data"]
    assert {name: one.default for name, one in parameters.items()} == {
        name: one.default for name, one in DECLARED.items()
    }


def test_select_describes_every_option():
    assert all(f"\n        {name}: " in terc.select.__doc__ for name in DECLARED)


@pytest.mark.filterwarnings("ignore:select. the action never changes")
@pytest.mark.parametrize("name", OPTIONS)
def test_select_records_what_it_was_given(name, still):
    assert terc.select(still, **{name: ODD[name]}).config[name] == ODD[name]


@pytest.mark.filterwarnings("ignore:select. the action never changes")
def test_the_selector_takes_and_passes_on_every_option(still):
    renamed = {"seed": "random_state"}
    options = {renamed.get(name, name): ODD[name] for name in OPTIONS}
    assert set(TercSelector().get_params()) == {*options, "n_jobs", "backend", "nominal", "action_kind"}
    defaults = TercSelector().get_params()
    assert all(defaults[renamed.get(name, name)] == DECLARED[name].default for name in OPTIONS)
    options["order"], options["costs"], options["keep"] = ["x1", "x0"], {"x0": 2.0}, ["x0"]
    options["groups"] = [["x0", "x1"]]
    found = TercSelector(**options).fit(still.states, still.actions).selection_.config
    assert found == {name: options[renamed.get(name, name)] for name in OPTIONS}


def test_a_run_has_every_option():
    assert {name: getattr(RunConfig("CartPole-v1"), name) for name in OPTIONS} == Settings().to_dict() | {
        "keep": ()
    }
    assert RunConfig("CartPole-v1", **ODD).only(*OPTIONS) == ODD


def flags(command):
    return {one.name: one for one in typer.main.get_command(app).commands[command].params}


@pytest.mark.parametrize("command", ["select", "run", "compare"])
def test_every_option_has_a_flag_with_its_help(command):
    for name in OPTIONS:
        assert flags(command)[name].help.startswith(DECLARED[name].metadata["help"])


def test_select_has_a_flag_for_what_it_alone_takes():
    assert {one.name for one in fields(Subject)} <= set(flags("select"))
    assert read_options({"steps": "5000", "of": ["a,b"]}, ["a", "b"]) == {"steps": 5000, "of": ["a", "b"]}
    assert read_options({"steps": "all"}) == {"steps": "all"}


@pytest.mark.parametrize("command", ["select", "run", "compare", "paper", "ablate", "distill"])
def test_every_long_command_can_be_quiet(command):
    assert flags(command)["quiet"].opts == ["--quiet"]


def test_how_an_option_is_typed_is_known():
    assert set(HOW_TYPED.values()) <= {"names", "order", "groups", "costs", "number"}


def test_names_may_be_typed_before_they_are_known():
    typed = {"order": ["a,b"], "groups": ["a,b", "c"], "costs": ["a=2"], "keep": ["a", "b,c"], "alpha": None}
    assert read_options(typed) == {
        "order": ["a", "b"],
        "groups": [["a", "b"], ["c"]],
        "costs": {"a": 2.0},
        "keep": ["a", "b", "c"],
    }


def test_compare_gives_terc_its_options():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (400, 2))
    data = terc.Trajectories(x, x[:, 0], names=["a", "b"], episodes=np.arange(400))
    sides = terc.compare(data, ["terc", "permutation"], options={"keep": ["b"], "alpha": 0.01})
    assert sides["terc"].kept == ("a", "b") and sides["terc"].config["alpha"] == 0.01
    assert sides["permutation"].kept == ("a",)
    with pytest.raises(BadValueError, match="options are those of 'terc', which is not among"):
        terc.compare(data, ["permutation"], options={"alpha": 0.01})
    with pytest.raises(UnknownNameError, match="no option of terc named 'alhpa'"):
        terc.compare(data, ["terc"], options={"alhpa": 0.01})
