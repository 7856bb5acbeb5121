"""The documentation site, built once for all tests, and the browser that looks at it."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.chromium import browser
from tests.conftest import REPOSITORY

__all__ = ["browser"]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; mkdocs ends with an error at any warning, so building it is a check."""
    # The workers of a run share the folder above: the first one builds, the others wait.
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "site"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").is_file():
            done = subprocess.run(
                # Not --quiet, which counts no warnings.
                [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)],
                cwd=REPOSITORY,
                env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            assert "WARNING" not in done.stderr
            (folder / "complete").touch()
    return folder
