"""ip4: every byte that it sends, read by Scapy, and every cause of a drop; by LPM and by FIB."""

from __future__ import annotations

import json
import struct
from collections import Counter
from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_Router_Alert
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw
from tests.dataplane.conftest import DataPlane, Forwarded, read_pcap, write_pcap
from tests.dataplane.routed import filled, resized, routed

from planecast.dataplanes import configs_for
from planecast.dataplanes.config import write_config
from planecast.scenario import load_scenario

pytestmark = pytest.mark.live

AT_IP, NEXT_HOPS = 14, 7
ROUTES = 512
"""256 of /8, and 256 longer ones."""
FLOWS = 256
STEP = 0x00404001
LONGER_MIN, DEPTHS = 9, 24

Forward = Callable[..., Forwarded]


def frame(
    size: int = 64, layer: Packet | None = None, l2: Packet | None = None, **ip: object
) -> bytes:
    """A frame of `size` bytes with its FCS; Scapy computes lengths and checksums."""
    fields = {"src": "10.1.2.3", "dst": "20.30.40.50", "ttl": 64} | ip
    ethernet = l2 if l2 is not None else Ether(src="02:00:00:00:00:02", dst="02:00:00:00:00:01")
    headers = ethernet / IP(**fields) / (layer or UDP(sport=1024, dport=80))
    usual = layer is None and l2 is None and "options" not in ip
    return filled(headers, AT_IP + 28 if usual else len(headers), size)


def patched(packet: bytes, offset: int, value: bytes, *, checksum: bool = True) -> bytes:
    """Other bytes at an offset, the header checksum made right again for them."""
    packet = packet[:offset] + value + packet[offset + len(value) :]
    if not checksum:
        return packet
    header = packet[AT_IP : AT_IP + 10] + b"\0\0" + packet[AT_IP + 12 : AT_IP + 20]
    total = sum(struct.unpack("!10H", header))
    total = (total & 0xFFFF) + (total >> 16)
    total = (total & 0xFFFF) + (total >> 16)
    return packet[: AT_IP + 10] + struct.pack("!H", ~total & 0xFFFF) + packet[AT_IP + 12 :]


def destination_of(flow: int) -> int:
    """As the in-process source has it."""
    return 0x80000000 | (flow * STEP & 0x3FFFFFFF)


def random_address(number: int) -> int:
    """The source's permutation of 32 bits."""
    number = (number ^ number >> 16) * 0x7FEB352D & 0xFFFFFFFF
    number = (number ^ number >> 15) * 0x846CA68B & 0xFFFFFFFF
    number ^= number >> 16
    return number ^ 1 << 31 if number >> 30 == 2 else number


def mixed_routes() -> list[IPv4Network]:
    """The documented rule, once more and slowly."""
    routes = [IPv4Network((number << 24, 8)) for number in range(256)]
    around = [
        (destination_of(flow), LONGER_MIN + flow * 64 // FLOWS % DEPTHS)
        for flow in (number * FLOWS // (ROUTES - 256) for number in range(ROUTES - 256))
    ]
    around += [(random_address(i), LONGER_MIN + i % DEPTHS) for i in range(1, ROUTES)]
    for place in around:
        network = IPv4Network(place, strict=False)
        if network not in routes:
            routes.append(network)
    return routes[:ROUTES]


@pytest.fixture(params=["lpm", "fib"])
def lookup(request: pytest.FixtureRequest) -> str:
    """What finds the longest prefix."""
    return str(request.param)


@pytest.fixture
def route(forward: Forward, lookup: str) -> Forward:
    """Sends frames through the router."""

    def run(frames: list[bytes], **sections: dict[str, object]) -> Forwarded:
        tables = {
            "routes": ROUTES,
            "flows": FLOWS,
            "next_hops": NEXT_HOPS,
            "route_lookup": lookup,
        } | sections.pop("tables", {})
        pipeline = {"function": "ip4"} | sections.pop("pipeline", {})
        traffic = {"flows": FLOWS, "destination_step": "0.64.64.1"} | sections.pop("traffic", {})
        return forward(frames, tables=tables, pipeline=pipeline, traffic=traffic, **sections)

    return run


def check_forwarded(before: bytes, after: bytes, hop: int | None = None) -> None:
    """What a router must have done, and nothing else."""
    assert len(after) == len(before)
    if hop is None:
        hop = before[AT_IP + 16] % NEXT_HOPS  # by its /8
    source = bytes.fromhex("020200000000")
    assert after[:AT_IP] == struct.pack("!HHH6sH", 0x0201, 0, hop, source, 0x0800)
    assert after[AT_IP:] == routed(before[AT_IP:])


def test_sizes_and_layers(route: Forward) -> None:
    flows = [frame(tos=tos) for tos in range(256)]
    sent = [
        resized(flows[size & 255], AT_IP, size, 2 + size % 254, size) for size in range(64, 1519)
    ]
    sent += [frame(layer=TCP()), frame(layer=ICMP()), frame(size=60, frag=100, flags="MF")]
    done = route(sent)
    assert done.drops == {}
    for before, after in zip(sent, done.frames, strict=True):
        check_forwarded(before, after)


@pytest.mark.parametrize("configured", [64, 9000], ids=["segments", "one buffer"])
def test_jumbo_frames(route: Forward, configured: int) -> None:
    """Also in buffers of 2 KB, where a frame of 9,000 bytes is a chain of them."""
    sent = [frame(size=size) for size in (2000, 2100, 4096, 9000)]
    done = route(sent, traffic={"frame_bytes": configured})
    assert done.drops == {}
    for before, after in zip(sent, done.frames, strict=True):
        check_forwarded(before, after)


def test_the_longest_prefix(route: Forward) -> None:
    """Against a slow look-up: addresses in every route, at its ends and next to them."""
    routes = mixed_routes()
    assert {network.prefixlen for network in routes} == set(range(8, 33))
    hops = {
        (int(network.network_address) >> 32 - network.prefixlen, network.prefixlen): i % NEXT_HOPS
        for i, network in enumerate(routes)
    }
    addresses = {
        IPv4Address(address)
        for network in routes[256:]
        for end in (int(network.network_address), int(network.broadcast_address))
        for address in (end - 1, end, end + 1)
        if 1 << 31 <= address < 0xE0 << 24  # of hosts, and not next to loopback
    }
    sent = [frame(dst=str(address)) for address in sorted(addresses)]
    done = route(sent)
    assert done.drops == {}
    met = Counter()
    for before, after, address in zip(sent, done.frames, sorted(addresses), strict=True):
        around = ((int(address) >> 32 - depth, depth) for depth in range(32, 7, -1))
        longest = next(prefix for prefix in around if prefix in hops)
        met[longest[1]] += 1
        check_forwarded(before, after, hops[longest])
    assert set(met) == set(range(8, 33))


def test_no_route(route: Forward) -> None:
    """Routes of 32 bits are the flows' own: nobody else has one."""
    hosts = [frame(dst=str(IPv4Address(destination_of(flow)))) for flow in range(FLOWS)]
    others = [frame(dst=str(IPv4Address(destination_of(flow) + 1))) for flow in range(3)]
    done = route([*others[:2], *hosts, others[2]], tables={"route_depth": 32, "routes": FLOWS})
    assert done.drops == {"route_miss": 3}
    for flow, (before, after) in enumerate(zip(hosts, done.frames, strict=True)):
        check_forwarded(before, after, flow % NEXT_HOPS)


VLAN = Ether(src="02:00:00:00:00:02", dst="02:00:00:00:00:01") / Dot1Q(vlan=5)
GROUP = Ether(src="02:00:00:00:00:02", dst="01:00:5e:00:00:01")
BROADCAST = Ether(src="02:00:00:00:00:02", dst="ff:ff:ff:ff:ff:ff")
REFUSED = {
    "ARP": ("header", bytes(Ether() / ARP() / Raw(bytes(20)))),
    "IPv6": ("header", bytes(Ether() / IPv6() / UDP() / Raw(bytes(20)))),
    "unknown type": ("header", patched(frame(), 12, b"\x88\xb5")),
    "VLAN": ("header", frame(l2=VLAN)),
    "version 6": ("header", patched(frame(), AT_IP, b"\x65")),
    "version 0": ("header", patched(frame(), AT_IP, b"\x05")),
    "header of four words": ("header", patched(frame(), AT_IP, b"\x44")),
    "one byte": ("header", b"\x02"),
    "cut in the Ethernet header": ("header", frame()[:13]),
    "cut in the IP header": ("header", frame()[:33]),
    "total length 0": ("header", patched(frame(), AT_IP + 2, b"\0\0")),
    "total length below its header": ("header", patched(frame(), AT_IP + 2, b"\0\x13")),
    "total length one beyond the frame": ("header", patched(frame(), AT_IP + 2, b"\0\x2f")),
    "total length 65535": ("header", patched(frame(), AT_IP + 2, b"\xff\xff")),
    "zeros": ("header", bytes(60)),
    "ones": ("header", b"\xff" * 60),
    "options": ("options", frame(size=128, options=[IPOption_Router_Alert()])),
    "options beyond the total length": (
        "header",
        patched(patched(frame(), AT_IP, b"\x4f"), AT_IP + 2, b"\0\x2e"),
    ),
    "checksum one off": ("checksum", patched(frame(chksum=1), 0, b"\2", checksum=False)),
    "source of this network": ("martian", frame(src="0.1.2.3")),
    "source loopback": ("martian", frame(src="127.0.0.1")),
    "source multicast": ("martian", frame(src="224.0.0.1")),
    "source broadcast": ("martian", frame(src="255.255.255.255")),
    "to this network": ("martian", frame(dst="0.0.0.0")),
    "to loopback": ("martian", frame(dst="127.255.255.255")),
    "to multicast": ("martian", frame(dst="239.1.2.3")),
    "to class E": ("martian", frame(dst="240.0.0.1")),
    "to broadcast": ("martian", frame(dst="255.255.255.255")),
    "Ethernet group": ("martian", frame(l2=GROUP)),
    "Ethernet broadcast": ("martian", frame(l2=BROADCAST)),
    "TTL 0": ("ttl", frame(ttl=0)),
    "TTL 1": ("ttl", frame(ttl=1)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_and_its_neighbours_continue(route: Forward, name: str) -> None:
    cause, bad = REFUSED[name]
    good = [frame(size=64 + i, dst=f"20.0.0.{i}") for i in range(12)]
    done = route([*good[:3], bad, *good[3:]])
    assert done.drops == {cause: 1}
    for before, after in zip(good, done.frames, strict=True):
        check_forwarded(before, after)


def test_every_bit_of_the_header_counts(route: Forward) -> None:
    """Any bit that turns makes a wrong checksum, unless another test is first."""
    good = frame()
    sent = []
    for bit in range(160):
        value = good[AT_IP + bit // 8] ^ 1 << bit % 8
        sent.append(patched(good, AT_IP + bit // 8, bytes([value]), checksum=False))
    done = route(sent)
    assert set(done.drops) == {"header", "checksum"} | ({"options"} & set(done.drops))
    assert sum(done.drops.values()) == 160


@pytest.mark.parametrize("checksum", [0x0000, 0x0001, 0xFEFF, 0xFEFE, 0xFF00, 0xFFFE])
def test_checksums_at_their_ends(route: Forward, checksum: int) -> None:
    """The identification makes the sum what it has to be; 0xFFFF no header has."""
    base = Ether(frame(id=0))[IP]
    number = (base.chksum - checksum) % 0xFFFF
    before = frame(id=number)
    assert Ether(before)[IP].chksum == checksum
    check_forwarded(before, route([before]).frames[0])


def test_a_checksum_of_ones_is_right_and_leaves_as_a_right_one(route: Forward) -> None:
    """0xFFFF is the other zero: its sum is right, though no sender computes it."""
    base = Ether(frame(id=0))[IP]
    zero = frame(id=base.chksum % 0xFFFF)
    assert Ether(zero)[IP].chksum == 0
    before = patched(zero, AT_IP + 10, b"\xff\xff", checksum=False)
    check_forwarded(zero, route([before]).frames[0])


def test_drops_in_bursts_of_any_size(route: Forward) -> None:
    causes = ["header", "checksum", "options", "martian", "ttl"]
    bad = {cause: next(data for c, data in REFUSED.values() if c == cause) for cause in causes}
    sent, kept = [], []
    for i in range(300):
        good = frame(size=64 + i, dst=f"{20 + i % 90}.1.2.3", id=i)
        kept.append(good)
        sent += [good, bad[causes[i % 5]]] if i % 3 == 0 else [good]
    usual = route(sent)
    assert usual.drops == dict.fromkeys(causes, 20)
    for before, after in zip(kept, usual.frames, strict=True):
        check_forwarded(before, after)
    for burst in (1, 2, 7, 8, 9, 33, 64, 65, 255, 256):
        done = route(sent, pipeline={"burst": burst})
        assert done.drops == usual.drops
        assert done.frames == usual.frames


def test_stages_left_out(route: Forward) -> None:
    good, bad = frame(), REFUSED["checksum one off"][1]
    assert route([good, bad], pipeline={"stages": "none"}).frames == [good, bad]
    done = route([good, bad], pipeline={"stages": "check"})
    assert (done.drops, done.frames) == ({"checksum": 1}, [good])
    done = route([good], pipeline={"stages": "check,next_hop"})
    assert (done.drops, done.frames) == ({}, [good])


@pytest.mark.parametrize("depth", ["mixed", *range(8, 33)])
def test_what_the_source_makes_has_routes(dataplane: DataPlane, lookup: str, depth: object) -> None:
    """Every flow's destination, for every depth; the checks find nothing wrong with it."""
    answer = dataplane.once(
        "--packets",
        "20000",
        pipeline={"function": "ip4"},
        tables={"flows": 256, "routes": 256, "route_depth": depth, "route_lookup": lookup},
        traffic={"flows": 256, "destination_step": "0.64.64.1"},
    )
    assert set(answer["drops"].values()) == {0}


def test_two_outputs(dataplane: DataPlane, tmp_path: Path, lookup: str) -> None:
    """Next hops lead to the ports in turn; with no rewriting, a packet goes to its partner."""
    into, outs = tmp_path / "in.pcap", [tmp_path / "0.pcap", tmp_path / "1.pcap"]
    sent = [frame(dst=f"{net}.1.2.3") for net in range(1, 100)]
    write_pcap(into, sent)
    eal = (
        "--vdev",
        f"net_pcap0,rx_pcap={into},tx_pcap={outs[0]}",
        "--vdev",
        f"net_pcap1,tx_pcap={outs[1]}",
    )
    for stages, expected in (("all", [49, 50]), ("none", [99, 0]), ("check,next_hop", [99, 0])):
        answer = dataplane.once(
            "--packets",
            str(len(sent)),
            "--seconds",
            "5",
            eal=eal,
            pipeline={"function": "ip4", "stages": stages},
            tables={"routes": ROUTES, "next_hops": 4, "route_lookup": lookup, "flows": FLOWS},
            traffic={"flows": FLOWS, "destination_step": "0.64.64.1"},
            ports={"rx": "0,1", "tx": "0,1"},
            pool={"mbufs": 4096},
        )
        assert answer["packets_out"] == len(sent)
        frames = [list(read_pcap(out)) for out in outs]
        assert [len(list_) for list_ in frames] == expected
        if stages == "all":
            assert [Ether(data).dst[-1] for data in frames[0][:4]] == ["2", "0", "2", "0"]
            assert {Ether(data).src for data in frames[1]} == {"02:02:00:00:00:01"}


@pytest.mark.parametrize("lookup", ["lpm", "fib"])
def test_the_shipped_scenario(dataplane: DataPlane, repository: Path, lookup: str) -> None:
    """Every flow has a route, and nothing is dropped."""
    settings = {"workload.route_lookup": lookup}
    scenario = load_scenario(repository / "scenarios" / "ip4.yaml", settings)
    assert scenario.traffic.flows == scenario.workload.routes == 62500
    path = dataplane.folder / "ip4.ini"
    write_config(configs_for([scenario])[0], path, scenario)
    done = dataplane.run(path, "--packets", "500000")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["packets_out"] >= 500000
    assert set(answer["drops"].values()) == {0}


def test_more_routes_than_there_are(dataplane: DataPlane) -> None:
    path = dataplane.config(pipeline={"function": "ip4"}, tables={"routes": 257, "route_depth": 8})
    done = dataplane.run(path, "--packets", "1")
    assert done.returncode == 2
    assert "routes: there are 256 prefixes of 8 bits; it takes no more than that" in done.stderr
