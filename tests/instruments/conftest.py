"""A program whose instructions are known, and latency curves made by hand."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "native" / "counted.c"


@pytest.fixture(scope="session")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled counted.c."""
    if shutil.which("cc") is None or not Path("/usr/include/valgrind/callgrind.h").exists():
        pytest.skip("needs a C compiler and valgrind's headers")
    program = tmp_path_factory.mktemp("native") / "counted"
    # -O2 and no march: valgrind must be able to run it everywhere.
    subprocess.run(["cc", "-O2", "-g", "-o", str(program), str(SOURCE)], check=True)
    return program
