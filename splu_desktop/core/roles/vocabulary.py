"""What words in names and values of columns say: lists in seven languages, read from `resources/roles` once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Any

from splu_desktop.core.resources import resource_path
from splu_desktop.core.words import words_of
from splu_desktop.frozen import dataclass

_LONGEST_RUN = 4  # words of a name that are read as one, such as "blood pressure"
_LONGEST_SEAM = 3  # letters between a sign and the next word of a compound: Familienanamnese is one of famil*
_SEAMS = ("s", "es", "n", "en", "er", "e")  # of the words of a German or Dutch compound
BODY = "a part of the body"
FOUND = "a finding, laboratory value or measurement"
RECORDED = "how the record was made"  # its source or event may be an illness: its values are read
AGED = "an age or a year of birth"
TIMED = "a date or a time"  # the matter of dates, years and days of the week
_LONGEST_COMPOUND = 60  # letters; of longer ones each beginning and end would be looked at like a name
_BENDS = 5  # letters from which an ending is no inflection: Klinikverlauf
_SURE = 5  # letters from which a word in a value says what it says in a name; "MS" may be Mississippi
_LEAD = 3  # first letters of a sign by which it is looked up; only whole words may have fewer
_TWO_WORDS = re.compile(r"([a-z0-9]{2,})_([a-z0-9]{2,})(\*?)")  # of one letter a word says little: c_section
_UMLAUT = re.compile("([ao]|(?<![aeq])u)e")  # written out, though no "neue" or "queue"


class RoleCard(Enum):
    """The four cards that columns are sorted into."""

    IDENTIFIES = "identifies a person"
    RECOGNISES = "recognises a person"
    SPECIAL = "health and other special categories"
    HARMLESS = "harmless"


class Signs:
    """The signs of a list, looked for in a run of words joined by "_".

    A star stands for any letters, a "_" for a seam that need not be there, but beside a star for one that must: age_*
    is no agent. Words may be joined in the name and not in the sign: bloodpress* begins "blood_pressure", too.
    """

    def __init__(self, signs: Iterable[str]) -> None:
        # Where no seam must be, a run says a sign if it does so without its seams.
        whole, first, last, inside, rest = set(), [], [], [], []
        for sign in signs:
            core = sign.strip("*").replace("_", "")
            if "_*" in sign or "*_" in sign or "*" in sign.strip("*"):
                seams = re.escape(sign).replace(r"_\*", "<(.*)").replace(r"\*_", "(.*)<").replace("_", "_?")
                pattern = seams.replace("<", "_").replace(r"\*", "(.*)")
                rest.append((max(re.split(r"[_*]", sign), key=len), pattern))
            elif sign.startswith("*") and sign.endswith("*"):
                inside.append(core)
            elif sign.endswith("*"):
                first.append(core)
            elif sign.startswith("*"):
                last.append(core)
            else:
                whole.add(core)
        self._whole, self._first, self._last, self._inside = frozenset(whole), tuple(first), tuple(last), inside
        self._rest = rest

    def _seamed(self, run: str, plain: str) -> re.Match[str] | None:
        """Return how a run says a sign with seams that must be there, by what it says with or without its own."""
        # Few are likely: to make patterns of all takes 13 ms of a start.
        likely = [pattern for part, pattern in self._rest if part in plain]
        return next(
            (match for text in (run, plain) for each in likely if (match := re.fullmatch(each, text)) is not None), None
        )

    def leads(self) -> set[str]:
        """Return the first letters of all signs, with which each stands somewhere in every run that says it."""
        parts = (part for part, _ in self._rest)
        return {core[:_LEAD] for core in (*self._whole, *self._first, *self._last, *self._inside, *parts)}

    def whole(self, run: str) -> bool:
        """Whether a run of words is one of the signs, no word of it hidden by a star."""
        return run.replace("_", "") in self._whole

    def rest(self, run: str) -> str:
        """Return what the star of a sign that a run begins with stands for, of the longest such sign; "" for none."""
        plain = run.replace("_", "")
        longest = max((len(core) for core in self._first if plain.startswith(core)), default=len(plain))
        return plain[longest:]

    def open(self, run: str) -> tuple[str, str]:
        """Return the least that the stars of a sign which a run says stand for, before it and behind it."""
        plain = run.replace("_", "")
        found = [("", "")] if plain in self._whole else []
        found += [("", plain[len(core) :]) for core in self._first if plain.startswith(core)]
        found += [(plain[: -len(core)], "") for core in self._last if plain.endswith(core)]
        found += [(plain[: plain.index(core)], plain.split(core, 1)[1]) for core in self._inside if core in plain]
        if match := self._seamed(run, plain):
            stars = [match.span(at) for at in range(1, match.re.groups + 1) if match.group(at)]
            ends = [[match.string[a:b] for a, b in stars if (a == 0) is ahead] for ahead in (True, False)]
            found.append(("".join(ends[0]), "".join(ends[1])))
        return min(found, key=lambda ends: len("".join(ends)))

    def said(self, run: str) -> bool:
        """Whether a run of words says one of the signs."""
        plain = run.replace("_", "")
        return (
            plain in self._whole
            or plain.startswith(self._first)
            or plain.endswith(self._last)
            or any(part in plain for part in self._inside)
            or self._seamed(run, plain) is not None
        )


@dataclass(frozen=True)
class Matter:
    """One thing that a name may say.

    Attributes
    ----------
    what : the thing, as it is said to the custodian.
    card : where a column of the kind belongs.
    weight : how clearly it is sensitive, 0..1; 0 where it is not.
    words : matches a word of a name, or a run of words written together.
    long : the same by signs of `_SURE` letters or more, and words that values alone have; for values.
    enough : words of which one value among many tells the matter, such as "died" among five ways to leave.
    all : words with one of which every value begins, as those of a column of weekdays do.
    unlike : kinds of values (decimals, yes_no, results) over which a name does not say the matter, whatever its words.
    """

    what: str
    card: RoleCard
    weight: float
    words: Signs
    long: Signs
    enough: frozenset[str]
    all: frozenset[str]
    unlike: frozenset[str]


def _signs(entry: Mapping[str, Any]) -> list[str]:
    return [sign for name, text in entry.items() if name == "common" or len(name) == 2 for sign in text.split()]


def _turned(signs: Iterable[str]) -> Iterator[str]:
    """Return the signs of two words in their other order: “Tage AU” says what “AU-Tage” says."""
    for sign in signs:
        match = _TWO_WORDS.fullmatch(sign)
        if match is not None:
            yield f"{match[2]}_{match[1]}{match[3]}"


@cache
def _file(name: str) -> dict[str, Any]:
    return tomllib.loads(resource_path(f"roles/{name}").read_text(encoding="utf-8"))


@cache
def matters() -> tuple[Matter, ...]:
    """Return all matters, the special ones first, in the order of the files."""
    found = []
    for name in ("matters.toml", "others.toml"):
        for entry in _file(name)["matter"]:
            signs = _signs(entry)
            if entry.get("card", "special") == "special":
                signs += list(_turned(signs))
            sure = [sign for sign in signs if len(sign.strip("*_")) >= _SURE]
            found.append(
                Matter(
                    entry["what"],
                    RoleCard[entry.get("card", "special").upper()],
                    float(entry.get("weight", 0)),
                    Signs(signs),
                    Signs([*sure, *entry.get("values", "").split()]),
                    frozenset(entry.get("enough", "").split()),
                    frozenset(entry.get("all", "").split()),
                    frozenset(entry.get("unlike", "").split()),
                )
            )
    return tuple(found)


@cache
def _list(name: str) -> Signs:
    return Signs(_signs(_file("others.toml")[name]))


@cache
def _units() -> dict[str, list[str]]:
    """Return units whose abbreviations name illnesses as well, each with the matters that are measured in it."""
    return dict(_file("others.toml")["units"])


def _runs(words: tuple[str, ...]) -> list[tuple[int, int, str]]:
    """Return all runs of words as (start, stop, text), also as they are with ä for ae, which words have as a."""
    found = [
        (start, stop, "_".join(words[start:stop]))
        for start in range(len(words))
        for stop in range(start + 1, min(start + _LONGEST_RUN, len(words)) + 1)
    ]
    return found + [
        (start, stop, plain)
        for start, stop, text in found
        if (plain := _UMLAUT.sub(r"\1", text)) != text and len(plain) >= _SURE
    ]


@cache
def _behind(word: str) -> tuple[str, ...]:
    """Return what a compound may say behind a word that is no special one: “prognose” of Erwerbsprognose."""
    rests = (matter.words.rest(word) for matter in matters() if matter.card is not RoleCard.SPECIAL)
    rest = min(filter(None, rests), key=len, default="")
    return tuple(rest[at:] for at in range(_LONGEST_SEAM + 1) if len(rest) >= at + _SURE)


def _bent(before: str, behind: str, run: str) -> bool:
    """Whether what stars stand for only bends a word, or is known by itself: no “verlauf” of Klinikverlauf."""
    words = run.split("_")
    if len(words) > 1 and (
        (before and len(words[0]) - len(before) < 2) or (behind and len(words[-1]) - len(behind) < 2)
    ):
        return False  # a word of its own, or nearly: no “Stadt” in stad_tum
    inflected = len(behind) < _BENDS and not any(
        matter.words.said(behind) for matter in matters() if matter.card is RoleCard.SPECIAL
    )
    return (not before or _plain(before)) and (not behind or inflected or _plain(behind))


@cache
def _plain(part: str) -> bool:
    """Whether a part of a compound, less its seam, is known to say nothing special."""
    words = {part, *(part.removeprefix(seam) for seam in _SEAMS), *(part.removesuffix(seam) for seam in _SEAMS)}
    said = [(word, *said_by(word)) for word in words if len(word) > 2]
    return not any(matter.card is RoleCard.SPECIAL for _, found, _ in said for matter in found) and any(
        known or _list("fill").said(word) for word, _, known in said
    )


@cache
def _compound(word: str) -> tuple[Matter, ...] | None:
    """Return what a compound of two parts says that both say nothing special: Stations+art; None for no such one."""
    for cut in range(_BENDS, len(word) - 2 if len(word) <= _LONGEST_COMPOUND else 0):
        if _plain(word[:cut]) and _plain(word[cut:]):
            return tuple({**dict.fromkeys(said_by(word[cut:])[0]), **dict.fromkeys(said_by(word[:cut])[0])})
    return None


@cache
def _excepted(run: str) -> bool:
    """Whether a run of words holds a special one and is none: a hospital, but no Krankenhausinfektion.

    What a star stands for is excepted within a word only: "hospital infection" is no longer form of "hospital".
    """
    rest = _list("except").rest(run)
    return (
        _list("except").said(run)
        and len(rest) < len(run.rsplit("_", 1)[-1])
        and not any(matter.long.said(rest) for matter in matters() if matter.card is RoleCard.SPECIAL)
    )


@cache
def said_by(name: str) -> tuple[tuple[Matter, ...], bool]:
    """Return what a name says, the weightiest first, and whether all its words are known to say so or nothing."""
    words = words_of(name)
    runs = _runs(words)
    found, exact = [], {}
    covered = {at for at, word in enumerate(words) if word.isdigit() or _list("fill").said(word)}
    excepted = [
        (start, stop, text) for start, stop, text in runs if _excepted(text)
    ]  # "payment typology" is no payment
    no_matter = {at for start, stop, _ in excepted for at in range(start, stop)}
    for start, stop, text in excepted:
        covered |= set(range(start, stop)) if _bent(*_list("except").open(text), text) else set()
    for at, rest in ((len(words) - 1, words[:-1]), (0, words[1:])):  # of CHF_Betrag, too, but of no MS duration
        measured = _units().get(words[at], []) if rest else []
        said = said_by("_".join(rest))[0] if measured else ()
        if any(each.what in measured and (at or each.card is RoleCard.SPECIAL) for each in said):
            no_matter.add(at)
            covered.add(at)
    for matter in matters():
        hits = {(start, stop): text for start, stop, text in runs if matter.words.said(text)}
        if matter.card is RoleCard.SPECIAL:
            hits = {run: text for run, text in hits.items() if no_matter.isdisjoint(range(*run))}
            hits |= {
                (start, stop): text
                for start, stop, text in runs
                if stop == start + 1 and no_matter.isdisjoint((start,)) and any(map(matter.long.said, _behind(text)))
            }
        if hits:
            found.append(matter)
            # "Estado civil" is one sign of several words and no state, whatever else stands in an order of its own.
            exact[matter.what] = max((b - a for (a, b), text in hits.items() if matter.words.whole(text)), default=1)
            for (start, stop), text in hits.items():
                if matter.card is RoleCard.SPECIAL or _bent(*matter.words.open(text), text):
                    covered |= set(range(start, stop))
    for at in set(range(len(words))) - covered:
        parts = _compound(words[at])
        if parts is not None:
            covered.add(at)
            new = [matter for matter in parts if matter not in found]
            found, exact = [*found, *new], exact | {matter.what: 1 for matter in new}
    return tuple(sorted(found, key=lambda matter: (-matter.weight, -exact[matter.what]))), bool(found) and len(
        covered
    ) == len(words)


def doubtful(name: str, *, asked: bool = False) -> bool:
    """Whether a name is known over names and dates only, and not over whole numbers and answers, such as “visits”.

    asked : whether it is not known over yes and no, such as “scanner”.
    """
    words = words_of(name)
    told = "_".join(word for word in words if not _list("aside").said(word))
    return any(_list("asked" if asked else "doubtful").said(text) for text in ("_".join(words), told) if text)


def says_only(name: str, kind: str) -> bool:
    """Whether all that a name says is of a list: `states`, or `events`, which are named by an illness as well."""
    said = [word for word in words_of(name) if _bends(kind, word)]
    return bool(said) and all(_list("fill").said(word) for word in words_of(name) if word not in said)


def _bends(kind: str, word: str) -> bool:
    """Whether a word is of a list, with no more behind it than bends it or says nothing: Entlassart, no Entlasstag."""
    if not _list(kind).said(word):
        return False
    behind = _list(kind).open(word)[1]
    parts = {behind, *(behind.removeprefix(seam) for seam in _SEAMS)}
    known = any(matter.words.said(part) for matter in matters() for part in parts if len(part) > 2)
    return not known and (len(behind) < _BENDS or any(map(_list("fill").said, parts)))


@cache
def states() -> frozenset[str]:
    """Return the states of federations, words joined by "_"."""
    return frozenset(_file("others.toml")["states"]["values"].split())


def special(name: str) -> Matter | None:
    """Return the weightiest special matter that a name announces, None where it announces none."""
    found, _ = said_by(name)
    return next((matter for matter in found if matter.card is RoleCard.SPECIAL), None)


def harmless(value: str) -> bool:
    """Whether all words of a value are known to say nothing special."""
    found, known = said_by(value)
    run = "_".join(words_of(value))
    return (
        (known and not any(matter.card is RoleCard.SPECIAL for matter in found))
        or all(map(_list("fill").said, words_of(value)))
        or any(run in matter.all for matter in matters() if matter.card is not RoleCard.SPECIAL)
    )


@cache
def said_in(value: str) -> Matter | None:
    """Return the special matter that a value names, such as an illness; None where it names none."""
    special_ones, led = _led()
    for text in (*words_of(value), "_".join(words_of(value))):
        plain = text.replace("_", "")
        at = {at for start in range(max(len(plain) - _LEAD + 1, 1)) for at in led.get(plain[start : start + _LEAD], ())}
        for matter in (special_ones[each] for each in sorted(at)):
            if matter.long.said(text):
                return matter
    return None


@cache
def _led() -> tuple[list[Matter], dict[str, list[int]]]:
    """Return the special matters, and those of them that values may say by a sign's first letters."""
    special_ones = [matter for matter in matters() if matter.card is RoleCard.SPECIAL]
    found: dict[str, list[int]] = {}
    for at, matter in enumerate(special_ones):
        for lead in matter.long.leads():
            found.setdefault(lead, []).append(at)
    return special_ones, found


@cache
def identifying() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return names of identifiers (kind -> names, " | " between them), and lists of words by name of the list."""
    data = tomllib.loads(resource_path("roles/identifies.toml").read_text(encoding="utf-8"))
    return data["phrases"], data["words"]


@cache
def first_names() -> frozenset[str]:
    """Return common first names."""
    text = resource_path("roles/first_names.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
