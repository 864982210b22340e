"""Diagnosis codes to the chapters of their classification.

ICD-9-CM: its tabular list (17 chapters by three-digit category, and the supplementary V and E codes). ICD-10: the
chapters of WHO's classification, with the ranges of ICD-10-CM where they are wider (D49, E89, T88, Y99).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from splu_desktop.core.generalise.step import KEEP, CannotGeneralise, Generalisation, Grouping
from splu_desktop.core.messages import say
from splu_desktop.core.table import Column, Kind

_ICD9 = (
    (1, "Infectious and parasitic diseases"),
    (140, "Neoplasms"),
    (240, "Endocrine, nutritional, metabolic and immunity disorders"),
    (280, "Blood and blood-forming organs"),
    (290, "Mental disorders"),
    (320, "Nervous system and sense organs"),
    (390, "Circulatory system"),
    (460, "Respiratory system"),
    (520, "Digestive system"),
    (580, "Genitourinary system"),
    (630, "Pregnancy, childbirth and the puerperium"),
    (680, "Skin and subcutaneous tissue"),
    (710, "Musculoskeletal system and connective tissue"),
    (740, "Congenital anomalies"),
    (760, "Conditions originating in the perinatal period"),
    (780, "Symptoms, signs and ill-defined conditions"),
    (800, "Injury and poisoning"),
)
_ICD9_V = "Factors influencing health status (V codes)"
_ICD9_E = "External causes of injury (E codes)"
_ICD10 = (
    ("A00", "Infectious and parasitic diseases"),
    ("C00", "Neoplasms"),
    ("D50", "Blood, blood-forming organs and immune mechanism"),
    ("E00", "Endocrine, nutritional and metabolic diseases"),
    ("F00", "Mental and behavioural disorders"),
    ("G00", "Nervous system"),
    ("H00", "Eye and adnexa"),
    ("H60", "Ear and mastoid process"),
    ("I00", "Circulatory system"),
    ("J00", "Respiratory system"),
    ("K00", "Digestive system"),
    ("L00", "Skin and subcutaneous tissue"),
    ("M00", "Musculoskeletal system and connective tissue"),
    ("N00", "Genitourinary system"),
    ("O00", "Pregnancy, childbirth and the puerperium"),
    ("P00", "Conditions originating in the perinatal period"),
    ("Q00", "Congenital malformations and chromosomal abnormalities"),
    ("R00", "Symptoms, signs and abnormal findings"),
    ("S00", "Injury, poisoning and consequences of external causes"),
    ("U00", "Codes for special purposes"),
    ("V00", "External causes of morbidity and mortality"),
    ("Z00", "Factors influencing health status"),
)
SYSTEMS = {"icd9": "ICD-9-CM", "icd10": "ICD-10"}
NO_CHAPTER = "No valid code"
_LOOKED_AT = 2_000  # labels, spread over all
_NINE = re.compile(r"(\d{1,3})(?:\.\d{1,2})?|(V)\d{2}(?:\.?\d{1,2})?|(E)\d{3}(?:\.?\d)?")
_TEN = re.compile(r"[A-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?[-+*!]?")


@dataclass(frozen=True)
class Chapter(Generalisation):
    """The chapter of each diagnosis code; `system` is "icd9" or "icd10". Texts that are no code form a group."""

    system: str
    how: ClassVar[str] = "chapter"

    def __post_init__(self) -> None:
        if self.system not in SYSTEMS:
            raise CannotGeneralise(
                "There are chapters of {known}, not of “{system}”.",
                known=" and ".join(SYSTEMS),
                system=str(self.system)[:40],
            )

    def grouping(self, column: Column) -> Grouping:
        """Return the chapter of each label. Raises CannotGeneralise where most labels are no codes of the system."""
        of = _icd9 if self.system == "icd9" else _icd10
        chapters = [of(label.strip().upper()) for label in column.labels.tolist()]
        present = np.flatnonzero(~column.missing)
        unknown = sum(chapters[code] is None for code in present.tolist())
        if 2 * unknown > len(present):
            raise CannotGeneralise(
                "Most values of column “{column}” are no {system} codes; group it in another way.",
                column=column.name,
                system=SYSTEMS[self.system],
            )
        listed = _ICD9 if self.system == "icd9" else _ICD10
        names = [*(title for _, title in listed), *((_ICD9_V, _ICD9_E) if self.system == "icd9" else ()), NO_CHAPTER]
        place = {name: at for at, name in enumerate(names)}
        group = np.array([place[name or NO_CHAPTER] for name in chapters], np.int64)
        group[column.missing] = KEEP
        return Grouping(group, names)

    def settings(self) -> dict[str, Any]:
        """Return the classification."""
        return {"system": self.system}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Chapter:
        """Return the choice with these settings."""
        return cls(settings["system"])

    @property
    def words(self) -> str:
        """What it does."""
        return say("diagnosis codes into the chapters of {system}", system=SYSTEMS[self.system])


def _icd9(code: str) -> str | None:
    found = _NINE.fullmatch(code)
    if found is None:
        return None
    if found[2]:
        return _ICD9_V
    if found[3]:
        return _ICD9_E
    number = int(found[1])
    return next((title for first, title in reversed(_ICD9) if number >= first), None)


def _icd10(code: str) -> str | None:
    if not _TEN.fullmatch(code):
        return None
    return next((title for first, title in reversed(_ICD10) if code[:3] >= first), None)


def system_of(column: Column) -> str | None:
    """Return the classification that nearly all labels of a column are codes of, None where there is none."""
    present = np.flatnonzero(~column.missing)
    if len(present) < 20 or column.kind is not Kind.CATEGORY:
        return None
    labels = [label.strip().upper() for label in column.labels[present[:: len(present) // _LOOKED_AT + 1]]]
    for system, of in (("icd10", _icd10), ("icd9", _icd9)):
        if sum(of(label) is not None for label in labels) >= 0.95 * len(labels):
            # Bare numbers are ICD-9 codes only where some carry the marks of the system.
            marked = sum(not label.isdigit() for label in labels)
            if system == "icd10" or marked >= 3:
                return system
    return None
