import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

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


def test_a_name_is_public_from_the_day_its_module_exists():
    there = {name for name, module in terc._MODULE_OF.items() if exists(module)}
    assert there == set(terc.__all__) & set(terc._MODULE_OF)


def exists(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # not even its folder
        return False


def test_public_names_are_listed_before_they_are_loaded():
    assert set(dir(terc)) == {*terc.__all__, "__version__"}


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


@pytest.mark.parametrize(
    "before",
    ["import gymnasium", "import gymnasium, terc", "import terc, gymnasium", "import terc.errors, gymnasium"],
)
def test_gymnasium_finds_our_environments_by_its_own_prefix(before):
    ids = ["terc/SecretKey-v0", "terc/TitForNTats-v0"]
    assert run(f"{before}\nprint([gymnasium.make(f'terc:{{one}}').spec.id for one in {ids}])") == str(ids)


def test_importing_the_environments_registers_them_once():
    code = "import gymnasium, terc.environments, terc\nprint([k for k in gymnasium.registry if 'terc/' in k])"
    assert run(code) == "['terc/SecretKey-v0', 'terc/TitForNTats-v0']"


def test_no_hook_is_left_in_the_import_system():
    code = "import sys, numpy\nfinders = list(sys.meta_path)\nimport terc\nprint(sys.meta_path == finders)"
    assert run(code) == "True"


def test_the_package_is_an_ordinary_module():
    code = (
        "import importlib, importlib.util, pickle, terc\n"
        "print(importlib.util.find_spec('terc').name, importlib.reload(terc).__spec__.name, repr(terc)[:13])"
    )
    assert run(code) == "terc terc <module 'terc"


def test_no_two_classes_of_one_name():
    """A reader who meets a class knows which one it is."""
    kinds = {}
    for file in Path(terc.__file__).parent.rglob("*.py"):
        for node in ast.parse(file.read_text(encoding="utf8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                kinds.setdefault(node.name, []).append(file.name)
    twice = {name for name, files in kinds.items() if len(files) > 1}
    assert twice <= {"Training"}, f"more than one class is called {sorted(twice)}"
