"""Architecture: which definition a recording is read with, and whether two threads were busy."""

from __future__ import annotations

from planecast.instruments.recorded import Recording
from planecast.topdown import Definition, definition_names, find_definition, load_definition
from planecast.topdown.event_names import event_lookup, plain_name
from planecast.topdown.node_names import node_name


def definition_for(recording: Recording, named: str | None) -> tuple[Definition, str]:
    """The definition that is named, or the one that knows most names of the file; and a remark.

    Raises InputError for an unknown name.
    """
    if named:
        return find_definition(named), ""
    known = {name: _known(recording, load_definition(name)) for name in definition_names()}
    most = max(known.values())
    best = [name for name, number in known.items() if number == most]
    # the oldest that knows all of it: newer ones extend it, and shares of slots mean the same
    chosen = next((n for n in ("broadwell", "skylake", "icelake") if n in best), best[0])
    definition = load_definition(chosen)
    doubt = f", and so do {', '.join(n for n in best if n != chosen)}" if len(best) > 1 else ""
    return definition, f"read as {chosen}, which knows the names in the file{doubt}; else --arch"


def _known(recording: Recording, definition: Definition) -> int:
    lookup = event_lookup(definition)
    events = {plain_name(count.event) for count in recording.counts}
    nodes = {node_name(share.node) for share in recording.shares}
    return len(events & lookup.keys()) + len(nodes & definition.nodes.keys())


def sibling_busy(definition: Definition, recorded: set[str]) -> bool:
    """Whether the file has counts that only make sense with both threads of a core busy."""
    both: set[str] = set()
    alone: set[str] = set()
    for node in definition.nodes:
        both |= definition.events_of(node, True)
        alone |= definition.events_of(node, False)
    return bool(recorded & (both - alone))
