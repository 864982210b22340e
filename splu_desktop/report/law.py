"""Law packs: what laws and guidance ask of a release, and where the report meets it or who must (resources/law).

A pack is a dated, versioned data file in all languages of the report, so that law can be brought up to date without the
program. None says that a release complies: that is for people to decide.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache

from splu_desktop.core.errors import BadSetting
from splu_desktop.files.disk.resources import resource_path
from splu_desktop.frozen import dataclass
from splu_desktop.report.model.public import LawPack

CODES = ("gdpr", "ehds", "hipaa", "iso27559", "clinical", "ico")
DEFAULT, NONE = "gdpr", "none"

Texts = Mapping[str, str]  # by language


@dataclass(frozen=True)
class Demand:
    """One thing that is asked.

    Attributes
    ----------
    place : article or section.
    by : who meets it: "report", "custodian" or "recipient".
    see : keys of the report's sections.
    asks, answer : what is asked, and what the report has or who must do what.
    """

    place: Texts
    by: str
    see: tuple[str, ...]
    asks: Texts
    answer: Texts


@dataclass(frozen=True)
class Pack:
    """A law or guidance: its sources, each with what could not be checked, and its demands."""

    stated: LawPack
    title: Texts
    sources: tuple[tuple[Texts, Texts], ...]
    demands: tuple[Demand, ...]

    def name(self, language: str) -> str:
        """Return what it is called: its title up to the colon."""
        return self.title[language].partition(":")[0].strip()


@lru_cache
def pack(code: str) -> Pack:
    """Return a pack by its code. Raises BadSetting for one there is not."""
    if code not in CODES:
        raise BadSetting(
            "There is no law pack “{code}”; choose among {known}, or none.", code=code[:40], known=", ".join(CODES)
        )
    data = tomllib.loads(resource_path(f"law/{code}.toml").read_text(encoding="utf-8"))
    return Pack(
        LawPack(data["code"], data["version"], data["dated"]),
        data["title"],
        tuple((source["name"], source["checked"]) for source in data["source"]),
        tuple(
            Demand(each["place"], each["by"], tuple(each["see"]), each["asks"], each["answer"])
            for each in data["demand"]
        ),
    )


def codes(text: str) -> tuple[str, ...]:
    """Return the codes between commas, each once; "none" stands alone. Raises BadSetting."""
    wanted = tuple(dict.fromkeys(code.strip() for code in text.split(",") if code.strip()))
    return wanted if wanted == (NONE,) else tuple(pack(code).stated.code for code in wanted)


def packs(text: str) -> tuple[Pack, ...]:
    """Return the packs of codes between commas; "" for the default, "none" for none. Raises BadSetting."""
    return tuple(pack(code) for code in codes(text or DEFAULT) if code != NONE)
