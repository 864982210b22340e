"""Where the files that come with the program lie, and the sample among them."""

from __future__ import annotations

from pathlib import Path

from splu_desktop.core.resources import resource_path as resource_path


def sample_path() -> Path:
    """Return the sample hospital's spreadsheet: one sheet, a header, 20,000 invented admissions."""
    return resource_path("sample_hospital.xlsx")
