"""A machine as boxes in boxes: sockets, last-level caches, cores with their threads; and, of a
division, whose each core and each way is.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from planecast.host.topology import CacheDomain, Core, Topology
from planecast.partition.division import Division
from planecast.report.colours import OTHER_COLOUR, SERIES_COLOURS
from planecast.report.figures.style import Figure, new_figure
from planecast.report.labels import plain
from planecast.scenario.cpus import format_cpus

_ACROSS = 10
"""Cores in a row; the terminal's picture has as many."""
_CORE_PX, _LINE_PX, _HEAD_PX = 46, 18, 12
_TITLE_LETTERS = 46
"""Of a line of a title: a telephone is 400 px wide."""
_GAP = 0.08
_NOBODY = "nobody's"
_PRIORITY = {"high": "clock priority", "normal": "cores", "low": "pays for others' priority"}
_PRIORITY_COLOURS = {"high": "#e69f00", "normal": "#56b4e9", "low": OTHER_COLOUR}
_FRAME = "rgba(128,128,128,0.55)"
_ISOLATED = "#d55e00"


@dataclass(frozen=True)
class _Block:
    """A last-level cache, and the cores of one node at it."""

    title: str
    cores: Sequence[Core]

    @property
    def rows(self) -> int:
        return -(-len(self.cores) // _ACROSS)

    @property
    def lines(self) -> list[str]:
        """The title as it fits a narrow window."""
        return textwrap.wrap(self.title, _TITLE_LETTERS, break_on_hyphens=False)

    @property
    def head_px(self) -> int:
        """Height of the title."""
        return _HEAD_PX + _LINE_PX * len(self.lines)


def machine_map(machine: Topology, division: Division | None = None) -> Figure:
    """The picture of a machine; cores are coloured by clock, or by whose a division makes them."""
    blocks = list(_blocks(machine))
    height = sum(block.head_px + block.rows * _CORE_PX + 14 for block in blocks)
    figure = new_figure(height + 70, margin={"l": 8, "r": 8, "t": 44, "b": 8}, dragmode=False)
    owners = _owners(machine, division)
    colours = _colours(division)
    named: dict[str, list[tuple[float, float, Core]]] = {}
    top = 0.0
    for block in blocks:
        bottom = top + block.head_px + block.rows * _CORE_PX + 6
        figure.add_shape(
            type="rect", x0=-0.1, x1=_ACROSS + 0.1, y0=top, y1=bottom, line={"color": _FRAME}
        )
        figure.add_annotation(
            x=0,
            y=top + block.head_px / 2,
            text="<br>".join(map(plain, block.lines)),
            align="left",
            showarrow=False,
            xanchor="left",
        )
        for place, core in enumerate(block.cores):
            x = place % _ACROSS + 0.5
            y = top + block.head_px + (place // _ACROSS + 0.5) * _CORE_PX
            owner = owners[core.first]
            named.setdefault(owner, []).append((x, y, core))
            _box(figure, x, y, colours[owner], isolated=core.isolated)
        top = bottom + 8
    for owner in colours:
        if owner in named:
            _legend(figure, owner, colours[owner], named[owner])
    _hide_axes(figure, _ACROSS, top)
    return figure


def ways_map(division: Division, machine: Topology) -> Figure | None:
    """Whose each way of the last-level cache is, a row a class; None where ways can't be given."""
    cache = machine.rdt.l3
    if cache is None:
        return None
    count = cache.mask.bit_length()
    figure = new_figure(
        60 + _CORE_PX * (len(division.services) + 1),
        margin={"l": 8, "r": 8, "t": 20, "b": 30},
        showlegend=False,
        dragmode=False,
    )
    colours = _colours(division)
    rows = []
    for service in division.services:
        whose = [share.tenant for share in division.shares if share.service == service.number]
        colour = colours[whose[0]] if whose else OTHER_COLOUR
        rows.append((f"class {service.number}", service.l3 or 0, ", ".join(whose), colour))
    if cache.shareable:
        rows.append(("cards write (DDIO)", cache.shareable, "", OTHER_COLOUR))
    for row, (_, mask, _, colour) in enumerate(rows):
        for way in range(count):
            given = bool(mask >> way & 1)
            figure.add_shape(
                type="rect",
                # The highest way first, as masks are written.
                x0=count - way - 1 + _GAP,
                x1=count - way - _GAP,
                y0=row + _GAP,
                y1=row + 1 - _GAP,
                line={"color": colour if given else _FRAME, "width": 1},
                fillcolor=colour if given else "rgba(0,0,0,0)",
            )
    figure.add_scatter(
        x=[count / 2] * len(rows),
        y=[row + 0.5 for row in range(len(rows))],
        mode="markers",
        marker={"opacity": 0, "size": 24},
        hovertext=[f"{name}: {mask:#x} {plain(whose)}" for name, mask, whose, _ in rows],
        hoverinfo="text",
    )
    _hide_axes(figure, count, len(rows))
    figure.update_yaxes(
        visible=True,
        tickmode="array",
        tickvals=[row + 0.5 for row in range(len(rows))],
        ticktext=[f"{name}<br><sub>{mask:#x}</sub>" for name, mask, _, _ in rows],
        showgrid=False,
    )
    return figure


def _blocks(machine: Topology) -> Iterator[_Block]:
    for socket in machine.sockets:
        for cache in machine.caches:
            nodes = {c.node for c in machine.cores if c.llc == cache.number and c.socket == socket}
            for node in sorted(nodes):
                cores = [
                    c
                    for c in machine.cores
                    if (c.socket, c.llc, c.node) == (socket, cache.number, node)
                ]
                yield _Block(_title(machine, socket, node, cache), cores)


def _title(machine: Topology, socket: int, node: int, cache: CacheDomain) -> str:
    ways = machine.rdt.l3.ways if machine.rdt.l3 is not None else cache.ways
    size = f"{cache.size_bytes / 2**20:g} MiB" if cache.size_bytes else "size not reported"
    words = [f"socket {socket}, node {node}, L3 {cache.number}: {size}"]
    words += [f"{ways} ways"] if ways else []
    cards = [" ".join(n.interfaces) or n.address for n in machine.nics if n.node == node]
    words += [f"card {', '.join(cards)}"] if cards else []
    return ", ".join(words)


def _owners(machine: Topology, division: Division | None) -> dict[int, str]:
    if division is None:
        return {core.first: _PRIORITY[core.frequency.priority] for core in machine.cores}
    whose = {cpu: share.tenant for share in division.shares for cpu in share.threads}
    return {core.first: whose.get(core.first, _NOBODY) for core in machine.cores}


def _colours(division: Division | None) -> Mapping[str, str]:
    if division is None:
        return {_PRIORITY[name]: colour for name, colour in _PRIORITY_COLOURS.items()}
    found = {share.tenant: _colour(number) for number, share in enumerate(division.shares)}
    return {**found, _NOBODY: "rgba(0,0,0,0)"}


def _colour(number: int) -> str:
    """One of the palette; paler the next time round."""
    name = SERIES_COLOURS[number % len(SERIES_COLOURS)].removeprefix("#")
    red, green, blue = (int(name[i : i + 2], 16) for i in (0, 2, 4))
    return f"rgba({red},{green},{blue},{0.8 / (1 + number // len(SERIES_COLOURS)):.2f})"


def _box(figure: Figure, x: float, y: float, colour: str, *, isolated: bool) -> None:
    figure.add_shape(
        type="rect",
        x0=x - 0.5 + _GAP,
        x1=x + 0.5 - _GAP,
        y0=y - _CORE_PX * (0.5 - _GAP),
        y1=y + _CORE_PX * (0.5 - _GAP),
        line={"color": _ISOLATED if isolated else _FRAME, "width": 2 if isolated else 1},
        fillcolor=colour,
        layer="below",
    )


def _legend(
    figure: Figure, owner: str, colour: str, cores: Sequence[tuple[float, float, Core]]
) -> None:
    figure.add_scatter(
        x=[x for x, _, _ in cores],
        y=[y for _, y, _ in cores],
        mode="markers+text",
        name=plain(owner),
        marker={"color": colour, "symbol": "square", "size": 1},
        text=["/".join(map(str, core.threads)) for _, _, core in cores],
        textposition="middle center",
        textfont={"size": 11},
        hovertext=[_hover(owner, core) for _, _, core in cores],
        hoverinfo="text",
    )
    figure.update_layout(legend={"itemsizing": "constant"})


def _hover(owner: str, core: Core) -> str:
    clock = f", base {core.frequency.base_mhz} MHz" if core.frequency.base_mhz else ""
    alone = ", isolated" if core.isolated else ""
    return f"CPUs {format_cpus(core.threads)}: {plain(owner)}{clock}{alone}"


def _hide_axes(figure: Figure, width: float, height: float) -> None:
    figure.update_xaxes(visible=False, range=[-0.15, width + 0.15], fixedrange=True)
    figure.update_yaxes(visible=False, range=[height, -2 if height > 50 else 0], fixedrange=True)
