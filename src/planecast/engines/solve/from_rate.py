"""Scenarios answered from one published rate, as Results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planecast.engines.solve.engine import packets_a_second
from planecast.errors import InputError
from planecast.machine.ceilings import card_ceilings
from planecast.machine.clocks import beyond_turbo
from planecast.machine.pcie import Link
from planecast.model.prediction import Prediction, limited, lowered
from planecast.model.published_rate import (
    FREEDOM,
    PRIORS,
    Priors,
    PublishedRate,
    cores_of,
    instructions_from_rate,
    machine_at,
    predict_from_rate,
)
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.results.student import t_quantile
from planecast.scenario.frames import mean_bytes
from planecast.scenario.machine import HOST, Machine
from planecast.scenario.scenario import Scenario

QUEUE_ERROR = 0.085
"""Of what a card's queues take: the errors of `reproduce components`, table 6."""
LEAST_INSTRUCTIONS = 10.0
"""Of a packet: testpmd's loop with a vector driver takes 92 (BSDP)."""
FULL = 0.97
"""Share of a ceiling from which on a rate shows the ceiling, not the cores."""


def solve_from_rate(
    published: PublishedRate,
    scenarios: Sequence[Scenario],
    manifest: Manifest,
    priors: Priors = PRIORS,
) -> list[Result]:
    """Predicts scenarios; `host` is the machine of the rate. Intervals are 95 %.

    Raises InputError for a rate that a link, a card or PCIe set, and for scenarios of other work.
    """
    refuse_impossible(published)
    refuse_capped(published)
    machine = published.scenario.machine
    scenarios = [
        one.model_copy(update={"machine": machine}) if one.machine == HOST else one
        for one in scenarios
    ]
    predicted = predict_from_rate(published, scenarios, priors)
    answer = _Answer(published, priors, predicted, manifest)
    return [answer.result(scenario, i) for i, scenario in enumerate(scenarios)]


def refuse_impossible(published: PublishedRate) -> None:
    """Raises InputError for a rate at which a core could begin hardly any instruction a packet."""
    count, _ = instructions_from_rate(published)
    if count < LEAST_INSTRUCTIONS:
        raise InputError(
            f"{published.pps / 1e6:.4g} Mpps leave {count:.2g} instructions a packet to "
            f"{_threads(published.scenario)}",
            "--from-rate",
            "give the number of lcores: --from-rate …,placement.lcores=N",
        )


def refuse_capped(published: PublishedRate) -> None:
    """Raises InputError for a rate at or above what the card of its scenario lets through."""
    for part, most in ceilings(published, published.scenario).items():
        if published.pps >= FULL * most:
            raise InputError(
                f"{published.pps / 1e6:.4g} Mpps are {100 * published.pps / most:.0f} % of what "
                f"the {part} lets through, so they are not a limit of the cores",
                "--from-rate",
                "name a row that its cores held, such as one of fewer cores or smaller frames",
            )


def ceilings(published: PublishedRate, scenario: Scenario) -> dict[str, float]:
    """Packets a second that one card lets through, by part; empty where none is named."""
    card = published.card
    if card is None:
        return {}
    values, sizes = card.values, scenario.traffic.frames
    link = Link.of(str(values.pcie.value), machine_at(scenario, published))
    ports = published.ports or int(values.ports.value)
    found = {**card_ceilings(card, ports, 1, mean_bytes(sizes)), "PCIe": link.frames_pps(sizes)}
    if values.queue_mpps is not None:
        # Every port has a queue, and every lcore.
        queues = max(ports, scenario.placement.lcores)
        able = queues * values.queue_mpps.value * 1e6
        found["NIC"] = min(found.get("NIC", able), able)
    return found


def _error(part: str, published: PublishedRate, priors: Priors) -> float:
    """Of a ceiling's logarithm."""
    queued = published.card is not None and published.card.values.queue_mpps is not None
    return {"PCIe": priors.pcie, "NIC": QUEUE_ERROR if queued else 0.0}.get(part, 0.0)


@dataclass(frozen=True)
class _Answer:
    """Predictions from a rate."""

    published: PublishedRate
    priors: Priors
    predicted: Prediction
    manifest: Manifest

    def result(self, scenario: Scenario, i: int) -> Result:
        """One scenario's answer."""
        machine, cost = machine_at(scenario, self.published), self.predicted.estimate(i)
        lcores = scenario.placement.lcores
        able = packets_a_second(cost, machine.values.base_ghz.value * 1e9 * lcores)
        more = cores_of(scenario) > cores_of(self.published.scenario)
        unknown = more and self.published.card is None
        if unknown:
            able = lowered(able, self.published.pps)
        capped = "core"
        limits = ceilings(self.published, scenario)
        for part in sorted(limits, key=limits.__getitem__, reverse=True):
            if limits[part] < able.value:
                capped = part
            error = _error(part, self.published, self.priors)
            able = limited(able, limits[part], error, self.predicted.quantile)
        return Result(
            scenario=scenario,
            throughput_pps=able,
            cycles_per_packet=cost,
            instructions_per_packet=_instructions(self.published, self.priors),
            capped_by=capped,
            notes=tuple(_notes(self.published, scenario, machine, unknown=unknown)),
            manifest=self.manifest,
        )


def _instructions(published: PublishedRate, priors: Priors) -> Estimate:
    value, deviation = instructions_from_rate(published, priors)
    factor = float(np.exp(t_quantile(FREEDOM) * deviation))
    return Estimate(
        value=value,
        low=value / factor,
        high=value * factor,
        unit="instructions/packet",
        kind="computed",
    )


def _notes(
    published: PublishedRate, scenario: Scenario, machine: Machine, *, unknown: bool
) -> list[str]:
    row = published.scenario
    there = machine_at(row, published)
    clock = row.placement.core_ghz or there.values.base_ghz.value
    found = [
        f"from one published rate, {published.pps / 1e6:.4g} Mpps of {_threads(row)} of "
        f"{there.title} at {clock:g} GHz: instructions and memory stalls are priors "
        "(planecast reproduce rates)"
    ]
    if machine.microarchitecture != there.microarchitecture:
        found.append(
            f"from {there.microarchitecture} to {machine.microarchitecture} by the cores' "
            "resources; the interval is as wide as the errors of published rows"
        )
    if scenario.placement.core_ghz is not None:
        found += beyond_turbo(machine, scenario.placement.core_ghz)
    if unknown:
        found.append(
            "no card is named (--from-rate …,card=x520), and more lcores may share a queue or fill "
            "a port: the interval reaches down to the published rate"
        )
    return found


def _threads(row: Scenario) -> str:
    lcores = row.placement.lcores
    busy = " next to busy siblings" if row.placement.busy_siblings else ""
    return f"{lcores} lcore{'s' if lcores > 1 else ''}{busy}"
