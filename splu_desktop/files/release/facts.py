"""`release.json`: what a reader needs and nothing that only the source knows.

Every figure follows from the published table, from what the custodian chose, or from the software; but for shares among
persons and means of intervals, which are told coarsely where enough records have them. Columns that were
re-drawn are described by the published records alone: their type is the one that the published values have, their
domain has no value that the draw made vanish. Generalisations are named by their way and by settings that hold no value
of the source. `sha256` seals the facts themselves.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from splu_desktop import __version__
from splu_desktop.core.analyse.transitions import stated
from splu_desktop.core.draw import Draw
from splu_desktop.core.draw.by_person import ONE, WAYS, Effects
from splu_desktop.core.errors import BadSetting, FileFault
from splu_desktop.core.generalise.interval_texts import interval_ends
from splu_desktop.core.generalise.intervals import Intervals
from splu_desktop.core.messages import say
from splu_desktop.core.persons import Repeats
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.table import Column, Kind, unique
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.files.disk.plain_data import from_json
from splu_desktop.files.disk.resources import resource_path
from splu_desktop.files.draws import published_draw, published_entry
from splu_desktop.files.tables.spelling import valued

FORMAT = "splu-release"
FORMAT_VERSION = 1
FACTS_NAME = "release.json"
_LARGEST_SMALL = 10**9  # counts that a table can have
LONGEST_DOMAIN = 5_000  # the domain of an NSA with more labels is left to the table itself
# Settings of generalisations that a custodian states without looking at the records.
STATED = ("part", "at", "length", "before", "drop_last", "system", "k", "clinical")
_SEAL = "sha256"

Generalisations = Mapping[str, Sequence[Mapping[str, Any]]]


class BadRelease(FileFault):
    """A release is incomplete, altered, or of a kind this version can't read."""


def program_address() -> str | None:
    """Return where the program is to be had, as said by whoever built it; None where nobody did."""
    told: str = tomllib.loads(resource_path("publisher.toml").read_text("utf-8"))["homepage"]
    return None if told.endswith(".invalid") else told


def make_facts(
    reader: Reader, files: list[dict[str, Any]], *, generalisations: Generalisations | None = None
) -> dict[str, Any]:
    """Return the facts of a release, sealed.

    Parameters
    ----------
    reader : of what is handed out.
    files : name, format, bytes and sha256 of each file.
    generalisations : column -> steps as plain data (`Generalisation.as_dict`), of which only what can't tell of the
        source is taken over.
    """
    published, columns = reader.published, []
    for column in published.table.columns:
        sensitive = published.is_sensitive(column.name)
        entry: dict[str, Any] = {
            "name": column.name,
            "role": "sa" if sensitive else "nsa",
            "kind": column.kind.name.lower(),
        }
        if sensitive:
            entry |= published_entry(published.draws[column.name])
        entry["distinct"] = column.m
        if sensitive or column.m <= LONGEST_DOMAIN:
            entry["domain"] = column.labels.tolist()
        entry["missing"] = list(column.texts[column.missing])
        if column.values is not None and (texts := list(column.texts[~valued(column) & ~column.missing])):
            entry["texts"] = texts  # among the numbers or dates
        if sensitive and (intervals := _intervals(column, published.means.get(column.name, {}))):
            entry["intervals"] = intervals
        steps = (generalisations or {}).get(column.name, ())
        if steps:
            entry["generalised"] = [
                {"how": str(step["how"]), **{key: step[key] for key in STATED if key in step}} for step in steps
            ]
            for step in entry["generalised"]:
                if step["how"] == Intervals.how and "intervals" in entry:
                    step["cuts"] = _cuts(entry["intervals"])
        columns.append(entry)
    address = program_address()
    facts: dict[str, Any] = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "id": secrets.token_hex(16),
        "software": {"name": "SPLU Desktop", "version": __version__, **({"address": address} if address else {})},
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "mechanism": "SPLU-Gen",
        "records": published.n,
        "gammas": published.gammas,
        "columns": columns,
        "thresholds": published.thresholds.as_dict(),
        "guarantees": {name: published.stated(name) for name in published.sensitive},
        "transitions": stated(reader),
        "files": files,
    }
    if published.repeats is not None:
        facts["persons"] = persons_entry(published.repeats)
    facts[_SEAL] = seal_of(facts)
    return facts


def _intervals(column: Column, means: Mapping[str, float]) -> list[dict[str, Any]]:
    """Return, for a column of intervals, where each begins ("from"), what it stays below, and its mean where told."""
    ends = interval_ends(column)
    if ends is None:
        return []
    found = []
    for at in np.flatnonzero(~np.isnan(ends[0])).tolist():
        label, low, top = str(column.labels[at]), float(ends[0][at]), float(ends[1][at])
        entry = {"value": label, "from": low, "below": top, "mean": means.get(label)}
        found.append({key: said for key, said in entry.items() if isinstance(said, str) or _finite(said)})
    return found


def _cuts(intervals: list[dict[str, Any]]) -> list[float]:
    """Return the cut points between published intervals; one that only vanished ones had is not told."""
    return sorted({entry[end] for entry in intervals for end in ("from", "below") if end in entry})


def _finite(number: Any) -> bool:
    return type(number) in (int, float) and bool(np.isfinite(number))


def means_of(facts: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return SA -> interval -> its mean, as facts say. Raises BadSetting."""
    found: dict[str, dict[str, float]] = {}
    for column in facts["columns"]:
        each = {entry["value"]: entry["mean"] for entry in column.get("intervals", ()) if "mean" in entry}
        if not set(each) <= set(column.get("domain", ())) or not all(map(_finite, each.values())):
            raise BadSetting("The stated means of intervals are not understood.")
        if each:
            found[column["name"]] = each
    return found


def draws_of(facts: Mapping[str, Any]) -> dict[str, Draw]:
    """Return how each SA was drawn, as checked facts say."""
    return {column["name"]: published_draw(column) for column in facts["columns"] if column["role"] == "sa"}


def persons_entry(repeats: Repeats) -> dict[str, Any]:
    """Return what release.json says of persons with several records."""
    found: dict[str, Any] = {"most_records": repeats.largest, "mean_records": repeats.mean}
    if repeats.way:
        found["way"] = repeats.way
    if repeats.way in ONE:
        found["left_out"] = repeats.left_out
    if repeats.shift:
        found["dates_shifted"] = {"columns": list(repeats.shift), "days": repeats.days}
    if repeats.effects:
        found["design_effects"] = {name: effects.as_dict() for name, effects in repeats.effects.items()}
    if repeats.whole is not None:
        found["design_effects_of_persons"] = repeats.whole.as_dict()
    return found


def repeats_of(facts: Mapping[str, Any]) -> Repeats | None:
    """Return what facts say of persons with several records. Raises BadSetting."""
    stated = facts.get("persons")
    if stated is None:
        return None
    largest, mean = stated["most_records"], stated["mean_records"]
    if type(largest) is not int or type(mean) not in (int, float) or not 1 <= mean <= largest:
        raise BadSetting("The stated numbers of records per person are out of range.")
    way, left_out = stated.get("way", ""), stated.get("left_out", 0)
    effects = {name: Effects.from_dict(entry) for name, entry in stated.get("design_effects", {}).items()}
    if way not in ("", *WAYS) or type(left_out) is not int or left_out < 0:
        raise BadSetting("What is stated of persons with several records is not understood.")
    moved = stated.get("dates_shifted", {"columns": [], "days": 0})
    columns, days = moved["columns"], moved["days"]
    if type(days) is not int or days < 0 or not all(isinstance(name, str) for name in columns):
        raise BadSetting("What is stated of persons with several records is not understood.")
    whole = stated.get("design_effects_of_persons")  # releases up to 0.2.0 don't state it
    known = None if whole is None else Effects.from_dict(whole)
    return Repeats(largest, float(mean), way, left_out, effects, tuple(columns), days, known)


def seal_of(facts: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the facts without their seal, written in one way only (sorted keys, no spaces)."""
    rest = {key: value for key, value in facts.items() if key != _SEAL}
    text = json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def facts_text(facts: Mapping[str, Any]) -> str:
    """Return the text of release.json."""
    return json.dumps(facts, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def parse_facts(raw: bytes, name: str) -> dict[str, Any]:
    """Return the facts in the bytes of a release.json. Raises BadRelease.

    name : what the sentence calls the file.
    """
    try:
        facts = from_json(raw.decode("utf-8-sig"))
    except ValueError:
        raise BadRelease("“{name}” is damaged: it is not valid JSON; ask for the release again.", name=name) from None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise BadRelease("“{name}” does not describe a release of this program.", name=name)
    if facts.get("version") != FORMAT_VERSION:
        raise BadRelease(
            "“{name}” has release format {shown}, and this program (version {version}) reads format "
            "{format_version}; open it with the program version that made it or a newer one.",
            name=name,
            shown=_shown(facts.get("version")),
            version=__version__,
            format_version=FORMAT_VERSION,
        )
    problem = _shape_problem(facts)
    if problem:
        raise BadRelease("“{name}” is damaged: {problem}; ask for the release again.", name=name, problem=say(problem))
    try:
        sealed = facts.get(_SEAL) == seal_of(facts)
    except (ValueError, RecursionError):
        sealed = False
    if not sealed:
        raise BadRelease(
            "“{name}” was changed after the release was made: its contents do not have the SHA-256 "
            "that it states; ask for the release again.",
            name=name,
        )
    return facts


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, int | float | str) and len(str(value)) < 30 else "unknown"


def _shape_problem(facts: dict[str, Any]) -> str | None:
    """Return what keeps the facts from being usable, or None."""
    kinds = {kind.name.lower() for kind in Kind}
    try:
        if type(facts["records"]) is not int or facts["records"] < 1:
            return "the number of records is not a whole number from 1"
        if not facts["columns"]:
            return "it names no columns"
        for column in facts["columns"]:
            if (
                not isinstance(column["name"], str)
                or column["kind"] not in kinds
                or column["role"] not in ("nsa", "sa")
            ):
                return "a column's name, role or type is not understood"
            if column["role"] == "sa" and (fault := _draw_problem(column, facts["records"])):
                return say("how column “{column}” was drawn: {fault}", column=column["name"], fault=fault)
            if not all(isinstance(label, str) for label in [*column["missing"], *column.get("texts", ())]):
                return say("the missing values of column “{column}” are not text", column=column["name"])
            if not all(isinstance(label, str) for label in column.get("domain", ())):
                return say("the values of column “{column}” are not text", column=column["name"])
        names = [column["name"] for column in facts["columns"]]
        if len(set(names)) < len(names):
            return "two columns have one name"
        if not any(column["role"] == "sa" for column in facts["columns"]):
            return "it names no sensitive column"
        for entry in facts["files"]:
            if not all(isinstance(entry[key], str) for key in ("name", "format", "sha256")):
                return "the list of files is not understood"
            if type(entry["bytes"]) is not int or entry["bytes"] < 0:
                return "the list of files is not understood"
            if not re.fullmatch(r"[^/\\:\x00-\x1f]+", entry["name"]) or entry["name"] in (".", ".."):
                return "it names a file outside its folder"
        if not all(isinstance(facts.get(key, {}), dict) for key in ("gammas", "guarantees")):
            return "its structure is broken"
        _check_thresholds(facts["thresholds"])
        try:
            repeats_of(facts)
        except BadSetting:
            return "its numbers of records per person are out of range"
        try:
            means_of(facts)
        except BadSetting:
            return "the means of its intervals are not understood"
    except KeyError as fault:
        return say("the entry {fault} is missing or not understood", fault=fault)
    except (TypeError, AttributeError):
        return "its structure is broken"
    except (BadSetting, OverflowError):
        return "its thresholds are out of range"
    return None


def _draw_problem(column: dict[str, Any], records: int) -> str | None:
    try:
        return published_draw(column).fault(records, column["domain"])
    except BadSetting as fault:
        return str(fault).rstrip(".")


def _check_thresholds(stated: Any) -> None:
    """Raise TypeError, BadSetting or OverflowError unless these are thresholds that counts can be computed with."""
    numbers = {key: value for key, value in stated.items() if key != "t_p" or value is not None}
    if any(type(value) not in (int, float) for value in numbers.values()) or type(numbers["alpha"]) is not int:
        raise TypeError("a threshold is not a number")
    if numbers["alpha"] > _LARGEST_SMALL:
        raise OverflowError
    Thresholds(**stated)


_WHOLE = re.compile(r"0|-?[1-9]\d{0,14}")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?")
_THOUSANDS = re.compile(r"-?[1-9]\d{0,2}\.\d{3}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?")


def as_published(column: Column) -> Column:
    """Return a re-drawn column with the type that its published labels have, whatever the source's other labels were.

    A column that counted as text because of one value that then vanished would tell, by being text, that there was one;
    and so would one whose numbers are spelled anew because the source's were read with a decimal comma. So numbers and
    dates are those that are plainly so (1.5, 2020-12-31); all else is a category, to the letter.
    """
    labels = column.labels[~column.missing].tolist()
    found = _plainly(labels)
    if found is None:
        return _retyped(column, Kind.CATEGORY, None)
    kind, known = found
    values = np.full(column.m, np.datetime64("NaT") if known.dtype.kind == "M" else np.nan, known.dtype)
    values[~column.missing] = known
    if column.values is not None and not np.array_equal(column.values[~column.missing], known):
        return _retyped(column, Kind.CATEGORY, None)  # a date read as a number, or the like: better text than another
    return _retyped(column, kind, values)


def _plainly(labels: list[str]) -> tuple[Kind, np.ndarray[Any, Any]] | None:
    """Return what labels plainly stand for, all of them and each for another; None where they don't."""
    if not labels:
        return None
    if all(map(_DECIMAL.fullmatch, labels)):
        whole = all(map(_WHOLE.fullmatch, labels))
        # 1.234 is a thousand and more in half of Europe; unless another label shows what the mark means, nobody knows.
        if not whole and all(_THOUSANDS.fullmatch(text) or _WHOLE.fullmatch(text) for text in labels):
            return None
        numbers = np.array([float(text) for text in labels])
        return (Kind.INTEGER if whole else Kind.DECIMAL, numbers) if len(unique(numbers)) == len(labels) else None
    if all(map(_MOMENT.fullmatch, labels)):
        try:
            moments = np.array(labels, "datetime64[us]")
        except ValueError:  # the 31st of February
            return None
        days = bool(np.all(moments == moments.astype("datetime64[D]")))
        return (Kind.DATE if days else Kind.DATETIME, moments) if len(unique(moments)) == len(labels) else None
    return None


def _retyped(column: Column, kind: Kind, values: np.ndarray[Any, Any] | None) -> Column:
    if kind is column.kind:
        return column
    return Column.from_codes(column.name, column.codes, column.labels, column.missing, values, kind=kind)
