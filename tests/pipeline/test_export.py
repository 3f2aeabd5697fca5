import pytest

from terc.errors import DataFileError
from terc.pipeline.export import export


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(DataFileError, match="holds no run"):
        export(tmp_path)
    with pytest.raises(KeyError, match="no form named 'torch'"):
        export(tmp_path, "torch")
