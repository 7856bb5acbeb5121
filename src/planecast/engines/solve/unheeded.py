"""What a scenario says that the closed form doesn't compute: said in a note, or refused."""

from __future__ import annotations

from planecast.engines.solve.calibration import Calibration
from planecast.engines.solve.site import HOST
from planecast.errors import InputError
from planecast.scenario.scenario import Scenario


def refuse_too_many_lcores(scenario: Scenario, lcores: int, calibration: Calibration) -> None:
    """Raises InputError for more lcores than the calibrated host has CPUs.

    A machine of the catalogue may have several sockets, and counters may be another machine's than
    the calibration was made on, so nothing is said of theirs.
    """
    there = None if calibration.counted else calibration.manifest.host.get("cpus")
    if scenario.machine == HOST and isinstance(there, int) and lcores > there:
        raise InputError(
            f"{lcores} lcores forward, but the calibrated host has {there} CPUs",
            f"{scenario.name}: placement.lcores",
            "name fewer, or a machine that has them (--set machine=…)",
        )


def offered(scenario: Scenario, able_pps: float) -> list[str]:
    """What `traffic.offered_pps` means against what can be forwarded; nothing if it isn't set."""
    wanted = scenario.traffic.offered_pps
    if wanted is None:
        return []
    if wanted <= able_pps:
        meant = f"{100 * wanted / able_pps:.0f} % of what can be forwarded"
    else:
        meant = f"more than can be forwarded: {100 * (1 - able_pps / wanted):.0f} % are lost"
    return [
        f"traffic.offered_pps, {wanted / 1e6:.4g} Mpps, is {meant}; the figures are those of "
        "saturation (loss and latency at that rate: --engine simulate)"
    ]
