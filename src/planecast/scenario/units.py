"""Quantities as a person types them: ``14.88Mpps``, ``64Ki``, ``1.5kB``, ``90s``.

Only text that a person typed comes through here; inside the project a quantity is a plain number
in its SI unit, and the unit is in its name. Decimal prefixes are k, M, G, T; binary ones Ki, Mi,
Gi. Case counts, because ``m`` and ``M`` differ by nine orders of magnitude (``K`` is let through
as ``k``, for it means nothing else).

Every function raises ValueError with a sentence that says what it got and what is allowed.
"""

from __future__ import annotations

import re
from decimal import Decimal

_PREFIXES = {
    "": 1,
    "k": 10**3,
    "K": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
}
_SECONDS = {
    "ns": Decimal("1e-9"),
    "us": Decimal("1e-6"),
    "ms": Decimal("0.001"),
    "s": Decimal(1),
    "": Decimal(1),
    "min": Decimal(60),
    "m": Decimal(60),
    "h": Decimal(3600),
}
_SHOWN = 60
MOST_PPS = 1e12
"""More than all links of a machine carry."""
# Twenty digits hold every quantity of this field; without a bound, "9" * 10**7 would take a minute.
_QUANTITY = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,2})?) ?([A-Za-z/]*)")


def _shown(text: str) -> str:
    """What was typed, as much of it as an error needs."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _split(text: str, wanted: str) -> tuple[Decimal, str]:
    """The number and the unit of `text`; `wanted` says in the error what it should have been."""
    match = _QUANTITY.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"got '{_shown(text)}', which is not {wanted}")
    return Decimal(match[1]), match[2]


def _scaled(text: str, units: tuple[str, ...], wanted: str) -> Decimal:
    """`text` as a number, its prefix applied and any of `units` taken off its end."""
    number, suffix = _split(text, wanted)
    for unit in units:
        prefix = suffix.removesuffix(unit)
        if (suffix == unit or suffix.endswith(unit)) and prefix in _PREFIXES:
            return number * _PREFIXES[prefix]
    raise ValueError(f"got '{text}', which is not {wanted}")


def _whole(number: Decimal, text: str, wanted: str) -> int:
    if number != number.to_integral_value():
        raise ValueError(f"got '{text}', which is not {wanted}")
    return int(number)


def parse_count(text: str) -> int:
    """A whole number of things: ``4096``, ``64Ki`` (65,536), ``1.5k`` (1,500)."""
    wanted = "a whole number such as 4096 or 64Ki"
    return _whole(_scaled(text, ("",), wanted), text, wanted)


def bytes_text(size: int) -> str:
    """A size as a person types it, exactly: ``256MiB``, ``1536KiB``, ``65B``."""
    for unit in ("Gi", "Mi", "Ki"):
        if size and size % _PREFIXES[unit] == 0:
            return f"{size // _PREFIXES[unit]}{unit}B"
    return f"{size}B"


def parse_bytes(text: str) -> int:
    """A size in bytes: ``64``, ``64B``, ``1.5kB`` (1,500), ``2MiB`` (2,097,152)."""
    wanted = "a size such as 64, 1.5kB or 2MiB"
    return _whole(_scaled(text, ("B", ""), wanted), text, wanted)


def parse_rate_pps(text: str) -> float:
    """A packet rate in packets a second: ``14880952``, ``14.88M``, ``14.88Mpps``."""
    found = float(_scaled(text, ("pps", ""), "a packet rate such as 14.88Mpps, 500k or 1e6"))
    if found > MOST_PPS:
        raise ValueError(f"got '{text}', which is more than {MOST_PPS:g} packets a second")
    return found


def parse_share(text: str) -> float:
    """A share of a whole: ``0.01%``, ``1e-4``, ``0.5``."""
    number, percent = _with_percent(text, "a share such as 0.01% or 1e-4")
    return float(number / 100 if percent else number)


def parse_percent(text: str) -> float:
    """A share of a whole that is typed in percent, with the sign or without: ``90``, ``90%``."""
    number, _ = _with_percent(text, "a percentage such as 90 or 90%")
    return float(number / 100)


def _with_percent(text: str, wanted: str) -> tuple[Decimal, bool]:
    """The number, and whether a percent sign stands behind it."""
    typed = text.strip()
    match = _QUANTITY.fullmatch(typed.removesuffix("%"))
    if match is None or match[2]:
        raise ValueError(f"got '{_shown(text)}', which is not {wanted}")
    return Decimal(match[1]), typed.endswith("%")


def parse_duration_s(text: str) -> float:
    """A time in seconds: ``90``, ``90s``, ``500ms``, ``10us``, ``5ns``, ``2min``, ``1h``."""
    wanted = "a time such as 90s, 500ms, 2min or 1h"
    number, suffix = _split(text, wanted)
    if suffix not in _SECONDS:
        raise ValueError(f"got '{text}', which is not {wanted}")
    return float(number * _SECONDS[suffix])
