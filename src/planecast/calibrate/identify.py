"""Can the calibration points tell a parameter from the others? If not: which, and what to vary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from planecast.errors import InputError

Floats = NDArray[np.float64]

LEAST_OWN_SHARE = 1e-3
"""A column must keep this share of its length when what the others explain is taken away."""

_ADVICE = {
    "narrow": "take two or more values of placement.burst below 16, or none",
    "round": "take two or more values of placement.burst below 16, or none",
    "path": "vary workload.acl_rules: some hundreds and some thousands",
    "spared": "take some values of placement.burst from 16 up that are no multiple of 16",
    "clock": "leave actions out of some calibration points that have other stages in common",
    "drain": "leave the acl out of some calibration points that have other stages in common",
    "hidden": "take pipelines of key and others without the acl, beside that of no stage",
    "burst": "vary placement.burst over two or more values, 8 and 32 for example",
    "bf": "vary traffic.flows over two or more values that differ much, 256 and 65536 for example",
    "cpi": "take {stage} into the pipeline of some calibration points and out of others",
}


def check_identifiable(rows: Floats, names: Sequence[str]) -> None:
    """Refuses a calibration that leaves a parameter open.

    `rows` holds the features of the observations, of shape (observations, parameters). Raises
    InputError that names the parameters and says what to vary.
    """
    open_ones = unidentified(rows, names)
    if not open_ones:
        return
    # What is told apart by the same points is open together: the advice is for the easiest of them.
    first = min(open_ones, key=lambda name: list(_ADVICE).index(name.partition(".")[2]))
    stage, _, kind = first.partition(".")
    rest = [name for name in open_ones if name != first]
    others = f" (nor {', '.join(rest)})" if rest else ""
    raise InputError(
        f"the calibration points can't tell the parameter {first}{others}",
        "calibrate",
        _ADVICE[kind].format(stage=stage),
    )


def unidentified(rows: Floats, names: Sequence[str]) -> list[str]:
    """Names of the parameters that the observations leave open, in order."""
    lengths = np.linalg.norm(rows, axis=0)
    found = []
    for i, name in enumerate(names):
        if lengths[i] == 0:
            found.append(name)
            continue
        others = np.delete(rows, i, axis=1)
        others = others[:, np.linalg.norm(others, axis=0) > 0]
        column = rows[:, i] / lengths[i]
        if others.shape[1] > 0:
            scaled = others / np.linalg.norm(others, axis=0)
            column = column - scaled @ np.linalg.lstsq(scaled, column, rcond=1e-10)[0]
        if np.linalg.norm(column) < LEAST_OWN_SHARE:
            found.append(name)
    return found
