"""The probe: its program on this machine, what is read off it, and what is remembered."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from planecast.errors import MissingError, RunError
from planecast.instruments import probe
from planecast.instruments.machine_probe import MachineProbe
from planecast.instruments.probe_output import parse_output
from planecast.instruments.probe_reading import read_probe
from planecast.machine.hierarchy import Hierarchy, Transfer
from planecast.native import native_folder

built = pytest.mark.skipif(not (native_folder() / "planecast-probe").exists(), reason="not built")

STAND_IN = Path(__file__).parent.parent / "dataplanes" / "programs" / "planecast-probe.py"
KIB, MIB = 1 << 10, 1 << 20


def latency(size: int, page: str) -> float:
    """A made-up machine: 3, 10, 40 and 400 cycles, of 32 KiB, 1 MiB and a share of 12 MiB."""
    level = next((y for end, y in ((32 * KIB, 3), (MIB, 10), (12 * MIB, 40)) if size <= end), 400)
    return level * (1.1 if page == "4KiB" else 1.0)


def point(kind: str, page: str, size: int, width: int, cycles: float) -> dict[str, Any]:
    """Two turns of four slices, one of which was disturbed and so is slow."""
    return {
        "kind": kind,
        "page": page,
        "bytes": size,
        "lines": size // (4096 if kind == "page_chase" else 64),
        "width": width,
        "units": 100,
        "cycles": [cycles, cycles, cycles * 3, cycles] * 2,
        "canary_before": [2.0, 2.0, 3.0, 2.0] * 2,
        "canary_after": [2.0, 2.0, 3.0, 2.0] * 2,
    }


def output(**changes: Any) -> str:
    """The program's answer about the made-up machine."""
    sizes = [int(2 ** (13 + i / 3)) // 64 * 64 for i in range(46)]
    points = []
    for page in ("2MiB", "4KiB"):
        points += [point("chase", page, size, 1, latency(size, page)) for size in sizes]
        points += [point("page_chase", page, 4096 << k, 1, 5.0 + k) for k in range(3)]
        for width in (2, 4, 8, 16, 32):
            points.append(point("chase", page, sizes[-1], width, 400 / width))
        points += [
            point("prefetch", page, sizes[-1], width, 500 / width) for width in (1, 2, 4, 8, 16, 32)
        ]
    points += [
        point("chase", "2MiB", size, 8, latency(size, "2MiB") / 8)
        for size in sizes[:-1]
        if size >= 256 * KIB
    ]
    points += [point("stream", "2MiB", sizes[-1], 1, 4.0), point("additions", "2MiB", 0, 1, 0.5)]
    answer = {
        "probe": 1,
        "complete": True,
        "cpu": 1,
        "tsc_hz": 2e9,
        "seconds": 12.0,
        "rounds": 2,
        "turn": 4,
        "canary_rounds": 15000,
        "huge_share": 1.0,
        "cpu_model": "Made-up",
        "caches": [
            {"level": 1, "type": "Data", "bytes": 32 * KIB, "ways": 8, "shared_cpus": "1"},
            {"level": 1, "type": "Instruction", "bytes": 32 * KIB, "ways": 8, "shared_cpus": "1"},
            {"level": 2, "type": "Unified", "bytes": MIB, "ways": 0, "shared_cpus": "1"},
            {"level": 3, "type": "Unified", "bytes": 32 * MIB, "ways": 16, "shared_cpus": "0-1"},
        ],
        "siblings": [
            {"cpu": 1, "other": 0, "listed": False, "alone": [2.0] * 20, "both": [3.0] * 20},
            {"cpu": 1, "other": 2, "listed": True, "alone": [2.0, 4.0] * 9, "both": [2.0, 4.0] * 9},
        ],
        "transfers": [
            {"cpu": 1, "other": 0, "alone": [90.0] * 40, "read": [9.0] * 40, "write": [7.0] * 40},
            {
                "cpu": 1,
                "other": 2,
                # For half of the time the other CPU was away.
                "alone": [*[200.0] * 40, *[9e6] * 40],
                "read": [20.0] * 80,
                "write": [30.0] * 80,
            },
        ],
        "points": points,
    }
    return json.dumps(answer | changes)


def read(text: str) -> MachineProbe:
    return read_probe(parse_output(text), probed_at="now")


def test_levels_of_a_made_up_machine_come_back() -> None:
    found = read(output())
    assert [level.name for level in found.levels] == ["L1", "L2", "LLC"]
    assert [level.latency_cycles.value for level in found.levels] == [3, 10, 40]
    assert [level.ways for level in found.levels] == [8, None, 16]
    for level, size in zip(found.levels, (32 * KIB, MIB, 12 * MIB), strict=True):
        # The step lies between two points of the curve, a third of a doubling apart.
        assert 0.98 * size / 1.26 < level.size_bytes.value < 1.26 * size
    assert found.llc.claimed_bytes == 32 * MIB
    assert found.llc.fast_size_bytes is not None
    assert found.llc.fast_size_bytes.value == pytest.approx(found.llc.size_bytes.value)
    assert found.memory_latency_cycles.value == 400
    assert found.core_hz == 4e9
    assert found.stream_bytes_per_second.value == 64 / 4 * 2e9


def test_disturbed_slices_are_left_out() -> None:
    found = read(output())
    assert all(p.cycles.samples == 6 for p in found.fast_curve)
    assert found.notes == ()


def test_what_small_pages_cost() -> None:
    """A made-up TLB of 2,048 pages, a walk of 40 cycles, 10 where eight overlap; a noisy LLC."""

    def cycles(pages: int, page: str, width: int) -> float:
        walk = 40 if page == "4KiB" and pages > 2048 else 0
        noise = 30 if page == "2MiB" and pages > 16384 else 0
        return (10 + walk + noise) if width == 1 else (3 + walk / 4)

    answer = json.loads(output())
    chases = [p for p in answer["points"] if p["kind"] != "page_chase"]
    for page in ("2MiB", "4KiB"):
        for pages, width in [*((16 << k, 1) for k in range(13)), (4096, 8), (8192, 8), (16384, 8)]:
            cost = cycles(pages, page, width)
            chases.append(point("page_chase", page, 4096 * pages, width, cost))
    found = read(output(points=chases)).translation()
    # Walks of 4,096 pages, whose lines a level of 10 cycles holds: 40 of 50 alone, 13 of many.
    assert found == (2048, 40, 10, 40, pytest.approx(40 / 13), (4096, 1.0))


@pytest.mark.parametrize("share", [0.25, 0.75, 1.0])
def test_a_chase_that_a_tlb_nearly_holds_walks_for_a_share_of_its_touches(share: float) -> None:
    chases = [p for p in json.loads(output())["points"] if p["kind"] != "page_chase"]
    for page in ("2MiB", "4KiB"):
        for pages in (16 << k for k in range(13)):
            walked = share if pages == 4096 else float(pages > 4096)
            cost = 10 + 40 * walked * (page == "4KiB")
            chases.append(point("page_chase", page, 4096 * pages, 1, cost))
    found = read(output(points=chases)).translation()
    held = 4096 if share < 0.5 else 2048
    assert found.pages == held
    # Of the first chase beyond those that show none to speak of.
    assert found.beyond == ((8192, 1.0) if share < 0.5 else (4096, pytest.approx(share)))


def test_walks_that_few_pages_do_not_show() -> None:
    """Neighbouring pages share a TLB's entries: 5 cycles a walk up to 16,384 pages, then 40."""
    answer = json.loads(output())
    chases = [p for p in answer["points"] if p["kind"] != "page_chase"]
    for page in ("2MiB", "4KiB"):
        for pages, width in [*((16 << k, 1) for k in range(13)), (4096, 8), (8192, 8), (16384, 8)]:
            walk = 0 if page == "2MiB" or pages <= 2048 else 5 if pages <= 16384 else 40
            cost = 10 + walk / (1 if width == 1 else 5)
            chases.append(point("page_chase", page, 4096 * pages, width, cost))
    found = read(output(points=chases)).translation()
    assert (found.pages, found.walk_cycles) == (2048, 40)
    assert found.together_cycles == pytest.approx(8)


def test_where_there_are_no_huge_pages_small_ones_cost_nothing_more() -> None:
    points = [
        p
        for p in json.loads(output())["points"]
        if not (p["kind"] == "page_chase" and p["page"] == "2MiB")
    ]
    assert read(output(points=points)).translation().walk_cycles == 0


def test_siblings_are_known_by_the_slowdown_not_by_the_kernel() -> None:
    pairs = read(output()).pairs
    assert [(p.other, p.siblings) for p in pairs] == [(0, True), (2, False)]


def test_lines_come_from_another_core_not_from_a_sibling() -> None:
    probe = read(output())
    assert [one.alone_cycles.value for one in probe.transfers] == [90, 200]
    # CPU 0 shares the core: it slows the measured one down.
    assert Hierarchy.of(probe).transfer == Transfer(
        alone_cycles=200, read_cycles=20, write_cycles=30
    )
    assert Hierarchy.of(read(output(transfers=[]))).transfer is None


def test_what_a_reader_has_to_know_is_noted() -> None:
    assert any("no caches" in note for note in read(output(caches=[])).notes)
    assert any("40 %" in note for note in read(output(huge_share=0.4)).notes)


def test_a_probe_of_an_earlier_version_is_read() -> None:
    """It was recorded with more than is kept today."""
    found = read(output())
    before = json.loads(found.model_dump_json()) | {"host_id": "h", "seconds": 12.0}
    before["levels"][0]["shared_cpus"] = "0-1"
    assert MachineProbe.model_validate_json(json.dumps(before)) == found


def test_it_survives_being_written_and_read() -> None:
    found = read(output())
    assert MachineProbe.model_validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize("text", ["", "{}", '{"probe": 2}'])
def test_an_answer_of_another_version_is_a_sentence(text: str) -> None:
    with pytest.raises(RunError, match="sent a malformed reply"):
        parse_output(text)


def test_a_run_that_ended_early_is_a_sentence() -> None:
    early = json.loads(output())
    early["points"] = early["points"][:30]
    with pytest.raises(RunError, match="more seconds"):
        read(json.dumps(early))


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A program in the place of planecast-probe that counts how often it was run."""
    (tmp_path / "answer.json").write_text(output())
    program = tmp_path / "planecast-probe"
    state = subprocess.run(
        [sys.executable, "-IS", str(STAND_IN), "--state"], capture_output=True, check=True
    )
    (tmp_path / "state.json").write_bytes(state.stdout)
    program.write_text(
        f'#!/bin/sh\n[ "$1" = --state ] && exec cat {tmp_path}/state.json\n'
        '[ "$1" = --ping-pong ] && exit 3\n'
        f"echo run >>{tmp_path}/runs\ncat {tmp_path}/answer.json\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PLANECAST_NATIVE", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def runs(folder: Path) -> int:
    return len((folder / "runs").read_text().splitlines())


def test_a_machine_is_probed_once_a_boot(fake: Path) -> None:
    first = probe.probe_machine()
    assert probe.probe_machine() == first
    assert runs(fake) == 1
    probe.probe_machine(fresh=True)
    probe.probe_machine(cpu=0)
    assert runs(fake) == 3


def test_the_hosts_state_comes_with_the_probe(fake: Path) -> None:
    before = read(output())
    assert before.state is None
    assert before.stream_lines_per_cycle == pytest.approx(1 / 4)
    found = probe.probe_machine()
    assert found.state == probe.probe_state()
    assert found.stream_lines_per_cycle == pytest.approx(0.2)
    # The walks of the most pages, in order: with fewer, neighbours may share entries of the TLB.
    assert (found.translation().walk_cycles, found.translation().together_cycles) == (28, 3.5)
    # One in no order takes what those of all sizes do in the median, and no less than one in order.
    scattered = [w for w in found.state.walks if w.placed == "scattered" and w.width == 1]
    lone = median(w.walk_cycles for w in scattered)
    assert found.translation().lone_cycles == max(28, lone)


def test_states_of_a_run_count_before_that_of_the_probe(fake: Path) -> None:
    probed = probe.probe_machine(fresh=True)
    own = probed.state
    assert own is not None
    gbs, times = own.rise() or (0.0, 0.0)
    assert Hierarchy.of(probed).loaded == ((pytest.approx(gbs), pytest.approx(times)),)
    slower = own.model_copy(
        update={
            "memory": tuple(
                point.model_copy(
                    update={
                        "cycles": point.cycles.model_copy(update={"value": 3 * point.cycles.value})
                    }
                )
                if point.loaded
                else point
                for point in own.memory
            )
        }
    )
    found = Hierarchy.of(probed, None, (own, slower, slower)).loaded
    assert found == ((pytest.approx(gbs), pytest.approx(3 * times)),)


def test_a_spoilt_cache_is_measured_again(fake: Path) -> None:
    probe.probe_machine()
    (kept,) = (fake / "cache" / "planecast").iterdir()
    kept.write_text("{}")
    probe.probe_machine()
    assert runs(fake) == 2


def test_a_failing_program_is_a_sentence(fake: Path) -> None:
    (fake / "planecast-probe").write_text("#!/bin/sh\necho no memory >&2\nexit 3\n")
    with pytest.raises(RunError, match="no memory"):
        probe.probe_machine()


def test_a_missing_program_is_a_sentence(fake: Path) -> None:
    (fake / "planecast-probe").unlink()
    with pytest.raises(MissingError, match="planecast-probe"):
        probe.probe_machine()


@built
def test_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = probe.probe_machine(seconds=3)
    latencies = [level.latency_cycles.value for level in found.levels]
    assert latencies == sorted(latencies)
    assert latencies[-1] < found.memory_latency_cycles.value
    assert 1e8 < found.tsc_hz < 1e10
    assert found.cpu in os.sched_getaffinity(0)


@built
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--seconds", "0"], "--seconds: '0' is not a number from 1 to 600"),
        (["--cpu", "1x"], "--cpu: '1x' is not a number"),
        (["--cpu", "1023"], "--cpu 1023: "),
        (["--max-mib", "1"], "from 16 to 1024"),
        (["fast"], "'fast' is no option"),
    ],
)
def test_mistakes_are_sentences(arguments: list[str], sentence: str) -> None:
    program = native_folder() / "planecast-probe"
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert sentence in done.stderr
