"""Entries of the catalogue, noted as what a prediction rests on."""

from __future__ import annotations

from planecast.reproduce.provenance import rests_on
from planecast.scenario import machine as catalogue
from planecast.scenario.machine import Card, CoreValues, Machine


def machine_of(name: str) -> Machine:
    """A machine of the catalogue."""
    rests_on(f"cpus:{name}")
    return catalogue.machine_of(name)


def card_of(name: str) -> Card:
    """A network card of it."""
    rests_on(f"nics:{name}")
    return catalogue.card_of(name)


def core_of(name: str) -> CoreValues:
    """What a core of a microarchitecture has."""
    rests_on(f"microarchitectures:{name}")
    return catalogue.microarchitecture_of(name).values
