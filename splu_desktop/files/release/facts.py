"""`release.json`: what a reader needs, and nothing that follows from true counts.

Numbers of the draw come through `mechanism.published_numbers` alone; columns are described by the published table; the
rest is what the custodian chose. `sha256` seals the facts themselves.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from splu_desktop import __version__
from splu_desktop.core.audience import Audience
from splu_desktop.core.errors import BadSetting, FileFault
from splu_desktop.core.interval_texts import interval_ends
from splu_desktop.core.mechanism import CLASS, NUMBER, Block, ClassCell, draw_from
from splu_desktop.core.mechanism.published_numbers import release_numbers
from splu_desktop.core.messages import VALUE, in_words, say
from splu_desktop.core.published import Published
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Column, Kind
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.files.disk.plain_data import from_json
from splu_desktop.files.language import LANGUAGES, language, names_of_groups

if TYPE_CHECKING:
    from splu_desktop.core.plan import Plan

FORMAT = "splu-release"
FORMAT_VERSION = 3
FACTS_NAME = "release.json"
TABLE_NAME = "table.csv"
MISSING = ""  # the one token for "no value", everywhere in a release
_LONGEST_LIST = 5_000  # values of a column that are listed in their order
_SEAL = "sha256"
_ROLES = (*(role.value for role in Role if role.is_published), "class", "person")  # of a column that is handed out
DRAWN_ROLES = tuple(role.value for role in Role if role.sensitive)
_LINED = 500  # classes up to which release.json is written in lines
POLICY = ("who", "signed", "holds_records", "limits")  # of the audience, by which its limits are known
# What pandas takes for "no value" unless it is told otherwise.
_NONES = "#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null"
PANDAS_MISSING = frozenset(_NONES.split("|"))


class BadRelease(FileFault):
    """A release is incomplete, altered, or of a kind this version can't read."""


@dataclass(frozen=True)
class Dialect:
    """How numbers and fields are written: comma and point, or semicolon and comma."""

    delimiter: str = ","
    decimal: str = "."

    def __post_init__(self) -> None:
        if (self.delimiter, self.decimal) not in ((",", "."), (";", ","), (";", "."), ("\t", "."), ("\t", ",")):
            raise BadSetting("Fields end with a comma, a semicolon or a tab; numbers have a point or a comma.")


def make_facts(
    published: Published, plan: Plan, spread: Mapping[str, float], *, title: str, contact: str, dialect: Dialect
) -> dict[str, Any]:
    """Return the facts of a release, its files apart; `seal` closes them.

    spread : of each sensitive column how far counts lie from what the whole table lets expect, as a reader learns it.
    """
    numbers = release_numbers(
        published.blocks,
        published.class_columns,
        published.cells,
        person=published.person,
        correlations=published.correlations or (0.0,) * len(published.blocks),
        rare=published.rare,
    )
    moved = () if plan.persons is None else plan.persons.shift
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "id": secrets.token_hex(16),  # by chance: a count or a time would tell of other releases
        "title": title,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "software": {"name": "SPLU Desktop", "version": __version__},
        "recipient": plan.audience.recipient,
        "purpose": plan.audience.purpose,
        "until": plan.audience.until,
        "policy": {name: each for name, each in plan.audience.as_dict().items() if name in POLICY},
        "contact": contact,
        "records": published.n,
        "row": plan.row_word,
        "one_row": plan.persons.one_row if plan.persons else "",
        **numbers,
        "thresholds": asdict(published.thresholds),
        "spread": dict(spread),  # learned from the published table
        "dates_moved": {"columns": list(moved), "days": plan.persons.days if moved and plan.persons else 0},
        "questions": [str(question) for question in plan.questions],
        "missing": MISSING,
        "dialect": {"delimiter": dialect.delimiter, "decimal": dialect.decimal},
        "columns": [_column_entry(published, column, plan) for column in published.table.columns],
    }


def one_row_words(way: str) -> str:
    """Return the sentence on which row of each person is in a release."""
    if way == "first":
        return say("Of a person’s several rows, only the first is here.")
    if way == "last":
        return say("Of a person’s several rows, only the last is here.")
    return say("Of a person’s several rows, only one is here, drawn at random.")


def _column_entry(published: Published, column: Column, plan: Plan) -> dict[str, Any]:
    added = {CLASS: "class", NUMBER: "person"}.get(column.name)
    role = added or plan.roles[column.name].value
    entry: dict[str, Any] = {"name": column.name, "role": role, "kind": column.kind.name.lower()}
    entry["missing"] = bool(column.missing.any())
    # Person numbers are as many as persons and say nothing in their order.
    if column.m <= _LONGEST_LIST and role != "person":
        entry["values"] = [str(label) for label in column.labels[~column.missing]]
    if role in DRAWN_ROLES and (public := plan.public_values.get(column.name)):
        # Of those that are there: a value that nobody shows would say that somebody has it.
        entry["public_values"] = [value for value in public if value in entry.get("values", ())]
    if plan.generalisations.get(column.name):
        entry["coarsened"] = [step.as_dict()["how"] for step in plan.generalisations[column.name]]
    ends = interval_ends(column)
    if ends is not None:
        low, high = ends
        stands = published.numbers(column.name)
        known = np.flatnonzero(~column.missing & ~np.isnan(low))
        entry["bands"] = {str(column.labels[at]): [_finite(low[at]), _finite(high[at])] for at in known}
        if stands is not None:
            entry["numbers"] = {str(column.labels[at]): float(stands[at]) for at in known if np.isfinite(stands[at])}
    if words := _other_words(entry.get("values", ()), entry.get("bands", {})):
        entry["words"] = words
    if column.name in published.means:
        entry["means"] = dict(published.means[column.name])
    return entry


def _other_words(values: Sequence[str], bands: Mapping[str, Sequence[float | None]]) -> dict[str, str]:
    """Return what else people call a value, each meaning one alone: "65 und mehr" and "65+" of "65 and more"."""
    ours = {"", *itertools.chain.from_iterable(names_of_groups().values())}
    # Of thousands of values few are ours, and else no catalogue is read: a band has a blank, and is told by its form.
    in_parts = {v for v in values if " " in v and getattr(in_words(v), "template", VALUE) != VALUE}
    named = [v for v in values if v in ours or v in in_parts]
    called = [(language(code).value(value), value) for code in LANGUAGES for value in named]
    for value, (low, top) in bands.items():
        start, stop = ("" if end is None else f"{end:.15g}" for end in (low, top))
        risen = value.replace(" to ", "-") if stop else f"{start}+"
        called += [(risen if start else f"<{stop}", value), (f"[{start},{stop})", value)]
    several = Counter(word for word, _ in set(called))
    return {word: value for word, value in called if word != value and word not in values and several[word] == 1}


def _finite(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None


def seal(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts with the SHA-256 of themselves, written in one way only (sorted keys, no spaces)."""
    # Against slips and careless hands: the six words that are compared by telephone are against forgers.
    rest = {key: value for key, value in facts.items() if key != _SEAL}
    text = json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return {**rest, _SEAL: hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()}


def facts_text(facts: Mapping[str, Any]) -> str:
    """Return the text of release.json."""
    # Python writes lines forty times as slowly as C writes none, which thousands of classes make felt.
    indent = 1 if len(facts["classes"]["cells"]) <= _LINED else None
    return json.dumps(facts, ensure_ascii=False, indent=indent, allow_nan=False) + "\n"


def parse_facts(raw: bytes, name: str) -> dict[str, Any]:
    """Return the facts in the bytes of a release.json, which sentences call `name`. Raises BadRelease."""
    try:
        facts = from_json(raw.decode("utf-8-sig"))
    except ValueError:
        raise damage_fault(name) from None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise BadRelease("“{name}” does not describe a release of this program.", name=name)
    if facts.get("version") != FORMAT_VERSION:
        words = "“{name}” is of a release format that version {version} does not read; use its own splu_release.py."
        raise BadRelease(words, name=name, version=__version__)
    try:
        whole = _is_whole(facts) and facts.get(_SEAL) == seal(facts)[_SEAL]
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError, BadSetting):
        whole = False
    if not whole:
        raise damage_fault(name)
    return facts


def damage_fault(path: str | Path) -> BadRelease:
    """Return the fault of a file of a release that is not as it was made."""
    return BadRelease(say("“{path}” is damaged or was changed; ask for the release again.", path=str(path)))


def _is_whole(facts: dict[str, Any]) -> bool:
    """Whether facts say all that a reader needs. Raises as untrusted data may make it."""
    kinds = {kind.name.lower() for kind in Kind}
    names = [column["name"] for column in facts["columns"]]
    drawn = [name for block in blocks_of(facts) for name in block.columns]
    Thresholds(**facts["thresholds"])
    audience_of(facts)
    Dialect(**facts["dialect"])
    means_of(facts)
    return (
        type(facts["records"]) is int
        and facts["records"] >= 1
        and 0 < len(names) == len(set(names))
        and all(isinstance(name, str) for name in names)
        and all(each["kind"] in kinds and each["role"] in _ROLES for each in facts["columns"])
        and all(isinstance(label, str) for column in facts["columns"] for label in column.get("values", ()))
        and bool(drawn)
        and bool(facts["classes"]["cells"])
        and sorted(drawn) == sorted(each["name"] for each in facts["columns"] if each["role"] in DRAWN_ROLES)
        and all(type(each["bytes"]) is int and re.fullmatch(r"[0-9a-f]{64}", each["sha256"]) for each in facts["files"])
        # No file lies outside the folder.
        and all(re.fullmatch(r"[^/\\:\x00-\x1f]+", each["name"]) for each in facts["files"])
        and not any(each["name"] in (".", "..") for each in facts["files"])
        and type(facts["person"]) is bool
        and all(0 <= each <= 1 for each in correlations_of(facts))
    )


def audience_of(facts: Mapping[str, Any]) -> Audience:
    """Return who got the release, with the limits that were changed for them. Raises BadSetting, TypeError."""
    details = {name: facts[name] for name in ("recipient", "purpose", "until")}
    return Audience.from_dict({**facts["policy"], **details})


def blocks_of(facts: Mapping[str, Any]) -> tuple[Block, ...]:
    """Return the blocks that facts state. Raises BadSetting, KeyError, TypeError."""
    return tuple(Block(tuple(map(str, block["columns"])), draw_from(block)) for block in facts["blocks"])


def cells_of(facts: Mapping[str, Any]) -> tuple[ClassCell, ...]:
    """Return the classes that facts state. Raises KeyError, TypeError, ValueError."""
    cells = facts["classes"]["cells"]
    labels = [tuple(map(tuple, cell["labels"])) for cell in cells]
    "".join(itertools.chain.from_iterable(itertools.chain.from_iterable(labels)))  # else one is no text
    return tuple(map(ClassCell, labels, [int(cell["rows"]) for cell in cells]))


def correlations_of(facts: Mapping[str, Any]) -> tuple[float, ...]:
    """Return how alike a person's rows are in each block. Raises KeyError, TypeError, ValueError."""
    return tuple(float(block["correlation"]) for block in facts["blocks"])


def public_values(facts: Mapping[str, Any]) -> list[str]:
    """Return the values that are not secret."""
    return [value for entry in facts["columns"] for value in entry.get("public_values", ())]


def means_of(facts: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return unchanged column -> band -> its mean. Raises TypeError, ValueError."""
    means = {}
    for column in facts["columns"]:
        if "means" in column:
            means[column["name"]] = {str(band): float(mean) for band, mean in column["means"].items()}
    return means


def words_of(facts: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return column -> word of another language -> the value that it means. Raises TypeError, ValueError."""
    by_column = {column["name"]: dict(column["words"]) for column in facts["columns"] if "words" in column}
    return {name: {str(word): str(value) for word, value in each.items()} for name, each in by_column.items()}
