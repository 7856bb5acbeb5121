"""The events made by hand, for the tests of this folder."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def made_events() -> ModuleType:
    """Events made from known shares."""
    path = Path(__file__).with_name("made_events.py")
    spec = importlib.util.spec_from_file_location("made_events", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
