"""CleanRL's agents, in memory and as checkpoints, act as their own networks do."""

import numpy as np
import pytest

from terc.agents import as_policy, load_policy
from terc.errors import BadTypeError, DataFileError

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402


class Agent(nn.Module):
    """Laid out as in CleanRL's scripts for PPO and DQN."""

    def __init__(self, kind):
        super().__init__()
        between = nn.ReLU if kind == "network" else nn.Tanh
        setattr(self, kind, nn.Sequential(nn.Linear(3, 8), between(), nn.Linear(8, 2)))
        if kind == "actor_mean":
            self.actor_logstd = nn.Parameter(torch.zeros(1, 2))


@pytest.mark.parametrize("kind", ["actor", "actor_mean", "network"])
def test_checkpoints_act_as_the_network(kind, tmp_path):
    agent, states = Agent(kind), np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    torch.save(agent.state_dict(), tmp_path / "ppo.cleanrl_model")
    with torch.no_grad():
        outputs = getattr(agent, kind)(torch.from_numpy(states)).numpy()
    wanted = outputs if kind == "actor_mean" else outputs.argmax(axis=1)
    for policy in (as_policy(agent), load_policy(tmp_path / "ppo.cleanrl_model", allow_pickle=True)):
        np.testing.assert_allclose(policy.act(states), wanted, atol=1e-5)
        assert (policy.probabilities(states) is not None) == (kind == "actor")
    with pytest.raises(DataFileError, match="only the weights would be loaded.*--allow-pickle"):
        load_policy(tmp_path / "ppo.cleanrl_model")


class Squashed(nn.Module):
    """Laid out as CleanRL's actors of TD3 and SAC."""

    def __init__(self, last):
        super().__init__()
        self.fc1, self.fc2, self.last = nn.Linear(3, 8), nn.Linear(8, 8), last
        setattr(self, last, nn.Linear(8, 2))
        self.register_buffer("action_scale", torch.tensor([2.0, 3.0]))
        self.register_buffer("action_bias", torch.tensor([0.0, 1.0]))

    def forward(self, x):
        x = torch.relu(self.fc2(torch.relu(self.fc1(x))))
        return torch.tanh(getattr(self, self.last)(x)) * self.action_scale + self.action_bias


@pytest.mark.parametrize("last", ["fc_mu", "fc_mean"])
def test_actors_of_td3_and_sac(last, tmp_path):
    actor, states = Squashed(last), np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    torch.save((actor.state_dict(), {}), tmp_path / "td3.cleanrl_model")
    torch.save({"actor_state_dict": actor.state_dict(), "step": 3}, tmp_path / "own.pt")
    with torch.no_grad():
        wanted = actor(torch.from_numpy(states)).numpy()
    for given in (tmp_path / "td3.cleanrl_model", tmp_path / "own.pt"):
        np.testing.assert_allclose(load_policy(given, allow_pickle=True).act(states), wanted, atol=1e-5)
    np.testing.assert_allclose(as_policy(actor).act(states), wanted, atol=1e-5)


def test_checkpoints_that_are_something_else(tmp_path):
    torch.save(nn.Linear(2, 2).state_dict(), tmp_path / "other.pt")
    with pytest.raises(BadTypeError, match=r"no dense layers under actor.*is \['bias', 'weight'\]"):
        load_policy(tmp_path / "other.pt", allow_pickle=True)
    torch.save([3], tmp_path / "list.pth")
    with pytest.raises(DataFileError, match="holds a int, wanted a state dictionary"):
        load_policy(tmp_path / "list.pth", allow_pickle=True)
    torch.save(nn.Linear(2, 2), tmp_path / "module.pt")
    with pytest.raises(DataFileError, match="holds more than weights.*pass a function"):
        load_policy(tmp_path / "module.pt", allow_pickle=True)
    with pytest.raises(BadTypeError, match="tanh or relu between its layers, this Linear has neither"):
        as_policy(nn.Linear(2, 2))
