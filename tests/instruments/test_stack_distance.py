"""The stack distances of the tracing plug-in, against counting by brute force."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planecast.native import native_folder

LINE = 64


@pytest.fixture(scope="module")
def distances() -> Path:
    program = native_folder() / "planecast-distances"
    if not os.access(program, os.X_OK):
        pytest.skip("planecast-distances is not built")
    return program


def computed(program: Path, addresses: list[int]) -> list[int | None]:
    done = subprocess.run(
        [program],
        input=" ".join(f"{address:x}" for address in addresses),
        capture_output=True,
        text=True,
        check=True,
    )
    return [None if word == "cold" else int(word) for word in done.stdout.split()]


def by_brute_force(addresses: list[int]) -> list[int | None]:
    """Distinct lines since the last touch of each one's line; None for the first."""
    lines = [address // LINE for address in addresses]
    found: list[int | None] = []
    for at, line in enumerate(lines):
        before = next((i for i in range(at - 1, -1, -1) if lines[i] == line), None)
        found.append(None if before is None else len(set(lines[before + 1 : at])))
    return found


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 80 * LINE - 1), max_size=300))
def test_any_trace(distances: Path, addresses: list[int]) -> None:
    assert computed(distances, addresses) == by_brute_force(addresses)


def test_a_trace_with_a_working_set_far_beyond_the_recent_lines(distances: Path) -> None:
    generator = random.Random(1)
    places = [generator.randrange(1500) * LINE for _ in range(4000)]
    assert computed(distances, places) == by_brute_force(places)


def test_a_walk_in_circles_touches_what_is_farthest(distances: Path) -> None:
    walk = [line * LINE for line in range(1000)] * 3
    assert computed(distances, walk) == [None] * 1000 + [999] * 2000


def test_what_is_no_address(distances: Path) -> None:
    done = subprocess.run([distances], input="10 word", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "planecast-distances: this is no address\n")
