"""Metrics of the model, made from what the generator reports about a run.

64-bit counters travel as strings, as protobuf's JSON has them. Rates are means since the run's
start while it runs, and 0 afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from planecast.generators.otg.mapping import Flow
from planecast.generators.otg.ports import Port
from planecast.scenario.frames import WIRE_BYTES


@dataclass(frozen=True)
class Progress:
    """What is known of a flow: its part of the latest run that it was in."""

    flow: Flow
    sending: bool
    stream: dict[str, Any] | None
    """The stream in the generator's answer; None before its first run."""

    def count(self, key: str) -> int:
        """A counter of the stream; 0 before its first run."""
        return int(self.stream[key]) if self.stream else 0

    def rate(self, key: str) -> float:
        """Packets a second while it sends."""
        return float(self.stream[key]) if self.stream and self.sending else 0.0

    def mean_bytes(self, way: str) -> float:
        """Mean frame, with FCS, of those ``sent`` or ``received``."""
        return self.count(f"{way}_bytes") / max(self.count(way), 1)


def flow_metric(progress: Progress) -> dict[str, Any]:
    """A ``FlowMetric``."""
    flow = progress.flow
    metric: dict[str, Any] = {
        "name": flow.name,
        "port_tx": flow.tx,
        "transmit": "started" if progress.sending else "stopped",
        "frames_tx": str(progress.count("sent")),
        "bytes_tx": str(progress.count("sent_bytes")),
        "frames_tx_rate": progress.rate("sent_pps"),
        **_bit_rates("tx", progress.rate("sent_pps"), progress.mean_bytes("sent")),
    }
    if flow.rx is None:
        return metric
    metric |= {
        "port_rx": flow.rx,
        "frames_rx": str(progress.count("received")),
        "bytes_rx": str(progress.count("received_bytes")),
        "frames_rx_rate": progress.rate("received_pps"),
        **_bit_rates("rx", progress.rate("received_pps"), progress.mean_bytes("received")),
    }
    if flow.loss:
        metric["loss"] = 100.0 * progress.count("lost") / max(progress.count("sent"), 1)
    latency = progress.stream["latency_ns"] if progress.stream else None
    if flow.latency and latency:
        metric["latency"] = {
            "minimum_ns": float(latency["min"]),
            "average_ns": float(latency["mean"]),
            "maximum_ns": float(latency["max"]),
        }
    return metric


def _bit_rates(way: str, pps: float, mean_bytes: float) -> dict[str, float]:
    bytes_a_second = pps * mean_bytes
    return {
        f"{way}_l1_rate_bps": pps * (mean_bytes + WIRE_BYTES) * 8 if pps else 0.0,
        f"{way}_rate_bytes": bytes_a_second,
        f"{way}_rate_bps": bytes_a_second * 8,
        f"{way}_rate_kbps": bytes_a_second * 8e-3,
        f"{way}_rate_mbps": bytes_a_second * 8e-6,
    }


def port_metric(port: Port, all_flows: Iterable[Progress]) -> dict[str, Any]:
    """A ``PortMetric``: the sums over the flows that the port sends and expects.

    Without ``link``, which the generator does not report.
    """
    flows = list(all_flows)
    sent = [progress for progress in flows if progress.flow.tx == port.name]
    received = [progress for progress in flows if progress.flow.rx == port.name]
    return {
        "name": port.name,
        "location": port.location,
        "capture": "stopped",
        "frames_tx": str(sum(p.count("sent") for p in sent)),
        "frames_rx": str(sum(p.count("received") for p in received)),
        "bytes_tx": str(sum(p.count("sent_bytes") for p in sent)),
        "bytes_rx": str(sum(p.count("received_bytes") for p in received)),
        "frames_tx_rate": sum((p.rate("sent_pps") for p in sent), 0.0),
        "frames_rx_rate": sum((p.rate("received_pps") for p in received), 0.0),
        "bytes_tx_rate": sum((p.rate("sent_pps") * p.mean_bytes("sent") for p in sent), 0.0),
        "bytes_rx_rate": sum(
            (p.rate("received_pps") * p.mean_bytes("received") for p in received), 0.0
        ),
        "transmit": "started" if any(p.sending for p in sent) else "stopped",
    }


def flow_detail(progress: Progress) -> dict[str, Any]:
    """What the side channel reports about a flow: the stream's answer of interfaces.md, section
    4."""
    stream = dict(progress.stream or {})
    stream.pop("name", None)
    return {"name": progress.flow.name, "sending": progress.sending, **stream}
