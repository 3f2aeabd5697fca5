"""Fixtures for all tests."""

import os

import hypothesis
import numpy as np
import pytest

# No test depends on the clock.
hypothesis.settings.register_profile("terc", deadline=None)
hypothesis.settings.load_profile("terc")


def pytest_generate_tests(metafunc):
    """Run every test that asks for `seed` with seed 0, or with the first TERC_TEST_SEEDS seeds."""
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(int(os.environ.get("TERC_TEST_SEEDS", "1"))))


@pytest.fixture(autouse=True, scope="session")
def one_torch_thread():
    """Small networks on a busy machine are fastest with one thread; torch is not loaded for this alone."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(autouse=True)
def no_lines_by_the_clock(monkeypatch):
    """Progress writes a line every ten seconds; how many that are would depend on the machine."""
    monkeypatch.setattr("terc.progress_display.SECONDS_BETWEEN_LINES", 1e6)


@pytest.fixture
def rng(seed):
    """The random stream of a test that may be repeated with other seeds."""
    return np.random.default_rng(seed)
