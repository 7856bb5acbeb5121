"""Where the slots go: definitions by micro-architecture, and the tree over event vectors."""

from planecast.topdown.definition import Definition, Metric, Node
from planecast.topdown.load import definition_names, find_definition, load_definition
from planecast.topdown.tree import Evaluation, evaluate_tree, over_threshold

__all__ = [
    "Definition",
    "Evaluation",
    "Metric",
    "Node",
    "definition_names",
    "evaluate_tree",
    "find_definition",
    "load_definition",
    "over_threshold",
]
