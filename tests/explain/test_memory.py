"""Memory's counters: shares of what could be, unevenness, remote use."""

from __future__ import annotations

import pytest

from planecast.errors import InputError
from planecast.explain.memory import Channel, MemoryLimits, explain_memory

DDR4_2400 = MemoryLimits(channels=4, transfers=2400e6, reached=70e9)


def even(socket: int, read: float, write: float, channels: int = 4) -> tuple[Channel, ...]:
    return tuple(
        Channel(socket=socket, channel=n, read=read / channels, write=write / channels)
        for n in range(channels)
    )


def test_the_documents_router_has_headroom() -> None:
    """Figure 21's reading: about 17 % of about 70 GB/s (section 7.1)."""
    found = explain_memory(even(0, 7e9, 4.9e9), limits=DDR4_2400, pps=1e6, frame_bytes=1518)
    (socket,) = found.sockets
    assert DDR4_2400.expected == 76.8e9
    assert socket.share_of_reached == pytest.approx(0.17)
    assert socket.share_of_expected == pytest.approx(11.9 / 76.8)
    assert found.bytes_per_packet == pytest.approx(11_900)
    assert found.out_of_line == ()


def test_five_touches_of_64_bytes_at_100_mpps_are_32_gb_a_second() -> None:
    found = explain_memory(even(0, 16e9, 16e9), limits=DDR4_2400, pps=100e6)
    assert found.bytes_per_packet == 320
    assert "320 bytes a packet; 320 and more would be expected" in " ".join(found.findings)


@pytest.mark.parametrize(
    ("channels", "fragment"),
    [
        (even(0, 40e9, 15e9), "busy"),
        ((*even(0, 1e9, 0, 3), Channel(socket=0, channel=3, read=3e9, write=0)), "busiest"),
    ],
)
def test_what_is_out_of_line(channels: tuple[Channel, ...], fragment: str) -> None:
    found = explain_memory(channels, limits=DDR4_2400)
    assert any(fragment in text for text in found.out_of_line)


def test_impossible_rates_are_refused() -> None:
    with pytest.raises(InputError, match=r"moves 400 GB/s and can move 19\.2"):
        explain_memory((Channel(socket=0, channel=0, read=4e11, write=0),), limits=DDR4_2400)
    with pytest.raises(InputError, match="no channels"):
        explain_memory(())
