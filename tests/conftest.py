"""Fixtures for all tests."""

import os

import pytest


def pytest_generate_tests(metafunc):
    """Run every test that asks for `seed` with seed 0, or with the first TERC_TEST_SEEDS seeds."""
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(int(os.environ.get("TERC_TEST_SEEDS", "1"))))


@pytest.fixture(autouse=True, scope="session")
def one_torch_thread():
    """Small networks on a busy machine are fastest with one thread; torch is not loaded for this alone."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
