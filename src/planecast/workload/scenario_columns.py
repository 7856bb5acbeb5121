"""Many scenarios as columns: an array for each key that the cost model reads.

A scenario as an object costs some 100 µs to check and 10 to read, its prediction 2. A sweep that
varies numbers over one base therefore asks with columns, and no object is made for a point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planecast.scenario.points import value_at, value_if_any
from planecast.scenario.scenario import Scenario

Floats = NDArray[np.float64]

NUMBERS = (
    "workload.acl_rules",
    "workload.flows",
    "workload.routes",
    "workload.next_hops",
    "workload.bridge_entries",
    "traffic.flows",
    "traffic.frame_bytes",
    "placement.lcores",
    "placement.burst",
    "placement.rx_ring",
    "placement.tx_ring",
    "dataplane.rules",
    "dataplane.masks",
    "dataplane.routes",
    "dataplane.next_hops",
    "dataplane.stations",
    "dataplane.emc_insert_inv_prob",
)
"""Keys with a number each, in the model's equations or its traces."""

SETTINGS = (
    "workload.flow_table",
    "workload.down_lookup",
    "workload.route_lookup",
    "workload.route_depth",
    "workload.tm_rate",
    "workload.tm_pipe_rate",
    "workload.tm_red",
    "traffic.destination_step",
    "dataplane.memory",
    "dataplane.route_depth",
)
"""Keys without an order, or whose numbers the model has no equation for: a value that no
calibration point has lies between no others."""

CHOICES = (
    *SETTINGS,
    "workload.stages",
    "traffic.frame_mix",
    "traffic.classes",
    "placement.page_size",
    "neighbour",
)
"""Keys with one of a few values each."""

COLUMNS = (*NUMBERS, *CHOICES)
"""All that the model reads of a scenario that it doesn't refuse: for its equations, or to know
what it was not calibrated on."""


@dataclass(frozen=True)
class Choice:
    """A column of one of a few values each."""

    values: tuple[Any, ...]
    index: NDArray[np.intp]
    """Of shape (scenarios,): which of the values."""

    def each(self, number: Callable[[Any], float]) -> Floats:
        """A number of each value, as a column."""
        return np.array([number(value) for value in self.values], dtype=np.float64)[self.index]


@dataclass(frozen=True)
class ScenarioColumns:
    """Scenarios of one network function that the cost model answers all at once."""

    kind: str
    """What forwards in all of them: `Scenario.forwards`."""

    numbers: Mapping[str, Floats]
    """Of the keys that apply to that."""
    choices: Mapping[str, Choice]
    size: int

    @classmethod
    def of(cls, scenarios: Sequence[Scenario]) -> ScenarioColumns:
        """The columns of these scenarios. Raises ValueError for several network functions."""
        kinds = {scenario.forwards for scenario in scenarios}
        if len(kinds) > 1:
            raise ValueError(f"columns of one network function are needed, got {sorted(kinds)}")
        numbers = {
            key: np.array([value_at(s, key) for s in scenarios], dtype=np.float64)
            for key in _there(NUMBERS, scenarios[0])
        }
        choices = {
            key: _choice([value_at(s, key) for s in scenarios])
            for key in _there(CHOICES, scenarios[0])
        }
        return cls(kinds.pop(), numbers, choices, len(scenarios))

    @classmethod
    def over(cls, base: Scenario, columns: Mapping[str, Floats | Choice]) -> ScenarioColumns:
        """One base scenario with columns for some of its keys; the caller checked their values.

        Raises KeyError for a key that is none of COLUMNS, ValueError for other lengths than one.
        """
        sizes = {len(c.index if isinstance(c, Choice) else c) for c in columns.values()} or {1}
        if len(sizes) > 1:
            raise ValueError(f"columns of one length are needed, got {sorted(sizes)}")
        unknown = [key for key in columns if key not in COLUMNS]
        if unknown:
            raise KeyError(unknown[0])
        (size,) = sizes
        numbers, choices = {}, {}
        for key in _there(NUMBERS, base):
            column = columns.get(key)
            given = value_at(base, key) if column is None else np.asarray(column, dtype=np.float64)
            numbers[key] = np.broadcast_to(np.asarray(given, dtype=np.float64), (size,))
        for key in _there(CHOICES, base):
            given = columns.get(key)
            alone = Choice((value_at(base, key),), np.zeros(size, dtype=np.intp))
            choices[key] = given if isinstance(given, Choice) else alone
        return cls(base.forwards, numbers, choices, size)

    def part(self, first: int, last: int) -> ScenarioColumns:
        """The scenarios from `first` to before `last`."""
        rows = slice(first, last)
        return ScenarioColumns(
            self.kind,
            {key: column[rows] for key, column in self.numbers.items()},
            {key: Choice(c.values, c.index[rows]) for key, c in self.choices.items()},
            len(range(self.size)[rows]),
        )

    @property
    def lcores(self) -> Floats:
        """Forwarding lcores."""
        return self.numbers["placement.lcores"]

    @property
    def largest_frame(self) -> Floats:
        """Bytes of the largest frame."""
        from planecast.scenario.flow_class import flow_classes
        from planecast.scenario.frames import mix_frames

        def largest(mix: str) -> float:
            return max((size for size, _ in mix_frames(mix)), default=0)

        def sizes(text: str) -> list[float]:
            return [one.frame_bytes or largest(one.frame_mix) for one in flow_classes(text)]

        own = self.choices["traffic.frame_mix"].each(largest)
        usual = np.where(own > 0, own, self.numbers["traffic.frame_bytes"])
        classes = self.choices["traffic.classes"]
        # A class without a size of its own has the usual one; so has all without classes.
        heeded = classes.each(lambda text: 0 in (sizes(text) or [0])) > 0
        most = classes.each(lambda text: max(sizes(text), default=0.0))
        return np.maximum(np.where(heeded, usual, 0.0), most)

    @property
    def by_class(self) -> tuple[tuple[Floats, Floats], ...]:
        """(share of the packets, active flows) of each class; where a scenario has fewer classes
        than another, of none."""
        from planecast.scenario.flow_class import flow_classes

        classes, flows = self.choices["traffic.classes"], self.numbers["traffic.flows"]
        shares = np.zeros((max(1, *(len(flow_classes(v)) for v in classes.values)), self.size))
        active = np.zeros_like(shares)
        shares[0], active[0] = 1.0, flows
        for number, text in enumerate(classes.values):
            own = flow_classes(text)
            here = classes.index == number
            whole = sum(one.weight for one in own)
            for place, one in enumerate(own):
                share = one.weight / whole
                shares[place, here] = share
                active[place, here] = one.flows or np.maximum(1, np.floor(flows[here] * share))
        return tuple(zip(shares, active, strict=True))


def _there(keys: Sequence[str], scenario: Scenario) -> list[str]:
    """Those that apply to a scenario."""
    return [key for key in keys if value_if_any(scenario, key) is not None]


def _choice(values: Sequence[Any]) -> Choice:
    places = {value: i for i, value in enumerate(dict.fromkeys(values))}
    return Choice(tuple(places), np.array([places[v] for v in values], dtype=np.intp))
