"""The line under an answer that names the calibration it rests on."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planecast.results import Estimate, Manifest
    from planecast.results.basis import Basis

_log = logging.getLogger(__name__)


def basis_notes(manifest: Manifest | None, answers: Sequence[Estimate] = ()) -> list[str]:
    """The line that names an answer's calibration, for under its table; warnings go to stderr.

    Empty for an answer that rests on none.
    """
    basis = manifest.calibration if manifest is not None else None
    return basis_lines(basis, answers) if basis is not None else []


def basis_lines(basis: Basis, answers: Sequence[Estimate] = ()) -> list[str]:
    """Likewise, of the basis itself."""
    for warning in basis.warnings(answers):
        _log.warning("%s", warning)
    return [basis.sentence()]
