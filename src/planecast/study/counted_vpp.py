"""Instructions of VPP: by graph node, counted while its own packet generator sends.

No library can stand in a receive function of VPP's. So callgrind is switched on while packets flow
and off while they still do: what is counted are turns of its main loop, each with one burst, and
their number is that of the calls of the node that makes packets.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from planecast.cleanup import private_folder
from planecast.dataplanes.in_memory import COUNTED, program_in_memory, refuse_lost
from planecast.dataplanes.vpp_in_memory import SOURCE, VppInMemory
from planecast.dataplanes.vpp_runtime import VECTORS
from planecast.errors import RunError
from planecast.instruments.callgrind_output import CallgrindProfile, parse_callgrind
from planecast.instruments.callgrind_stacks import counts_by_stage, stacks_words
from planecast.instruments.callgrind_switch import CallgrindSwitch
from planecast.scenario.scenario import Scenario
from planecast.workload.counts import RawCounts
from planecast.workload.stage_map import StageMap

_LEAD_BURSTS = 512
"""Before the count."""
_COUNTED_S = 4.0
_FEWEST_BURSTS = 1000
"""Of a count: its ends lie within a turn, which is one in so many."""
_FORWARDED = 0.999
"""Share of the packets that has to come out; the last burst is on its way."""
_OTHER_BURST = 0.01
"""So much of a burst may be missing in the mean."""
_START_S = 120.0
_POLL_S = 0.1


def counted_bursts(
    scenario: Scenario,
    bursts: Sequence[int],
    stages: StageMap,
    done: Callable[[int, int], None],
    *,
    source: bool,
) -> dict[tuple[int, int], RawCounts]:
    """Counts by (packets, burst), of one VPP.

    Raises InputError for tables that don't fit the traffic and a CPU that isn't there, MissingError
    without VPP or valgrind, RunError when it fails.
    """
    with private_folder(for_sockets=True) as name:
        folder = Path(name)
        own = folder / "program-0"
        own.mkdir()
        output = folder / "callgrind.out"
        switch = CallgrindSwitch(folder)
        before = stacks_words(output, switch.words)
        found = {}
        with program_in_memory(scenario, own, before) as vpp:
            assert isinstance(vpp, VppInMemory)
            for number, burst in enumerate(bursts):
                done(number, len(bursts))
                threads = _counted(vpp, switch, burst, output)
                packets = burst * _turns(threads, vpp.name)
                raw = counts_by_stage(threads, stages, source=source, maker=SOURCE)
                found[packets, burst] = raw
        done(len(bursts), len(bursts))
    return found


def _counted(
    vpp: VppInMemory, switch: CallgrindSwitch, burst: int, output: Path
) -> list[CallgrindProfile]:
    """Costs of some turns, by thread. Raises RunError when packets are lost."""
    pid = vpp.pid
    assert pid is not None
    with vpp.forwarding(burst):
        vpp.begin_opinion()
        _wait(vpp, _LEAD_BURSTS * burst)
        switch.on(pid)
        time.sleep(_COUNTED_S)  # VPP is asked nothing: its replies would be counted
        switch.off(pid)
        came, went = vpp.forwarded()
        found = vpp.opinion().get(VECTORS)
    if found is not None and abs(found.value / burst - 1) > _OTHER_BURST:
        raise RunError(
            f"packets came {found.value:.4g} at a time, not in bursts of {burst}",
            vpp.name,
        )
    refuse_lost(came, went, COUNTED, vpp.name, share=_FORWARDED, held=burst)
    return _dumped(output)


def _wait(vpp: VppInMemory, packets: int) -> None:
    until = time.monotonic() + _START_S
    while vpp.forwarded()[0] < packets:
        vpp.check()
        if time.monotonic() > until:
            raise RunError(f"it forwarded no {packets:,} packets in {_START_S:.0f} s", vpp.name)
        time.sleep(_POLL_S)


def _dumped(output: Path) -> list[CallgrindProfile]:
    """What was counted since the dump before: a file a thread."""
    found = []
    for file in sorted(output.parent.glob(f"{output.name}.*")):
        with file.open(encoding="utf-8", errors="replace") as lines:
            found.append(parse_callgrind(lines))
        file.unlink()
    return [thread for thread in found if thread.exclusive]


def _turns(threads: Sequence[CallgrindProfile], name: str) -> int:
    """How often the node that makes packets was called. Raises RunError for too few."""
    turns = sum(
        count
        for thread in threads
        for (_, (callee, _)), count in thread.calls.items()
        if callee.partition("'")[0] == SOURCE
    )
    if turns < _FEWEST_BURSTS:
        raise RunError(
            f"{turns} bursts were counted in {_COUNTED_S:.0f} s, too few for an exact share",
            name,
            "count again when the machine is less busy",
        )
    return turns
