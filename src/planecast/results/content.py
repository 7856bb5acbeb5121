"""Reading a ``result.json``: which kind of content it holds, its keys show."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from planecast.errors import InputError, first_refusal
from planecast.results.load_curve import LoadCurve
from planecast.results.port_costs import PORT_COSTS
from planecast.results.result import Result, ResultSet
from planecast.results.search import SearchAnswer
from planecast.results.sensitivity import Sensitivity
from planecast.results.survey import SurveyAnswer
from planecast.results.validation import Validation
from planecast.scenario.earlier_versions import text_in_todays_keys
from planecast.scenario.read_file import parsed_json, read_of_run

Content = Validation | LoadCurve | ResultSet | Result | SearchAnswer | Sensitivity | SurveyAnswer
"""What a ``result.json`` can hold."""


def read_result(path: Path) -> Content:
    """The Validation, LoadCurve, SearchAnswer, ResultSet or Result of a JSON file.

    Raises InputError when the file isn't there or holds none of them.
    """
    if not path.exists():
        if path.with_name(PORT_COSTS).is_file():
            raise InputError(
                "the run has port costs and no result",
                str(path.parent),
                f"see them: planecast explain {path.parent.name}",
            )
        raise InputError(
            "there is no result", str(path), "the run may have been interrupted: make it again"
        )
    text = text_in_todays_keys(read_of_run(path))
    data = parsed_json(text, path)
    keys = set(data) if isinstance(data, dict) else set()
    kind: type[Content] = Result
    if "method" in keys:
        kind = SearchAnswer
    elif "not_varied" in keys:
        kind = SurveyAnswer
    elif "swings" in keys:
        kind = Sensitivity
    elif "points" in keys:
        kind = Validation
    elif "loads" in keys:
        kind = LoadCurve
    elif "results" in keys:
        kind = ResultSet
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise InputError(
            f"this is not a {kind.__name__}: {first_refusal(error)}",
            str(path),
            "it may come from another version of planecast: make the run again",
        ) from None


def results_of(content: Content) -> list[Result]:
    """The results in a ``result.json``; of a validation or a curve the measured ones.

    A search, and a survey, has rates and no results: it does not have the cost of a packet.
    """
    if isinstance(content, SearchAnswer | SurveyAnswer):
        return []
    if isinstance(content, Validation):
        return [point.measured for point in content.points]
    if isinstance(content, LoadCurve):
        return [point.measured for point in content.loads]
    if isinstance(content, ResultSet):
        return list(content.results)
    if isinstance(content, Sensitivity):
        return [content.base]
    return [content]
