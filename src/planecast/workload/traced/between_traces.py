"""Between traces: how much each traced point counts for at values of keys that lie between them.

A program is traced at a base and with some keys changed. What keys add to any number of the base's
trace is taken to be a sum over keys, each linear between its traced values on the key's scale, and
of a table for keys that act together (`coordinates`). So it is a weighted sum of what was traced at
all points; the weights are here, and are the same for every number of a scenario.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from planecast.workload.traced.coordinates import (
    INSTRUCTIONS,
    ROTATION,
    SCALES,
    SHARES,
    Scale,
    logarithm,
    together,
)

Floats = NDArray[np.float64]
Values = Mapping[str, Floats]
"""Keys' values in many scenarios: arrays of shape (scenarios,)."""
Scales = Mapping[tuple[str, str], Scale]
"""By program and key, where a key's scale is not the usual one."""
Keys = Mapping[str, float]


class BetweenTraces:
    """Of the points of one program: their keys, the base's first, which are none."""

    def __init__(self, subject: str, base: Keys, points: Sequence[Keys]) -> None:
        self._subject, self._base, self._points = subject, base, points
        self._places = {frozenset(keys.items()): place for place, keys in enumerate(points)}
        self.keys = tuple(dict.fromkeys(key for keys in points for key in keys))
        """Keys that some point changed."""

    def weights(self, values: Values, on: Scales) -> Floats:
        """Of what was traced at each point, in what keys add to the base's: of shape (points,
        scenarios). Raises KeyError where values that act together were not traced."""
        size = max((column.size for column in values.values()), default=1)
        found = np.zeros((len(self._points), size))
        for key in self.keys:
            for x, weight in self._shares(key, values[key], on):
                found[self._at({key: x})] += weight
                found[0] -= weight
        for one, other in together(self._subject):
            if one not in self.keys or other not in self.keys:
                continue
            pair = (one, other)
            for x, along in self._shares(one, values[one], on, pair):
                for y, across in self._shares(other, values[other], on, pair):
                    weight = along * across
                    found[self._at({one: x, other: y})] += weight
                    found[self._at({one: x})] -= weight
                    found[self._at({other: y})] -= weight
                    found[0] += weight
        return found

    def work(self, values: Values) -> Floats:
        """The same of instructions, and of what goes with them: a share of the packets that several
        keys decide together replaces these keys. Instructions of bursts are counted."""
        if ROTATION in self.keys:
            values = {**values, ROTATION: np.full_like(values[ROTATION], self._base[ROTATION])}
        share = SHARES.get(self._subject)
        if share is None or not self._base.keys() >= set(share.keys):
            return self.weights(values, INSTRUCTIONS)
        # Its keys by the share that they decide, all points that change no other; the rest apart.
        own = [place for place, keys in enumerate(self._points) if set(keys) <= set(share.keys)]
        keys = [{**self._base, **self._points[place]} for place in own]
        at = share.of({key: np.array([one[key] for one in keys]) for key in share.keys})
        nodes, places = np.unique(at, return_inverse=True)
        means = np.eye(nodes.size)[places] / np.bincount(places)
        weight = means @ _between(share.of(values), nodes)
        others = {key: np.full_like(values[key], self._base[key]) for key in share.keys}
        found = self.weights({**values, **others}, INSTRUCTIONS)
        found[own] += weight
        found[0] -= weight.sum(axis=0)
        return found

    def nodes(self, key: str, values: Floats) -> list[tuple[float, Floats]]:
        """A key's traced values, the base's first, with the share of each in these values, of shape
        (scenarios,). The shares of a scenario add up to 1."""
        others = self._shares(key, values, {})
        rest = 1.0 - sum((share for _, share in others), np.zeros(np.shape(values)))
        return [(self._base[key], rest), *others]

    def _shares(
        self, key: str, values: Floats, on: Scales, together: tuple[str, ...] = ()
    ) -> list[tuple[float, Floats]]:
        """A key's traced values but the base's, with the share of each in the scenarios; of those
        where several were changed together, if they are named."""
        traced = {
            keys[key] for keys in self._points if key in keys and keys.keys() >= set(together)
        }
        nodes = sorted(traced | {self._base[key]})
        scale = on.get((self._subject, key)) or SCALES.get(key, logarithm)
        asked = scale(np.asarray(values, dtype=np.float64))
        shares = _between(asked, scale(np.array(nodes)))
        return [one for one in zip(nodes, shares, strict=True) if one[0] != self._base[key]]

    def _at(self, keys: Keys) -> int:
        return self._places[frozenset(keys.items())]


def _between(asked: Floats, nodes: Floats) -> Floats:
    """Shares of ascending nodes in linear interpolation, of shape (nodes, asked); beyond them the
    nearest one has all."""
    return np.stack([np.interp(asked, nodes, row) for row in np.eye(nodes.size)])
