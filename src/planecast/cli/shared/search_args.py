"""Rates and shares as they are typed after the options of ``planecast search``."""

from __future__ import annotations

from typing import Any

from planecast.cli.shared.options import parsed
from planecast.errors import InputError

_MOST_SHARE = 1 - 1e-12
_PUBLISHED_TRIAL_S = 20.0
_SHORT_TRIAL_S = 0.02
"""Short trials are either undisturbed or visibly not, also on a machine that is shared."""


def rate_pps(text: str | None, option: str) -> float | None:
    """Packets a second; None when the option isn't given. Raises InputError for what is no rate,
    or less than one packet a second."""
    from planecast.scenario.units import parse_rate_pps

    least = "the minimum is one packet a second"
    return None if text is None else parsed(parse_rate_pps, text, option, least, least=1)


def rates_pps(text: str | None, option: str) -> tuple[float, float] | None:
    """``LOW..HIGH``, likewise."""
    if text is None:
        return None
    low, dots, high = text.partition("..")
    ends = [rate_pps(end or None, option) for end in (low, high)]
    if not dots or ends[0] is None or ends[1] is None or ends[0] > ends[1]:
        raise InputError(f"got '{text}'", option, "give LOW..HIGH, such as 5.8Mpps..6.4Mpps")
    return ends[0], ends[1]


def usual_trial_s(method: str) -> float:
    """How long a trial of a method sends unless it is said."""
    return _PUBLISHED_TRIAL_S if method == "rfc2544" else _SHORT_TRIAL_S


def shares(method: str, trials: int | None, loss: str | None, exceed: str | None) -> dict[str, Any]:
    """Keys of the question that mean something else for each method. Raises InputError for
    what is no share."""
    found: dict[str, Any] = {}
    if trials is not None:
        found["goal_trials" if method == "mlr" else "step_trials"] = trials
    if loss is not None:
        found["loss_target" if method == "soak" else "loss"] = _share(loss, "--loss", 1e-12)
    if exceed is not None:
        found["exceed"] = _share(exceed, "--exceed", 0.0)
    return found


def _share(text: str, option: str, least: float) -> float:
    from planecast.scenario.units import parse_share

    wanted = "give a share such as 0.01% or 1e-7"
    return parsed(parse_share, text, option, wanted, least=least, most=_MOST_SHARE)
