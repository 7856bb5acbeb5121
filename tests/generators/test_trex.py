"""TRex's client, replaced by one that records what it is asked: no TRex server runs here.

What the stand-in has is what lbr-trex-client 3.4.0 has: where that is installed, the last test
holds every call against its signatures.
"""

from __future__ import annotations

import importlib.util
import inspect
import socket
import sys
import types
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from planecast.errors import MissingError, RunError
from planecast.generators.load import ServerPlan
from planecast.generators.trex import TrexGenerator
from planecast.scenario.dataplanes.packets import Packets, as_number

CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []


class TRexError(Exception):
    """As TRex has it, with its words in `msg`."""

    def __init__(self, msg: str) -> None:
        super().__init__(msg)
        self.msg = msg


class Recorder:
    """A client that forwards all but one packet in a thousand."""

    refuses = ""

    def __init__(self, **named: Any) -> None:
        CALLS.append(("STLClient", (), named))
        self.sent = 0

    def __getattr__(self, name: str) -> Any:
        def call(*given: Any, **named: Any) -> Any:
            CALLS.append((name, given, named))
            if name == self.refuses:
                raise TRexError("port 0 is owned\nby somebody")
            if name == "start":
                self.sent = round(float(named["mult"].removesuffix("pps")) * named["duration"])
            if name == "get_stats":
                back = self.sent - self.sent // 1000
                return {0: {"opackets": self.sent}, 1: {"ipackets": back}}
            return None

        return call


class Part:
    """Any part of a packet or a stream: it takes what it is given, and is put before another."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self.named = named

    def __truediv__(self, other: object) -> Part:
        return self


@pytest.fixture
def trex(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The server's name; somebody listens there, and the client is the stand-in."""
    parts = ("STLStream", "STLPktBuilder", "STLTXCont", "STLVmFlowVar", "STLVmWrFlowVar")
    api = types.ModuleType("trex.stl.api")
    for name in (*parts, "STLVmFixIpv4"):
        setattr(api, name, Part)
    api.STLClient, api.TRexError = Recorder, TRexError  # type: ignore[attr-defined]
    stl, whole = types.ModuleType("trex.stl"), types.ModuleType("trex")
    stl.api = api  # type: ignore[attr-defined]
    for name, module in (
        ("lbr_trex_client", types.ModuleType("lbr_trex_client")),
        ("trex", whole),
        ("trex.stl", stl),
        ("trex.stl.api", api),
    ):
        monkeypatch.setitem(sys.modules, name, module)
    CALLS.clear()
    monkeypatch.setattr(Recorder, "refuses", "")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


def plan(server: str) -> ServerPlan:
    return ServerPlan(
        server, tx="0", rx="1", frame_bytes=64, flows=1000, packets=Packets(), drain_s=0.05
    )


def test_a_trial_is_rate_duration_and_the_ports_counters(trex: str) -> None:
    with TrexGenerator(plan(trex)) as generator:
        generator.prepare(2e6, 0.5)
        generator.start(seconds=0.5, keys={"rate": "2000000"})
        answer = generator.wait()
    total = answer["total"]
    assert (total["asked"], total["sent"], total["received"]) == (10**6, 10**6, 10**6 - 1000)
    assert (total["lost"], total["unsent"]) == (1000, 0)
    assert answer["drain_ms"]["took"] == 50
    names = [name for name, _, _ in CALLS]
    assert names == [
        "STLClient", "connect", "reset", "add_streams", "clear_stats", "start",
        "wait_on_traffic", "get_stats", "stop", "release", "disconnect",
    ]  # fmt: skip
    start = next(named for name, _, named in CALLS if name == "start")
    assert start == {"ports": [0], "mult": "2000000pps", "duration": 0.5, "force": True}
    client = CALLS[0][2]
    assert client["async_port"] == client["sync_port"] - 1


def test_flows_step_through_the_addresses_of_the_scenario(
    trex: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[dict[str, Any]] = []
    monkeypatch.setattr(Part, "__init__", lambda self, *given, **named: made.append(named))
    packets = Packets(destination="198.18.0.1", destination_step="0.0.1.0", source_step="0.0.0.0")
    with TrexGenerator(replace(plan(trex), packets=packets)):
        pass
    ranges = [(one["min_value"], one["max_value"]) for one in made if "min_value" in one]
    first = as_number(packets.destination)
    assert ranges == [(first, first + 999 * 256 + 255)]  # after the last one it is at the first


def test_what_trex_refuses_is_a_sentence_and_the_ports_are_given_back(
    trex: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Recorder, "refuses", "start")
    with TrexGenerator(plan(trex)) as generator, pytest.raises(RunError) as error:
        generator.start(seconds=0.5, keys={"rate": "2000000"})
    assert "TRex refused a request: port 0 is owned by somebody" in str(error.value)
    assert CALLS[-1][0] == "disconnect"


def test_nobody_there_is_a_sentence(trex: str) -> None:
    with socket.socket() as taken:  # and nobody listens
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with (
            pytest.raises(RunError, match="no TRex server answers: Connection refused"),
            TrexGenerator(plan(address)),
        ):
            pass


def test_without_the_client_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lbr_trex_client", None)
    with (
        pytest.raises(MissingError, match=r"pip install 'planecast\[trex\]'"),
        TrexGenerator(plan("localhost")),
    ):
        pass


@pytest.mark.skipif(
    importlib.util.find_spec("lbr_trex_client") is None, reason="lbr-trex-client is not installed"
)
def test_the_real_client_takes_these_calls(trex: str) -> None:
    with TrexGenerator(plan(trex)) as generator:
        generator.start(seconds=0.5, keys={"rate": "2000000"})
        generator.wait()
    calls = list(CALLS)
    for name in ("lbr_trex_client", "trex", "trex.stl", "trex.stl.api"):
        sys.modules.pop(name, None)
    import lbr_trex_client  # noqa: F401
    from trex.stl.api import STLClient

    for name, given, named in calls:
        function = STLClient if name == "STLClient" else getattr(STLClient, name)
        own = () if name == "STLClient" else (None,)
        inspect.signature(function).bind(*own, *given, **named)
