"""What the words of a column's name say, by the lists of `resources/roles` and of the user's own folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from splu_desktop.core.resources import own_files, read_toml, resource_path, unreadable
from splu_desktop.core.words import words_of

# Subjects that names may say, tried in this order: "hospital county" is a place where its values are no units.
HARMLESS = ("age", "sex", "date", "unit", "place", "demographic", "administrative")
_STEMS = ("health", "act", "death")  # lists of parts of words, each of which says something about health
_PRIVATE = frozenset({*_STEMS, "amount"})
_SURE = ("age", "date", "unit", "place")  # what stays itself where a vaccination or a diagnosis is named beside it
# What may stand beside them; a word of no such list makes the name one that nobody can read.
_BESIDE = frozenset({*HARMLESS, "fill", "kind", "number", "counting", "person", "name", "staff", "birth", "event"})
_LONGEST_RUN = 4  # words that are looked up together
_STEM = 4  # letters from which a part of a word says that it is about health
_COMPOUND = 6  # letters from which a word may be made of two
_LONGEST = 40  # letters up to which one is taken apart
_PART = 3  # letters of a part of one, at least
_SEAMS = ("", "s", "n", "en", "es", "e", "r", "er")
_ENDINGS = ("s", "es", "n", "en", "e", "er", "es", "x")
_UMLAUTS = (("ae", "a"), ("oe", "o"), ("ue", "u"))


def fold(word: str) -> str:
    """Return a word with ae, oe and ue as a, o and u, as words with and without umlauts both are looked up."""
    for written, plain in _UMLAUTS:
        word = word.replace(written, plain)
    return word


@dataclass(frozen=True)
class Lexicon:
    """All lists as one.

    Attributes
    ----------
    words : word, or words joined by "_" -> the lists it stands in.
    stems : parts of words that say something about health -> the lists they stand in.
    staff_ends : ends of words that say who treats.
    heads : words that say what a column is, by where they stand: "first" or "last" in its name, before a "link",
        "done" first where what is done to people follows, or as the end of a "compound".
    values : list of values by its name, each as words joined by "_".
    ranges : word -> (lowest, highest) number that a date of its kind may be.
    """

    words: Mapping[str, frozenset[str]]
    stems: Mapping[str, frozenset[str]]
    staff_ends: tuple[str, ...]
    heads: Mapping[str, frozenset[str]]
    values: Mapping[str, frozenset[str]]
    ranges: Mapping[str, tuple[int, int]]

    def lists_of(self, word: str) -> frozenset[str]:
        """Return the lists that a word of a name stands in, by itself, bent, or as a compound; none where unknown.

        A compound is known by all its parts: what a part that no list has might say is not guessed.
        """
        if word.isdigit() or len(word) == 1:
            return self.words.get(word, frozenset()) | {"fill"}
        if found := self._bent(word):
            return found
        if word.endswith(self.staff_ends):
            return frozenset({"staff"})
        parts, said = self._parts(word), [lists for stem, lists in self.stems.items() if stem in word]
        return frozenset().union(*said) if said and not (parts and parts <= _BESIDE) else parts

    def cut_head(self, word: str) -> tuple[str, ...]:
        """Return a compound of what is done, or of an unknown word, and its head as two words; any other word as one.

        Impf, datum; ziel, klinik: the head decides, as where they stand apart.
        """
        new = not self.lists_of(word)
        for cut in range(_PART, len(word) - 1) if word not in self.words and len(word) <= _LONGEST else ():
            head = self.words.get(word[cut:], frozenset())
            done = head.intersection(_SURE[1:]) and "act" in self.lists_of(word[:cut].removesuffix("s"))  # no "-age"
            if done or (new and word[cut:] in self.heads["compound"]):
                return word[:cut], word[cut:]
        return (word,)

    def _bent(self, word: str) -> frozenset[str]:
        for form in (word, *(word.removesuffix(end) for end in _ENDINGS if len(word) > _COMPOUND - 2)):
            if len(form) > 1 and (found := self.words.get(form)):
                return found
        return frozenset()

    def _parts(self, word: str) -> frozenset[str]:
        for cut in range(len(word) - _PART, _PART - 1, -1) if _COMPOUND <= len(word) <= _LONGEST else ():
            behind = self._bent(word[cut:]) or (self._parts(word[cut:]) if len(word) - cut >= _COMPOUND else None)
            if not behind:
                continue
            for seam in _SEAMS:
                head = word[:cut].removesuffix(seam)
                if word[:cut].endswith(seam) and len(head) >= _PART and (ahead := self._bent(head)):
                    odd = [each for each in (behind, ahead) if not each & _BESIDE]
                    return odd[0] if odd else ahead | behind
        return frozenset()


@dataclass(frozen=True)
class Reading:
    """What a name says.

    Attributes
    ----------
    words : the name's words, some of them together.
    lists : the lists of each, none for one that is unknown.
    """

    words: tuple[str, ...]
    lists: tuple[frozenset[str], ...]

    def says(self, *lists: str) -> bool:
        """Whether a word stands in one of the lists."""
        return any(each.intersection(lists) for each in self.lists)

    def only(self, *lists: str) -> bool:
        """Whether every word stands in one of the lists."""
        return all(each.intersection(lists) for each in self.lists)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Words that no list has."""
        return tuple(word for word, lists in zip(self.words, self.lists, strict=True) if not lists)

    @property
    def secret(self) -> bool:
        """Whether a word says something secret and nothing else; how many children or months somebody has is none."""
        private = _PRIVATE - {"amount"} if self.says("demographic", "age") else _PRIVATE
        return any(each <= private for each in self.lists if each)

    @property
    def subjects(self) -> tuple[str, ...]:
        """What the name says that is harmless, the likeliest first; nothing where one word may be anything else."""
        beside = _BESIDE | {"amount"} if self.says("demographic", "age") else _BESIDE
        if not all(each & beside for each in self.lists) or (self.says("case") and not self.says("number", "kind")):
            return ()
        found = [subject for subject in HARMLESS if self.says(subject)]
        if self.says("birth"):  # of a person; a year of birth is an age
            found = ["age", *(subject for subject in found if subject in ("place", "date", "unit"))]
        if not found and self.says("staff") and self.says("kind") and not self.says("number"):
            found = ["administrative"]  # who sent the patient, by kind
        return tuple(found)

    @property
    def headed(self) -> tuple[str, ...]:
        """What the name's head says where nothing else is harmless: a "requesting ward" is a ward, as "salle 2 bis".

        Beside what is done to people any age, date, unit or place may be the head: "date of vaccination".
        """
        done = self.says("act")
        if self.subjects or not (self.unknown or done) or not all(not e or e & {*_BESIDE, "act"} for e in self.lists):
            return ()
        heads = lexicon().heads
        link = next((at for at, word in enumerate(self.words) if at and word in heads["link"]), len(self.words))
        ends = [at for at, each in enumerate(self.lists) if not each or each & {*HARMLESS, "act"}]
        last = max((at for at in ends if at < link), default=ends[-1])
        for at, known in ((ends[0], heads["first"]), (last, heads["last"])):
            word, lists = self.words[at], self.lists[at]
            sure = done and lists.intersection(_SURE) and (at == last or word in heads["done"])
            if word in known or sure:
                return tuple(subject for subject in HARMLESS if subject in lists)
        return ()

    @property
    def unsure(self) -> bool:
        """Whether all that is harmless in the name may mean something else: "location", "state"."""
        said = [each for each in self.lists if each.intersection(HARMLESS)]
        return bool(said) and all("unsure" in each for each in said)


@cache
def lexicon() -> Lexicon:
    """Return all lists, read once. Raises BadSetting where a file of the user's own can't be read."""
    words: dict[str, set[str]] = {}
    stems: dict[str, set[str]] = {}
    values: dict[str, set[str]] = {}
    heads: dict[str, set[str]] = {"first": set(), "last": set(), "link": set(), "done": set(), "compound": set()}
    ranges: dict[str, tuple[int, int]] = {}
    for data in _files():
        for name, text in data.get("names", {}).items():
            for word in map(fold, text.split()):
                words.setdefault(word, set()).update((name, "health") if name in _STEMS else (name,))
                if name in _STEMS and len(word) >= _STEM:
                    stems.setdefault(word, set()).update((name, "health"))
        for name, text in data.get("values", {}).items():
            values.setdefault(name, set()).update(map(fold, text.split()))
        for name, text in data.get("heads", {}).items():
            heads.setdefault(name, set()).update(map(fold, text.split()))
        for text in data.get("ranges", {}).values():
            low, high, *named = text.split()
            ranges.update((fold(word), (int(low), int(high))) for word in named)
    return Lexicon(
        {word: frozenset(lists) for word, lists in words.items()},
        {stem: frozenset(lists) for stem, lists in sorted(stems.items())},
        tuple(sorted(word for word, lists in words.items() if "staff_ends" in lists)),
        {name: frozenset(each) for name, each in heads.items()},
        {name: frozenset(each) for name, each in values.items()},
        ranges,
    )


def _files() -> Iterator[dict[str, Any]]:
    came_with = sorted(resource_path("roles/en.toml").parent.glob("*.toml"))
    for path in [*came_with, *own_files("roles")]:
        yield _read(path)


def _read(path: Path) -> dict[str, Any]:
    data = read_toml(path)
    tables = data.values()
    if not all(isinstance(each, dict) and all(isinstance(text, str) for text in each.values()) for each in tables):
        raise unreadable(path)
    return data


@cache
def read_name(name: str) -> Reading:
    """Return what a name says, words that belong together taken together."""
    known = lexicon()
    words = tuple(part for word in words_of(name) for part in known.cut_head(fold(word)))
    found: list[tuple[str, frozenset[str]]] = []
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST_RUN, len(words) - at), 1, -1):
            run = "_".join(words[at : at + length])
            lists = known.words.get(run) or known.words.get(run.replace("_", ""))
            if lists:
                break
        else:
            length, run = 1, words[at]
            lists = known.lists_of(run)
        found.append((run, lists))
        at += length
    return Reading(tuple(word for word, _ in found), tuple(lists for _, lists in found))


@cache
def first_names() -> frozenset[str]:
    """Return common first names, by which columns of persons' names are known."""
    text = resource_path("roles/first_names.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
