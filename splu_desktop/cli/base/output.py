"""Printing for people and for programs."""

from __future__ import annotations

import argparse
import json
import locale
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from splu_desktop.core.messages import Figure, Phrase, brief, isolated, say
from splu_desktop.core.progress import Pace
from splu_desktop.files.language import LANGUAGES, Language, language

_Row = TypeVar("_Row")
# What makes a terminal do something (escapes, line ends) or turns a line round; a table's labels may hold any of it.
_STEERS = "\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069"
_ISOLATES = re.compile("[\u2068\u2069]")
_CONTROL = re.compile(f"\u2068[^{_STEERS}]*\u2069|[{_STEERS}]")


def one_line(text: str) -> str:
    """Return a text that a terminal only shows, on one line: what would steer it stands as “�”.

    Isolates that a sentence sets around names (`core.messages.isolated`) stay; those without a match do not.
    """
    return _CONTROL.sub(lambda match: match[0] if len(match[0]) > 1 else "\ufffd", text)


_spoken = ["en"]


def speak(code: str) -> None:
    """Say to people in this language from now on what the program says; data and JSON stay as they are."""
    _spoken[0] = code  # its catalogues are read when a sentence is told


def find_system_language() -> str:
    """Return the code of the language that the system asks for, "en" where it is none of ours."""
    wanted = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), None)
    code = (wanted or locale.getlocale()[0] or "")[:2].lower()
    return code if code in LANGUAGES else "en"


def current_language() -> Language:
    """Return the language spoken."""
    return language(_spoken[0])


def translate(text: str) -> str:
    """Return a sentence in the language spoken."""
    return current_language().sentence(text)


def line_of(sentence: str, before: str = "", /, **values: object) -> str:
    """Return a sentence, as `say` makes it, in the language spoken, as one line, behind what sets it off."""
    return before + one_line(translate(say(sentence, **values)))


def tell(sentence: str, before: str = "", /, **values: object) -> None:
    """Print a sentence as `line_of` gives it."""
    print(line_of(sentence, before, **values))


def whole(count: int) -> Figure:
    """Return a whole number for a table that people read."""
    return Figure(f"{count:,}")


def print_json(data: Any) -> None:
    """Print `data` as JSON, non-ASCII text as it is; NaN and infinity, which JSON lacks, are refused."""
    print(json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2))


def print_result(args: argparse.Namespace, data: Any, *sentences: str) -> None:
    """Print what a command did: `data` where --json is asked for, else the sentences."""
    if args.json:
        print_json(data)
    else:
        for sentence in sentences:
            tell(sentence)


def say_written(out: Path, what: str = "") -> Phrase:
    """Return the sentence about a file that was written, and of what kind it is."""
    return say("Written to {out}: {n}.", out=str(out), n=what) if what else say("Written to {out}.", out=str(out))


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> None:
    """Print rows in columns padded to equal width; columns listed in `right` are aligned to the right.

    What isolates a cell (`core.messages.isolated`) takes no room.
    """
    # What the program says is translated; a value that happens to read like it is not.
    lines = [
        [one_line(translate(cell) if isinstance(cell, Phrase | Figure) else isolated(brief(cell))) for cell in row]
        for row in (header, *rows)
    ]
    room = [[len(_ISOLATES.sub("", cell)) for cell in line] for line in lines]
    widths, aligned = [max(column) for column in zip(*room, strict=True)], set(right)
    for line, lengths in zip(lines, room, strict=True):
        if not any(line):
            continue  # a table without headings
        blanks = [" " * (width - taken) for width, taken in zip(widths, lengths, strict=True)]
        cells = [blank + cell if i in aligned else cell + blank
                 for i, (cell, blank) in enumerate(zip(line, blanks, strict=True))]  # fmt: skip
        print("  ".join(cells).rstrip())


def print_rows(of: Iterable[_Row], *columns: tuple[str, str, Callable[[_Row], str]]) -> None:
    """Print a row for each of `of`, and for each column its header, "l" or "r", and its cells."""
    header, align, cells = zip(*columns, strict=True)
    rows = [[cell(each) for cell in cells] for each in of]
    print_table(header, rows, right=[at for at, side in enumerate(align) if side == "r"])


class Meter:
    """Shows the stage and how far it is on one line of a terminal, unless `quiet`; the line is cleared at the end."""

    def __init__(self, *, quiet: bool) -> None:
        self._wanted, self._last, self._pace = sys.stderr.isatty() and not quiet, 0.0, Pace()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def report(self, stage: str, done: float) -> None:
        """Show, at most ten times a second."""
        now = time.monotonic()
        if self._wanted and now - self._last > 0.1:
            self._last, left, rest = now, self._pace.seconds_left(stage, done, now), ""
            if left is not None and left >= 1.5:
                rest = translate(say("about {time} left", time=f"{round(left) // 60}:{round(left) % 60:02} min"))
            print(f"\r{translate(stage):<40} {100 * done:3.0f} %  {rest:<28}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Clear the line."""
        if self._wanted and self._last:
            print("\r" + " " * 76 + "\r", end="", file=sys.stderr, flush=True)
