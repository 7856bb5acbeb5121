"""What a client gets when a request can't be done: OTG's error body."""

from __future__ import annotations

from typing import Any, Literal

from planecast.errors import InputError, PlanecastError

Kind = Literal["validation", "internal"]


class OtgError(Exception):
    """An answer that is an error. ``errors`` has a sentence for each thing that is wrong."""

    def __init__(self, errors: list[str], code: int = 400, kind: Kind = "validation") -> None:
        super().__init__(*errors)
        self.errors = errors
        self.code = code
        """HTTP status."""
        self.kind = kind

    @property
    def body(self) -> dict[str, Any]:
        """OTG's ``Error``."""
        return {"code": self.code, "kind": self.kind, "errors": self.errors}


def otg_error(error: PlanecastError) -> OtgError:
    """A failure of ours: what was asked for is wrong (400), or the run failed (500)."""
    if isinstance(error, InputError):
        return OtgError([str(error)])
    return OtgError([str(error)], 500, "internal")
