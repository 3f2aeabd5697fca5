"""TensorBoard and Weights & Biases, both replaced by something that only remembers."""

import sys
from types import ModuleType, SimpleNamespace

import gymnasium as gym
import pytest

from terc.agents import ActorCriticConfig, train_agent
from terc.errors import MissingExtraError
from terc.loggers import Follower, TensorBoard, WeightsAndBiases
from terc.progress import Event, Seen


class Remembered(Follower):
    def __init__(self):
        self.seen = []

    def write(self, name, value, step):
        self.seen.append((name, value, step))


def test_a_training_is_followed_in_few_points():
    log = Remembered()
    train_agent(
        lambda: gym.make("CartPole-v1"), seed=0, agent=ActorCriticConfig(steps=4000), progress=log, record=0
    )
    progress = [entry for entry in log.seen if entry[0] == "training/progress"]
    returns = [entry for entry in log.seen if entry[0] == "training/return"]
    assert 1 < len(progress) <= 201 and returns and all(value > 5 for _, value, _ in returns)
    assert [step for *_, step in progress] == sorted(step for *_, step in progress)


def test_events_of_a_run():
    log = Remembered()
    log(Event("train", 1, 2, 10, 100, Seen("return 3.0", {"return": 3.0})))
    log(Event("train", 1, 2, 1, 1, finished=True))
    log(Event("select", 2, 2, 1, 4, "words only"))
    names = [name for name, *_ in log.seen]
    assert names == ["train/progress", "train/return", "tasks_done", "select/progress"]


def test_where_the_numbers_go(monkeypatch, tmp_path):
    written, logged = [], []

    class SummaryWriter:
        def __init__(self, folder):
            written.append(folder)

        def add_scalar(self, *entry):
            written.append(entry)

        def flush(self):
            pass

    board, wandb = ModuleType("torch.utils.tensorboard"), ModuleType("wandb")
    board.SummaryWriter = SummaryWriter
    wandb.init = lambda **settings: SimpleNamespace(log=logged.append, settings=settings)
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", board)
    monkeypatch.setitem(sys.modules, "wandb", wandb)
    for log in (TensorBoard(tmp_path), WeightsAndBiases(project="terc", mode="offline")):
        log(5, 10, Seen("return 2.0", {"return": 2.0}))
    assert written == [str(tmp_path), ("training/progress", 0.5, 5), ("training/return", 2.0, 5)]
    assert logged[1] == {"training/return": 2.0, "training/step": 5}
    monkeypatch.setitem(sys.modules, "wandb", None)
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(MissingExtraError, match="pip install wandb"):
        WeightsAndBiases()
    with pytest.raises(MissingExtraError, match="pip install tensorboard"):
        TensorBoard(tmp_path)
