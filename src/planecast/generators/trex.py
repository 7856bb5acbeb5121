"""TRex as a generator: its stateless client from the package lbr-trex-client, if that is installed.

A TRex server runs already (``t-rex-64 -i``); its ports are known by number. It counts what its two
ports have sent and received, so nothing else may come in at the receiving one.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Self

from planecast.errors import InputError, MissingError, RunError
from planecast.extras import extra_library
from planecast.generators.load import ServerPlan, run_answer
from planecast.scenario.dataplanes.packets import as_number
from planecast.scenario.frames import FCS_BYTES

_HEADERS_BYTES = 42
"""Ethernet, IPv4, UDP."""
_SYNC_PORT = 4501
_LAST = (1 << 32) - 1


class TrexGenerator:
    """A TRex server with one stream of IPv4 packets."""

    late_s = 0.3
    """A request, and the server's own way to its ports."""

    def __init__(self, plan: ServerPlan) -> None:
        """Ports are numbers; the server is ``HOST`` or ``HOST:PORT`` of its synchronous port (the
        other one is the number below)."""
        self._plan = plan
        self._tx, self._rx = int(plan.tx), int(plan.rx)
        self._rate_pps = 0.0
        self._seconds = 0.0

    def __enter__(self) -> Self:
        """Connects and takes both ports. Raises MissingError without the client, RunError when no
        server answers."""
        self._api = _client()
        host, _, port = self._plan.server.partition(":")
        sync = int(port) if port.isdigit() else _SYNC_PORT
        _reachable(host, sync, self._plan.server)
        self._client = self._api.STLClient(server=host, sync_port=sync, async_port=sync - 1)
        self._call(self._client.connect)
        try:
            self._call(self._client.reset, ports=self._ports)
            self._call(self._client.add_streams, [self._stream()], ports=[self._tx])
        except BaseException:
            self._client.disconnect()
            raise
        return self

    def __exit__(self, *about: object) -> None:
        """Stops, gives the ports back and disconnects."""
        try:
            self._call(self._client.stop, ports=[self._tx])
            self._call(self._client.release, ports=self._ports)
        except RunError:
            pass  # it is gone, or was stopped
        finally:
            self._client.disconnect()

    def prepare(self, rate_pps: float, seconds: float) -> None:
        """Nothing: the stream is there, its rate comes with the start."""

    def start(
        self,
        streams: Sequence[str] = (),
        seconds: float | None = None,
        keys: Mapping[str, object] | None = None,
    ) -> None:
        """Starts a run from counters at zero."""
        assert seconds is not None
        self._rate_pps, self._seconds = float(str((keys or {})["rate"])), seconds
        self._call(self._client.clear_stats, ports=self._ports)
        self._call(
            self._client.start,
            ports=[self._tx],
            mult=f"{self._rate_pps:.0f}pps",
            duration=seconds,
            force=True,
        )

    def stats(self) -> dict[str, Any]:
        """The run by now; what is under way counts as lost."""
        return self._answer(running=True)

    def wait(self, timeout_s: float = 120.0) -> dict[str, Any]:
        """Waits until all is sent and what was under way has come."""
        self._call(
            self._client.wait_on_traffic,
            ports=[self._tx],
            timeout=self._seconds + timeout_s,
            rx_delay_ms=max(round(1e3 * self._plan.drain_s), 10),
        )
        return self._answer(running=False)

    @property
    def _ports(self) -> list[int]:
        return list(dict.fromkeys((self._tx, self._rx)))

    def _answer(self, *, running: bool) -> dict[str, Any]:
        stats = self._call(self._client.get_stats, ports=self._ports)
        return run_answer(
            self._plan,
            rate_pps=self._rate_pps,
            seconds=self._seconds,
            sent=int(stats[self._tx]["opackets"]),
            received=int(stats[self._rx]["ipackets"]),
            running=running,
        )

    def _stream(self) -> Any:
        """One stream; source and destination address step together through the flows."""
        api, plan, own = self._api, self._plan, self._plan.packets
        # An address here takes the place of what the server has for its port.
        macs = {key: mac for key, mac in zip(("src", "dst"), own.macs, strict=True) if mac}
        payload = b"\0" * (plan.frame_bytes - FCS_BYTES - _HEADERS_BYTES)
        packet = (
            api.Ether(**macs)
            / api.IP(src=own.source, dst=own.destination)
            / api.UDP(sport=own.source_port, dport=own.destination_port)
            / payload
        )
        program = []
        for name, offset, of, step in (
            ("s", "IP.src", own.source_of, as_number(own.source_step)),
            ("d", "IP.dst", own.destination_of, as_number(own.destination_step)),
        ):
            if step > 0:
                # Past the highest it begins again at the lowest, and so much farther on.
                low, high = int(of(0)), int(of(plan.flows - 1)) + step - 1
                if high > _LAST:
                    raise InputError(
                        f"{plan.flows} flows of TRex end too close to the last IPv4 address",
                        "dataplane.packets",
                        "lower the address, its step or traffic.flows",
                    )
                program += [
                    api.STLVmFlowVar(
                        name=name, min_value=low, max_value=high, step=step, size=4, op="inc"
                    ),
                    api.STLVmWrFlowVar(fv_name=name, pkt_offset=offset),
                ]
        program.append(api.STLVmFixIpv4(offset="IP"))
        return api.STLStream(
            packet=api.STLPktBuilder(pkt=packet, vm=program), mode=api.STLTXCont(pps=1)
        )

    def _call(self, function: Any, *arguments: Any, **named: Any) -> Any:
        """A request. Raises RunError with TRex's own words."""
        try:
            return function(*arguments, **named)
        except self._api.TRexError as error:
            said = " ".join(str(getattr(error, "msg", error)).split())
            raise RunError(f"TRex refused a request: {said[:200]}", self._plan.server) from None


def _client() -> SimpleNamespace:
    """What is needed of the client's library. Raises MissingError without it."""
    extra_library("lbr_trex_client", "trex", "generator.kind: trex")  # puts the rest on the path
    try:
        from trex.stl import api  # first: it puts a Scapy of its own before all others

        from scapy.layers.inet import IP, UDP  # isort: skip
        from scapy.layers.l2 import Ether  # isort: skip
    except ImportError as error:
        raise MissingError(
            f"the TRex client can't be loaded: {error}",
            "generator.kind",
            "it brings an old Scapy: install it where no other one is used",
        ) from None
    names = (
        "STLClient", "STLStream", "STLPktBuilder", "STLTXCont", "STLVmFlowVar", "STLVmWrFlowVar",
        "STLVmFixIpv4", "TRexError",
    )  # fmt: skip
    found = {name: getattr(api, name) for name in names}
    return SimpleNamespace(**found, Ether=Ether, IP=IP, UDP=UDP)


def _reachable(host: str, port: int, server: str) -> None:
    """Raises RunError when nobody listens: the client's own words for it are a page."""
    try:
        socket.create_connection((host, port), timeout=5.0).close()
    except OSError as error:
        raise RunError(
            f"no TRex server answers: {error.strerror or error}",
            server,
            "start one (t-rex-64 -i), or name another (generator.server)",
        ) from None
