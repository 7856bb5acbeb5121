"""Plan: the division that was chosen, what it is for, and what is predicted of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import BeforeValidator

from planecast.errors import InputError
from planecast.partition.assign import planned_cores, shares
from planecast.partition.division import Division, Service, illegalities
from planecast.partition.machine import Machine
from planecast.partition.optimise import TRIES, optimise
from planecast.partition.predict import Answer, Case, predict
from planecast.partition.tenants import Tenancy, Tenant
from planecast.results.basis import Basis
from planecast.results.estimate import Estimate
from planecast.scenario.model import Noun, listed

EXPOSURES = (1.0, 0.7, 1.3)
"""How much of a latency shows is known to about so much: the first is the best guess."""


class Forecast(Noun):
    """What is predicted of a tenant or a path at one frame size."""

    name: str
    what: Literal["tenant", "path"]
    frame_bytes: int
    quiet: Estimate | None = None
    """Its rate while neighbours are idle; None where there are none."""
    before: Estimate
    """Its rate without a division, everybody busy."""
    after: Estimate
    """Its rate with the division."""
    gain_percent: Estimate
    """After over before. What makes both wrong alike doesn't widen its interval."""


class Unmet(Noun):
    """A target that the division doesn't reach."""

    tenant: str
    target: str
    predicted: Estimate | None
    why: str


class Runner(Noun):
    """A division that came next."""

    division: Division
    gain_percent: float
    """Weighted mean of the gains, as the search judges."""


class Plan(Noun):
    """What ``partition plan`` answers, and ``--apply`` applies."""

    name: str
    machine: str
    """The CPU's model."""
    fingerprint: str
    """Of the machine's topology: a plan for another one is refused."""
    chosen_by: Literal["file", "search"]
    division: Division
    forecasts: Annotated[tuple[Forecast, ...], BeforeValidator(listed)]
    unmet: Annotated[tuple[Unmet, ...], BeforeValidator(listed)]
    tried: int
    """Divisions that the search judged."""
    gain_percent: float | None
    """As the search judges: see Runner. None when somebody of the highest rank gets slower."""
    runners_up: Annotated[tuple[Runner, ...], BeforeValidator(listed)]
    published: dict[str, Annotated[tuple[float, ...], BeforeValidator(listed)]]
    """Published gains in percent, by path."""
    roles: dict[str, str]
    """Role of each tenant."""
    calibration: Basis | None = None
    """What the costs of tenants that are runs rest on."""


def make_plan(machine: Machine, tenancy: Tenancy, tries: int = TRIES) -> Plan:
    """The plan for these tenants on this machine.

    With classes in the file the division is the file's, and what the search would have chosen is
    its runner-up. Raises InputError for a division that the machine can't have.
    """
    asked = asked_division(machine, tenancy) if tenancy.classes else None
    found = optimise(machine, tenancy, tries, asked)
    chosen = found.asked or found.best
    division = chosen.division
    others = found.runners_up if found.asked is None else (found.best, *found.runners_up)
    unmet = unmet_targets(machine, tenancy, division)
    forecasts = forecast(machine, tenancy, found.naive, division)
    return Plan(
        name=tenancy.name,
        machine=machine.topology.model,
        fingerprint=machine.topology.fingerprint,
        chosen_by="file" if tenancy.classes else "search",
        division=division,
        forecasts=tuple(forecasts),
        unmet=tuple(unmet),
        tried=found.tried,
        gain_percent=_percent(chosen.score[1]) if math.isfinite(chosen.score[1]) else None,
        runners_up=tuple(
            Runner(division=one.division, gain_percent=_percent(one.score[1]))
            for one in others
            if math.isfinite(one.score[1])
        ),
        published={path.name: path.published for path in tenancy.paths if path.published},
        roles={tenant.name: tenant.role for tenant in tenancy.tenants},
        calibration=next(
            (one.profile.calibration for one in tenancy.tenants if one.profile is not None), None
        ),
    )


def _percent(logarithm: float) -> float:
    return 100 * math.expm1(logarithm)


def asked_division(machine: Machine, tenancy: Tenancy) -> Division:
    """The division that the file asks for. Raises InputError for one that can't be."""
    rdt = machine.topology.rdt
    most = rdt.bandwidth.most if rdt.bandwidth else None
    services = [
        Service(
            number=request.number,
            l3=request.l3,
            bandwidth=request.bandwidth if request.bandwidth is not None else most,
            overlap=request.overlap,
        )
        for request in sorted(tenancy.classes, key=lambda request: request.number)
    ]
    if all(service.number for service in services):
        whole = rdt.l3.mask if rdt.l3 else None
        services.insert(0, Service(number=0, l3=whole, bandwidth=most, overlap=False))
    cores = planned_cores(machine, tenancy, apart=True)
    division = Division(
        services=tuple(services),
        shares=shares(tenancy, cores, lambda tenant: tenant.service or 0),
    )
    for problem in illegalities(division, machine.topology):
        raise InputError(problem, tenancy.name, "correct the file's classes")
    return division


def forecast(
    machine: Machine, tenancy: Tenancy, plain: Division, division: Division
) -> list[Forecast]:
    """Rates of every path at its frame sizes, and of every tenant on none, with intervals."""
    idle = frozenset(t.name for t in tenancy.tenants if t.role == "neighbour")
    sizes = tenancy.frames
    states = [Case(plain, idle=idle), Case(plain), Case(division)]
    cases = [
        replace(state, frame_bytes=size, exposure=exposure)
        for state in states
        for size in sizes
        for exposure in EXPOSURES
    ]
    answers = predict(machine, tenancy, cases)
    width = len(EXPOSURES)

    def at(state: int, size: int) -> list[Answer]:
        start = (state * len(sizes) + size) * width
        return answers[start : start + width]

    found = []
    on_path = {leg.tenant for path in tenancy.paths for leg in path.legs}
    for path in tenancy.paths:
        unsure = max(_uncertainty(tenancy.tenant(leg.tenant)) for leg in path.legs)
        for size in path.frames:
            own = [[a.paths[path.name] for a in at(s, sizes.index(size))] for s in range(3)]
            found.append(_forecast(path.name, "path", size, own, unsure, quiet=bool(idle)))
    for tenant in tenancy.tenants:
        if tenant.profile is not None and tenant.name not in on_path:
            own = [[a.capacity[tenant.name] for a in at(s, 0)] for s in range(3)]
            quiet = bool(idle) and tenant.name not in idle
            unsure = _uncertainty(tenant)
            found.append(_forecast(tenant.name, "tenant", sizes[0], own, unsure, quiet=quiet))
    return found


def _uncertainty(tenant: Tenant) -> float:
    return tenant.profile.uncertainty if tenant.profile is not None else 0.0


def _forecast(
    name: str,
    what: Literal["tenant", "path"],
    size: int,
    rates: Sequence[Sequence[float]],
    unsure: float,
    *,
    quiet: bool,
) -> Forecast:
    gains = [100 * (now / before - 1) for before, now in zip(rates[1], rates[2], strict=True)]
    return Forecast(
        name=name,
        what=what,
        frame_bytes=size,
        quiet=_estimate(rates[0], unsure) if quiet else None,
        before=_estimate(rates[1], unsure),
        after=_estimate(rates[2], unsure),
        gain_percent=Estimate(
            value=gains[0], low=min(gains), high=max(gains), unit="%", kind="computed"
        ),
    )


def _estimate(rates: Sequence[float], unsure: float) -> Estimate:
    """The first is the best guess; the others show what the exposed share of latencies leaves open.
    That and the profile's own uncertainty are independent."""
    value = rates[0]
    down = math.hypot(value - min(rates), unsure * value)
    up = math.hypot(max(rates) - value, unsure * value)
    return Estimate(
        value=value, low=max(0.0, value - down), high=value + up, unit="pps", kind="computed"
    )


def unmet_targets(machine: Machine, tenancy: Tenancy, division: Division) -> list[Unmet]:
    """Targets that are not reached, and why."""
    wanting = [tenant for tenant in tenancy.tenants if tenant.target and tenant.profile]
    if not wanting:
        return []
    size = tenancy.frames[0]
    everybody = [tenant.name for tenant in tenancy.tenants]
    alone = [
        Case(division, size, idle=frozenset(n for n in everybody if n != tenant.name))
        for tenant in wanting
    ]
    together = [Case(division, size, exposure=exposure) for exposure in EXPOSURES]
    answers = predict(machine, tenancy, [*together, *alone])
    found = []
    for tenant, by_itself in zip(wanting, answers[len(together) :], strict=True):
        rates = [answer.capacity[tenant.name] for answer in answers[: len(together)]]
        rate = _estimate(rates, _uncertainty(tenant))
        found += _unmet(tenant, rate, by_itself.capacity[tenant.name], division)
    return found


def _unmet(tenant: Tenant, rate: Estimate, alone: float, division: Division) -> list[Unmet]:
    target = tenant.target
    assert target is not None
    found = []
    threads = len(division.share(tenant.name).busy)
    needed = target.rate * (1 - target.loss)
    if rate.value < needed:
        if alone < needed:
            more = math.ceil(threads * needed / alone) if alone > 0 else threads + 1
            why = (
                f"{threads} threads reach {alone / 1e6:.3g} M/s at most, even with all others "
                f"idle: it needs {more}"
            )
        else:
            why = (
                f"alone it would reach {alone / 1e6:.3g} M/s: the others' use of cache and "
                "memory costs the rest; give it more ways, or the others less bandwidth"
            )
        wanted = f"{target.rate / 1e6:.4g} M/s with at most {100 * target.loss:g} % lost"
        found.append(Unmet(tenant=tenant.name, target=wanted, predicted=rate, why=why))
    if target.latency is not None:
        latency = latency_us(target.rate, rate.value, threads)
        if latency > target.latency:
            found.append(
                Unmet(
                    tenant=tenant.name,
                    target=f"{target.latency:g} µs at {target.rate / 1e6:.4g} M/s",
                    predicted=Estimate(value=latency, unit="us", kind="computed"),
                    why=f"its threads are {100 * target.rate / rate.value:.0f} % busy at that rate",
                )
            )
    return found


RING = 512
"""Packets that wait before a saturated thread: a receive ring of a card."""


def latency_us(offered: float, capacity: float, threads: int) -> float:
    """Mean microseconds in queue and core: M/D/1 for each thread; a full ring beyond its capacity.

    Source: Pollaczek and Khinchine, with a constant service time.
    """
    service = threads / capacity * 1e6
    load = offered / capacity
    if load >= 1:
        return RING * service
    return min(RING * service, service * (1 + load / (2 * (1 - load))))
