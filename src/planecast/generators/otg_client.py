"""Any server of the Open Traffic Generator API as a generator, through snappi: hardware testers,
and our own (``planecast generator serve``).

Each trial is a configuration of its own: the model can't change a flow's length. What is read is
read when the flow has stopped and its counters no longer move, for testers report them late.
"""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Self

from planecast.errors import InputError, RunError
from planecast.extras import extra_library
from planecast.generators.load import ServerPlan, run_answer

FLOW = "load"
_POLL_S = 0.02
_SETTLED_READS = 3
_SETTLING_S = 10.0
_NOBODY = ("Connection refused", "Connection aborted", "Connection reset", "timed out")
"""What libraries below say in a page of their own, in two words."""


class OtgGenerator:
    """An OTG server with one flow of IPv4 packets."""

    late_s = 0.3
    """A request, and the server's own way to its ports."""

    def __init__(self, plan: ServerPlan) -> None:
        """Ports are locations; the server is ``http://HOST:PORT``, or ``HOST:PORT`` for gRPC."""
        self._plan = plan
        self._rate_pps = 0.0
        self._seconds = 0.0
        self._ran = (0.0, 0.0)

    def __enter__(self) -> Self:
        """Connects. Raises MissingError without snappi, RunError when nobody answers."""
        self._snappi = extra_library("snappi", "otg", "generator.kind: otg")
        plain = not self._plan.server.startswith(("http://", "https://"))
        transport = {"transport": "grpc"} if plain else {}
        self._api = self._snappi.api(
            location=self._plan.server, verify=False, loglevel=logging.ERROR, **transport
        )
        self._call(self._api.get_config)
        return self

    def __exit__(self, *about: object) -> None:
        """Stops the flow, and has the server let go of its ports."""
        try:
            self._set_state("stop")
            self._call(self._api.set_config, self._snappi.Config())
        except (RunError, InputError):
            return  # it was stopped, or is gone: there is nothing to be put back

    def prepare(self, rate_pps: float, seconds: float) -> None:
        """Configures the server. Raises InputError for what it can't send."""
        self._rate_pps, self._seconds = rate_pps, seconds
        self._call(self._api.set_config, self._config())

    def start(
        self,
        streams: Sequence[str] = (),
        seconds: float | None = None,
        keys: Mapping[str, object] | None = None,
    ) -> None:
        """Starts a run, configured before if it is another one than was prepared."""
        assert seconds is not None
        rate_pps = float(str((keys or {})["rate"]))
        if (rate_pps, seconds) != (self._rate_pps, self._seconds):
            self.prepare(rate_pps, seconds)
        self._set_state("start")
        self._rate_pps, self._ran = 0.0, (rate_pps, seconds)

    def stats(self) -> dict[str, Any]:
        """The run by now; what is under way counts as lost."""
        return self._answer(self._metric(), running=True)

    def wait(self, timeout_s: float = 120.0) -> dict[str, Any]:
        """Waits until the flow has stopped and its counters stand."""
        deadline = time.monotonic() + self._ran[1] + timeout_s
        while self._metric().transmit == "started":
            if time.monotonic() > deadline:
                raise RunError(
                    f"its flow still runs {timeout_s:.0f} s after its end", self._plan.server
                )
            time.sleep(_POLL_S)
        return self._answer(self._settled(), running=False)

    def _settled(self) -> Any:
        """The counters when they have not moved over a few reads. Raises RunError."""
        time.sleep(self._plan.drain_s)
        deadline = time.monotonic() + _SETTLING_S
        same, last = 0, None
        while same < _SETTLED_READS:
            metric = self._metric()
            now = (metric.frames_tx, metric.frames_rx)
            same, last = (same + 1 if now == last else 0), now
            if time.monotonic() > deadline:
                raise RunError(
                    "its counters still move after the flow has stopped", self._plan.server
                )
            time.sleep(_POLL_S)
        return metric

    def _answer(self, metric: Any, *, running: bool) -> dict[str, Any]:
        latency = {}
        if metric.latency is not None and metric.latency.average_ns:
            latency["mean"] = metric.latency.average_ns
        return run_answer(
            self._plan,
            rate_pps=self._ran[0],
            seconds=self._ran[1],
            sent=int(metric.frames_tx or 0),
            received=int(metric.frames_rx or 0),
            latency_ns=latency,
            running=running,
        )

    def _config(self) -> Any:
        plan = self._plan
        config = self._snappi.Config()
        names: dict[str, str] = {}
        for location in dict.fromkeys((plan.tx, plan.rx)):
            names[location] = f"port{len(names)}"
            config.ports.add(name=names[location], location=location)
        flow = config.flows.add(name=FLOW)
        flow.tx_rx.port.tx_name = names[plan.tx]
        flow.tx_rx.port.rx_names = [names[plan.rx]]
        ethernet, ipv4, udp = flow.packet.ethernet().ipv4().udp()
        own = plan.packets
        for field, first, step in (
            (ipv4.src, own.source, own.source_step),
            (ipv4.dst, own.destination, own.destination_step),
        ):
            field.increment.start, field.increment.step = first, step
            field.increment.count = plan.flows
        for field, mac in zip((ethernet.src, ethernet.dst), own.macs, strict=True):
            if mac is not None:
                field.value = mac
        udp.src_port.value, udp.dst_port.value = own.source_port, own.destination_port
        flow.size.fixed = plan.frame_bytes
        flow.rate.pps = round(self._rate_pps)
        # Not so many packets: a generator sends those however late, and a trial is a time.
        flow.duration.fixed_seconds.seconds = self._seconds
        flow.metrics.enable = flow.metrics.loss = True
        flow.metrics.latency.enable = True
        flow.metrics.latency.mode = "store_forward"
        return config

    def _set_state(self, state: str) -> None:
        control = self._snappi.ControlState()
        control.traffic.flow_transmit.state = state
        self._call(self._api.set_control_state, control)

    def _metric(self) -> Any:
        request = self._snappi.MetricsRequest()
        request.flow.flow_names = [FLOW]
        found = self._call(self._api.get_metrics, request).flow_metrics
        if len(found) != 1:
            raise RunError(f"it reports {len(found)} flows instead of one", self._plan.server)
        return found[0]

    def _call(self, function: Any, *arguments: Any) -> Any:
        """A request. Raises InputError for one that it refuses, RunError for all else."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # snappi's own, about certificates and versions
                return function(*arguments)
        except Exception as error:  # noqa: BLE001 - whatever its transport raises
            raise self._failure(error) from None

    def _failure(self, error: Exception) -> InputError | RunError:
        refusal = self._api.from_exception(error)
        if refusal is None:
            text = str(error)
            known = next((words for words in _NOBODY if words in text), None)
            first = known or (text.splitlines() or [type(error).__name__])[0][:160]
            return RunError(
                f"the OTG server does not answer: {first}",
                self._plan.server,
                "start one (planecast generator serve), or name another (generator.server)",
            )
        said = "; ".join(refusal.errors or [str(error)])
        if refusal.kind == "validation" or refusal.code == 400:
            return InputError(f"the OTG server refuses it: {said}", self._plan.server)
        return RunError(f"the OTG server failed: {said}", self._plan.server)
