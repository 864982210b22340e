"""Sentences, numbers and dates in the reader's language, without Qt.

The English sentence is the key of its translation. `resources/translations/<room>.<code>.toml` holds one line per
sentence, ``"English" = "translation"``, for the rooms report, core (what core and files say) and window; what is not
there stays English. Placeholders are those of str.format.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache, lru_cache
from typing import Any

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import VALUE, Figure, Isolating, Phrase, in_words, none_of
from splu_desktop.core.resources import read_toml, resource_path

LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français"}
ROOMS = ("report", "core", "window")
# Thousands mark and decimal mark; the narrow space does not break across lines.
_MARKS = {"en": (",", "."), "de": (".", ","), "fr": ("\u202f", ",")}
# Blanks before marks, at which no line may end, whatever was typed in the catalogue; French wants narrow ones, too.
_BLANKS = {"en": {}, "de": {"%": "\u00a0"}, "fr": dict.fromkeys(":»%", "\u00a0") | dict.fromkeys(";?!", "\u202f")}
_DAYS = {"en": "%Y-%m-%d", "de": "%d.%m.%Y", "fr": "%d/%m/%Y"}
_ISOLATING = Isolating()
_IN = {"en": "in", "de": "von", "fr": "sur"}  # "45 in 100"


def mark(message: str) -> str:
    """Return a message unchanged: marks it for translation where it is stored before it is shown."""
    return message


@dataclass(frozen=True)
class Language:
    """One language. Calling it translates a sentence of the report.

    Attributes
    ----------
    code : "en", "de" or "fr".
    messages, core, window : English sentence -> translation, per room.
    names : name of a group that we gave in English, such as "Other" -> its name in this language.
    """

    code: str = "en"
    messages: Mapping[str, str] = field(default_factory=dict)
    core: Mapping[str, str] = field(default_factory=dict)
    window: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, message: str, /, **values: object) -> str:
        """Return a sentence in this language with its placeholders filled."""
        text = self.messages.get(message, message)
        return _ISOLATING.vformat(text, (), values) if values else text

    def sentence(self, english: str) -> str:
        """Return a sentence of core or files in this language; as it is where there is no translation."""
        if self.code == "en":
            return str.__str__(english)
        if isinstance(english, Figure):
            return self._figure(english)
        if isinstance(english, Phrase) and english.values:
            if english.template == VALUE:
                return self.names.get(english, str.__str__(english))
            # A template without words, "{column}: {reason}", is no sentence to translate, but has its blanks.
            text = self.core.get(english.template) or self.join(english.template.split(": "), ":")
            return _Filled(self).vformat(text, (), english.values)
        return self.core.get(english, english)

    def value(self, label: str) -> str:
        """Return a value of a table as people read it: bands and groups that we named in this language, none as a word.

        Any other stays as it is, whichever of our sentences it happens to be.
        """
        words = in_words(label)
        return self.sentence(words) if isinstance(words, Phrase) else label

    def _figure(self, text: str) -> str:
        return re.sub(r"(?<=\d) in (?=\d)", f" {_IN[self.code]} ", self.from_english(text))

    def join(self, parts: Iterable[str], mark: str = ";") -> str:
        """Return texts in this language with a mark of punctuation and its blanks between each two."""
        return f"{_BLANKS[self.code].get(mark, '')}{mark} ".join(parts)

    def number(self, value: float | None, digits: int = 0) -> str:
        """Return a number with thousands marks and exactly `digits` decimals; "–" for none, "∞" for infinity."""
        if value is None:
            return "–"
        if math.isinf(value):
            return "∞"
        return self.from_english(f"{value:z,.{digits}f}")

    def percent(self, share: float | None, digits: int = 1) -> str:
        """Return a share of 1 as per cent."""
        if share is None:
            return "–"
        digits = 0 if share in (0, 1) else digits
        text, least = self.number(100 * share, digits), 10.0**-digits
        # Neither 0 % nor 100 % is said of a share that is not exactly that.
        if share and text == self.number(0, digits):
            text = ("<\u00a0" if share > 0 else ">\u00a0-") + self.number(least, digits)
        elif share < 1 and text == self.number(100, digits):
            text = f">\u00a0{self.number(100 - least, digits)}"
        return f"{text}\u00a0%"

    def plain(self, value: float) -> str:
        """Return a setting such as 0.05 with as many digits as it has."""
        return f"{value:g}".replace(".", _MARKS[self.code][1])

    def from_english(self, text: str) -> str:
        """Return a number with English marks ("1,234", "99.5 %", "1.3 MB") in this language."""
        thousands, point = _MARKS[self.code]
        translated = str.__str__(text).replace(",", "\0").replace(".", point).replace("\0", thousands)
        return translated.replace("B", "o") if self.code == "fr" else translated  # octets

    def day(self, iso: str) -> str:
        """Return the day of an ISO 8601 moment as the language writes it; what is no such moment as it stands."""
        try:
            return f"{datetime.fromisoformat(iso):{_DAYS[self.code]}}"
        except ValueError:
            return iso

    def moment(self, iso: str) -> str:
        """Return an ISO 8601 moment as date, time and offset from UTC, which no language reads in two ways."""
        try:
            at = datetime.fromisoformat(iso)
        except ValueError:
            return iso
        offset = at.strftime("%z")
        zone = f" UTC{offset[:3]}:{offset[3:5]}" if offset else ""
        return f"{at:%Y-%m-%d %H:%M:%S}{zone.removesuffix('+00:00')}"


class _Filled(Isolating):
    """str.format with numbers and parts of speech in a language."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Phrase | Figure) and not format_spec:
            return self._language.sentence(value)
        if isinstance(value, date):
            return self._language.day(value.isoformat())
        if isinstance(value, numbers.Number) and "|" not in format_spec:
            whole = not format_spec and isinstance(value, numbers.Integral)
            return self._language.from_english(format(int(value) if whole else value, "," if whole else format_spec))  # type: ignore[call-overload]
        return super().format_field(value, format_spec)


@lru_cache(maxsize=8)
def language(code: str) -> Language:
    """Return a language by its code. Raises BadSetting for one that is not spoken."""
    if code not in LANGUAGES:
        raise BadSetting(none_of(code, LANGUAGES))
    if code == "en":
        return Language()
    messages, core, window = (_catalogue(room, code) for room in ROOMS)
    return Language(code, messages, core, window, names_of_groups()[code])


@cache
def names_of_groups() -> dict[str, dict[str, str]]:
    """Return language -> name of a group that we gave in English -> its name in that language."""
    return read_toml(resource_path("generalise/names.toml"))


def _catalogue(room: str, code: str) -> dict[str, str]:
    catalogue: dict[str, str] = read_toml(resource_path(f"translations/{room}.{code}.toml"))
    blanks = _BLANKS[code]
    before = re.compile(f"[ \u00a0]([{''.join(blanks)}])")
    return {
        english: before.sub(lambda mark: blanks[mark[1]] + mark[1], text).replace("« ", "«\u00a0")
        for english, text in catalogue.items()
    }
