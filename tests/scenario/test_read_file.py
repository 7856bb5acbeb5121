"""What a person names may be anything: reading it is bounded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planecast.errors import InputError
from planecast.scenario.read_file import MOST_OF_A_DEVICE, MOST_OF_A_RUN, read_bytes


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_no_more_is_read_of_an_endless_device_than_a_terminal_holds(device: str) -> None:
    with pytest.raises(InputError, match="larger than 1,024 KiB"):
        read_bytes(Path(device), MOST_OF_A_RUN)


def test_a_file_and_a_pipe_may_hold_more_than_a_device(tmp_path: Path) -> None:
    held = bytes(MOST_OF_A_DEVICE + 1)
    (tmp_path / "file").write_bytes(held)
    assert read_bytes(tmp_path / "file", MOST_OF_A_RUN) == held
    with pytest.raises(InputError, match="larger than 1,024 KiB"):
        read_bytes(tmp_path / "file", MOST_OF_A_DEVICE)
    read, write = os.pipe()
    os.write(write, b"a: 1\n")
    os.close(write)
    try:
        assert read_bytes(Path(f"/dev/fd/{read}"), MOST_OF_A_RUN) == b"a: 1\n"
    finally:
        os.close(read)
