"""Which program has which end of each link, and how EAL is asked for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.dataplanes.link_topology import LinkTopology, link_topology_of
from planecast.dataplanes.port import Port, eal_words, named_port, port_numbers
from planecast.scenario import Scenario, with_overrides

FOLDER = Path("folder")


class Pairs:
    """Cables that are only counted."""

    def pair(self, name: str, frame_bytes: int) -> tuple[str, str]:
        return f"{name}a", f"{name}b"


def topology_for(**keys: object) -> LinkTopology:
    dotted = {f"dataplane.{name}": value for name, value in keys.items()}
    scenario = with_overrides(Scenario(name="s"), {"dataplane.kind": "testpmd"} | dotted)
    return link_topology_of(scenario, FOLDER, Pairs())


def links(topology: LinkTopology) -> dict[str, list[Port]]:
    """By a cable's or socket's name its ends."""
    found: dict[str, list[Port]] = {}
    for port in topology.ports:
        name = port.address if port.kind not in ("interface", "xdp") else port.address.rstrip("ab")
        found.setdefault(name, []).append(port)
    return found


@pytest.mark.parametrize("ports", ["memif", "vhost-user", "veth", "af_xdp"])
@pytest.mark.parametrize("chain", [1, 3])
def test_every_link_has_two_ends_that_fit(ports: str, chain: int) -> None:
    topology = topology_for(ports=ports, chain=chain)
    assert len(topology.programs) == chain
    joined = links(topology)
    assert len(joined) == chain + 1
    kinds = {"memif": {"memif"}, "vhost-user": {"vhost", "virtio"}, "veth": {"interface"}}
    kinds["af_xdp"] = {"xdp"}
    for both in joined.values():
        assert len(both) == 2
        own = {port.kind for port in both if port not in topology.generator or ports != "af_xdp"}
        assert own == kinds[ports]
        if ports in ("veth", "af_xdp"):
            assert both[0].address != both[1].address
        else:
            assert {port.role for port in both} == {"server", "client"}


def test_who_starts_earlier_makes_the_socket() -> None:
    first, second, third = topology_for(chain=3).programs
    assert [port.server for port in (*first, *second, *third)] == [
        True,
        True,
        False,
        True,
        *[False, True],
    ]
    assert first[1].address == second[0].address
    assert second[1].address == third[0].address


def test_rings_are_those_of_the_placement() -> None:
    placement = {"placement.rx_ring": 1024, "placement.tx_ring": 256}
    scenario = with_overrides(Scenario(name="s"), {"dataplane.kind": "testpmd"} | placement)
    sends, receives = link_topology_of(scenario, FOLDER, None).generator
    assert "rsize=10" in sends.device(0)
    assert "rsize=8" in receives.device(1)


def test_open_vswitch_connects_to_its_guests() -> None:
    """Its vhost-user server ports are deprecated."""
    topology = topology_for(kind="ovs", ports="vhost-user", guests=2)
    switch, *guests = topology.programs
    assert len(switch) == 6
    assert {(port.kind, port.role) for port in switch} == {("vhost", "client")}
    others = [*topology.generator, *(port for guest in guests for port in guest)]
    assert {(port.kind, port.role) for port in others} == {("virtio", "server")}
    # in -> first guest -> second guest -> out, each hop between the two ports of a pair
    path = [switch[1], switch[2], switch[3], switch[4]]
    assert [port.address for port in path] == [port.address for guest in guests for port in guest]
    assert switch[0].address == topology.generator[0].address
    assert switch[5].address == topology.generator[1].address


def test_named_devices_are_at_both_ends() -> None:
    devices = {"devices": "eth1 0000:18:00.1", "generator_devices": ["net_tap0,iface=x", "eth2"]}
    topology = topology_for(ports="named", chain=2, **devices)
    first, last = topology.programs
    assert (first[0].kind, first[0].address) == ("interface", "eth1")
    assert (last[1].kind, last[1].address) == ("pci", "0000:18:00.1")
    assert [port.kind for port in topology.generator] == ["virtual", "interface"]
    assert first[1].kind == last[0].kind == "memif"


@pytest.mark.parametrize(
    ("device", "words"),
    [
        ("18:00.0", ("--allow", "0000:18:00.0")),
        ("net_tap0,iface=x", ("--vdev", "net_tap0,iface=x")),
        (
            "eth1",
            (
                "--vdev",
                "net_af_packet3,iface=eth1,blocksz=4096,framesz=2048,framecnt=1024",
            ),
        ),
    ],
)
def test_what_a_name_means_to_eal(device: str, words: tuple[str, str]) -> None:
    assert named_port(device).eal(3) == words


def test_ends_of_memory_as_dpdk_writes_them() -> None:
    def port(kind: str, *, server: bool) -> str:
        return Port.model_validate({"kind": kind, "address": "s", "server": server}).device(0)

    assert port("vhost", server=True) == "net_vhost0,iface=s"
    assert port("vhost", server=False) == "net_vhost0,iface=s,client=1"
    assert port("virtio", server=True) == "net_virtio_user0,path=s,queue_size=1024,server=1"
    jumbo = Port(kind="interface", address="e", frame_bytes=9000)
    assert "blocksz=16384,framesz=16384" in jumbo.device(0)


def test_pci_devices_come_before_virtual_ones() -> None:
    ports = [named_port(name) for name in ("eth1", "0000:18:00.1", "0000:18:00.0")]
    assert port_numbers(ports) == (2, 1, 0)
    assert eal_words(ports)[2:] == ("--allow", "0000:18:00.1", "--allow", "0000:18:00.0")
