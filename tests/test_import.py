import importlib.util
import subprocess
import sys

import pytest

import terc

HEAVY = (
    "torch",
    "sklearn",
    "gymnasium",
    "matplotlib",
    "pandas",
    "pyarrow",
    "scipy",
    "joblib",
    "rich",
    "typer",
)


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_import_is_light_and_silent():
    code = f"import sys, terc; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert run(code) == "[]"


def test_import_takes_well_under_half_a_second():
    code = "import numpy, time; begin = time.process_time(); import terc; print(time.process_time() - begin)"
    assert min(float(run(code)) for _ in range(3)) < 0.25


def test_a_name_is_public_from_the_day_its_module_exists():
    there = {name for name, module in terc._MODULE_OF.items() if exists(module)}
    assert there == set(terc.__all__) & set(terc._MODULE_OF)


def exists(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # not even its folder
        return False


def test_public_names_are_listed_before_they_are_loaded():
    assert set(terc.__all__) <= set(dir(terc))


@pytest.mark.parametrize("name", terc.__all__)
def test_public_names_load(name):
    assert getattr(terc, name) is not None


def test_functions_are_not_replaced_by_modules_of_their_name():
    modules = [terc._MODULE_OF[name] for name in terc.__all__ if name in terc._MODULE_OF]
    code = (
        f"import terc, {', '.join(modules)}\n"
        "modules = type(terc)\n"
        f"print([name for name in {list(terc._MODULE_OF)!r} if isinstance(vars(terc).get(name), modules)])"
    )
    assert run(code) == "[]"


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'selct'"):
        _ = terc.selct


@pytest.mark.parametrize("first", ["import terc, gymnasium", "import gymnasium, terc"])
def test_gymnasium_knows_our_environments_in_either_order_of_import(first):
    code = (
        f"{first}\nprint(*(gymnasium.spec(name).id for name in ('terc/SecretKey-v0', 'terc/TitForNTats-v0')))"
    )
    assert run(code) == "terc/SecretKey-v0 terc/TitForNTats-v0"


def test_version_is_that_of_the_package():
    from importlib.metadata import version

    assert terc.__version__ == version("terc")
