"""Law packs: what laws and guidance ask of a release, and which figure answers it or who must (resources/law).

A pack is a dated data file in all languages of the report, so that law can be brought up to date without the program.
None says that a release complies: that is for people to decide. What was not read stands in none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import none_of
from splu_desktop.core.resources import own_files, read_toml, resource_path, unreadable
from splu_desktop.files.language import LANGUAGES, Language, mark
from splu_desktop.files.release.facts import DRAWN_ROLES
from splu_desktop.report.facts import ColumnFact
from splu_desktop.report.fields import Fields

CODES = ("gdpr", "ehds", "hipaa", "ico", "iso27559")
DEFAULT, NONE = "gdpr", "none"

Texts = Mapping[str, str]  # by language


@dataclass(frozen=True)
class Demand:
    """One thing that is asked: where, what, what answers it, and the field that does ("" for none)."""

    place: Texts
    asks: Texts
    answer: Texts
    field: str


@dataclass(frozen=True)
class Pack:
    """A law or guidance with the source that was read, and its demands."""

    code: str
    dated: str
    title: Texts
    source: Texts
    demands: tuple[Demand, ...]

    def name(self, language: str) -> str:
        """Return what it is called: its title up to the colon."""
        return self.title[language].partition(":")[0].strip()


def codes() -> tuple[str, ...]:
    """Return the codes of all packs, those of the user's own folder last."""
    return tuple(dict.fromkeys((*CODES, *(path.stem for path in own_files("law")))))


def pack(code: str) -> Pack:
    """Return a pack by its code, the user's own before that of the program. Raises BadSetting."""
    if code not in codes():
        raise BadSetting(none_of(code, (*codes(), NONE)))
    paths = [path for path in own_files("law") if path.stem == code]
    path = paths[0] if paths else resource_path(f"law/{code}.toml")
    data = read_toml(path)
    try:
        demands = tuple(
            Demand(_texts(each["place"]), _texts(each["asks"]), _texts(each["answer"]), each.get("field", ""))
            for each in data["demand"]
        )
        law_pack = Pack(code, str(data["dated"]), _texts(data["title"]), _texts(data["source"]), demands)
    except (KeyError, TypeError, AttributeError):
        raise unreadable(path) from None
    # A field that there is not would stand as “to be entered” whatever somebody entered.
    if not {each.field for each in demands} <= {"", *(each.name for each in fields(Fields))}:
        raise unreadable(path)
    return law_pack


def _texts(text: Any) -> Texts:
    """Return a text in each language of the report: one that an own pack lacks is said in English, or as it stands."""
    if isinstance(text, str):
        return dict.fromkeys(LANGUAGES, text)
    return {language: str(text.get(language, text["en"])) for language in LANGUAGES}


def packs(text: str) -> tuple[Pack, ...]:
    """Return the packs of codes between commas, each once; "" for the default, "none" for none. Raises BadSetting."""
    wanted = tuple(dict.fromkeys(code.strip() for code in (text or DEFAULT).split(",") if code.strip()))
    return () if wanted == (NONE,) else tuple(map(pack, wanted))


def safe_harbor(columns: Sequence[ColumnFact], t: Language) -> Iterator[tuple[str, str, str]]:
    """Give the list of Safe Harbor, 45 CFR 164.514(b)(2), held against the columns: place, demand, finding."""
    shown = [each for each in columns if each.values is not None]
    rules = (
        (
            "(b)(2)(i)(A), (D)–(R)",
            mark(
                "Names, numbers and codes of persons, relatives and employers, addresses of any kind, pictures and "
                "devices are removed."
            ),
            [each.name for each in shown if each.role not in DRAWN_ROLES and each.subject == "person"],
        ),
        (
            "(b)(2)(i)(B)",
            mark("No part of a State is told, but three first digits that ZIP codes of more than 20,000 people share."),
            [each.name for each in shown if each.subject == "place"],
        ),
        (
            "(b)(2)(i)(C)",
            mark(
                "Of dates about a person only the year is told; ages above 89, and years that show one, stand together."
            ),
            [each.name for each in shown if each.detail],
        ),
    )
    for place, asks, names in rules:
        if names:
            yield place, asks, t("To be looked at: {columns}.", columns=", ".join(names))
        else:
            yield place, asks, t("No published column is seen to hold any.")
