"""Loss and latency against offered load: measured marks over simulated lines, both knees."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planecast.report.colours import MEASURED, OTHER_COLOUR, SIMULATED
from planecast.report.figures.style import Figure, interval_bars, new_figure
from planecast.report.labels import plain
from planecast.report.numbers import estimate_text
from planecast.results import Estimate
from planecast.results.load_curve import LoadCurve, LoadPoint

_COLOURS = {"measured": MEASURED, "simulated": SIMULATED}
_SIDES = ("measured", "simulated")
_PERCENTILES = {"p50": ("circle", "solid"), "p99": ("diamond", "dash")}
_LOSS_PANEL, _LATENCY_PANEL = [0.56, 1.0], [0.0, 0.46]
_TICKS_NS = [step * 10**power for power in range(2, 8) for step in (1, 2, 5)]
"""Of the logarithmic axis: Plotly's own would name powers of ten alone."""

Picked = Callable[[LoadPoint], Estimate | None]


def load_curves(curve: LoadCurve) -> Figure | None:
    """Loss in the upper half, latency (logarithmic) in the lower; None without a load."""
    if not curve.loads:
        return None
    figure = new_figure(height=620, hovermode="closest")
    _add(figure, curve.loads, "loss", lambda p: p.measured_loss.scaled(100, "%"), "measured")
    _add(figure, curve.loads, "loss", lambda p: p.simulated_loss.scaled(100, "%"), "simulated")
    for name in _PERCENTILES:
        _add(figure, curve.loads, name, _latency(name, "measured"), "measured")
        _add(figure, curve.loads, name, _latency(name, "simulated"), "simulated")
    _add_knees(figure, curve)
    title = "offered load, Mpps"
    figure.update_layout(
        xaxis={"title": {"text": title}, "rangemode": "tozero", "anchor": "y2"},
        yaxis={"title": {"text": "loss, %"}, "rangemode": "tozero", "domain": _LOSS_PANEL},
        yaxis2={
            "title": {"text": "latency, ns", "font": {"size": 12}},
            "type": "log",
            "domain": _LATENCY_PANEL,
            "automargin": True,
            "zeroline": False,
            "tickvals": _TICKS_NS,
            "ticktext": [f"{tick:,}" for tick in _TICKS_NS],
        },
    )
    return figure


def _latency(name: str, side: str) -> Picked:
    def picked(point: LoadPoint) -> Estimate | None:
        result = point.measured if side == "measured" else point.simulated
        return result.latency_ns.get(name)

    return picked


def _add(figure: Figure, loads: Sequence[LoadPoint], name: str, picked: Picked, side: str) -> None:
    found = [(point, estimate) for point in loads if (estimate := picked(point)) is not None]
    if not found:
        return
    symbol, dash = _PERCENTILES.get(name, ("circle", "solid"))
    values = [estimate.value for _, estimate in found]
    style = (
        {
            "mode": "markers",
            "marker": {"color": _COLOURS[side], "symbol": symbol, "size": 8},
            "error_y": interval_bars([estimate for _, estimate in found]),
        }
        if side == "measured"
        else {"mode": "lines", "line": {"color": _COLOURS[side], "dash": dash, "width": 2}}
    )
    figure.add_scatter(
        x=[point.offered_pps / 1e6 for point, _ in found],
        y=values,
        yaxis="y" if name == "loss" else "y2",
        name=f"{name}, {side}",
        hovertext=[
            f"{point.offered_pps / 1e6:.3f} Mpps<br>{name} {plain(estimate_text(estimate))}"
            for point, estimate in found
        ],
        hoverinfo="text",
        **style,
    )


def _add_knees(figure: Figure, curve: LoadCurve) -> None:
    """A line down both panels at each knee."""
    for side, knee in zip(_SIDES, (curve.measured_knee, curve.simulated_knee), strict=True):
        if knee is None:
            continue
        at = knee.value / 1e6
        figure.add_shape(
            type="line",
            x0=at,
            x1=at,
            y0=0,
            y1=1,
            yref="paper",
            line={"color": _COLOURS[side], "width": 1, "dash": "dot"},
        )
    if curve.measured_knee is not None or curve.simulated_knee is not None:
        figure.add_scatter(
            x=[None],
            y=[None],
            mode="lines",
            name="knee",
            line={"color": OTHER_COLOUR, "width": 1, "dash": "dot"},
        )
