"""The page of a machine, and of a plan for one."""

from __future__ import annotations

from planecast.host.topology import Core, Topology
from planecast.partition.plan import Forecast, Plan
from planecast.report.figures.machine_map import machine_map, ways_map
from planecast.report.html import page_html
from planecast.report.numbers import count_text
from planecast.report.page import Card, Page, Verdict, drawing
from planecast.report.table import Cell, Heading, Table, estimate_cell
from planecast.scenario.cpus import format_cpus


def machine_html(machine: Topology, remarks: list[str]) -> str:
    """What a machine has and what of it can be divided; `remarks` are the words for the latter."""
    return page_html(
        Page(
            title=machine.model,
            verdict=Verdict("What does this machine have?", _parts(machine)),
            machine="",
            cards=[],
            sections=[
                *drawing(
                    "machine",
                    "The machine",
                    "A frame a last-level cache, a box a core with its threads; isolated cores "
                    "have a red frame.",
                    machine_map(machine),
                ),
                _cores(machine),
            ],
            manifests=[],
            notes=remarks,
        )
    )


def plan_html(plan: Plan, machine: Topology, remarks: list[str]) -> str:
    """Who gets what, and what is predicted of it; `remarks` are the plan's words."""
    gain = f"{plan.gain_percent:+.1f} %" if plan.gain_percent is not None else "none"
    return page_html(
        Page(
            title=f"{plan.name} on {plan.machine}",
            verdict=Verdict(
                f"How to divide {plan.machine} among {count_text(len(plan.forecasts), 'rate')}?",
                f"predicted gain by rank: {gain}",
                f"{count_text(len(plan.unmet), 'target')} can't be met; "
                f"{count_text(plan.tried, 'division')} tried",
            ),
            machine=_parts(machine),
            cards=[
                Card(gain, "gain by rank", "weighted mean of the predicted gains"),
                Card(str(plan.tried), "divisions tried"),
                Card(str(len(plan.unmet)), "targets that can't be met"),
            ],
            sections=[
                *drawing(
                    "machine",
                    "Whose the cores are",
                    "A frame a last-level cache, a box a core with its threads; isolated cores "
                    "have a red frame.",
                    machine_map(machine, plan.division),
                ),
                *drawing(
                    "ways",
                    "Whose the ways are",
                    "A row a class of service in its first tenant's colour; the highest way first, "
                    "as masks are written.",
                    ways_map(plan.division, machine),
                ),
                _forecasts(plan),
            ],
            manifests=[],
            notes=remarks,
        )
    )


def _parts(machine: Topology) -> str:
    sockets, cores, threads = len(machine.sockets), len(machine.cores), len(machine.threads)
    caches = len(machine.caches)
    return (
        f"{cores} cores in {sockets} socket{'s' if sockets > 1 else ''}, {threads} threads, "
        f"{caches} last-level cache{'s' if caches > 1 else ''}"
    )


def _cores(machine: Topology) -> Table:
    headings = ["CPUs", "socket", "node", "L3", "base", "turbo", "clock", "isolated"]
    units = {"base": "MHz", "turbo": "MHz"}
    return Table(
        "cores",
        "Cores",
        "As the kernel reports them.",
        [Heading(name, units.get(name, "")) for name in headings],
        [[Cell(text) for text in _core(core)] for core in machine.cores],
    )


def _core(core: Core) -> list[str]:
    clock = core.frequency
    return [
        format_cpus(core.threads),
        str(core.socket),
        str(core.node),
        str(core.llc),
        str(clock.base_mhz or "–"),
        str(clock.most_mhz or "–"),
        clock.priority,
        "yes" if core.isolated else "no",
    ]


def _forecasts(plan: Plan) -> Table:
    return Table(
        "forecasts",
        "What is predicted",
        "Rates of tenants and paths with neighbours idle, without a division, and with it.",
        [
            Heading("tenant or path"),
            Heading("frame", "B"),
            Heading("neighbours idle", "M/s, computed", number=True),
            Heading("before", "M/s, computed", number=True),
            Heading("after", "M/s, computed", number=True),
            Heading("gain", "%, computed", number=True),
        ],
        [_forecast(forecast) for forecast in plan.forecasts],
    )


def _forecast(forecast: Forecast) -> list[Cell]:
    rates = (forecast.quiet, forecast.before, forecast.after)
    return [
        Cell(forecast.name),
        Cell(str(forecast.frame_bytes) if forecast.what == "path" else ""),
        *(estimate_cell(rate.scaled(1e-6, "M/s") if rate is not None else None) for rate in rates),
        estimate_cell(forecast.gain_percent),
    ]
