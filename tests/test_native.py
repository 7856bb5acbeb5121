"""Finding the compiled programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.errors import MissingError
from planecast.native import how_to_build, native_folder, native_library, native_program, set_up


def test_a_named_folder_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANECAST_NATIVE", str(tmp_path))
    program = tmp_path / "planecast-probe"
    program.write_text("#!")
    with pytest.raises(MissingError, match="planecast-probe is not built"):
        native_program("planecast-probe")  # there, but no program
    program.chmod(0o755)
    assert native_program("planecast-probe") == program


def test_a_library_need_not_be_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANECAST_NATIVE", str(tmp_path))
    with pytest.raises(MissingError, match=r"planecast-trace\.so is not built"):
        native_library("planecast-trace.so")
    library = tmp_path / "planecast-trace.so"
    library.write_text("")  # as CMake installs modules: readable, no more
    assert native_library("planecast-trace.so") == library


def test_what_was_installed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLANECAST_NATIVE", raising=False)
    assert (native_folder() / "build.txt").is_file()


def test_a_program_that_is_not_there_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANECAST_NATIVE", "/nowhere")
    with pytest.raises(MissingError) as error:
        native_program("planecast-dataplane")
    assert error.value.exit_code == 3
    assert str(error.value) == (
        "/nowhere: the program planecast-dataplane is not built; "
        "install libdpdk-dev and run `make setup` (`planecast doctor` says more)"
    )


def test_a_package_without_a_clone_is_built_again_by_pip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert how_to_build() == "`make setup`"
    monkeypatch.setattr("planecast.native.__file__", str(tmp_path / "lib/planecast/native.py"))
    assert "pip install" in how_to_build()
    assert "make" not in how_to_build()
    assert set_up("ovs") == "tools/setup.sh ovs in a clone of planecast"
