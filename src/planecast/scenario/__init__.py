"""Room `scenario`: the questions. What is forwarded, where, under what traffic.

Studies, many questions together, are in `study`.
"""

from planecast.scenario.cpus import format_cpus, parse_cpus
from planecast.scenario.load import load_scenario, load_varied
from planecast.scenario.override import SCENARIO_KEYS, parse_set, parse_vary, with_overrides
from planecast.scenario.points import point_label, value_at, value_if_any
from planecast.scenario.scenario import Scenario
from planecast.scenario.schema import json_schema
from planecast.scenario.workload import FUNCTIONS

__all__ = [
    "FUNCTIONS",
    "SCENARIO_KEYS",
    "Scenario",
    "format_cpus",
    "json_schema",
    "load_scenario",
    "load_varied",
    "parse_cpus",
    "parse_set",
    "parse_vary",
    "point_label",
    "value_at",
    "value_if_any",
    "with_overrides",
]
