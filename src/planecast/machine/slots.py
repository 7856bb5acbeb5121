"""Issue slots of a core by what became of them: the top-down method's first level, in percent."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Slots:
    """Shares of the issue slots, in percent; together 100."""

    retiring: float
    bad_speculation: float
    frontend: float
    backend: float

    def __post_init__(self) -> None:
        parts = (self.retiring, self.bad_speculation, self.frontend, self.backend)
        if min(parts) < 0 or abs(sum(parts) - 100) > 1:
            raise ValueError(f"slots of {' + '.join(f'{part:g}' for part in parts)} percent")

    @property
    def empty(self) -> float:
        """Slots in which nothing was retired, as a share from 0 to 1."""
        return 1 - self.retiring / 100
