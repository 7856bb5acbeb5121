"""Validation: measured beside predicted, point by point, and the error over the held-out ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Self

from pydantic import BeforeValidator

from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.scenario.model import Noun, listed
from planecast.scenario.points import PointValue, point_label


class ValidationPoint(Noun):
    """One configuration of a study, measured and predicted."""

    label: str
    """Short name: ``flows=4096 burst=8``."""
    overrides: dict[str, PointValue]
    """What the point changes in the base scenario."""
    held_out: bool
    """Whether it was kept from the calibration."""
    measured: Result
    """The data plane's answer."""
    predicted: Result
    """The model's answer, written before the point was measured when it is held out."""
    error_percent: float
    """Predicted over measured cycles a packet, less one, in percent; positive: predicted dearer."""
    inside: bool
    """Whether the measured value lies in the predicted 95 % interval."""
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
        extrapolates: bool,
        reproduce: str,
    ) -> Self:
        """The point with label, error and coverage worked out from the two results."""
        truth = measured.cycles_per_packet.value
        return cls(
            label=point_label(overrides),
            overrides=dict(overrides),
            held_out=held_out,
            measured=measured,
            predicted=predicted,
            error_percent=100 * (predicted.cycles_per_packet.value / truth - 1),
            inside=predicted.cycles_per_packet.covers(truth),
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
    """Share of held-out points whose measured value lies in the predicted interval."""
    calibration: dict[str, Estimate]
    """The fitted parameters with their intervals."""
    repeatability: Estimate | None = None
    """Ratio of two measurements of one configuration in the same blocks: as a held-out point over
    that as a calibration point. How far it is from 1, the measurement itself moved."""
    predictions_sha256: str | None = None
    """Digest of ``predictions.json``, taken before the rows of held-out points were opened."""
    skipped: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()
    """Points that this machine can't measure, each with the reason, as sentences."""
    manifest: Manifest
    """What made it."""

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
        skipped: Sequence[str] = (),
    ) -> Self:
        """The validation with mean, maximum and coverage worked out over its held-out points.

        Raises ValueError when no point is held out: there is no error to state then.
        """
        held = [point for point in points if point.held_out]
        if not held:
            raise ValueError("no point is held out")
        errors = [abs(point.error_percent) for point in held]
        return cls(
            study=study,
            points=tuple(points),
            mean_error_percent=sum(errors) / len(errors),
            max_error_percent=max(errors),
            coverage_percent=100 * sum(point.inside for point in held) / len(held),
            calibration=dict(calibration),
            repeatability=repeatability,
            predictions_sha256=predictions_sha256,
            skipped=tuple(skipped),
            manifest=manifest,
        )
