"""The page of a machine, and of a plan for one."""

from __future__ import annotations

from planecast.host.topology import Topology
from planecast.partition.plan import Plan
from planecast.report.figures.machine_map import machine_map, ways_map
from planecast.report.html import page_html
from planecast.report.numbers import count_text
from planecast.report.page import Card, Page, Verdict, drawing
from planecast.report.table import Heading, Table
from planecast.results import Estimate
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
    return Table.of(
        "cores",
        "Cores",
        "As the kernel reports them.",
        [
            Heading("CPUs", of=lambda core: format_cpus(core.threads)),
            Heading("socket", of=lambda core: str(core.socket)),
            Heading("node", of=lambda core: str(core.node)),
            Heading("L3", of=lambda core: str(core.llc)),
            Heading("base", "MHz", of=lambda core: str(core.frequency.base_mhz or "–")),
            Heading("turbo", "MHz", of=lambda core: str(core.frequency.most_mhz or "–")),
            Heading("clock", of=lambda core: core.frequency.priority),
            Heading("isolated", of=lambda core: "yes" if core.isolated else "no"),
        ],
        machine.cores,
    )


def _forecasts(plan: Plan) -> Table:
    return Table.of(
        "forecasts",
        "What is predicted",
        "Rates of tenants and paths with neighbours idle, without a division, and with it.",
        [
            Heading("tenant or path", of=lambda one: one.name),
            Heading("frame", "B", of=lambda f: str(f.frame_bytes) if f.what == "path" else ""),
            Heading("neighbours idle", "M/s, computed", True, lambda one: _millions(one.quiet)),
            Heading("before", "M/s, computed", number=True, of=lambda one: _millions(one.before)),
            Heading("after", "M/s, computed", number=True, of=lambda one: _millions(one.after)),
            Heading("gain", "%, computed", number=True, of=lambda one: one.gain_percent),
        ],
        plan.forecasts,
    )


def _millions(rate: Estimate | None) -> Estimate | None:
    return rate.scaled(1e-6, "M/s") if rate is not None else None
