"""The tester in the model: what a generator in software adds to every latency that it measures.

A latency is measured from before the send call until the receive call has returned that brought the
packet. So it has in it, in addition to the data plane: the send call, at whose end packets are
there to be seen; the wait until the generator comes round to receive; and that call itself. The
generator times all three as it sends (native/generator), and none of them is a latency of the data
plane's. Here it is a poll loop of its own behind the data plane, with a round as long as makes
packets wait as long.
"""

from __future__ import annotations

from dataclasses import dataclass

from planecast.engines.simulate import _simulator as sim

TESTER = "tester"
_RETURN = "returned"
NOTHING = "nothing"
_LEAST_NS = 1.0


@dataclass(frozen=True)
class GeneratorLatency:
    """What the generator takes, in nanoseconds, while it sends at one load."""

    __test__ = False  # not one of pytest's

    send_call_ns: float
    """Until packets that it sends can be seen."""
    receive_wait_ns: float
    """From when a packet has come back until it begins to receive, on average."""
    receive_call_ns: float
    """A receive call that brings packets."""


def with_generator_latency(model: sim.Model, tester: GeneratorLatency, tx_ring: int) -> sim.Model:
    """The model of one lcore with the generator before and behind it, `tx_ring` slots between."""
    (port,), (core,) = model.ports, model.cores
    port.nic = TESTER
    task = core.tasks[-1]
    task.output = sim.Output(kind=sim.OutputKind.ring, to=_RETURN)
    core.tasks = [*core.tasks[:-1], task]
    model.nics = [sim.Nic(name=TESTER, rx_latency_ns=tester.send_call_ns)]
    model.ports = [port]
    model.rings = [sim.Ring(name=_RETURN, capacity=tx_ring), sim.Ring(name=NOTHING)]
    model.cores = [core, _loop(tester)]
    return model


def _loop(tester: GeneratorLatency) -> sim.Core:
    """A round is twice as long as packets wait for its next beginning."""
    round_ns = max(2 * tester.receive_wait_ns, 2 * _LEAST_NS)
    call_ns = min(tester.receive_call_ns, round_ns - _LEAST_NS)
    receive = sim.Task(
        name="receive",
        input=sim.Input(kind=sim.InputKind.ring, name=_RETURN),
        empty_poll_cycles=max(call_ns, _LEAST_NS),
        stages=[
            sim.Stage(name="receive", burst_cycles=sim.Distribution(mean=tester.receive_call_ns))
        ],
    )
    # The rest of a round: nothing ever comes to this one.
    send = sim.Task(
        name="send",
        input=sim.Input(kind=sim.InputKind.ring, name=NOTHING),
        empty_poll_cycles=max(round_ns - call_ns, _LEAST_NS),
    )
    return sim.Core(name=TESTER, clock_hz=1e9, tasks=[receive, send])


def without_generator(answer: sim.Results) -> tuple[sim.CoreResult, ...]:
    """The lcores of an answer."""
    return tuple(core for core in answer.cores if core.name != TESTER)
