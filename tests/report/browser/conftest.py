"""The browser that looks at reports."""

from tests.chromium import browser

__all__ = ["browser"]
