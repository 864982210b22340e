"""Whether a source was released before, in whole or in part, and what one release more costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.said import counted, listed, say
from splu_desktop.core.table import Table
from splu_desktop.files.draws import recorded_draws, upgraded
from splu_desktop.files.fingerprint import Fingerprints, Sketch, by_chance, rows_over, sketch_from
from splu_desktop.files.register import Entry, Reading

_LEAST_SHARE, _LEAST_MEMBERS = 0.01, 3
SKETCHES = "sketches"


@dataclass(frozen=True)
class Earlier:
    """A registered release of the same records, or of some of them.

    Attributes
    ----------
    entry : its entry in the register.
    how : "the same records", "the same values in “X”", "the same identifiers in “X”" or "the same unchanged columns".
    share : which share of the smaller table's records is in both, about; 1.0 for all.
    sensitive : the SAs that both re-draw.
    """

    entry: Entry
    how: str
    share: float
    sensitive: tuple[str, ...]

    @property
    def folder(self) -> Path | None:
        """Where that release was put, None where it is no longer there."""
        path = Path(str(self.entry.body.get("destination", "")))
        return path if path.exists() else None


def find_earlier(
    reading: Reading,
    prints: Fingerprints,
    table: Table,
    plan: Plan,
    key: bytes,
    folder: Path,
    *,
    progress: Progress | None = None,
) -> tuple[Earlier, ...]:
    """Return the registered releases that share records and an SA with a source, oldest first.

    Parameters
    ----------
    reading : the register.
    prints : the source's fingerprints.
    table, plan : the source before generalisation, and what is planned.
    key, folder : the register's.

    An entry that can't be understood is passed over: that the register is damaged is said elsewhere. Raises Cancelled.
    """
    progress = progress or Silent()
    search = _Search(prints, table, key, folder / SKETCHES, progress)
    found = []
    for entry in reading.releases:
        try:
            source = entry.body["source"]
            drawn = upgraded(entry.body)["draws"]
            sensitive = tuple(name for name in plan.sensitive if name in drawn)
            renamed = set(source["columns"].values()) & set(prints.columns.values())
            if not sensitive and not renamed:
                continue
            how = search.compare(source)
        except (KeyError, TypeError, ValueError, AttributeError, OSError):
            continue
        if how is not None:
            same = tuple(name for name, value in prints.columns.items() if value in renamed)
            found.append(Earlier(entry, *how, sensitive or same))
    return tuple(found)


class _Search:
    """Compares one source with many entries; equal sketches, as repeated releases have them, are compared once."""

    def __init__(self, prints: Fingerprints, table: Table, key: bytes, folder: Path, progress: Progress) -> None:
        self._prints, self._table, self._key, self._folder, self._progress = prints, table, key, folder, progress
        self._rows: dict[tuple[str, ...], Sketch] = {} if prints.rows is None else {prints.nsas: prints.rows}
        self._known: dict[str, tuple[str, float] | None] = {}

    def compare(self, source: Mapping[str, Any]) -> tuple[str, float] | None:
        """Return how the sources are related and the share of common records, None where they are not."""
        prints = self._prints
        if source["table"] == prints.table or (prints.file is not None and source["file"] == prints.file):
            return "the same records", 1.0
        for name, value in source["columns"].items():
            if value in prints.columns.values():
                return say("the same values in “{name}”", name=name), 1.0
        for name, facts in source["identifiers"].items():
            if facts["sha256"] not in self._known:
                self._known[facts["sha256"]] = self._identifiers(facts)
            if (how := self._known[facts["sha256"]]) is not None:
                return say(how[0], name=name), how[1]
        if source["rows"] is None:
            return None
        mark = f"{source['rows']['sha256']} {source['nsas']}"
        if mark not in self._known:
            self._known[mark] = self._unique_rows(source["rows"], tuple(source["nsas"]))
        return self._known[mark]

    def _load(self, facts: Mapping[str, Any]) -> Sketch:
        self._progress.report("Looking for earlier releases", 0.5)
        return sketch_from(facts, (self._folder / f"{facts['sha256']}.bin").read_bytes())

    def _identifiers(self, facts: Mapping[str, Any]) -> tuple[str, float] | None:
        theirs = self._load(facts)
        for ours in self._prints.identifiers.values():
            common = ours.overlap(theirs)
            share = min(1.0, common / max(1, min(ours.size, theirs.size)))
            if common >= _LEAST_MEMBERS and share >= _LEAST_SHARE:
                return "the same identifiers in “{name}”", share
        return None

    def _unique_rows(self, facts: Mapping[str, Any], nsas: tuple[str, ...]) -> tuple[str, float] | None:
        if not nsas or any(name not in self._table for name in nsas):
            return None
        theirs = self._load(facts)
        if nsas not in self._rows:
            self._rows[nsas] = rows_over(self._table, nsas, self._key, progress=self._progress)
        ours = self._rows[nsas]
        common = ours.overlap(theirs)
        smaller = min(ours, theirs, key=lambda sketch: sketch.size)
        share = min(1.0, common / max(1, smaller.size))
        chance = max(by_chance(ours.size, ours.records), by_chance(theirs.size, theirs.records))
        # What is kept of the smaller set is a random sample of it; four standard deviations of its share.
        noise = 4 * (chance * (1 - chance) / max(1, min(len(ours.kept), len(theirs.kept)))) ** 0.5
        if common < _LEAST_MEMBERS or share < chance + noise + _LEAST_SHARE:
            return None
        return "the same unchanged columns", max(0.0, (share - chance) / (1 - chance))


@dataclass(frozen=True)
class Cost:
    """How one release more weakens the protection of small counts of an SA (mechanism.md section 3).

    Attributes
    ----------
    column : the SA.
    releases : how many there are before, of the same records.
    words : the draw of all of them that protects least, for which the figures are stated.
    t_p : T_P for 1, 2, ... releases + 1.
    """

    column: str
    releases: int
    words: str
    t_p: tuple[float, ...]


def costs(plan: Plan, earlier: tuple[Earlier, ...]) -> tuple[Cost, ...]:
    """Return the cost of one release more for each SA that was released before."""
    found = []
    for name, draw in plan.draws.items():
        before = [other for other in earlier if name in other.sensitive]
        if not before:
            continue
        # The draws of all of them: the weakest says how small counts are protected at least.
        draws = [draw, *(recorded_draws(other.entry.body).get(name, draw) for other in before)]
        weakest = min(draws, key=lambda each: each.t_p(plan.thresholds))
        # Many law tests publish one table hundreds of times; only the ends of such a curve say anything.
        last = len(before) + 1
        steps = range(1, last + 1) if last <= draw.averaged else (*(k for k in (1, 2, 5, 10) if k < last), last)
        falls = tuple(weakest.t_p(plan.thresholds, k) for k in steps)
        found.append(Cost(name, len(before), weakest.words(), falls))
    return tuple(found)


def sentence(earlier: tuple[Earlier, ...], fall: tuple[Cost, ...]) -> str:
    """Return what the custodian is told about earlier releases: how many, where, and what one more costs."""
    last = earlier[-1]
    body = last.entry.body
    count = len(earlier)
    to = say(" for {recipient}", recipient=body["recipient"]) if body.get("recipient") else ""
    share = (
        ""
        if last.share >= 0.995
        else say(", about {percent} % of the records", percent=max(1, round(100 * last.share)))
    )
    where = (
        say(" It is still in “{folder}”: hand that one out again if it will do.", folder=last.folder)
        if last.folder
        else ""
    )
    weaker = listed(
        (
            say(
                "With {releases} releases averaged, T_P of “{column}” falls from {before:.3f} to {after:.3f} "
                "({words}).",
                releases=cost.releases + 1,
                column=cost.column,
                before=cost.t_p[0],
                after=cost.t_p[-1],
                words=cost.words,
            )
            for cost in fall
        ),
        "{head} {tail}",
        "{head} {tail}",
    )
    times = counted(count, "once", "{n} times")
    return say(
        "This source was released {times} before, last on {date}{to} ({how}{share}). {weaker}{where}",
        times=times,
        date=last.entry.time[:10],
        to=to,
        how=say(last.how),
        share=share,
        weaker=weaker,
        where=where,
    )
