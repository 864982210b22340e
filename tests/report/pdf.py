"""What a PDF says to its readers: a library that set-up brings, and poppler beside it where it is installed."""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from pypdf import PdfReader

from splu_desktop.files.language import language
from splu_desktop.report.content import SECTIONS
from splu_desktop.report.content.front import QUESTIONS
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


def wrongly_referred(said: list[str], code: str) -> list[str]:
    """Return the questions on the front page of a PDF for which it names other pages than those that answer them."""
    t, front = language(code), _squeezed(said[0])
    titles = {key: rf"[A-L]{re.escape(_squeezed(t(title)))}" for key, title, _ in SECTIONS}
    titles |= {
        key: re.escape(_squeezed(t(title)))
        for key, title in (("refused", "Could it have been refused?"), ("attack", "An attack on the release"))
    }
    starts = {"front": {1}, "evidence": {2}}
    for number, page in enumerate(said[2:], 3):
        lines = [_squeezed(line) for line in page.splitlines()]
        for key, title in titles.items():
            if any(re.fullmatch(title, line) for line in (*lines, *map("".join, itertools.pairwise(lines)))):
                starts.setdefault(key, {number})
    wrong = []
    for question, keys in QUESTIONS:
        named = re.search(rf"{re.escape(_squeezed(t(question)))}(\d[\d,]*|{_squeezed(t('internal edition'))})", front)
        right = ",".join(map(str, sorted(set().union(*(starts.get(key, set()) for key in keys)))))
        if named is None or named[1] != (right or _squeezed(t("internal edition"))):
            wrong.append(f"{question}: {named and named[1]}, not {right}")
    return wrong


def _squeezed(text: str) -> str:
    return "".join(text.split())
