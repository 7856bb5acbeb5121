"""Where a packet's cycles go: from the whole through the stages to the causes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from planecast.explain import Explanation
from planecast.explain.explanation import StageExplanation
from planecast.explain.stall_causes import in_order
from planecast.report.colours import OTHER_COLOUR, cause_colour, faint, stage_colour
from planecast.report.figures.causes import cause_title
from planecast.report.figures.style import Figure, new_figure
from planecast.report.labels import plain
from planecast.report.numbers import digits
from planecast.results import Estimate

_DRAWN = 0.002
"""Share of the whole below which a band would be thinner than a line."""
_ROW_PX = 34
_LOWEST_PX = 380


def cycles_sankey(explained: Explanation) -> Figure | None:
    """The figure; None where no stage has causes. A band can't show less than nothing, so rests
    that are negative are left out."""
    whole = explained.cycles_per_packet
    if whole is None:
        return None
    least = _DRAWN * whole.value
    stages = [s for s in explained.stages if s.causes and s.cycles and s.cycles.value > least]
    if not stages:
        return None
    parts = [
        (stage.stage, part.cause, part.cycles.value)
        for stage in stages
        for part in stage.causes
        if part.cycles.value > least
    ]
    causes = in_order({cause for _, cause, _ in parts})
    number = {("", ""): 0}
    number |= {(stage.stage, ""): i for i, stage in enumerate(stages, 1)}
    number |= {("", cause): i for i, cause in enumerate(causes, len(number))}
    sums = {cause: sum(v for _, c, v in parts if c == cause) for cause in causes}
    bands = [
        (0, number[s.stage, ""], s.cycles.value, stage_colour(s.stage)) for s in stages if s.cycles
    ]
    bands += [
        (number[stage, ""], number["", cause], value, cause_colour(cause))
        for stage, cause, value in parts
    ]
    nodes = list(_nodes(whole, stages, sums))
    rows = max(len(stages), len(causes))
    figure = new_figure(max(_LOWEST_PX, _ROW_PX * rows + 60))
    figure.add_sankey(
        arrangement="snap",
        domain={"x": [0.0, 1.0], "y": [0.02, 0.98]},
        node={
            "label": [text for text, _, _ in nodes],
            # What a narrow screen has room for.
            "customdata": [short for _, short, _ in nodes],
            "color": [colour for _, _, colour in nodes],
            "pad": 14,
            "thickness": 14,
            "line": {"width": 0},
            "hovertemplate": "%{label} cycles a packet<extra></extra>",
        },
        link={
            "source": [band[0] for band in bands],
            "target": [band[1] for band in bands],
            "value": [band[2] for band in bands],
            "color": [faint(band[3]) for band in bands],
            "hovertemplate": "%{source.label} → %{target.label}: %{value:.1f}<extra></extra>",
        },
    )
    return figure


def _nodes(
    whole: Estimate, stages: Sequence[StageExplanation], sums: Mapping[str, float]
) -> Iterator[tuple[str, str, str]]:
    """Label, short label and colour of each node: the packet, its stages, the causes."""
    yield f"packet {digits(whole.value)}", digits(whole.value), OTHER_COLOUR
    for stage in stages:
        if stage.cycles:
            name = plain(stage.stage)
            yield f"{name} {digits(stage.cycles.value)}", name, stage_colour(stage.stage)
    for cause, cycles in sums.items():
        title = cause_title(cause)
        yield f"{title} {digits(cycles)}", f"{title} {cycles:.0f}", cause_colour(cause)
