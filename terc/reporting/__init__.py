"""The offline HTML report (`terc.report`) and what notebooks show."""

from terc.reporting.notebook import selection_html
from terc.reporting.report import report

__all__ = ["report", "selection_html"]
