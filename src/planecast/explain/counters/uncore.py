"""The rest of the machine in a recording: PCIe, memory, other cores and sockets.

What pcm-pcie and pcm-memory wrote is rates a second; what perf counted is counts over the time that
it says. Both become rates by event, over all places together.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from planecast.cache_line import LINE_BYTES
from planecast.errors import InputError
from planecast.explain.counters.explanation import CounterExplanation
from planecast.explain.counters.readings import explained_readings
from planecast.explain.links import explain_links, is_of_links
from planecast.explain.memory import Channel, MemoryLimits, explain_memory
from planecast.explain.pcie import Ports, interpret, is_of_pcie, pcie_counts
from planecast.explain.sharing import explain_sharing, is_of_sharing
from planecast.explain.shown import Shown
from planecast.instruments.recorded import Recording
from planecast.results.manifest import collect_manifest

PCIE, MEMORY = "pcm-pcie", "pcm-memory"

_CHANNEL = re.compile(r"Ch(?P<channel>\d+)(?P<direction>Read|Write)")
_NUMBER = re.compile(r"\d+")
_MEGA = 1e6
_MEBI = 2.0**20
_FASTEST_CHANNEL = 1e12
"""Bytes a second; DDR5-8800 moves 7e10."""
_CONTROLLER = re.compile(
    r"uncore_imc(?:_free_running)?_(?P<channel>\d+)/(?:unc_m_)?cas_count[_.](?P<direction>read|write|"
    r"rd|wr)/",
    re.IGNORECASE,
)
"""perf's events of memory controllers, which it gives in MiB."""
_LINK_SENDS = re.compile(r"SKT(?P<socket>\d+)data(?P<way>In|Out)")
_LINK = re.compile(r"[QU]PI\d+")
_SOCKETS_SHARE = 0.05


@dataclass(frozen=True)
class Setup:
    """What is known of the data plane in addition to the counters."""

    pps: float | None = None
    """Packets a second."""
    ports: Ports = field(default_factory=Ports)
    cores: int | None = None
    """Cores that forward."""
    memory: MemoryLimits | None = None
    """What a socket's memory could move."""


def explain_uncore(recording: Recording, label: str, setup: Setup) -> CounterExplanation:
    """The explanation of a recording that holds uncore counters alone (pcm-pcie,
    pcm-memory). Raises InputError for what is impossible in it."""
    found = read_uncore(recording, setup)
    return CounterExplanation(
        label=label,
        tool=recording.tool,
        architecture="by socket",
        smt=False,
        limits=found.out_of_line or ("nothing is out of line",),
        certainty=(
            "the tool prints few digits: counted and expected that differ by less than a tenth "
            "count as equal",
        ),
        metrics=tuple(explained_readings(recording)),
        unknown=(*found.unknown, "where the slots of a core go: this tool doesn't count cores"),
        notes=(*found.findings, *recording.remarks),
        manifest=collect_manifest("explain", 0),
    )


def with_uncore(
    explained: CounterExplanation, recording: Recording, setup: Setup
) -> CounterExplanation:
    """The explanation with what a recording of perf's says about the rest of the machine."""
    found = read_uncore(recording, setup)
    return explained.model_copy(
        update={
            "limits": (*explained.limits, *found.out_of_line),
            "notes": (*explained.notes, *found.findings),
            "unknown": (*explained.unknown, *found.unknown),
        }
    )


def read_uncore(recording: Recording, setup: Setup) -> Shown:
    """What a recording says of PCIe, memory, other cores and sockets; nothing where it has none."""
    parts = [
        _pcie(recording, setup),
        _memory(recording, setup),
        _sharing(recording, setup),
        _links(recording, setup),
    ]
    return Shown(
        tuple(text for part in parts for text in part.findings),
        tuple(text for part in parts for text in part.out_of_line),
        tuple(text for part in parts for text in part.unknown),
    )


def _pcie(recording: Recording, setup: Setup) -> Shown:
    sockets = _pcie_by_socket(recording)
    events = defaultdict[str, float](float)
    for rates in sockets.values():
        for name, value in rates.items():
            events[name] += value
    if not events:
        return Shown()
    if setup.pps is None:
        return Shown(unknown=("what a packet moves over PCIe: give the rate with --pps",))
    found = interpret(pcie_counts(events), setup.pps, setup.ports, cores=setup.cores)
    return Shown((*_where(sockets), *found.findings), found.out_of_line)


def _pcie_by_socket(recording: Recording) -> dict[str, dict[str, float]]:
    """Rates a second by place and event."""
    if recording.tool != PCIE:
        rates = {n: v for n, v in _rates(recording).items() if is_of_pcie(n)}
        return {"": rates} if rates else {}
    values: dict[tuple[str, str], list[float]] = defaultdict(list)
    for reading in recording.readings:
        if reading.value is None or not _NUMBER.search(reading.place):
            continue  # pcm's own sum over the sockets
        name, _, kind = reading.name.partition(" ")
        values[reading.place, f"{name}.{kind}" if kind else name].append(reading.value)
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for (place, name), seen in values.items():
        if is_of_pcie(name):
            found[place][name] = sum(seen) / len(seen)
    return found


def _where(sockets: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """On which socket devices move lines, where there are several."""
    if len(sockets) < 2:
        return
    moved = {}
    for place, rates in sockets.items():
        counts = pcie_counts(rates)
        moved[place] = counts.read.total + counts.full_write.total + counts.partial_write.total
    total = sum(moved.values())
    used = [place for place, lines in moved.items() if lines > _SOCKETS_SHARE * total]
    if len(used) == 1:
        yield f"all that devices move is on {used[0]}"
    elif used:
        yield f"devices move lines on {', '.join(used)}: see that cores and cards share a socket"


def _memory(recording: Recording, setup: Setup) -> Shown:
    values: dict[tuple[int, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for reading in recording.readings:
        name, place = _CHANNEL.fullmatch(reading.name), _NUMBER.search(reading.place)
        if name and place and reading.value is not None:
            one = values[int(place[0]), int(name["channel"])]
            one[name["direction"]].append(_possible(_MEGA * reading.value, reading.name))
    for socket, channel, direction, rate in _controllers(recording):
        values[socket, channel][direction].append(_possible(rate, f"channel {channel}"))
    if not values:
        return Shown()
    channels = tuple(
        Channel(
            socket=socket,
            channel=channel,
            read=_mean(rates["Read"]),
            write=_mean(rates["Write"]),
        )
        for (socket, channel), rates in sorted(values.items())
    )
    found = explain_memory(
        channels, limits=setup.memory, pps=setup.pps, frame_bytes=setup.ports.frame_bytes
    )
    unknown = () if setup.memory else ("what memory could move: name the --machine",)
    return Shown(found.findings, found.out_of_line, unknown)


def _possible(rate: float, name: str) -> float:
    """The rate in bytes a second. Raises InputError for one that no channel can have."""
    if not 0 <= rate <= _FASTEST_CHANNEL:
        raise InputError(
            f"{name} is {rate / _MEGA:.4g} MB/s, which no memory channel moves",
            "memory counters",
            "the counter ran over: record again",
        )
    return rate


def _controllers(recording: Recording) -> Iterator[tuple[int, int, str, float]]:
    """Socket, channel, direction and bytes a second of what perf counted in memory controllers."""
    if not recording.seconds:
        return
    found = defaultdict[tuple[int, int, str], float](float)
    for count in recording.counts:
        name = _CONTROLLER.fullmatch(count.event)
        if name is None or count.value is None:
            continue
        place = _NUMBER.search(count.place) if count.place.startswith("S") else None
        direction = "Read" if name["direction"].lower() in ("read", "rd") else "Write"
        found[int(place[0]) if place else 0, int(name["channel"]), direction] += count.value
    for (socket, channel, direction), mebibytes in found.items():
        yield socket, channel, direction, mebibytes * _MEBI / recording.seconds


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _sharing(recording: Recording, setup: Setup) -> Shown:
    rates = {n: v for n, v in _rates(recording).items() if is_of_sharing(n)}
    if not rates:
        return Shown()
    if setup.pps is None:
        return Shown(unknown=("lines from other cores a packet: give the rate with --pps",))
    return explain_sharing(rates, setup.pps)


def _links(recording: Recording, setup: Setup) -> Shown:
    rates = {n: v for n, v in _rates(recording).items() if is_of_links(n)}
    rates |= _link_readings(recording)
    return explain_links(rates, setup.pps)


def _link_readings(recording: Recording) -> dict[str, float]:
    """pcm's link bytes, in millions a second, as flits of UPI's data: sums of means by link."""
    values = defaultdict[tuple[str, str, str], list[float]](list)
    for reading in recording.readings:
        place = _LINK_SENDS.fullmatch(reading.place)
        if place and _LINK.fullmatch(reading.name) and reading.value is not None:
            values[place["way"], place["socket"], reading.name].append(reading.value)
    found = defaultdict[str, float](float)
    for (way, _, _), seen in values.items():
        event = f"UNC_UPI_{'RxL' if way == 'In' else 'TxL'}_FLITS.ALL_DATA"
        found[event] += _MEGA * _mean(seen) * 9 / LINE_BYTES
    return dict(found)


def _rates(recording: Recording) -> dict[str, float]:
    """Counts a second by event, over all places and rounds; none without a length."""
    if not recording.seconds:
        return {}
    found = defaultdict[str, float](float)
    for count in recording.counts:
        if count.value is not None:
            found[count.event] += count.value / recording.seconds
    return dict(found)
