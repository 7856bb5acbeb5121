"""Room `report`: figures, and the one offline HTML file of a run."""

from planecast.report.report import report_html, write_comparison, write_report

__all__ = ["report_html", "write_comparison", "write_report"]
