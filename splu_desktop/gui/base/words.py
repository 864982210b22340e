"""Numbers as the user's locale writes them, sentences in the window's language, and the one door for foreign text.

Names of columns, values, files and sheets are written by others. Qt takes what looks like HTML for HTML in tooltips,
message boxes and plots, opens the pictures it names, and takes an & in a button for an access key; a spreadsheet runs
what is pasted. So every tooltip goes through `tip` or `plain`, every label of a plot through `as_html`, every caption
through `caption`, every copy through `widgets.copy_text`, every name in a sentence through `t`; labels are of
plain text (`widgets.label`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from PySide6.QtCore import QDate, QLocale, QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QListWidgetItem, QToolTip, QWidget

from splu_desktop.core.messages import Isolating, isolated
from splu_desktop.files.language import Language

_ISOLATING = Isolating()
_spoken = [Language()]
# As the standard library does, which reads two thousand names of letters first; Qt's HTML breaks at narrow blanks.
_MEANT_BY_HTML = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;", "\0": "\ufffd", "\u202f": "\u00a0"}
)
# HTML runs lines together, which a tooltip has several of.
_PLAIN = "<span style='white-space: pre-wrap'>"


def speak(language: Language) -> None:
    """Say what the window, core and files say in this language from now on."""
    _spoken[0] = language


BREAK = "\u200b"  # where a line may break, unseen
_UNBROKEN = {" ": "\u00a0", "-": "\u2011"}


def language_code() -> str:
    """Return the code of the window's language."""
    return _spoken[0].code


def _unbroken(sentence: str) -> str:
    """Return a sentence of which no line begins with a per cent sign."""
    if "%" not in sentence:  # a table asks for the words of each cell several times at each stop of the slider
        return sentence
    return re.sub(r"(?<=\d)([ -])%", lambda match: _UNBROKEN[match[1]] + "%", sentence)


def translate(text: str) -> str:
    """Return a sentence of core or files in the window's language."""
    return _unbroken(_spoken[0].sentence(text))


def t(sentence: str, /, **values: object) -> str:
    """Return a sentence of the window in its language, placeholders filled; names from right to left are isolated."""
    translated = _spoken[0].window.get(sentence, sentence)
    return _unbroken(_ISOLATING.vformat(translated, (), values) if values else translated)


def date_words(iso: str) -> str:
    """Return an ISO date as people write it."""
    date = QDate.fromString(iso, "yyyy-MM-dd")
    day = "d. MMM yyyy" if language_code() == "de" else "d MMM yyyy"
    return QLocale().toString(date, day) if date.isValid() else iso


def number(count: float) -> str:
    """Return a whole number with thousands marks: 20,000."""
    return QLocale().toString(round(count))


def decimal(value: float, digits: int = 3) -> str:
    """Return a number with at most `digits` significant digits, without an exponent."""
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return QLocale().toString(0)
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    shown = QLocale().toString(float(value), "f", min(places, 6))
    point = QLocale().decimalPoint()
    # Without a decimal mark the noughts at the end are part of the number.
    return shown.rstrip("0").removesuffix(point) if point in shown else shown


def percent(share: float, places: int | None = None) -> str:
    """Return a share in 0..1 as per cent: 12.3 %, 0.05 %, 60 %. `places` None chooses by size."""
    if not math.isfinite(share):
        return "–"
    hundred = 100.0 * share
    if places is None:
        # 100 times 0.07 is 7.000000000000001.
        places = 0 if abs(hundred - round(hundred)) < 1e-9 else 1
        if 0 < hundred < 0.095 or 99.905 < hundred < 100:
            places = 2
        # Neither "0 %" nor "100 %" is said of a share that is not exactly that.
        if 0 < hundred < 0.005:
            return "< " + QLocale().toString(0.01, "f", 2) + " %"
        if 99.995 <= hundred < 100:
            return "> " + QLocale().toString(99.99, "f", 2) + " %"
    return QLocale().toString(hundred, "f", places) + " %"


def as_html(text: str) -> str:
    """Return HTML that shows a text to the letter."""
    return text.translate(_MEANT_BY_HTML)


def breakable(text: str) -> str:
    """Return a text whose words of forty letters and more a line may break: else they push all else out of sight."""
    return re.sub(r"\S{40,}", lambda match: re.sub(r"(.{10})(?=.)", r"\1" + BREAK, match[0]), text)


def bold(value: object) -> str:
    """Return a value that `as_rich` shows in bold, to be put into a sentence."""
    # Tags would be escaped by `as_html`, together with those in names; these two marks are not.
    return f"\x02{value}\x03"


def as_rich(text: str) -> str:
    """Return HTML that shows a text to the letter, what was made `bold` in bold."""
    return as_html(breakable(text)).replace("\x02", "<b>").replace("\x03", "</b>")


def without_bold(text: str) -> str:
    """Return a text without the marks of `bold`."""
    return text.replace("\x02", "").replace("\x03", "")


def plain(text: str) -> str:
    """Return a text that Qt shows to the letter, where it might take it for HTML otherwise: none is without a “<”."""
    return f"{_PLAIN}{as_html(text)}</span>" if "<" in text else text


def join(parts: Iterable[str], mark: str = ";") -> str:
    """Return texts in the window's language with a mark of punctuation, and the blanks it wants, between each two."""
    return _spoken[0].join(parts, mark)


def beside(parts: Iterable[str]) -> str:
    """Return texts of the table beside one another, none of which turns the others round."""
    return ", ".join(map(isolated, parts))


def caption(text: str) -> str:
    """Return a text for a button, a box, a tab or a menu that shows each & and makes none an access key."""
    return text.replace("&", "&&")


def bare(text: str) -> str:
    """Return the words of a menu or button without access key and dots, as the title of what it opens."""
    return text.replace("&", "").removesuffix("…")


def tip(widget: QWidget | QAction | QListWidgetItem, text: str) -> None:
    """Give a part a tooltip, shown to the letter."""
    widget.setToolTip(plain(text))


def show_tip(widget: QWidget, at: QPoint, text: str) -> None:
    """Show a tooltip at a place of the screen now, to the letter."""
    QToolTip.showText(at, plain(text), widget)
