"""``--from-rate``: one published rate and what it is of, in place of a calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from planecast.cli.shared.options import overrides, parsed
from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.model.published_rate import PublishedRate

FromRateOption = Annotated[
    str | None,
    typer.Option(
        "--from-rate",
        metavar="RATE@MACHINE[,SCENARIO.yaml][,card=CARD[,ports=N]][,KEY=VALUE…]",
        help="Predict from one published rate in place of a calibration, such as "
        "11.2Mpps@e5-2699v3,card=x520: the rate of the scenario on a machine of the catalogue or "
        "of a file, with these keys set. Machine, lcores, clock and busy siblings may then be "
        "others. Wide intervals say what one rate leaves open. Cards: planecast machine list.",
        show_default=False,
    ),
]
EXAMPLE = "write it as RATE@MACHINE, such as 11.2Mpps@e5-2699v3,placement.lcores=2"
_CARD, _PORTS = "card", "ports"


def published_rate(text: str, asked: str) -> PublishedRate:
    """What the option says, of the scenario in the file `asked` where it names none.

    Raises InputError for what isn't RATE@MACHINE[,SCENARIO.yaml][,card=CARD][,KEY=VALUE…].
    """
    from planecast.model.published_rate import PublishedRate
    from planecast.scenario import load_scenario, with_overrides
    from planecast.scenario.machine import HOST, card_of, machine_of
    from planecast.scenario.override import set_place
    from planecast.scenario.units import parse_rate_pps

    where = f"--from-rate {text}"
    rate, at, rest = text.partition("@")
    machine, *parts = rest.split(",")
    if not at or not machine or machine == HOST:
        raise InputError("the machine of the rate is missing", where, EXAMPLE)
    pps = parsed(parse_rate_pps, rate, where, EXAMPLE)
    files = [part for part in parts if "=" not in part]
    if len(files) > 1 or not all(files):
        raise InputError(
            f"got '{','.join(files)}' where one scenario file is expected", where, EXAMPLE
        )
    keys = overrides([part for part in parts if "=" in part])
    if "machine" in keys:
        raise InputError("the machine appears twice", where, "name it after the @ alone")
    card, ports = keys.pop(_CARD, None), keys.pop(_PORTS, None)
    machine_of(machine)
    base = load_scenario(files[0] if files else asked)
    changes = {**keys, "machine": machine}
    row = with_overrides(base, changes, set_place(changes, option="--from-rate"))
    if card is None:
        if ports is not None:
            raise InputError("ports of which card?", where, "name it as well: card=x520")
        return PublishedRate(pps, row)
    known = card_of(str(card))
    most = int(known.values.ports.value)
    if ports is not None and (not isinstance(ports, int) or not 1 <= ports <= most):
        raise InputError(f"got ports={ports}, but {known.title} has {most}", where, EXAMPLE)
    return PublishedRate(pps, row, known, ports)
