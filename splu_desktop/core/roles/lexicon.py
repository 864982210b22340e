"""What the words of a column's name say, by the lists of `resources/roles` and of the user's own folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import none_of
from splu_desktop.core.resources import own_files, read_toml, resource_path, unreadable
from splu_desktop.core.words import fold, words_of

# Subjects that names may say, tried in this order: "hospital county" is a place where its values are no units.
HARMLESS = ("age", "sex", "date", "unit", "place", "demographic", "administrative")
# Where the word that says what a column is stands in its name, and whether it may be glued to the word before it.
ORDERS = ("first", "last", "glued")
_STEMS = ("health", "act", "death")  # lists of parts of words, each of which says something about health
_ALSO = {"act": "health", "death": "health", "clear": "administrative"}  # lists whose words stand in another one, too
_PRIVATE = frozenset({*_STEMS, "amount"})
_SURE = ("age", "date", "unit", "place")  # what stays itself where a vaccination or a diagnosis is named beside it
_CLEAR = (*_SURE, "demographic")  # what stays itself beside a word that nobody knows
# What may stand beside them; a word of no such list makes the name one that nobody can read.
_NEUTRAL = ("fill", "kind", "number", "counting", "person", "name", "staff", "employer", "birth", "event", "exit")
_BESIDE = frozenset((*HARMLESS, *_NEUTRAL))
_SPELT = frozenset((*HARMLESS, *ORDERS, "unsure", "countable", "clear", "person", "fill"))  # nothing but harmless
_SIZED = ("demographic", "age", "place")  # how many children, years or people are nothing secret
_OF_A_CASE = ("number", "kind", "age", "date", "place", "demographic")
_LONGEST_RUN = 4  # words that are looked up together
_STEM = 4  # letters from which a part of a word says that it is about health
_COMPOUND = 6  # letters from which a word may be made of two
_LONGEST = 40  # letters up to which one is taken apart
_SHORT = 4  # letters of an unknown word behind a head that say nothing against it: "Wohnort_GKZ"
_PART = 3  # letters of a part of one, at least
_SEAMS = ("", "s", "n", "en", "es", "e", "r", "er")
_ENDINGS = ("s", "es", "n", "en", "e", "er", "es", "x")


@dataclass(frozen=True)
class Lexicon:
    """All lists as one."""

    words: Mapping[str, frozenset[str]]  # word, or words joined by "_" -> the lists it stands in
    begins: Mapping[str, frozenset[str]]  # beginnings of words, written with a star -> their lists
    stems: Mapping[str, frozenset[str]]  # parts of words that say something about health -> their lists
    staff_ends: tuple[str, ...]  # ends of words that say who treats
    values: Mapping[str, frozenset[str]]  # name -> values as words joined by "_"; "link", "compound" are of names
    ranges: Mapping[str, tuple[int, int]]  # word -> lowest and highest number that a date of its kind may be

    def lists_of(self, word: str) -> frozenset[str]:
        """Return the lists that a word stands in, by itself, bent, or as a compound of known parts; else none."""
        if word.isdigit() or len(word) == 1:
            return self.words.get(word, frozenset()) | {"fill"}
        if word.endswith(self.staff_ends) and word not in self.words:
            return frozenset({"staff"})
        if bent := self._bent(word):
            return bent
        parts, begun = self._parts(word), next((begin for begin in self.begins if word.startswith(begin)), "")
        by_stem = [lists for stem, lists in self.stems.items() if stem in word.removeprefix(begun)]  # "Staatsangeh."
        if by_stem and not (parts and parts.isdisjoint(_PRIVATE)):
            return frozenset().union(*by_stem)
        return parts or self.begins.get(begun, frozenset())

    def cut_head(self, word: str) -> tuple[str, ...]:
        """Return a compound with what is done or an unknown word as two words: Impf, datum; site, id."""
        new = not (lists := self.lists_of(word))
        for cut in range(2, len(word) - 1) if word not in self.words and len(word) <= _LONGEST else ():
            head = self.words.get(word[cut:], frozenset())
            done = head.intersection(_SURE[1:]) and "act" in self.lists_of(word[:cut].removesuffix("s"))  # no "-age"
            numbered = head & {"number", "kind"} and self._bent(word[:cut])  # "siteid", "Gerätenr"
            glued = "glued" in head and "unsure" not in head and head & {"date", "unit"} and cut >= _PART
            ended = word[cut:] in self.values["compound"] and cut > _SHORT  # no "com-fort"
            glued = glued and len(word) - cut > _PART and not word.endswith("ation")  # no "Manife-station"
            if done or (new and (ended or glued)) or (numbered and (new or "health" in lists)):  # "TUMORID"
                return word[:cut], word[cut:]
        return (word,)

    def spell_out(self, word: str) -> frozenset[str]:
        """Return what all words say that begin as a shortened one does, if it is one harmless thing; else nothing."""
        meanings = frozenset().union(*(lists for each, lists in self.words.items() if each.startswith(word)))
        return meanings if len(meanings & {*HARMLESS}) == 1 and meanings <= _SPELT else frozenset()

    def _bent(self, word: str) -> frozenset[str]:
        forms = (word, *(word.removesuffix(end) for end in _ENDINGS if len(word) > _COMPOUND - 2))
        return next((self.words[form] for form in forms if len(form) > 1 and form in self.words), frozenset())

    def _parts(self, word: str) -> frozenset[str]:
        for cut in range(len(word) - _PART, _PART - 1, -1) if _COMPOUND <= len(word) <= _LONGEST else ():
            behind = self._bent(word[cut:]) or (self._parts(word[cut:]) if len(word) - cut >= _COMPOUND else None)
            if not behind:
                continue
            for seam in _SEAMS:
                head = word[:cut].removesuffix(seam)
                if word[:cut].endswith(seam) and len(head) >= _PART and (ahead := self._bent(head)):
                    ends = behind & {"key", "reach", "age"} and "person" not in ahead
                    filled = len(head) == _PART and not (ahead | behind) & {*HARMLESS}
                    if len(word) - cut == _PART and (ends or filled):
                        continue  # "Transportmit-tel" ends in no number, "dos-age" in no age; no "rég-les"
                    known = _BESIDE | {"amount"} if (behind | ahead).intersection(_SIZED) else _BESIDE
                    odd = [each for each in (behind, ahead) if not each & known]
                    both = (ahead | behind).difference(ORDERS if "age" in ahead | behind else ())
                    if any(each & {*HARMLESS} and "unsure" not in each for each in (ahead, behind)):
                        both -= {"unsure"}
                    return odd[0] if odd else both
        return frozenset()


@dataclass(frozen=True)
class Reading:
    """What a name says."""

    words: tuple[str, ...]  # the name's words, some of them together
    lists: tuple[frozenset[str], ...]  # the lists of each, none for one that is unknown

    def says(self, *lists: str) -> bool:
        """Whether a word stands in one of the lists."""
        return any(each.intersection(lists) for each in self.lists)

    def only(self, *lists: str) -> bool:
        """Whether every word stands in one of the lists."""
        return all(each.intersection(lists) for each in self.lists)

    @property
    def link(self) -> int:
        """Where "of" or "de" stands, behind which a name no more says what its column is ("motive for visit")."""
        links = lexicon().values["link"]
        return next((at for at, word in enumerate(self.words) if at and word in links), len(self.words))

    @property
    def unknown(self) -> tuple[str, ...]:
        """Words that no list has."""
        return tuple(word for word, lists in zip(self.words, self.lists, strict=True) if not lists)

    @property
    def secret(self) -> bool:
        """Whether a word says something secret and nothing else; how many children or months somebody has is none."""
        private = _PRIVATE - {"amount"} if self.says(*_SIZED) else _PRIVATE
        return any(each <= private for each in self.lists if each)

    @property
    def subjects(self) -> tuple[str, ...]:
        """What the name says that is harmless, the likeliest first; nothing where one word may be anything else."""
        beside = _BESIDE | {"amount"} if self.says(*_SIZED) else _BESIDE
        beside = beside | {"reach"} if self.says("place") else beside  # "address.city"
        if not all(each & beside for each in self.lists) or (self.says("case") and not self.says(*_OF_A_CASE)):
            return ()
        subjects = [subject for subject in HARMLESS if self.says(subject)]
        if self.says("birth"):  # of a person; a year of birth is an age
            subjects = [each for each in ("sex", "place", "age", "date", "unit") if each == "age" or each in subjects]
        sorted_ = self.says("kind") and not self.says("number")
        if not subjects and ((sorted_ and self.says("staff", "person")) or (self.says("person") and self.says("fill"))):
            subjects = ["administrative"]  # who sent the patient, by kind; whether the patient is new
        return tuple(subjects)

    @property
    def head_subjects(self) -> tuple[str, ...]:
        """What the name's head, first or last by its language, says beside unknown words: a "requesting ward"."""
        done = self.says("act")
        if self.subjects or not (self.unknown or done) or not all(not e or e & {*_BESIDE, "act"} for e in self.lists):
            return ()
        ends = [at for at, each in enumerate(self.lists) if not each or each & {*HARMLESS, "act"}]
        ahead = [at for at in ends if at < self.link and (self.lists[at] or len(self.words[at]) > _SHORT)]
        for at, order in (*((at, "last") for at in ahead[-1:]), (ends[0], "first")):  # "service infection": English
            lists = self.lists[at]
            if order in lists and (done or not ("unsure" in lists or (order == "first" and "last" in lists))):
                clear: tuple[str, ...] = HARMLESS if "clear" in lists else _CLEAR
                if any("act" in each for each in self.lists[: self.link]):  # no "marital status at diagnosis"
                    clear = _SURE
                return tuple(subject for subject in clear if subject in lists)
        return tuple(each for each in ("age", "date") if done and not self.unknown and self.says(each))  # "YEAR_DX"

    @property
    def unsure(self) -> bool:
        """Whether all that is harmless in the name may mean something else: "location", "state"."""
        harmless = [each for each in self.lists if each.intersection(HARMLESS)]
        return bool(harmless) and all("unsure" in each for each in harmless)


@cache
def lexicon() -> Lexicon:
    """Return all lists, read once. Raises BadSetting where a file of the user's own can't be read."""
    words: dict[str, set[str]] = {}
    values: dict[str, set[str]] = {}
    ranges: dict[str, tuple[int, int]] = {}
    for data in _files():
        order = data.get("values", {}).get("heads", ORDERS[1]).split()
        dates = [word for text in data.get("ranges", {}).values() for word in text.split()[2:] if len(word) > 2]
        names = [*data.get("names", {}).items(), ("date", " ".join(dates))]
        for name, text in [*names, ("fill", data.get("values", {}).get("link", ""))]:
            also = _ALSO.get(name, name)
            kinds = (name, also, *(order if also in HARMLESS else ()))
            for word in map(fold, text.split()):
                words.setdefault(word, set()).update(kinds)
        for name, text in data.get("values", {}).items():
            values.setdefault(name, set()).update(map(fold, text.split()))
            for word in map(fold, text.split()) if name in ("female", "male") else ():  # "Mädchen": 0, 1
                if len(word) >= _STEM and word not in data["values"].get("titles", ""):
                    words.setdefault(word, set()).update(("sex", *order))
        for text in data.get("ranges", {}).values():
            low, high, *named = text.split()
            ranges.update((fold(word), (int(low), int(high))) for word in named)
    ends = tuple(sorted(word for word, lists in words.items() if "staff_ends" in lists))
    words = {word: lists - {"staff_ends"} or {"staff"} for word, lists in words.items()}
    begun = sorted((word for word in words if word.endswith("*")), key=lambda word: (-len(word), word))
    begins = {word[:-1]: frozenset(words.pop(word)) for word in begun}
    words |= {begin: words.get(begin, set()) | lists for begin, lists in begins.items()}
    known = {word: frozenset(lists) for word, lists in words.items()}
    parts = {word: lists for word, lists in sorted(known.items()) if len(word) >= _STEM and lists & {*_STEMS}}
    listed = {name: frozenset(each) for name, each in values.items()}
    return Lexicon(known, begins, parts, ends, listed, ranges)


def _files() -> Iterator[dict[str, Any]]:
    came_with, known = sorted(resource_path("roles/en.toml").parent.glob("*.toml")), {"ranges"}
    for path in [*came_with, *own_files("roles")]:
        data = read_toml(path)
        if not all(isinstance(each, dict) and all(isinstance(t, str) for t in each.values()) for each in data.values()):
            raise unreadable(path)
        entries = {*data, *(f"{table}.{name}" for table in ("names", "values") for name in data.get(table, {}))}
        if path in came_with:
            known |= entries - {"forms", "numbers", "shapes", "persons"}
        elif strange := sorted(entries - known):
            raise BadSetting(none_of(f"{path.name}: {strange[0]}", [f"{path.name}: {each}" for each in sorted(known)]))
        yield data


@cache
def read_name(name: str) -> Reading:
    """Return what a name says, words that belong together taken together."""
    known, name = lexicon(), name[:1_000]  # of a cell of three million letters all took minutes
    words = tuple(part for word in words_of(name) for part in known.cut_head(fold(word)))
    ended = {fold(word) for text in re.findall(r"[^\W\d_]{5,}(?=\.)", name) for word in words_of(text)}
    runs: list[tuple[str, frozenset[str]]] = []
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST_RUN, len(words) - at), 0, -1):
            run = "_".join(words[at : at + length])
            lists = known.words.get(run) or known.words.get(run.replace("_", "")) or frozenset()
            if lists and length > 1:
                break
        lists = lists if length > 1 else known.lists_of(run)
        if "administrative" in lists and run.endswith("s") and run not in known.words:
            lists |= {"countable"}  # "sessions"
        runs.append((run, lists or (known.spell_out(run) if run in ended else lists)))
        at += length
    return Reading(tuple(word for word, _ in runs), tuple(lists for _, lists in runs))


@cache
def first_names() -> frozenset[str]:
    """Return common first names, by which columns of persons' names are known."""
    text = resource_path("roles/first_names.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
