"""What a server has between requests: a configuration, a generator's process, what its runs
reported.

Requests come on several threads; one at a time is served.
"""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

from planecast.errors import PlanecastError
from planecast.generators.otg.errors import OtgError, otg_error
from planecast.generators.otg.mapping import Flow, Plan, Resources, plan_of
from planecast.generators.otg.metrics import Progress, flow_detail, flow_metric, port_metric
from planecast.generators.otg.node import Node
from planecast.generators.ours import Generator

_PER_RUN = ("rate", "packets")
"""Keys of a stream that a run may have its own of."""
_NEVER_GIVEN_UP = {"catch_up_us": "1e+09", "give_up_ms": "1e+06"}
"""Keys of a run whose packets are all sent, however late, and however long the port takes nothing:
the longest that the generator knows, a thousand seconds. A stop ends it within a second."""
_SETTLED_S = 0.3
"""A flow that has sent all is still reported as started for so long, when not all has come: scripts
read the counters as soon as it is stopped."""


class Session:
    """The state behind the API. `close` ends the process; nothing is left."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._lock = threading.RLock()
        self._document: dict[str, Any] = {}
        self._plan: Plan | None = None
        self._started: Plan | None = None
        self._generator: Generator | None = None
        self._closed = False
        self._streams: dict[str, dict[str, Any]] = {}
        self._run: dict[str, Any] | None = None
        self._active: tuple[Flow, ...] = ()
        self._sent_at: dict[str, float] = {}

    def close(self) -> None:
        """Ends the generator for good. Not under the lock: what waits for it ends thereby."""
        self._closed = True
        self._end_generator()

    def _end_generator(self) -> None:
        generator, self._generator = self._generator, None
        if generator is not None:
            generator.stop()

    def set_config(self, document: Any) -> dict[str, Any]:
        """``POST /config``: starts a generator for it, which opens its ports.

        One that differs in rates and lengths alone goes to the generator that runs: a search sets
        one for every trial, and what is at the other end of a port would see it close each time.
        """
        with self._lock:
            plan = plan_of(document, self._resources)
            serves = self._serves(plan)
            if not serves:
                self._end_generator()
            self._forget()
            if not serves and plan.config is not None:
                self._open(Generator(plan.config, plan.eal_arguments))
                self._started = plan
            self._plan, self._document = plan, document
            return {"warnings": list(plan.warnings)}

    def _serves(self, plan: Plan) -> bool:
        """Whether the generator that runs can do a plan, too: it idles, and nothing that it was
        started with would be another."""
        if self._generator is None or self._plan is None or self._closed:
            return False
        if _fixed(plan) != _fixed(self._plan):
            return False
        try:
            self._refresh()
            self._generator.stats()  # it lives
        except PlanecastError:
            return False
        return not self._active

    def _open(self, generator: Generator) -> None:
        """Starts it. Known before it is there, so that a `close` in between ends it."""
        self._generator = generator
        if self._closed:
            raise OtgError(["the server ends"], 500, "internal")
        try:
            generator.__enter__()
        except PlanecastError as error:
            self._generator = None
            raise otg_error(error) from error

    def config(self) -> dict[str, Any]:
        """``GET /config``: as it was set; empty before."""
        with self._lock:
            return self._document

    def set_state(self, document: Any) -> dict[str, Any]:
        """``POST /control/state``: starts and stops flows."""
        problems: list[str] = []
        node = Node(document, "", problems)
        state, names = "", []
        if node.choice("traffic", ("traffic",)):
            traffic = node.child("traffic")
            if traffic.choice("flow_transmit", ("flow_transmit",)):
                transmit = traffic.child("flow_transmit")
                state, names = transmit.text("state"), transmit.texts("flow_names")
                if state not in ("start", "stop"):
                    transmit.refuse("state", f"{state} is not supported: start and stop are")
                transmit.finish()
            traffic.finish()
        node.finish()
        with self._lock:
            flows = self._flows(names, problems, "traffic.flow_transmit.flow_names")
            if problems:
                raise OtgError(problems)
            try:
                self._start(flows) if state == "start" else self._stop(flows, names)
            except PlanecastError as error:
                raise otg_error(error) from error
        return {"warnings": []}

    def metrics(self, document: Any) -> dict[str, Any]:
        """``POST /monitor/metrics``: of ports or flows."""
        problems: list[str] = []
        request = Node(document, "", problems)
        choice = request.choice("port", ("port", "flow"))
        asked = request.child(choice) if choice else Node({}, "", problems)
        names = asked.texts(f"{choice}_names")
        columns = asked.texts("column_names" if choice == "port" else "metric_names")
        asked.finish()
        request.finish()
        with self._lock:
            self._check_names(asked, choice, names)
            if problems:
                raise OtgError(problems)
            found = self._port_metrics() if choice == "port" else self._flow_metrics()
        chosen = [metric for metric in found if not names or metric["name"] in names]
        if columns:
            kept = {"name", *columns}
            chosen = [{k: v for k, v in metric.items() if k in kept} for metric in chosen]
        return {"choice": f"{choice}_metrics", f"{choice}_metrics": chosen}

    def _check_names(self, asked: Node, choice: str, names: list[str]) -> None:
        plan = self._plan
        there = () if plan is None else plan.ports if choice == "port" else plan.flows
        unreported = {flow.name for flow in plan.flows if not flow.metrics} if plan else set()
        for name in names:
            if name not in {each.name for each in there}:
                asked.refuse(f"{choice}_names", f"there is no {choice} '{name}'")
            elif choice == "flow" and name in unreported:
                asked.refuse("flow_names", f"metrics.enable of flow '{name}' is false")

    def latency(self) -> dict[str, Any]:
        """``GET /planecast/latency``: percentiles and histogram of each flow's latest run."""
        kept = ("name", "sending", "latency_ns", "latency_histogram")
        flows = self.detail()["flows"]
        return {"flows": [{key: flow.get(key) for key in kept} for flow in flows]}

    def detail(self) -> dict[str, Any]:
        """``GET /planecast/run``: all that the generator reports about the latest run."""
        with self._lock:
            flows = [flow_detail(progress) for progress in self._progress()]
            run = {k: v for k, v in (self._run or {}).items() if k not in ("streams", "total")}
            return {"run": run, "flows": flows}

    def generator_config(self) -> str:
        """``GET /planecast/config``: the INI file that the model became."""
        with self._lock:
            return self._plan.text() if self._plan else "; no configuration was set\n"

    def _forget(self) -> None:
        """Before another configuration: the counters are gone."""
        self._plan, self._document, self._run, self._active = None, {}, None, ()
        self._streams.clear()

    def _flows(self, names: list[str], problems: list[str], path: str) -> tuple[Flow, ...]:
        there = self._plan.flows if self._plan else ()
        for name in names:
            if name not in {flow.name for flow in there}:
                problems.append(f"{path}: there is no flow '{name}'")
        return tuple(flow for flow in there if not names or flow.name in names)

    def _start(self, flows: tuple[Flow, ...]) -> None:
        if self._closed:
            raise OtgError(["the server ends"], 500, "internal")
        if self._generator is None or not flows:
            raise OtgError(["traffic.flow_transmit: there are no flows; set a configuration first"])
        self._refresh()
        if self._active:
            running = ", ".join(flow.name for flow in self._active)
            raise OtgError(
                [f"traffic.flow_transmit: flows run already ({running}); stop them first"]
            )
        assert self._plan is not None
        assert self._started is not None
        every = len(flows) == len(self._plan.flows)
        self._generator.start(
            () if every else [flow.stream for flow in flows],
            keys=_run_keys(self._started, self._plan, flows),
        )
        self._active = flows
        self._sent_at.clear()
        self._refresh()

    def _stop(self, flows: tuple[Flow, ...], names: list[str]) -> None:
        if self._generator is None:
            return
        self._refresh()
        others = [flow.name for flow in self._active if flow not in flows]
        if others and len(others) < len(self._active):
            raise OtgError(
                [
                    "traffic.flow_transmit.flow_names: flows that were started together are "
                    f"stopped together: add {', '.join(others)} to {', '.join(names)}"
                ]
            )
        if self._active and not others:
            self._keep(self._generator.stop_run())

    def _refresh(self) -> None:
        """Asks the generator for the run by now; for all of it when it is over."""
        if self._generator is None or not self._active:
            return
        answer = self._generator.stats()
        if not answer["running"]:
            answer = self._generator.wait()
        self._keep(answer)

    def _keep(self, answer: dict[str, Any]) -> None:
        self._run = answer
        for stream in answer["streams"]:
            self._streams[stream["name"]] = stream
        if not answer["running"]:
            self._active = ()

    def _progress(self) -> list[Progress]:
        try:
            self._refresh()
            if self._generator and self._active and not any(map(self._is_sending, self._active)):
                self._keep(self._generator.wait())  # all is sent: it drains, and then knows all
        except PlanecastError as error:
            raise otg_error(error) from error
        flows = self._plan.flows if self._plan else ()
        return [
            Progress(flow, self._is_sending(flow), self._streams.get(flow.stream)) for flow in flows
        ]

    def _is_sending(self, flow: Flow) -> bool:
        stream = self._streams.get(flow.stream)
        if flow not in self._active or stream is None:
            return False
        if not flow.packets or stream["sent"] < flow.packets:
            return True
        since = self._sent_at.setdefault(flow.name, time.monotonic())
        return stream["lost"] > 0 and time.monotonic() - since < _SETTLED_S

    def _flow_metrics(self) -> list[dict[str, Any]]:
        return [flow_metric(progress) for progress in self._progress() if progress.flow.metrics]

    def _port_metrics(self) -> list[dict[str, Any]]:
        progress = self._progress()
        ports = self._plan.ports if self._plan else ()
        return [port_metric(port, progress) for port in ports]


def _fixed(plan: Plan) -> object:
    """What a generator is started with and can't be changed for a run."""
    if plan.config is None:
        return None
    streams = tuple(
        replace(s, keys={key: value for key, value in s.keys.items() if key not in _PER_RUN})
        for s in plan.config.streams
    )
    return replace(plan.config, streams=streams), plan.eal_arguments, plan.ports


def _run_keys(started: Plan, plan: Plan, flows: tuple[Flow, ...]) -> dict[str, object]:
    """The keys of a run, of streams that the generator was started with otherwise."""
    assert started.config is not None
    assert plan.config is not None
    wanted = {flow.stream for flow in flows}
    keys: dict[str, object] = {}
    if any(flow.counted for flow in flows):  # a pause takes none from a number of packets
        keys |= _NEVER_GIVEN_UP
    return keys | {
        f"{stream.name}.{key}": stream.keys[key]
        for stream, first in zip(plan.config.streams, started.config.streams, strict=True)
        if stream.name in wanted
        for key in _PER_RUN
        if stream.keys.get(key) != first.keys.get(key)
    }
