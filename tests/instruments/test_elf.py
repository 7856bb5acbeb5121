"""ELF files: functions and build IDs, against binutils."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from planecast.instruments.elf import Elf


@pytest.fixture
def symbols(counted: Path) -> dict[str, int]:
    """Functions of counted.c by name, as nm lists them."""
    if shutil.which("nm") is None:
        pytest.skip("needs nm (binutils)")
    said = subprocess.run(["nm", counted], capture_output=True, text=True, check=True).stdout
    return {m[2]: int(m[1], 16) for m in re.finditer(r"^(\w+) [Tt] (\w+)$", said, re.MULTILINE)}


def test_functions_by_address(counted: Path, symbols: dict[str, int]) -> None:
    file = Elf(counted)
    address = symbols["main"]
    assert file.function_at(address) == "main"
    assert file.function_at(address + 1) == "main"
    assert file.function_at(0xFFFFFFFF) == "0xffffffff"


def test_places_in_the_file_and_addresses(counted: Path, symbols: dict[str, int]) -> None:
    file = Elf(counted)
    code = counted.read_bytes()
    found = [at for at in range(len(code)) if file.address_of(at) == symbols["main"]]
    assert len(found) == 1
    assert file.address_of(1 << 40) is None


def test_the_build_id(counted: Path, tmp_path: Path) -> None:
    built = tmp_path / "built"
    ident = "0123456789abcdef0123456789abcdef01234567"
    source = tmp_path / "main.c"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", f"-Wl,--build-id=0x{ident}", "-o", built, source], check=True)
    assert Elf(built).build_id == ident


def test_what_is_no_elf_file_has_nothing(tmp_path: Path) -> None:
    (tmp_path / "script").write_text("#!/bin/sh\n")
    file = Elf(tmp_path / "script")
    assert (file.build_id, file.function_at(16), file.address_of(0)) == (None, "0x10", None)
