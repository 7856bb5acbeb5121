"""Optional libraries: what is said when one is missing, and that only its verb asks for it."""

from __future__ import annotations

import sys

import pytest

from planecast.errors import MissingError
from planecast.extras import extra_library


def test_a_library_that_is_there_is_loaded() -> None:
    assert extra_library("json", "none", "here").loads("1") == 1


@pytest.mark.parametrize(
    "module", ["distributed", "optuna", "SALib.sample.sobol", "snappi", "uvicorn"]
)
def test_a_missing_one_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    name = module.partition(".")[0]
    for loaded in [one for one in sys.modules if one.partition(".")[0] == name]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingError) as missing:
        extra_library(module, "extra", "--option", "leave it out")
    assert str(missing.value) == (
        f"--option: the library {name} is not installed; pip install 'planecast[extra]', "
        "or leave it out"
    )
