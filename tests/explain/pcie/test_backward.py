"""From counted lines to conclusions: the document's example, and made-up ones that go wrong."""

from __future__ import annotations

import random
from typing import Any

import pytest

from planecast.errors import InputError
from planecast.explain.pcie import Ports, expected, interpret, pcie_counts


def test_the_documents_l3fwd_example_and_its_conclusions(printed: Any) -> None:
    """Section 8.5: hits throughout, less than half of the Rx descriptors in full lines, 6.7 M/s
    partial ones of 32 or 48 bytes, descriptors read by full lines, tails every 32nd packet."""
    counts = printed.sockets["0"]
    found = interpret(counts, printed.pps, printed.ports)
    assert (found.read_hit_share, found.write_hit_share) == (1.0, 1.0)
    assert found.coalesced_rx_share == pytest.approx(12.8 / 29.8, rel=1e-6)
    partial = counts.partial_write.total - printed.pps / 16
    assert partial == pytest.approx(6.7e6, rel=0.01)
    assert found.rx_descriptors_per_partial_write is not None
    assert 2 <= found.rx_descriptors_per_partial_write <= 3
    assert found.packets_per_tail_update == pytest.approx(32, rel=0.02)
    assert all(row.agrees for row in found.comparisons)
    assert found.out_of_line == ()
    (one_core,) = interpret(counts, printed.pps, printed.ports, cores=1).out_of_line
    assert "1.89 M MMIO writes a second a core" in one_core
    assert interpret(counts, printed.pps, printed.ports, cores=2).out_of_line == ()
    text = " ".join(found.findings)
    assert "43% of the Rx descriptors (less than half)" in text
    assert "100.0% of the card's writes hit" in text
    assert "fine from 2 forwarding cores on" in text


def test_all_of_its_pcie_traffic_is_on_one_socket(printed: Any) -> None:
    other = printed.sockets["1"]
    assert (other.read.total, other.full_write.total, other.mmio_write.total) == (0, 0, 0)


def test_forward_and_backward_meet() -> None:
    """Counters that follow from a made-up driver give that driver back."""
    dice = random.Random(5)
    for _ in range(200):
        ports = Ports(
            frame_bytes=64 * dice.randint(1, 23),
            rx_descriptor_bytes=dice.choice([16, 32]),
            tx_write_back_every=dice.choice([1, 8, 16, 32]),
            tail_update_every=dice.choice([4, 16, 32]),
        )
        pps = dice.uniform(1e5, 4e7)
        share, together, hits = dice.random(), dice.choice([1, 1.5]), dice.random()
        one = expected(ports)
        lines = one.full_lines_least + share * ports.rx_descriptor_bytes / 64
        found = interpret(
            pcie_counts(
                {
                    "PCIeRdCur": one.read_lines * pps,
                    "ItoM": lines * pps,
                    "ItoM.hit": hits * lines * pps,
                    "ItoM.miss": (1 - hits) * lines * pps,
                    "RFO": (1 / ports.tx_write_back_every + (1 - share) / together) * pps,
                    "WiL": one.mmio_writes * pps,
                }
            ),
            pps,
            ports,
        )
        assert found.coalesced_rx_share == pytest.approx(share, abs=1e-6)
        assert found.rx_descriptors_per_partial_write == pytest.approx(together, rel=1e-5)
        assert found.write_hit_share == pytest.approx(hits)
        assert found.packets_per_tail_update == pytest.approx(ports.tail_update_every)
        assert next(r for r in found.comparisons if r.what == "lines read").agrees


def test_skylake_and_later_events_mean_the_same() -> None:
    old = {
        "PCIeRdCur.hit": 4e7,
        "PCIeRdCur.miss": 5e6,
        "ItoM.hit": 3e7,
        "ItoM.miss": 3e6,
        "RFO.hit": 8e6,
        "RFO.miss": 1e6,
        "WiL": 1e6,
        "PRd": 5e3,
    }
    new = {
        "UNC_CHA_TOR_INSERTS.IO_HIT_PCIRDCUR": 4e7,
        "UNC_CHA_TOR_INSERTS.IO_MISS_PCIRDCUR": 5e6,
        "UNC_CHA_TOR_INSERTS.IO_HIT_ITOM": 3e7,
        "UNC_CHA_TOR_INSERTS.IO_MISS_ITOM": 3e6,
        "UNC_CHA_TOR_INSERTS.IO_HIT_ITOMCACHENEAR": 8e6,
        "UNC_CHA_TOR_INSERTS.IO_MISS_ITOMCACHENEAR": 1e6,
        "UNC_CHA_TOR_INSERTS.IA_WIL": 1e6,
        "UNC_CHA_TOR_INSERTS.IA_UCRDF": 5e3,
    }
    assert interpret(pcie_counts(old), 29.8e6, Ports()) == interpret(
        pcie_counts(new), 29.8e6, Ports()
    )


def test_what_cores_ask_for_by_the_same_name_is_not_the_cards() -> None:
    events = {"UNC_CHA_TOR_INSERTS.IO_HIT_ITOM": 1e6, "UNC_CHA_TOR_INSERTS.IA_MISS_RFO": 9e6}
    assert pcie_counts(events).partial_write.total == 0


def test_the_io_controllers_count_bytes_by_part_in_units_of_four() -> None:
    events = {f"UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART{n}": 1e6 for n in range(4)}
    events["UNC_IIO_DATA_REQ_OF_CPU.MEM_WRITE.ALL_PARTS"] = 5e6
    found = interpret(pcie_counts(events), 1e6, Ports())
    assert (found.read_bytes_per_packet, found.write_bytes_per_packet) == (16, 20)
    assert found.comparisons == ()


def test_what_is_out_of_line_is_reported_with_what_to_do() -> None:
    events = {
        "PCIeRdCur": 6e6,
        "PCIeRdCur.hit": 1e6,
        "PCIeRdCur.miss": 5e6,
        "ItoM": 1e6,
        "RFO": 3e6,
        "WiL": 2e6,
        "PRd": 1e5,
    }
    found = interpret(pcie_counts(events), 1e6, Ports(), cores=1)
    text = " ".join(found.out_of_line)
    for fragment in ("miss the last-level cache", "MMIO reads", "MMIO writes", "part of a line"):
        assert fragment in text
    assert "lines read a packet" in text


@pytest.mark.parametrize(
    ("events", "pps", "fragment"),
    [
        ({"cycles": 1.0}, 1e6, "none of the events"),
        ({"ItoM": -1.0}, 1e6, "impossible"),
        ({"ItoM": 39406496739481088.0}, 1e6, "impossible"),
        ({"ItoM": float("nan")}, 1e6, "impossible"),
        ({"ItoM": 1.0}, 0.0, "the number of packets"),
        ({"ItoM": 1.0}, float("nan"), "the number of packets"),
    ],
)
def test_impossible_input_is_refused(events: dict[str, float], pps: float, fragment: str) -> None:
    with pytest.raises(InputError, match=fragment):
        interpret(pcie_counts(events), pps, Ports())
