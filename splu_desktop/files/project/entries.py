"""What a recipe may say, entry by entry: declared once for its file, for the command line, for help and for faults."""

from __future__ import annotations

import contextlib
import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import none_of

_SAID = re.compile(r"([\w-]+)(?:([=.])(.*))?", re.DOTALL)
_SWITCH = {"": True, "yes": True, "true": True, "no": False, "false": False}


class Shape(Enum):
    """How an entry is stored in a recipe; how it is typed is what `Entry.parse` reads."""

    TEXT = auto()
    NUMBER = auto()
    SWITCH = auto()
    TEXTS = auto()
    BY_KEY = auto()
    TEXTS_BY_KEY = auto()

    @property
    def by_key(self) -> bool:
        """Whether it says something of each of several columns or kinds."""
        return self in (Shape.BY_KEY, Shape.TEXTS_BY_KEY)


def same(text: str) -> str:
    """Return a text as it is."""
    return text


@dataclass(frozen=True)
class Entry:
    """One thing that a recipe may say.

    Attributes
    ----------
    name : what the recipe calls it.
    metavar : what stands for its value in the help, "ROW" or "COLUMN=TYPE"; "" for a switch.
    words : what it means and may be, for help and faults.
    shape : how it is stored.
    meaning : what a text of it means; raises KeyError or ValueError for one that it can't be.
    key : the same for a key.
    """

    name: str
    metavar: str
    words: str
    shape: Shape = Shape.TEXT
    meaning: Callable[[str], Any] = same
    key: Callable[[str], Any] = same

    @property
    def spelling(self) -> str:
        """How it is typed."""
        if self.shape.by_key:
            return f"{self.name}.{self.metavar}"
        return f"{self.name}={self.metavar}" if self.metavar else self.name

    def interpret(self, stored: Any) -> Any:
        """Return what the data of a recipe mean. Raises BadSetting."""
        try:
            if self.shape is Shape.NUMBER:
                if (number := _of(stored, int)) < 0:
                    raise ValueError
                return number
            if self.shape is Shape.SWITCH:
                return _of(stored, bool)
            if self.shape is Shape.TEXTS:
                return self._texts(stored)
            if self.shape is Shape.BY_KEY:
                return {self.key(name): self.meaning(_of(text, str)) for name, text in stored.items()}
            if self.shape is Shape.TEXTS_BY_KEY:
                return {self.key(name): self._texts(texts) for name, texts in stored.items()}
            return self.meaning(_of(stored, str))
        except (KeyError, ValueError, TypeError, AttributeError):
            raise self.misfit(re.sub("[][{}']", "", str(stored))) from None  # without Python's marks of lists

    def parse(self, text: str) -> Any:
        """Return as a recipe's data what is typed behind the name. Raises BadSetting."""
        try:
            if self.shape is Shape.NUMBER:
                return int(text[:20])
            if self.shape is Shape.SWITCH:
                return _SWITCH[text.lower()]
            if self.shape is Shape.TEXTS:
                return next(csv.reader([text]))  # so that a text may hold a comma in quotes
            if self.shape.by_key:
                name = text[: next(self._signs(text))]
                rest = text[len(name) + 1 :]
                return {name: rest if self.shape is Shape.BY_KEY else rest.split("|")}
        except (KeyError, ValueError, StopIteration):
            raise self.misfit(text) from None
        return text

    def _signs(self, text: str) -> Iterator[int]:
        """Yield where the key may end, the last place first: a column's name may hold the sign, and a reason, too."""
        for at in range(len(text) - 1, 0, -1):
            if text[at] == "=":
                with contextlib.suppress(KeyError, ValueError):
                    self.key(text[:at])
                    yield at

    def misfit(self, text: str) -> BadSetting:
        """Return the fault of a text that it can't be."""
        return BadSetting("“{name}” can't be “{text}”; write {spelling}: {words}.", name=self.name, text=text[:80],
                          spelling=self.spelling, words=self.words)  # fmt: skip

    def _texts(self, stored: Any) -> tuple[Any, ...]:
        values = tuple(self.meaning(_of(text, str)) for text in _of(stored, list))
        if len(set(values)) < len(values):
            raise ValueError
        return values


def one_of(known: Mapping[str, Any] | Iterable[str]) -> Callable[[str], Any]:
    """Return what tells the meaning of some words, or of those that mean themselves."""
    words = dict(known) if isinstance(known, Mapping) else {each: each for each in known}
    return words.__getitem__


def parse_entries(entries: Iterable[Entry], texts: Iterable[str], option: str) -> dict[str, Any]:
    """Return as a recipe's data what is typed: NAME=VALUE, NAME.KEY=VALUE, NAME for a switch. Raises BadSetting."""
    known = {each.name: each for each in entries}
    values: dict[str, Any] = {}
    for text in texts:
        match = _SAID.fullmatch(text)
        entry = known.get(match[1].replace("-", "_")) if match else None
        if match is None or entry is None:
            raise BadSetting(none_of(match[1] if match else text, known))
        if (match[2] == ".") != entry.shape.by_key or (match[2] is None and entry.metavar):
            raise entry.misfit(match[3] or "")
        stored = entry.parse(match[3] or "")
        before = values.setdefault(entry.name, {}) if entry.shape.by_key else values
        new = stored if entry.shape.by_key else {entry.name: stored}
        if twice := before.keys() & new.keys():
            raise BadSetting("{option} says two things about “{name}”; say one.", option=option, name=twice.pop())
        before.update(new)
    meanings(entries, values)
    return values


def meanings(entries: Iterable[Entry], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the data of a recipe's section mean, by name. Raises BadSetting, naming what it does not know."""
    known = {each.name: each for each in entries}
    for name in data:
        if name not in known:
            raise BadSetting(none_of(name, known))
    return {name: known[name].interpret(value) for name, value in data.items()}


def as_data(value: Any) -> Any:
    """Return as a recipe's data what a value means."""
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, Mapping):
        return {as_data(key): as_data(each) for key, each in value.items()}
    return list(map(as_data, value)) if isinstance(value, tuple) else value


def overrule(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first data of a section with the second in their place; what stands by key is joined."""
    both = {**first, **second}
    for name, value in second.items():
        if isinstance(value, Mapping):
            both[name] = {**first.get(name, {}), **value}
    return both


def _of(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise TypeError
    return value
