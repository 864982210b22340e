"""What a PDF says to its readers: a library that set-up brings, and poppler beside it where it is installed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from pypdf import PdfReader

from tests.optional import HERE, needs


def pages(path: Path) -> list[str]:
    """Return the text of each page; a fault in the file's structure is an error."""
    return [page.extract_text() for page in PdfReader(path, strict=True).pages]


def poppler_pages(path: Path) -> list[str]:
    """Return what `pdftotext` makes of each page."""
    told = subprocess.run(["pdftotext", "-raw", str(path), "-"], capture_output=True, check=True)
    return told.stdout.decode("utf-8").split("\f")[:-1]


Reader = Callable[[Path], list[str]]
READERS = [pages, *([pytest.param(poppler_pages, marks=needs("poppler"))] if HERE["poppler"] else [])]
