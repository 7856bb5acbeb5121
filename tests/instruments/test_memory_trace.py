"""Memory traces: a program whose references are known, and what is made of contexts."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from planecast.errors import MissingError, RunError
from planecast.instruments.memory_trace import Trace, read_trace, trace_words, traced_stages
from planecast.workload.stage_map import StageMap, StageRule

LINES, ROUNDS = 4096, 7
MAP = StageMap(
    name="walks",
    source="tests/native/walks.c",
    stages=("walk", "fill", "toss"),
    rules=(
        StageRule(stage="toss", functions=("stage_toss",)),
        StageRule(stage="walk", functions=("stage_walk",)),
        StageRule(stage="fill", functions=("stage_fill",)),
    ),
)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """The trace of walks.c."""
    folder = tmp_path_factory.mktemp("walks")
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    try:
        words = trace_words(folder / "trace.json", {})
    except MissingError as error:
        pytest.skip(str(error))
    source = Path(__file__).parent.parent / "native" / "walks.c"
    subprocess.run(["cc", "-O2", "-o", folder / "walks", source], check=True)
    subprocess.run([*words, folder / "walks"], check=True, timeout=60)
    return read_trace(folder / "trace.json")


def test_references_and_distances_are_those_of_the_source(trace: Trace) -> None:
    found = traced_stages(trace, MAP, packets=ROUNDS)
    assert list(found) == ["walk", "fill", "toss", "other"]
    walk, fill = found["walk"], found["fill"]
    assert walk.loads.misses(1024) == pytest.approx(LINES, rel=1e-3)
    assert fill.stores.misses(1024) == pytest.approx(LINES, rel=1e-3)
    assert walk.stores.misses(1024) == 0
    for touches in (walk.loads, fill.stores):
        assert touches.misses(LINES - 512) == pytest.approx(LINES, rel=1e-3)
        assert touches.misses(LINES + 512) == 0
        assert touches.cold_per_packet == 0
    assert walk.loads.touches_per_packet == pytest.approx(LINES, abs=8)
    assert trace.lines >= LINES
    # Lines in order come to a page once in 64; some pages are the stack's and the globals'.
    pages = LINES // 64
    assert walk.pages.touches_per_packet == pytest.approx(walk.loads.touches_per_packet, rel=0.01)
    for stage in (walk, fill):
        assert stage.pages.misses(8) == pytest.approx(pages, abs=4)
        assert stage.pages.misses(4 * pages) == 0
    assert pages <= trace.pages < trace.lines
    # A loop of a load, an addition, a comparison and a jump.
    assert 3 * LINES < walk.instructions_per_packet < 6 * LINES


def test_branches_that_no_history_shows_are_mispredicted(trace: Trace) -> None:
    found = traced_stages(trace, MAP, packets=ROUNDS)
    assert found["toss"].mispredictions_per_packet == pytest.approx(LINES / 2, rel=0.1)
    for stage in ("walk", "fill", "other"):
        assert found[stage].mispredictions_per_packet < 4


def test_contexts_become_stages_by_their_callers() -> None:
    nothing = {"count": 0, "cold": 0, "distances": {}}
    far = {"count": 8, "cold": 4, "distances": {"16": 4}}
    numbers = {"instructions": 80, "prefetches": 0, "loads": far, "stores": nothing, "pages": far}
    text = Trace.model_validate(
        {
            "lines": 5,
            "pages": 5,
            "references": 8,
            "mappings": [],
            "nodes": [
                {"parent": -1, "entry": 16, **numbers},
                {"parent": 0, "entry": 32, **numbers},
                {"parent": 1, "entry": 48, **numbers},
            ],
        }
    )
    stages = StageMap(
        name="made up",
        source="this test",
        stages=("inner",),
        rules=(StageRule(stage="inner", functions=("0x20",)),),
    )
    found = traced_stages(text, stages, packets=8)
    assert found["inner"].instructions_per_packet == 20
    assert found["other"].instructions_per_packet == 10
    assert found["inner"].loads.bins == ((16, 18, 1.0),)
    assert found["inner"].loads.cold_per_packet == 1.0
    assert found["inner"].pages == found["inner"].loads


def test_no_trace(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="wrote no trace"):
        read_trace(tmp_path / "trace.json")
