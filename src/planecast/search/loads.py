"""Trials at given loads: the frame-loss-rate curve, latency at shares of a rate, MRR, soak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planecast.errors import RunError
from planecast.results.estimate import Estimate, Kind
from planecast.results.search import Bounds, LoadAnswer, SoakAnswer
from planecast.search.session import Session
from planecast.search.tester import Ceiling
from planecast.search.trial import Trial

CURVE_STEP = 0.1
"""RFC 2544 section 26.3: no more than a tenth of the highest rate from one load to the next."""
LATENCY_SHARES = (0.1, 0.5, 0.9)
CONFIDENCE = 0.95
SHOWN = 5e-4
"""Share of the time left out that is not printed as zero."""
KNOWN_TWICE = 0.5
"""Share of the sending time for which the data plane's CPU may have been away at an unknown moment:
with more, nobody knows how much of that time the generator was away, too, and what is left."""
_RESAMPLES = 2000


@dataclass(frozen=True)
class LoadTrials:
    """Trials at one load, over all repetitions."""

    pps: float
    share: float
    trials: list[Trial]


def curve_loads(ceiling: Ceiling, step: float = CURVE_STEP) -> list[float]:
    """The loads of a loss curve in their order: from the highest down."""
    count = round(1 / step)
    return [ceiling.pps * (count - number) / count for number in range(count)]


def loss_curve(session: Session, ceiling: Ceiling, step: float, trials: int) -> list[LoadTrials]:
    """One repetition of the frame-loss-rate curve: down until two loads in a row lose nothing."""
    found: list[LoadTrials] = []
    clean = 0
    for pps in curve_loads(ceiling, step):
        made = [session.trial(pps) for _ in range(trials)]
        found.append(LoadTrials(pps, pps / ceiling.pps, made))
        clean = clean + 1 if not any(trial.lost for trial in made) else 0
        session.closing(
            f"repetition {session.repetition + 1}: {100 * pps / ceiling.pps:.0f} % of "
            f"{ceiling.pps / 1e6:.4g} Mpps, {session.trials_here} trials"
        )
        if clean == 2:
            break
    return found


def at_shares(
    session: Session, rate_pps: float, shares: Sequence[float], trials: int
) -> list[LoadTrials]:
    """One repetition of trials at shares of a rate, in turns, so that drift meets all alike."""
    found = [LoadTrials(share * rate_pps, share, []) for share in shares]
    for number in range(trials):
        for load in found:
            load.trials.append(session.trial(load.pps))
        session.closing(
            f"repetition {session.repetition + 1}: round {number + 1} of {trials} at "
            + "/".join(f"{100 * share:g}" for share in shares)
            + f" % of {rate_pps / 1e6:.4g} Mpps"
        )
    return found


def load_answers(repetitions: Sequence[Sequence[LoadTrials]], kind: Kind) -> list[LoadAnswer]:
    """Loads with loss and latency over all repetitions, highest first as they came."""
    by_share: dict[float, list[LoadTrials]] = {}
    for repetition in repetitions:
        for load in repetition:
            by_share.setdefault(round(load.share, 6), []).append(load)
    return [_load_answer(loads, kind) for loads in by_share.values()]


def _load_answer(loads: Sequence[LoadTrials], kind: Kind) -> LoadAnswer:
    trials = [trial for load in loads for trial in load.trials]
    names = [name for name in ("mean", "p50", "p99") if any(name in t.latency_ns for t in trials)]
    pps = [load.pps for load in loads]
    return LoadAnswer(
        offered_pps=float(np.mean(pps)),
        share=loads[0].share,
        loss=_loss(trials, kind),
        latency_ns={
            name: median_estimate(
                [t.latency_ns[name] for t in trials if name in t.latency_ns], "ns", kind
            )
            for name in names
        },
    )


def median_estimate(values: Sequence[float], unit: str, kind: Kind) -> Estimate:
    """The median of trials with the interval of its order statistics (binomial)."""
    from scipy import stats  # takes half a second to load

    ordered = np.sort(np.asarray(values, dtype=np.float64))
    count = len(ordered)
    value = float(np.median(ordered))
    below = int(stats.binom.ppf((1 - CONFIDENCE) / 2, count, 0.5))
    if count < 6 or below < 1:  # fewer have no 95 % interval at all
        return Estimate(value=value, samples=count, unit=unit, kind=kind)
    low, high = float(ordered[below - 1]), float(ordered[count - below])
    return Estimate(value=value, low=low, high=high, samples=count, unit=unit, kind=kind)


def _loss(trials: Sequence[Trial], kind: Kind) -> Estimate:
    """Loss over all trials; the interval is that of drawing trials again."""
    lost = np.array([trial.lost for trial in trials], dtype=np.float64)
    offered = np.array([trial.offered for trial in trials], dtype=np.float64)
    value = float(lost.sum() / offered.sum())
    low = high = None
    if len(trials) > 1:
        drawn = _drawn(lost, offered)
        low = min(float(np.quantile(drawn, 0.025)), value)
        high = max(float(np.quantile(drawn, 0.975)), value)
    return Estimate(value=value, low=low, high=high, samples=len(trials), unit="ratio", kind=kind)


def soak(session: Session, rate_pps: float, seconds: float) -> list[Trial]:
    """Trials at one rate, one after the other, for so long. One repetition."""
    made: list[Trial] = []
    count = max(round(seconds / session.seconds), 1)
    for number in range(count):
        made.append(session.trial(rate_pps))
        lost = sum(trial.kept_lost for trial in made)
        session.closing(
            f"{100 * (number + 1) / count:.0f} %: {lost:,} lost of "
            f"{sum(trial.offered for trial in made):,} packets"
        )
    return made


def soak_answer(trials: Sequence[Trial], rate_pps: float, target: float) -> SoakAnswer:
    """What a soak shows: a ratio that the true one is below, with 95 % confidence.

    With packets that are lost one by one the exact upper limit of a Poisson count (3.0 for none)
    over the packets. Losses come in clusters: so trials are drawn again, too, and the higher of the
    two limits counts. Time in which a CPU was lost is left out; so are whole trials whose loss the
    data plane's lost CPU explains, where it is not known when in them that was.

    Raises RunError when nothing is left.
    """
    from scipy import stats  # takes half a second to load

    asked_s, all_lost = _seconds(trials), sum(trial.lost for trial in trials)
    trials = [trial for trial in trials if not trial.lost_cpu]
    lost = sum(trial.kept_lost for trial in trials)
    offered = sum(trial.kept_offered for trial in trials)
    seconds = sum(trial.kept_seconds for trial in trials)
    left_out = 1 - seconds / asked_s
    if offered == 0 or seconds <= 0:
        raise nothing_left("soak")
    upper = float(stats.chi2.ppf(CONFIDENCE, 2 * (lost + 1)) / 2 / offered)
    if lost and len(trials) > 1:
        counts = np.array([[t.kept_lost, t.kept_offered] for t in trials], dtype=np.float64)
        upper = max(upper, float(np.quantile(_drawn(counts[:, 0], counts[:, 1]), CONFIDENCE)))
    met = upper <= target
    limit = min(upper, 1.0)
    wanted = stats.chi2.ppf(CONFIDENCE, 2) / 2 / target
    outcome = "is met" if met else "is not shown"
    more = (
        f"; with none lost that takes {wanted:,.0f} packets" if not met and wanted > offered else ""
    )
    return SoakAnswer(
        rate_pps=rate_pps,
        seconds=seconds,
        offered=offered,
        lost=lost,
        target=target,
        upper=limit,
        met=met,
        left_out=left_out,
        left_out_lost=all_lost - lost,
        statement=f"with 95 % confidence less than {limit:.2g} of the packets are lost at "
        f"{rate_pps / 1e6:.4g} Mpps ({lost:,} of {offered:,} in {seconds:.4g} s): the target "
        f"of {target:g} {outcome}{more}{_left_out_words(left_out, all_lost - lost)}",
    )


def _left_out_words(left_out: float, lost: int) -> str:
    if left_out < SHOWN and not lost:
        return ""
    return (
        f"; {left_out:.1%} of the time is left out, in which a CPU was lost, with {lost:,} packets "
        "lost in it"
    )


def _seconds(trials: Sequence[Trial]) -> float:
    return sum(trial.intended_seconds for trial in trials)


def nothing_left(method: str) -> RunError:
    """Without any time in which both sides had their CPUs there is no answer."""
    return RunError(
        "no time is left in which the generator and the data plane are known to have had their "
        "CPUs",
        method,
        "measure while the machine is quieter",
    )


def lost_time(trials: Sequence[Trial]) -> float:
    """Share of the trials' time in which the generator or the data plane did not have its CPU."""
    return 1 - sum(trial.kept_seconds for trial in trials) / _seconds(trials)


def mrr(session: Session, ceiling: Ceiling, trials: int) -> Bounds:
    """Maximum receive rate: what comes back at the highest load, over some trials, in the time in
    which both sides had their CPUs.

    It has no upper bound but when packets were lost: then it is what the data plane forwards.
    Raises RunError when no such time is left, or it is not known when it was.
    """
    made = [session.trial(ceiling.pps) for _ in range(trials)]
    kept_s, received = sum(t.kept_seconds for t in made), sum(t.received for t in made)
    sending_s = sum(trial.sending_seconds for trial in made)
    unknown_s = sum(t.dataplane_away_s or 0.0 for t in made if t.silent_s is None)
    if received == 0 or kept_s <= 0 or unknown_s > KNOWN_TWICE * sending_s:
        raise nothing_left("mrr")
    # Over sums: what a hypervisor takes is counted in ticks, as long as a short trial. Both sides
    # may be away at once, and that time may be in both: no more comes back than was offered.
    went = sum(trial.offered for trial in made) / sending_s
    rate = min(received / kept_s, went)
    session.closing(f"repetition {session.repetition + 1}: {rate / 1e6:.4g} Mpps")
    lossy = any(trial.kept_lost > 0 for trial in made)
    return Bounds(
        repetition=session.repetition,
        low_pps=rate,
        high_pps=rate if lossy else None,
        trials=session.trials_here,
    )


def _drawn(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    """Ratios of sums over trials that are drawn again, the same way each time."""
    random = np.random.default_rng(1)
    rows = random.integers(0, len(top), size=(_RESAMPLES, len(top)))
    ratios: np.ndarray = top[rows].sum(axis=1) / bottom[rows].sum(axis=1)
    return ratios
