"""Which keys span a calibration, and which of a scenario's values lie outside of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planecast.scenario.scenario import Scenario
from planecast.scenario.workload import FUNCTIONS
from planecast.workload.scenario_columns import SETTINGS, ScenarioColumns
from planecast.workload.sizes import Sizes

_FEWEST = 3
"""Different calibration points without which there is no spacing to speak of."""
_MOST_POINTS = 0.75

Floats = NDArray[np.float64]

COORDINATES = (
    "workload.acl_rules",
    "workload.flows",
    "workload.routes",
    "workload.next_hops",
    "workload.bridge_entries",
    "traffic.flows",
    "traffic.frame_bytes",
    "placement.burst",
    "placement.rx_ring",
    "placement.tx_ring",
    "dataplane.rules",
    "dataplane.masks",
    "dataplane.routes",
    "dataplane.next_hops",
    "dataplane.stations",
    "dataplane.emc_insert_inv_prob",
    "lcores",
    "4KiB pages",
    "neighbour bytes",
)
"""What places a scenario among others."""
_RINGS = ("placement.rx_ring", "placement.tx_ring")
"""Of our own data plane's ports; programs of others run between ports in memory, without."""


def coordinates(asked: ScenarioColumns | Sequence[Scenario]) -> dict[str, Floats]:
    """The numbers that place scenarios among others, of those that apply to them."""
    questions = asked if isinstance(asked, ScenarioColumns) else ScenarioColumns.of(asked)
    small = Sizes(questions).small_pages.astype(np.float64)
    numbers = {
        **questions.numbers,
        "traffic.flows": sum((own for _, own in questions.by_class), np.zeros(questions.size)),
        "traffic.frame_bytes": questions.largest_frame,
        "lcores": questions.lcores,
        "4KiB pages": small,
        "neighbour bytes": questions.choices["neighbour"].each(lambda one: one.all_bytes),
    }
    lacks = () if questions.kind in FUNCTIONS else _RINGS
    return {key: numbers[key] for key in COORDINATES if key in numbers and key not in lacks}


class Nearest(NamedTuple):
    """The distance of a scenario from what was calibrated."""

    distance: float
    """To the nearest calibration point: the largest difference in a key, as a share of the
    calibrated range of that key, of its logarithm where the key is positive."""
    key: str
    """In which the nearest point differs most."""
    spacing: float
    """Three of four calibration points are no farther than this from their own nearest."""

    @property
    def gap(self) -> bool:
        """Whether it lies farther from all calibration points than these lie from each other."""
        return self.distance > self.spacing

    def sentence(self) -> str:
        """Where it lies, in one line."""
        return (
            f"the nearest calibration point is {100 * self.distance:.0f} % of the calibrated range "
            f"away in {self.key}; three of four calibration points have another within "
            f"{100 * self.spacing:.0f} %"
        )


def nearest(scenario: Scenario, placed: Mapping[str, Sequence[float]]) -> Nearest | None:
    """The distance of a scenario from calibration points, whose coordinates are given by key; None
    where these span nothing."""
    asked = coordinates([scenario])
    columns, values, keys = [], [], []
    for key, column in placed.items():
        known = np.asarray(column, dtype=np.float64)
        if key not in asked or len(set(column)) < 2:
            continue
        value = float(asked[key][0])
        if known.min() > 0 < value:
            known, value = np.log(known), float(np.log(value))
        span = known.max() - known.min()
        columns.append(known / span)
        values.append(value / span)
        keys.append(key)
    if not keys:
        return None
    points = np.unique(np.stack(columns, axis=1), axis=0)  # some differ in their stages alone
    if len(points) < _FEWEST:
        return None
    away = np.abs(points - np.array(values))
    closest = away[int(away.max(axis=1).argmin())]
    between = np.abs(points[:, None, :] - points[None, :, :]).max(axis=2)
    np.fill_diagonal(between, np.inf)
    own = between.min(axis=1)
    return Nearest(
        float(closest.max()), keys[int(closest.argmax())], float(np.quantile(own, _MOST_POINTS))
    )


class CalibratedSpan(NamedTuple):
    """What calibration points had."""

    ranges: Mapping[str, Sequence[float]]
    """Lowest and highest value of each number."""
    settings: Mapping[str, Sequence[str]]
    """Values of each of `SETTINGS` that applies; none in calibrations from before they were
    kept."""


def settings_of(scenarios: Sequence[Scenario]) -> dict[str, tuple[str, ...]]:
    """Values of each key of `SETTINGS`, as text."""
    return {
        key: tuple(sorted(map(setting_text, column.values)))
        for key, column in ScenarioColumns.of(scenarios).choices.items()
        if key in SETTINGS
    }


def ranges_of(scenarios: Sequence[Scenario]) -> dict[str, tuple[float, ...]]:
    """Lowest and highest value of each key."""
    columns = coordinates(scenarios)
    return {key: (float(column.min()), float(column.max())) for key, column in columns.items()}


def any_outside(
    asked: ScenarioColumns | Sequence[Scenario], known: CalibratedSpan
) -> NDArray[np.bool_]:
    """Which scenarios have a number outside the calibrated range, or a setting that no calibration
    point has."""
    questions = asked if isinstance(asked, ScenarioColumns) else ScenarioColumns.of(asked)
    found = np.zeros(questions.size, dtype=np.bool_)
    for key, column in coordinates(questions).items():
        if key in known.ranges:
            low, high = known.ranges[key]
            found |= (column < low) | (column > high)
    for key, own in known.settings.items():
        if choice := questions.choices.get(key):
            found |= np.array([setting_text(value) not in own for value in choice.values])[
                choice.index
            ]
    return found


def outside(scenario: Scenario, known: CalibratedSpan) -> list[str]:
    """The keys whose value lies outside the calibrated range, or is none that was calibrated, with
    both, as sentences."""
    found = []
    questions = ScenarioColumns.of([scenario])
    for key, (value,) in coordinates(questions).items():
        low, high = known.ranges.get(key, (value, value))
        if not low <= value <= high:
            span = f"{_plain(low)} to {_plain(high)}" if low < high else _plain(low)
            found.append(f"{key}={_plain(value)} lies outside the calibrated {span}")
    for key, own in known.settings.items():
        choice = questions.choices.get(key)
        if choice is not None and (value := setting_text(choice.values[0])) not in own:
            found.append(f"{key}={value} was not calibrated, only {' and '.join(own)}")
    return found


def setting_text(value: object) -> str:
    """A setting as a scenario file has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _plain(value: float) -> str:
    """A count with all of its digits."""
    return f"{value:.0f}" if float(value).is_integer() else f"{value:g}"
