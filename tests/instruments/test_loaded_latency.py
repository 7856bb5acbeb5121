"""Memory latency under load: from what neighbours say to a curve, a catalogue entry, the model."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.instruments.test_probe import output, read

from planecast.errors import RunError
from planecast.generators.neighbour import Done, Work
from planecast.host import Root
from planecast.instruments import loaded_latency
from planecast.instruments.catalog_entry import entry_text, measured_entry, page_sizes
from planecast.instruments.disk_cache import remember
from planecast.instruments.loaded_latency import (
    SLICES,
    TURNS,
    LoadedLatency,
    measure_loaded,
    remembered_latency,
)
from planecast.machine.hierarchy import Hierarchy, SharedMemory
from planecast.machine.memory import ASSUMED_GBS, Memory
from planecast.machine.memory_next_to_stream import rise_by_load
from planecast.scenario.machine import machine_of

FULL = 150e6
"""Lines a second that the made-up streamer does unhindered: 9.6 GB/s."""


class Machine:
    """A made-up machine on which time passes when one waits, and latency rises with load."""

    def __init__(self) -> None:
        self.now = 0.0
        self.workers: list[MadeUp] = []

    def wait(self, seconds: float) -> None:
        for worker in self.workers:
            worker.lines += worker.rate() * seconds
        self.now += seconds

    def latency_s(self) -> float:
        streamed = sum(w.rate() for w in self.workers if w.work.mode == "stream")
        return (80 + 30 * streamed / FULL) * 1e-9


class MadeUp:
    """A neighbour on it."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.work, self.lines = machine, Work(), 0.0
        machine.workers.append(self)

    def do(self, work: Work) -> None:
        self.work, self.lines, self.since = work, 0.0, self.machine.now

    def done(self) -> Done:
        seconds = self.machine.now - self.since
        return Done(
            mode=self.work.mode,
            bytes=self.work.bytes,
            lines=round(self.lines),
            seconds=seconds,
            lines_per_s=0.0,
        )

    def rate(self) -> float:
        if self.work.mode == "stream":
            return self.work.lines_per_s or FULL
        return 1 / self.machine.latency_s() if self.work.mode == "walk" else 0.0


def curve() -> LoadedLatency:
    machine = Machine()
    walker, streamer = MadeUp(machine), MadeUp(machine)
    points, share = measure_loaded(walker, [streamer], machine.wait)
    assert streamer.work.mode == "idle"
    return LoadedLatency(undisturbed_share=share, points=points)


def test_latency_and_load_are_those_of_the_machine() -> None:
    found = curve()
    assert [p.ns.value for p in found.points] == pytest.approx([80, 87.5, 95, 102.5, 110], rel=1e-4)
    assert found.points[-1].gbs.value == pytest.approx((FULL + 1e9 / 110) * 64e-9, rel=1e-4)
    assert found.undisturbed_share == 1
    assert all(point.ns.samples == TURNS * SLICES for point in found.points)


def test_slices_that_others_took_are_left_out() -> None:
    machine = Machine()
    walker, streamer = MadeUp(machine), MadeUp(machine)
    slices = iter(range(10**6))

    def wait(seconds: float) -> None:
        number = next(slices)
        if number % 3 == 0:  # both are taken off their CPUs
            machine.now += seconds
        elif number % 5 == 0:  # the streamer alone
            stolen, streamer.work = streamer.work, Work()
            machine.wait(seconds)
            streamer.work = stolen
        else:
            machine.wait(seconds)

    points, share = measure_loaded(walker, [streamer], wait)
    assert [p.ns.value for p in points] == pytest.approx([80, 87.5, 95, 102.5, 110], rel=1e-4)
    assert 0.3 < share < 0.8


def test_noise_does_not_make_latency_fall() -> None:
    found = curve()
    low = found.points[2].model_copy(update={"ns": found.points[0].ns})
    wavy = found.model_copy(update={"points": (*found.points[:2], low, *found.points[3:])})
    latencies = [ns for _, ns in wavy.risen()]
    assert latencies == sorted(latencies)


def test_a_neighbour_that_moves_nothing_is_no_measurement() -> None:
    machine = Machine()
    walker, streamer = MadeUp(machine), MadeUp(machine)
    with pytest.raises(RunError, match="moved no line"):
        measure_loaded(walker, [streamer], lambda seconds: None)


def test_the_entry_holds_the_curve_and_the_model_goes_by_it(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    entry = measured_entry("own", read(output()), machine_of("gold-6230n"), curve())
    path.write_text(entry_text(entry))
    found = machine_of(str(path))
    assert [point.status for point in found.values.memory_loaded] == ["measured"] * 5
    assert found.values.memory_gbs.status == "assumed"  # one CPU doesn't fill it
    assert found.values.tsc_ghz is not None
    assert found.values.tsc_ghz.value == 2
    assert found.values.page_sizes is not None
    assert found.core.walk_cycles is not None
    memory = SharedMemory.of(found).curve()
    half = found.values.memory_loaded[2]
    assert memory.latency_ns(half.gbs) == pytest.approx(max(half.ns, memory.idle_ns))


def test_a_hierarchy_has_the_hosts_curve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `machine probe` keeps is what a calibration takes; memory as probed lies below it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert remembered_latency() is None
    remember(loaded_latency.kept_at([0, 1]), curve())
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    found = remembered_latency()
    assert found == curve()
    probe = read(output())
    own = Hierarchy.of(probe, found)
    idle_ns = probe.memory_latency_cycles.value / probe.tsc_hz * 1e9
    memory = own.memory_by_load()
    assert memory.idle_ns == pytest.approx(idle_ns)
    alone, *_, most = curve().risen()
    assert memory.latency_ns(most[0]) == pytest.approx(idle_ns * most[1] / alone[1])
    assert "as probed here to" in own.memory_source()


def test_a_curve_of_a_disturbed_hour_is_lowered_to_what_the_run_saw() -> None:
    known = curve().rise()
    gbs = known[-1][0]

    def loaded(times: float) -> tuple[tuple[float, float], ...]:
        state = cast(Any, SimpleNamespace(rise=lambda: (gbs, times)))
        return rise_by_load([state], curve())

    assert loaded(known[-1][1] + 1) == known  # it was no quieter hour
    lower = loaded(1.0)
    assert lower[-1] == (gbs, 1.0)
    assert all(1.0 <= low[1] <= high[1] for low, high in zip(lower, known, strict=True))


def test_without_a_curve_a_peak_is_assumed_and_said() -> None:
    own = Hierarchy.of(read(output()))
    memory = own.memory_by_load()
    assert (memory.peak_gbs, memory.measured) == (ASSUMED_GBS, ())
    known = own.model_copy(update={"memory_peak_gbs": 200.0})
    assert known.memory_by_load().peak_gbs == 200
    assert "up to 119.7 GB/s, assumed" in own.memory_source()
    assert "200 GB/s, as the study says" in known.memory_source()


@pytest.mark.parametrize("measured", [(), ((0.7, 80.0), (5.0, 95.0), (10.0, 110.0))])
def test_latency_never_falls_with_load(measured: tuple[tuple[float, float], ...]) -> None:
    memory = Memory(80.0, 100.0, measured=measured)
    found = [memory.latency_ns(load / 2) for load in range(300)]
    assert found == sorted(found)
    assert found[0] == 80


def test_page_sizes_are_those_that_the_kernel_has_pools_for(tmp_path: Path) -> None:
    for name in ("hugepages-1048576kB", "hugepages-2048kB"):
        (tmp_path / "sys/kernel/mm/hugepages" / name).mkdir(parents=True)
    assert page_sizes(Root(tmp_path)) == "4KiB,2MiB,1GiB"
    assert page_sizes(Root(tmp_path / "nothing")) == "4KiB"
