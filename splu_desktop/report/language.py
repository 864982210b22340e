"""Sentences, numbers and dates of the report in the reader's language, without Qt.

The English sentence is the key. `resources/translations/report.<code>.toml` holds one line per sentence,
``"English" = "translation"``, in [report] for sentences of the report and in [core] for templates of sentences that
core writes; a sentence that is not there stays English. Placeholders are those of str.format.
"""

from __future__ import annotations

import math
import re
import string
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache

from splu_desktop.core.errors import BadSetting
from splu_desktop.files.resources import resource_path

LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français"}
# Thousands mark and decimal mark; the narrow space does not break across lines.
_MARKS = {"en": (",", "."), "de": (".", ","), "fr": ("\u202f", ",")}


def mark(message: str) -> str:
    """Return a message unchanged: marks it for translation where it is stored before it is shown."""
    return message


@dataclass(frozen=True)
class Language:
    """One language. Calling it translates.

    Attributes
    ----------
    code : "en", "de" or "fr".
    messages : English sentence of the report -> translation.
    core : English template of a sentence that core writes -> translation.
    """

    code: str = "en"
    messages: Mapping[str, str] = field(default_factory=dict)
    core: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, message: str, /, **values: object) -> str:
        """Return a sentence in this language with its placeholders filled."""
        text = self.messages.get(message, message)
        return text.format(**values) if values else text

    def sentence(self, english: str) -> str:
        """Return a sentence that core wrote in English, in this language; as it is where no template fits.

        Placeholders whose name ends in "_n" stand for numbers in English notation and get this language's marks, those
        that end in "_s" for words that are translated in turn.
        """
        for pattern, translated in self._templates:
            if found := pattern.fullmatch(english):
                values = {name: self._part(name, text) for name, text in found.groupdict().items()}
                return translated.format(**values)
        return english

    def _part(self, name: str, text: str) -> str:
        if name.endswith("_n"):
            return self.from_english(text)
        return self.sentence(text) if name.endswith("_s") else text

    @cached_property
    def _templates(self) -> list[tuple[re.Pattern[str], str]]:
        return [(_pattern(english), translated) for english, translated in self.core.items()]

    def number(self, value: float | None, digits: int = 0) -> str:
        """Return a number with thousands marks and exactly `digits` decimals; "–" for none, "∞" for infinity."""
        if value is None:
            return "–"
        if math.isinf(value):
            return "∞"
        thousands, point = _MARKS[self.code]
        return f"{value:,.{digits}f}".replace(",", "\0").replace(".", point).replace("\0", thousands)

    def percent(self, share: float | None, digits: int = 1) -> str:
        """Return a share of 1 as per cent."""
        return "–" if share is None else f"{self.number(100 * share, digits)}\u00a0%"

    def plain(self, value: float) -> str:
        """Return a setting such as 0.05 with as many digits as it has."""
        return f"{value:g}".replace(".", _MARKS[self.code][1])

    def from_english(self, text: str) -> str:
        """Return a number or sentence part that core wrote with English marks ("1,234", "99.5 %") in this language."""
        thousands, point = _MARKS[self.code]
        return text.replace(",", "\0").replace(".", point).replace("\0", thousands)

    def size(self, size: int) -> str:
        """Return a number of bytes with its largest fitting unit, and in full."""
        units = ["B", "kB", "MB", "GB"]
        power = min(int(math.log(max(size, 1), 1000)), 3)
        shown = f"{self.number(size / 1000**power, 1 if power else 0)}\u00a0{units[power]}"
        return shown if not power else f"{shown} ({self.number(size)} B)"

    def moment(self, iso: str) -> str:
        """Return an ISO 8601 moment as date, time and offset from UTC, which no language reads in two ways."""
        try:
            at = datetime.fromisoformat(iso)
        except ValueError:
            return iso
        offset = at.strftime("%z")
        zone = "" if not offset else " UTC" if offset == "+0000" else f" UTC{offset[:3]}:{offset[3:5]}"
        return f"{at:%Y-%m-%d %H:%M:%S}{zone}"


@lru_cache(maxsize=8)
def language(code: str) -> Language:
    """Return a language by its code. Raises BadSetting for one that the report does not speak."""
    if code not in LANGUAGES:
        raise BadSetting(f"The report does not speak “{code}”; choose among {', '.join(LANGUAGES)}.")
    if code == "en":
        return Language()
    with resource_path(f"translations/report.{code}.toml").open("rb") as file:
        found = tomllib.load(file)
    return Language(code, found["report"], found["core"])


def _pattern(template: str) -> re.Pattern[str]:
    """Return what matches every sentence that a template makes; a placeholder named twice must say the same twice."""
    parts, seen = [], set()
    for literal, name, _, _ in string.Formatter().parse(template):
        parts.append(re.escape(literal))
        if name is None:
            continue
        parts.append(
            f"(?P={name})"
            if name in seen
            else f"(?P<{name}>[\\d.,]+(?: %)?)"
            if name.endswith("_n")
            else f"(?P<{name}>.+?)"
        )
        seen.add(name)
    return re.compile("".join(parts), re.DOTALL)
