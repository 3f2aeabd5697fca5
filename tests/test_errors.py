import pytest

from terc import errors


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.BadValueError, ValueError),
        (errors.BadTypeError, TypeError),
        (errors.UnknownNameError, KeyError),
        (errors.DataFileError, ValueError),
        (errors.MissingExtraError, ImportError),
    ],
)
def test_each_error_is_also_the_builtin_a_caller_expects(error, builtin):
    with pytest.raises(builtin, match="a plain sentence") as caught:
        raise error("a plain sentence")
    assert isinstance(caught.value, errors.TercError)
    assert str(caught.value) == "a plain sentence"


def test_unknown_name_lists_what_there_is():
    error = errors.unknown_name("select", "variable", "b", ["a", "c"])
    assert str(error) == "select: no variable named 'b'. There is ['a', 'c']."


def test_unknown_name_shortens_a_long_list():
    text = str(errors.unknown_name("select", "variable", "b", [f"x_{i}" for i in range(300)]))
    assert "'x_29'] and 270 more" in text
    assert "x_30" not in text
