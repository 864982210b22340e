"""Diagnosis codes to the chapters of their classification, which `resources/generalise` lists."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar

import numpy as np

from splu_desktop.core.generalise.step import CannotGeneralise, Generalisation, Grouping, grouping_by_name
from splu_desktop.core.messages import none_of, say
from splu_desktop.core.resources import resource_path
from splu_desktop.core.table import Column, Kind, remember, sample_labels

SYSTEMS = {"icd9": "ICD-9-CM", "icd10": "ICD-10"}
NO_CHAPTER = "No valid code"
_CODES = {
    "icd9": re.compile(r"\d{1,3}(?:\.\d{1,2})?|V\d{2}(?:\.?\d{1,2})?|E\d{3}(?:\.?\d)?"),
    "icd10": re.compile(r"[A-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?[-+*!]?"),
}


@dataclass(frozen=True)
class Chapter(Generalisation):
    """The chapter of each diagnosis code; `system` is "icd9" or "icd10". Texts that are no code form a group."""

    system: str
    how: ClassVar[str] = "chapter"
    usage: ClassVar[str] = "chapter=icd10"

    def __post_init__(self) -> None:
        if self.system not in SYSTEMS:
            raise CannotGeneralise(none_of(str(self.system), SYSTEMS))

    @classmethod
    def from_text(cls, text: str) -> Chapter:
        """Return the chapters of the classification typed."""
        return cls(text.strip().lower())

    def group_labels(self, column: Column) -> Grouping:
        """Return the chapter of each label. Raises CannotGeneralise where most labels are no codes of the system."""
        chapters = [_chapter(self.system, label) for label in column.labels.tolist()]
        present = np.flatnonzero(~column.missing)
        unknown = sum(chapters[code] is None for code in present.tolist())
        if 2 * unknown > len(present):
            raise CannotGeneralise(
                "Most values of column “{column}” are no {system} codes; group it in another way.",
                column=column.name,
                system=SYSTEMS[self.system],
            )
        names = [*_chapters()[self.system].values(), NO_CHAPTER]
        return grouping_by_name([chapter or NO_CHAPTER for chapter in chapters], names)

    @property
    def words(self) -> str:
        """What it does."""
        return say("diagnosis codes into the chapters of {system}", system=SYSTEMS[self.system])


@cache
def _chapters() -> dict[str, dict[str, str]]:
    """Return classification -> the first code of each chapter -> its title, in the order of the codes."""
    return tomllib.loads(resource_path("generalise/chapters.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=1 << 16)  # the same codes are asked for in every way that a search tries
def _chapter(system: str, label: str) -> str | None:
    """Return the chapter of a code, None for a text that is none."""
    code, chapters = label.strip().upper(), _chapters()[system]
    if not _CODES[system].fullmatch(code):
        return None
    if system == "icd9" and not code[0].isdigit():
        return chapters[code[0]]
    key = code[:3] if system == "icd10" else code.split(".")[0].zfill(3)
    return next((title for first, title in reversed(chapters.items()) if key >= first and len(first) == 3), None)


@remember
def system_of(column: Column) -> str | None:
    """Return the classification that nearly all labels of a column are codes of, None where there is none."""
    labels = sample_labels(column)
    if len(labels) < 20 or column.kind is not Kind.CATEGORY:
        return None
    for system in ("icd10", "icd9"):
        if sum(_chapter(system, label) is not None for label in labels) >= 0.95 * len(labels):
            # Bare numbers are ICD-9 codes only where some carry the marks of the system.
            marked = sum(not label.isdigit() for label in labels)
            if system == "icd10" or marked >= 3:
                return system
    return None
