"""CleanRL's agents, in memory and as checkpoints, act as their own networks do."""

import gymnasium as gym
import numpy as np
import pytest

import terc
from terc.agents import as_policy, load_policy
from terc.agents.checkpoints import policy_of_weights
from terc.errors import BadTypeError, DataFileError, TercError

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
    torch.save({"agent": actor.state_dict(), "step": 3}, tmp_path / "own.pt")
    with torch.no_grad():
        wanted = actor(torch.from_numpy(states)).numpy()
    for given in (tmp_path / "td3.cleanrl_model", tmp_path / "own.pt"):
        np.testing.assert_allclose(load_policy(given, allow_pickle=True).act(states), wanted, atol=1e-5)
    np.testing.assert_allclose(as_policy(actor).act(states), wanted, atol=1e-5)


def test_what_is_said_of_a_file_must_be_about_its_kind(tmp_path):
    policy = policy_of_weights({"actor.0.weight": np.ones((2, 3)), "actor.0.bias": np.zeros(2)}, "a")
    assert repr(policy).startswith("NetworkPolicy(3-2 tanh, PolicySpec(")
    policy.save(tmp_path / "p.npz")
    for wrong in ("algorithm", "activation", "vec_normalize"):
        with pytest.raises(TercError, match=f"{wrong}.*(Stable-Baselines3|weights of torch)"):
            load_policy(tmp_path / "p.npz", **{wrong: "tanh"})


def test_checkpoints_that_are_something_else(tmp_path):
    torch.save(nn.Linear(2, 2).state_dict(), tmp_path / "other.pt")
    with pytest.raises(BadTypeError, match=r"no dense layers under actor.*is \['bias', 'weight'\]"):
        load_policy(tmp_path / "other.pt", allow_pickle=True)
    torch.save([3], tmp_path / "list.pth")
    with pytest.raises(DataFileError, match="holds a int, wanted a state dictionary"):
        load_policy(tmp_path / "list.pth", allow_pickle=True)
    torch.save(nn.Linear(2, 2), tmp_path / "module.pt")
    with pytest.raises(DataFileError, match="holds more than weights. Load it yourself and pass the module"):
        load_policy(tmp_path / "module.pt", allow_pickle=True)
    with pytest.raises(BadTypeError, match="tanh or relu between its layers, this Module has neither"):
        as_policy(nn.Module())


class Own(nn.Module):
    """Somebody's own network, whose answers are not those of its layers alone."""

    def __init__(self, outputs, name="network"):
        super().__init__()
        torch.manual_seed(0)
        setattr(self, name, nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, outputs)))
        self.layers = getattr(self, name)

    def forward(self, x):
        return self.layers((x - 0.5) * torch.tensor([1.0, -1.0, 2.0, 0.1], dtype=x.dtype))


class Acting(Own):
    def act(self, state):
        assert state.shape == (4,)
        return int(self(torch.as_tensor(state)).argmax())


class OfRLlib(Own):
    """A module of RLlib's new interface."""

    def forward_inference(self, batch):
        return {"action_dist_inputs": super().forward(batch["obs"])}

    def forward(self, x):
        return super().forward(x["obs"] if isinstance(x, dict) else x)


OF_CART_POLE = {
    "a module of RLlib": lambda: OfRLlib(2, "body"),
    "layers with a scale before them": lambda: Own(2),
    "names of one's own": lambda: Own(2, "body"),
    "a method that acts": lambda: Acting(2, "body"),
    "one layer": lambda: nn.Linear(4, 2),
    "double precision": lambda: Own(2).double(),
    "a function of tensors": lambda: lambda states: Own(2)(states).argmax(-1),
}


@pytest.mark.parametrize("kind", OF_CART_POLE)
def test_anybodys_module_acts_as_it_answers(kind):
    module = OF_CART_POLE[kind]()
    data = terc.rollout("CartPole-v1", module, steps=60, seed=0)
    scores = Own(2) if kind == "a function of tensors" else module
    with torch.no_grad():
        parts = [torch.as_tensor(row.copy(), dtype=next(scores.parameters()).dtype) for row in data.states]
        assert data.actions.tolist() == [int(scores(part).argmax()) for part in parts]


def test_modules_of_several_choices_and_of_numbers():
    shown, played = [], []

    class Room(gym.Env):
        observation_space = gym.spaces.Box(-1, 1, (4,), np.float32)

        def __init__(self, actions):
            self.action_space = actions

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            shown.append(self.np_random.uniform(-1, 1, 4).astype(np.float32))
            return shown[-1], {}

        def step(self, action):
            played.append(action)
            return shown[-1], 0.0, False, True, {}

    for actions, outputs in ((gym.spaces.MultiDiscrete([2, 3]), 5), (gym.spaces.Box(-9, 9, (2,)), 2)):
        shown.clear(), played.clear()
        terc.rollout(lambda actions=actions: Room(actions), Own(outputs, "body"), steps=30, seed=0)
        with torch.no_grad():
            answers = Own(outputs)(torch.as_tensor(np.stack(shown))).numpy()[: len(played)]
        wanted = (
            np.stack([answers[:, :2].argmax(1), answers[:, 2:].argmax(1)], 1) if outputs == 5 else answers
        )
        np.testing.assert_allclose(np.stack(played), wanted, atol=1e-5)


@pytest.mark.parametrize("batch", ["n", 1])
def test_onnx_files(batch, tmp_path):
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    weights = np.random.default_rng(0).normal(size=(4, 2)).astype(np.float32)
    states, scores = (
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [batch, size])
        for name, size in (("obs", 4), ("logits", 2))
    )
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("MatMul", ["obs", "w"], ["logits"])],
        "net",
        [states],
        [scores],
        [onnx.numpy_helper.from_array(weights, "w")],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, tmp_path / "net.onnx")
    data = terc.rollout("CartPole-v1", tmp_path / "net.onnx", steps=60, seed=0)
    assert data.actions.tolist() == (data.states.astype(np.float32) @ weights).argmax(1).tolist()
    (tmp_path / "cut.onnx").write_bytes((tmp_path / "net.onnx").read_bytes()[:30])
    with pytest.raises(DataFileError, match="cut.onnx cannot be read"):
        load_policy(tmp_path / "cut.onnx")
