"""Validation: measured against predicted, point by point, and the error over the held-out ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Self

from pydantic import BeforeValidator

from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.results.scores import is_inside, scores
from planecast.scenario.model import Noun, listed
from planecast.scenario.points import PointValue, point_label

NOISY_PERCENT = 1.5
"""A noise floor above which a validation says first that this host is too noisy now."""


class ValidationPoint(Noun):
    """One configuration of a study, measured and predicted."""

    label: str
    """Short name: ``flows=4096 burst=8``."""
    overrides: dict[str, PointValue]
    """What the point changes in the base scenario."""
    held_out: bool
    """Whether it was kept from the calibration, and counts in the scores."""
    checked: bool = False
    """Whether it was kept from the calibration, but chosen by somebody: no score counts it."""
    measured: Result
    """The data plane's answer."""
    predicted: Result
    """The model's answer, written before the point was measured when it is held out."""
    error_percent: float
    """Predicted over measured cycles a packet, less one, in percent; positive: predicted higher."""
    inside: bool
    """Whether measured and predicted differ by no more than their difference's 95 % interval."""
    extrapolates: bool
    """Whether it lies outside the range of the calibration points."""
    reproduce: str
    """Command that measures this point again."""

    @classmethod
    def of(
        cls,
        overrides: Mapping[str, PointValue],
        measured: Result,
        predicted: Result,
        *,
        held_out: bool,
        checked: bool = False,
        extrapolates: bool,
        reproduce: str,
    ) -> Self:
        """The point with label, error and coverage worked out from the two results."""
        truth = measured.cycles_per_packet.value
        return cls(
            label=point_label(overrides),
            overrides=dict(overrides),
            held_out=held_out,
            checked=checked,
            measured=measured,
            predicted=predicted,
            error_percent=100 * (predicted.cycles_per_packet.value / truth - 1),
            inside=is_inside(measured.cycles_per_packet, predicted.cycles_per_packet),
            extrapolates=extrapolates,
            reproduce=reproduce,
        )


class Validation(Noun):
    """What ``validate`` writes as ``result.json`` and ``report`` draws."""

    study: str
    """Name of the study."""
    points: tuple[ValidationPoint, ...]
    """Every point, calibration points first."""
    mean_error_percent: float
    """Mean of the absolute errors of the held-out points."""
    max_error_percent: float
    """Largest absolute error of the held-out points."""
    coverage_percent: float
    """Share of held-out points that are inside (`ValidationPoint.inside`)."""
    half_width_percent: float | None = None
    """Mean half-width of their predicted 95 % intervals."""
    noise_floor_percent: float | None = None
    """Mean error that a perfect model would show, by how well the points were measured."""
    interval_score_percent: float | None = None
    """Mean interval score of their predicted intervals, relative to the measured values."""
    baseline_error_percent: float | None = None
    """Mean error of predicting each by the calibration points' geometric mean: no skill."""
    seed: int | None = None
    """That the held-out points were drawn with; None: somebody listed them."""
    calibration: dict[str, Estimate]
    """The fitted parameters with their intervals."""
    repeatability: Estimate | None = None
    """Ratio of two measurements of one configuration in the same blocks: as a held-out point over
    that as a calibration point. Its distance from 1 is what the measurement itself moved."""
    predictions_sha256: str | None = None
    """Digest of ``predictions.json``, taken before the rows of held-out points were opened."""
    skipped: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()
    """Points that this machine can't measure, each with the reason, as sentences."""
    manifest: Manifest
    """What made it."""

    @property
    def noisy(self) -> bool:
        """Whether the host was too noisy: even a perfect model would miss by too much."""
        return (self.noise_floor_percent or 0.0) > NOISY_PERCENT

    @classmethod
    def of(
        cls,
        study: str,
        points: Sequence[ValidationPoint],
        calibration: Mapping[str, Estimate],
        manifest: Manifest,
        *,
        repeatability: Estimate | None = None,
        predictions_sha256: str | None = None,
        seed: int | None = None,
        skipped: Sequence[str] = (),
    ) -> Self:
        """The validation with mean, maximum and coverage worked out over its held-out points.

        Raises ValueError when no point is held out: there is no error to state then.
        """
        held = [point for point in points if point.held_out]
        if not held:
            raise ValueError("no point is held out")
        found = scores(
            [(p.measured.cycles_per_packet, p.predicted.cycles_per_packet) for p in held],
            [p.measured.cycles_per_packet for p in points if not p.held_out and not p.checked],
        )
        return cls(
            study=study,
            points=tuple(points),
            mean_error_percent=found.mean_error,
            max_error_percent=found.max_error,
            coverage_percent=found.coverage,
            half_width_percent=found.half_width,
            noise_floor_percent=found.noise_floor,
            interval_score_percent=found.interval_score,
            baseline_error_percent=found.baseline_error,
            seed=seed,
            calibration=dict(calibration),
            repeatability=repeatability,
            predictions_sha256=predictions_sha256,
            skipped=tuple(skipped),
            manifest=manifest,
        )
