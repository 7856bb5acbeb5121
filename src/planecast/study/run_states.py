"""The host's state at the start, about the middle and the end of a run's measuring."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from planecast.instruments.host_state import HostState, HostStates
from planecast.instruments.probe import probe_state
from planecast.scenario.host_cpus import cpus_here
from planecast.study.calibrate import Context

HOST_STATE = "host-state.json"
TIMES = (0.0, 0.5, 1.0)
"""Shares of the measuring time at which the state is taken, or as soon as it can be."""


@contextmanager
def host_states(context: Context) -> Iterator[tuple[Callable[[float], None], list[HostState]]]:
    """(What to call between the processes of a run, the states that it found so far);
    ``host-state.json`` has them, whatever happens.

    Calling raises MissingError and RunError as `probe_state` does.
    """
    states: list[HostState] = []

    def look(share: float) -> None:
        if len(states) < len(TIMES) and share >= TIMES[len(states)]:
            states.append(probe_state(cpus_here(context.study.scenario)[0]))

    try:
        yield look, states
    finally:
        if states:
            context.run.write_json(HOST_STATE, HostStates(states=tuple(states)))
