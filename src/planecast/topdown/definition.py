"""Definition: how one micro-architecture's top-down tree and other metrics follow from events.

What stands in a file under ``catalog/topdown``, checked: every name of a formula is known, nothing
refers to itself round a circle, every node is a plain share, every metric has the unit it claims.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from planecast.results.result import Texts
from planecast.scenario.model import Noun, listed
from planecast.topdown.dimension import Dimension
from planecast.topdown.expression import Expression, names

Of = Literal["slots", "clocks", "core_clocks", "uops"]
"""What a share is a share of. Only shares of slots add up to their parent."""

Domain = Literal["thread", "core"]


class FormulaEntry(Noun):
    """A formula as a file holds it: one for a thread alone on its core, one next to a busy
    sibling."""

    formula: str
    """Over events, constants, terms and nodes."""
    smt: str | None = None
    """The same when two threads share the core; by default the same formula."""


class NodeEntry(FormulaEntry):
    """A node of the tree as a file holds it."""

    parent: str | None = None
    """The node that it is a part of; none on level 1."""
    of: Of = "slots"
    """What it is a share of."""
    over: float
    """Share above which it matters (TMA 5.01)."""
    gated: bool = True
    """Whether it only counts when its parent is over its threshold too."""
    also_when: str | None = None
    """A node which, when over its own threshold, makes this one count as over."""
    sample: str | None = None
    """The event to sample for the place in the code."""


class MetricEntry(FormulaEntry):
    """A figure outside the tree as a file holds it: a latency, a count, a ratio."""

    unit: str
    """Its unit: ``cycles/event``, ``events``, ``1``. Counts are given a packet, or a second."""
    group: str
    """What it belongs to: core, memory, snoops, sockets, tlb, execution."""
    over: float | None = None
    """Value above which it matters."""
    below: float | None = None
    """Value below which it matters."""


class DefinitionFile(Noun):
    """What stands in a file of ``catalog/topdown``."""

    name: str
    """Short name: ``broadwell``."""
    title: str
    """The processors that it is for."""
    source: str
    """Where the formulas come from."""
    extends: str | None = None
    """The definition that this one changes: what isn't named here is as there."""
    names: Annotated[tuple[str, ...], BeforeValidator(listed)]
    """Other names: code names."""
    families: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()
    """``family-model`` of CPUID in hexadecimal, as a shell pattern: ``6-4f``, ``19-1?``."""
    counters: dict[str, int] = Field(default_factory=dict)
    """General counters of a thread: ``alone``, and ``smt`` with its sibling active."""
    fixed: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()
    """Events with a counter of their own: they take none of the general ones."""
    together: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()
    """Events that can only be counted in one group, the first of them leading it."""
    domains: dict[Of, Domain] = Field(default_factory=dict)
    """Whether a share is one of the thread's or of the core's."""
    events: dict[str, Annotated[tuple[str, ...], BeforeValidator(listed)]] = Field(
        default_factory=dict
    )
    """Every event by its unit."""
    aliases: dict[str, Annotated[tuple[str, ...], BeforeValidator(listed)]] = Field(
        default_factory=dict
    )
    """Names under which recordings know an event."""
    encodings: dict[str, str] = Field(default_factory=dict)
    """How ``perf`` is asked for an event that it doesn't know by name."""
    constants: dict[str, str] = Field(default_factory=dict)
    """Numbers with their units: ``4 slots/cycle``."""
    terms: dict[str, str | FormulaEntry] = Field(default_factory=dict)
    """Formulas with a name."""
    nodes: dict[str, NodeEntry] = Field(default_factory=dict)
    """The tree, parents first."""
    metrics: dict[str, MetricEntry] = Field(default_factory=dict)
    """Figures outside the tree."""
    without: Texts = ()
    """Nodes, terms and metrics of the extended definition that don't hold here."""
    cautions: dict[str, Texts] = Field(default_factory=dict)
    """What is known to be wrong: by ``smt`` or ``always``."""


class Meaning(Noun):
    """What a node or a metric says about a packet processor."""

    title: str
    """Its name for people."""
    means: str
    """What it is, in a data plane's terms."""
    tries: Annotated[tuple[str, ...], BeforeValidator(listed)] = Field(default=(), alias="try")
    """What to try, the cheapest first."""


@dataclass(frozen=True)
class Formula:
    """A formula in both forms."""

    alone: Expression
    """For a thread that has its core to itself."""
    smt: Expression
    """With two threads on the core."""

    def form(self, smt: bool) -> Expression:
        """The one that holds."""
        return self.smt if smt else self.alone


@dataclass(frozen=True)
class Node:
    """A node of the tree."""

    name: str
    level: int
    """1 at the top."""
    entry: NodeEntry
    domain: Domain
    meaning: Meaning


@dataclass(frozen=True)
class Metric:
    """A figure outside the tree."""

    name: str
    entry: MetricEntry
    dimension: Dimension
    meaning: Meaning


@dataclass(frozen=True)
class Definition:
    """A micro-architecture's tree and metrics, ready to be evaluated."""

    file: DefinitionFile
    units: dict[str, Dimension]
    """Of everything that has a name."""
    constants: dict[str, float]
    formulas: dict[str, Formula]
    """Of terms, nodes and metrics, in an order in which each needs only those before it."""
    nodes: dict[str, Node]
    """Parents before their children."""
    metrics: dict[str, Metric]
    _needs: dict[tuple[str, bool], frozenset[str]] = field(default_factory=dict, compare=False)

    @property
    def name(self) -> str:
        """Short name."""
        return self.file.name

    @cached_property
    def events(self) -> tuple[str, ...]:
        """Every event that something rests on; what is only extended declares more."""
        used = {
            event
            for name in self.formulas
            for smt in (False, True)
            for event in self.events_of(name, smt)
        }
        return tuple(e for group in self.file.events.values() for e in group if e in used)

    def events_of(self, name: str, smt: bool) -> frozenset[str]:
        """The events that a term, a node or a metric rests on."""
        known = self._needs.get((name, smt))
        if known is not None:
            return known
        found: set[str] = set()
        for part in names(self.formulas[name].form(smt)):
            if part in self.formulas:
                found |= self.events_of(part, smt)
            elif part not in self.constants:
                found.add(part)
        self._needs[name, smt] = frozenset(found)
        return self._needs[name, smt]

    def parts_of(self, name: str, smt: bool) -> frozenset[str]:
        """The other nodes that a term, a node or a metric is computed from."""
        found: set[str] = set()
        for part in names(self.formulas[name].form(smt)):
            if part in self.formulas:
                found |= self.parts_of(part, smt) | ({part} if part in self.nodes else set())
        return frozenset(found)

    def children(self, name: str | None) -> tuple[Node, ...]:
        """The parts of a node; of None, level 1."""
        return tuple(node for node in self.nodes.values() if node.entry.parent == name)
