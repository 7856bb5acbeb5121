"""What published rows say of programs of which one rate is known, without one of the documents.

The time that doesn't follow a core's clock is that of the published fit (`machine.clocks`), whose
rows are no claims; its spread, and all else, comes from the documents that aren't left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from statistics import fmean

from planecast.machine.clocks import forwarding_fixed_share
from planecast.machine.generations import backend_factor, slots_factor
from planecast.model.published_rate import PRIORS, REFERENCE_CORE, REFERENCE_GHZ, Guess, Priors
from planecast.reproduce import pcie_sizes
from planecast.reproduce.catalogued import core_of
from planecast.reproduce.claim import checks_of
from planecast.reproduce.core_rates import suites
from planecast.reproduce.documents import document_of
from planecast.reproduce.provenance import remembered
from planecast.reproduce.rate_beds import ceiling_mpps, full, known
from planecast.reproduce.skx_rows import FAMILIES, MODES
from planecast.reproduce.smt_use import APPLICATIONS, slots_of, speedup_of

CLOCKS = {"2.2GHz": 2.2, "3.2GHz": 3.2}
LEAST_FIXED = 0.01
"""A row may show none; its logarithm is kept."""
ALONE = 0.3
"""Spread about a single row, which can't know it. Assumed."""
_BSDP_CORES = 8

Observed = Callable[[], Iterable[float]]


@remembered
def priors_without(document: str) -> Priors:
    """The priors that all documents but one give; an empty name leaves none out.

    What only measurements of others show is as it ships where these aren't here.
    """
    retired = _middle(_observed(_RETIRED, document))
    use = _middle(_observed(_USE, document))
    share = forwarding_fixed_share()
    fixed = share / (1 - share)
    return Priors(
        retired=Guess(retired, _spread(_observed(_RETIRED, document), retired)),
        use=Guess(use, _spread(_observed(_USE, document), use)),
        fixed=Guess(fixed, _rms(_logarithms(_observed(_FIXED, document), fixed))),
        generation=_rms(_rows(_observed(_GENERATION, document))),
        doubling=_rms(_rows(_observed(_DOUBLING, document)) or [PRIORS.doubling]),
        pcie=_rms(_rows(_observed(_PCIE, document)) or [PRIORS.pcie]),
    )


def _observed(kind: Mapping[str, Observed], without: str) -> dict[str, list[float]]:
    found = {name: list(rows()) for name, rows in kind.items() if name != without}
    return {name: rows for name, rows in found.items() if rows}


def _rows(found: Mapping[str, list[float]]) -> list[float]:
    return [row for rows in found.values() for row in rows]


def _middle(found: Mapping[str, list[float]]) -> float:
    """Each document weighs the same."""
    return math.exp(fmean(fmean(map(math.log, rows)) for rows in found.values()))


def _spread(found: Mapping[str, list[float]], middle: float) -> float:
    """Of one row more about the middle, which these rows know so well: as many less one."""
    rows = _logarithms(found, middle)
    if len(rows) < 2:
        return ALONE
    return _rms(rows) * math.sqrt((len(rows) + 1) / (len(rows) - 1))


def _logarithms(found: Mapping[str, list[float]], middle: float) -> list[float]:
    return [math.log(row / middle) for row in _rows(found)]


def _rms(rows: list[float]) -> float:
    return math.sqrt(fmean(row * row for row in rows))


def _bsdp_retired() -> Iterator[float]:
    for name in APPLICATIONS:
        yield slots_of(name, "noHT").retiring / 100


def _vpe_retired() -> Iterator[float]:
    """As many of Broadwell's slots: those that wait are fewer on Skylake."""
    waits = backend_factor(core_of(REFERENCE_CORE), core_of("skylake"))
    yield waits / (1 / _skylake_retired() + waits - 1)


def _skylake_retired() -> float:
    cpi = document_of("vpe").value("core-cpi.skylake")
    return 1 / (cpi * core_of("skylake").issue_width.value)


def _bsdp_use() -> Iterator[float]:
    for name in APPLICATIONS:
        for clock in CLOCKS:
            yield (speedup_of(name, clock) - 1) / slots_of(name, "noHT").empty


def _vpe_use() -> Iterator[float]:
    gain = document_of("vpe").value("hyper-threading.speedup")
    yield (gain - 1) / (1 - _skylake_retired())


def _skx_use() -> Iterator[float]:
    """By the middle of the range, at the slots of the vPE study, which is of that core as well."""
    low, high = document_of("skx").ends("smt.speedup")
    yield ((low + high) / 2 - 1) / (1 - _skylake_retired())


def fixed_of(slow: float, fast: float, cycles: float) -> float:
    """Time that doesn't follow the clock over time that does at the reference, where a faster
    clock takes so many times the cycles."""
    odds = (cycles - 1) * REFERENCE_GHZ / (fast - cycles * slow)
    return max(LEAST_FIXED, odds)


def _bsdp_fixed() -> Iterator[float]:
    d, (slow, fast) = document_of("bsdp"), CLOCKS.values()
    for name in APPLICATIONS:
        for mode in MODES:
            before, after = (d.value(f"cpp.{clock}.{mode}.{name}") for clock in CLOCKS)
            yield fixed_of(slow, fast, after / before)


def _res_fixed() -> Iterator[float]:
    d = document_of("res")
    slow, fast = d.value("base.ghz"), d.value("high.ghz")
    for key in ("sst-bf.l3fwd", "sst-bf.ovs"):
        low, high = d.ends(key)
        yield fixed_of(slow, fast, fast / slow / ((low + high) / 2))


def _share_of_factor(cycles: float, factor: float) -> float:
    """How much a published ratio of cycles is off, as a share of the factor's logarithm."""
    return math.log(cycles / factor) / abs(math.log(factor))


def _skx_generation() -> Iterator[float]:
    factor = _factor()
    for mode in MODES:
        for family in FAMILIES.values():
            low, high = document_of("skx").ends(f"cpp.{mode}.{family}")
            yield _share_of_factor(1 + (low + high) / 200, factor)


def _vpe_generation() -> Iterator[float]:
    d = document_of("vpe")
    yield _share_of_factor(d.value("core-cpi.skylake") / d.value("core-cpi.broadwell"), _factor())


def _factor() -> float:
    """Broadwell to Skylake, of a program that retires what the forwarders do."""
    old, new = core_of(REFERENCE_CORE), core_of("skylake")
    retired = math.exp(fmean(map(math.log, _bsdp_retired())))
    return slots_factor(retired, old, new, backend_factor(old, new))


def _bsdp_doubling() -> Iterator[float]:
    for key in ("scaling.loss", "scaling.loss.ovs-l2"):
        yield -math.log(1 - document_of("bsdp").value(key)) / math.log2(_BSDP_CORES)


def _csit_doubling() -> Iterator[float]:
    """Rows that neither link nor PCIe holds."""
    for suite in suites():
        if not known(suite):
            continue
        for cores, _ in suite.mpps[1:]:
            if cores * dict(suite.mpps)[1] < FREE * ceiling_mpps(suite):
                yield math.log(cores * suite.rate(1) / suite.rate(cores)) / math.log2(cores)


def _device_pcie() -> Iterator[float]:
    """Transfers of a device by size, each predicted from the others."""
    for claim in checks_of(pcie_sizes.table().claims):
        yield math.log(claim.ours / (claim.published or claim.ours))


def _csit_pcie() -> Iterator[float]:
    """Rows that four cores fill an X520 with."""
    for suite in suites():
        rates, most = dict(suite.mpps), ceiling_mpps(suite)
        if known(suite) and not full(suite) and 4 * rates[1] > most / FREE and 4 in rates:
            yield math.log(most / suite.rate(4))


FREE = 0.9
"""Share of a ceiling below which it holds nothing."""

_RETIRED: dict[str, Observed] = {"bsdp": _bsdp_retired, "vpe": _vpe_retired}
_USE: dict[str, Observed] = {"bsdp": _bsdp_use, "vpe": _vpe_use, "skx": _skx_use}
_FIXED: dict[str, Observed] = {"bsdp": _bsdp_fixed, "res": _res_fixed}
_GENERATION: dict[str, Observed] = {"skx": _skx_generation, "vpe": _vpe_generation}
_PCIE: dict[str, Observed] = {"pcie-bench": _device_pcie, "csit": _csit_pcie}
_DOUBLING: dict[str, Observed] = {"bsdp": _bsdp_doubling, "csit": _csit_doubling}
