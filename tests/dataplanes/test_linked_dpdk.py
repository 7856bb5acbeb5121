"""Programs that DPDK is linked into: as those with a shared DPDK, they are measured and counted."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from planecast.dataplanes.meter import meter_library
from planecast.dataplanes.metered import MeteredConfig, MeteredDataplane
from planecast.dataplanes.trial import Trial
from planecast.errors import MissingError, RunError
from planecast.scenario import Scenario, load_scenario
from planecast.study.counted_program import count_program
from planecast.workload.counts import InstructionCounts

SOURCE = Path(__file__).parent / "programs" / "for_a_nic.c"
UNDEMANDING = Path(__file__).parents[2] / "examples" / "forwarder" / "forwarder.c"
"""A program that asks its ports for nothing."""
LINKED = (
    "net_null", "mempool_ring", "bus_vdev", "ethdev", "eal", "mbuf", "mempool", "ring", "kvargs",
    "telemetry", "net", "meter",
)  # fmt: skip
"""Libraries of DPDK that the program has in it."""
NAMES = ("shared", "linked")
SMALL_CACHE = "small-cache"
"""The same with a mempool cache of 32 buffers."""
STRIPPED = "stripped"

pytestmark = pytest.mark.live


def said(*words: str) -> str:
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The program, with a shared DPDK and with one that is linked into it; and another stripped."""
    flags = said("pkg-config", "--cflags", "libdpdk").split()
    libraries = Path(said("pkg-config", "--variable=libdir", "libdpdk").strip())
    if not flags or shutil.which("cc") is None:
        pytest.skip("no compiler, or no libdpdk (apt-get install libdpdk-dev gcc)")
    try:
        meter_library()
    except MissingError as missing:
        pytest.skip(str(missing))
    if not (libraries / "librte_ethdev.a").is_file():
        pytest.skip("this DPDK can't be linked into a program")
    folder = tmp_path_factory.mktemp("linked")
    # What DPDK's own libraries need, as those of a shared one have it.
    needed = said("ldd", str(libraries / "librte_ethdev.so"))
    others = [path for path in re.findall(r"=> (\S+)", needed) if "librte_" not in path]
    archives = [f"-l:librte_{name}.a" for name in LINKED]
    linked = ["-Wl,--whole-archive", *archives, "-Wl,--no-whole-archive", *others]
    shared = said("pkg-config", "--libs", "libdpdk").split()
    found = {}
    built = (
        (SOURCE, shared, "-g"),
        (SOURCE, linked, "-g"),
        (UNDEMANDING, linked, "-s"),
        (SOURCE, shared, "-DCACHE=32"),
    )
    for name, (source, words, symbols) in zip((*NAMES, STRIPPED, SMALL_CACHE), built, strict=True):
        found[name] = folder / name
        compiled = ["cc", "-O3", symbols, *flags, "-march=x86-64-v3", str(source)]
        subprocess.run([*compiled, f"-L{libraries}", "-o", str(found[name]), *words], check=True)
    return found


def scenario(program: Path, folder: Path) -> Scenario:
    file = folder / "scenario.yaml"
    file.write_text(
        f"""
name: for-a-nic
machine: host
dataplane:
  kind: command
  command: >-
    {program} --lcores 0@{{cpu}} {{in_eal}} {{out_eal}} --no-huge --no-shconf --no-telemetry
    --no-pci -m 256
  ready: "EAL: Detected"
traffic: {{frame_bytes: 64, flows: 64}}
placement: {{cpus: "0", lcores: 1}}
""",
        encoding="utf-8",
    )
    return load_scenario(file)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_measured_with_the_offloads_of_a_nic(
    programs: dict[str, Path], name: str, tmp_path: Path
) -> None:
    asked = scenario(programs[name], tmp_path)
    with MeteredDataplane(MeteredConfig.of(asked)) as running:
        found = running.trial(Trial(windows=4, packets=2048, warmup=4096, scenario=asked))
    assert found.packets_out == pytest.approx(found.packets_in, abs=64)
    assert sum(found.lcores[0].windows.packets) >= 4 * 2048


def test_packet_buffers_go_round_where_a_small_cache_holds_no_burst(
    programs: dict[str, Path], tmp_path: Path
) -> None:
    """And what bursts of other sizes left in the cache before does not matter."""
    bursts = (16, 22, 32, 32, 22, 16, 22)

    def shares(program: Path) -> list[float]:
        asked = scenario(program, tmp_path)
        found = []
        with MeteredDataplane(MeteredConfig.of(asked)) as running:
            for burst in bursts:
                trial = Trial(
                    windows=1,
                    packets=64 * burst,
                    warmup=0,
                    rotation=True,
                    scenario=asked.in_bursts(burst),
                )
                (lcore,) = running.trial(trial).lcores
                assert lcore.rotation is not None
                assert lcore.rotation.buffers == 8191
                found.append(lcore.rotation.share)
        return found

    assert max(shares(programs["shared"])) < 0.1
    small = dict.fromkeys(bursts, 0.0)
    for burst, share in zip(bursts, shares(programs[SMALL_CACHE]), strict=True):
        if small[burst]:
            assert share == pytest.approx(small[burst], abs=0.03)
        small[burst] = share
    assert max(small.values()) > 0.25


@pytest.mark.slow
def test_its_drivers_are_known_by_their_functions(
    programs: dict[str, Path], tmp_path: Path
) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    found = {
        name: count_program(scenario(programs[name], tmp_path), (8, 32), packets=4096)
        for name in NAMES
    }
    assert {tuple(counts.stages)[:2] for counts in found.values()} == {("rx", "tx")}

    def others(counts: InstructionCounts) -> float:
        """What is neither of the drivers: the program, and what it calls of DPDK."""
        return sum(part.at(32) for name, part in counts.stages.items() if name not in {"rx", "tx"})

    # The same code, compiled alike; calls within a program are shorter than those of a library.
    assert others(found["linked"]) == pytest.approx(others(found["shared"]), rel=0.02)
    shared, linked = (found[name].total.at(32) for name in NAMES)
    assert 0.7 * shared < linked <= shared


def test_one_without_symbols_is_refused_in_a_sentence(
    programs: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planecast.dataplanes.metered.START_S", 2.0)
    with (
        pytest.raises(RunError, match="its symbols are stripped"),
        MeteredDataplane(MeteredConfig.of(scenario(programs[STRIPPED], tmp_path))),
    ):
        pass
