"""Whether a source was released before, in whole or in part, and what one release more costs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from fractions import Fraction
from pathlib import Path
from typing import Any

from splu_desktop import __version__
from splu_desktop.core.draw.draw import up
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.guarantees.several_releases import RowGain, ValueDraw, row_gain, t_p_of_all
from splu_desktop.core.messages import Figure, counted, listed, percent_of, quoted, say
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Table
from splu_desktop.files.draws import recorded_draws, upgraded
from splu_desktop.files.register.book import SKETCHES, Entry, Reading, RegisterFault, read_file
from splu_desktop.files.register.fingerprint import (
    Fingerprints,
    Sketch,
    by_chance,
    likeness_rows,
    rows_over,
    sketch_from,
    telling,
)
from splu_desktop.files.register.likeness import SketchedRows, likeness_from
from splu_desktop.frozen import dataclass

_LEAST_SHARE, _LEAST_MEMBERS = 0.01, 3
_MORE_THAN_CHANCE = 2.0  # of moments that are not spread evenly more are alike: twice as many, of admissions by day
_TOLD = 4  # columns of which it is said one by one what a further release costs
_MOST_WAYS = 200  # combinations of tolerances for which a cost is computed


@dataclass(frozen=True)
class EarlierRelease:
    """A registered release of the same records, or of some of them.

    Attributes
    ----------
    entry : its entry in the register.
    how : "the same records", "the same values in “X”", "the same identifiers in “X”", "the same unchanged columns", or
        "records too much alike for chance".
    share : which share of the smaller table's records is in both, about; 1.0 for all.
    sensitive : the SAs that both re-draw.
    undone : columns that one of the two re-draws and the other publishes as they are.
    theirs : name of a column -> its name there, where that is another.
    unmatched : SAs of this release, and columns re-drawn there, that have no counterpart in the other; none where one
        side has none.
    """

    entry: Entry
    how: str
    share: float
    sensitive: tuple[str, ...]
    undone: tuple[str, ...] = ()
    theirs: Mapping[str, str] = field(default_factory=dict)
    unmatched: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

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
    progress: Progress = SILENT,
) -> tuple[EarlierRelease, ...]:
    """Return the registered releases that share records with a source, whatever their columns' roles, oldest first.

    Parameters
    ----------
    reading : the register.
    prints : the source's fingerprints.
    table, plan : the source before generalisation, and what is planned.
    key, folder : the register's.

    An entry that can't be understood is passed over (`not_understood` has them), and so is one without its
    fingerprints: that the register is damaged is said elsewhere. Raises Cancelled.
    """
    search = _EarlierSearch(prints, table, plan, key, folder / SKETCHES, progress)
    found = []
    foreign = not_understood(reading)
    for entry in reading.releases:
        if entry in foreign:
            continue
        try:
            how = search.compare(entry.body["source"], _drawn(entry))
            if how is not None:
                found.append(_related(entry, how, prints, plan))
        except (KeyError, TypeError, ValueError, AttributeError, OSError, OverflowError, RegisterFault):
            continue
    return tuple(found)


def not_understood(reading: Reading) -> tuple[Entry, ...]:
    """Return the releases that can't be compared with: a later version of the program may enter them in its own way."""
    return tuple(entry for entry in reading.releases if not _understood(entry.body))


def _understood(body: Mapping[str, Any]) -> bool:
    try:
        recorded_draws(body)
        dict(body["recipe"]["roles"])
        return {"table", "file", "columns", "identifiers", "rows", "nsas"} <= dict(body["source"]).keys()
    except (BadSetting, KeyError, TypeError, ValueError, AttributeError):
        return False


def foreign_sentence(foreign: tuple[Entry, ...]) -> str:
    """Return what the custodian is told about releases that can't be compared with."""
    return say(
        "{releases} in the register can't be compared with this table: version {version} of the program, which made "
        "the last of them, enters what this one (version {own}) doesn't know. Look with that version or a newer one.",
        releases=counted(len(foreign), "One release", "{n} releases"),
        version=str(foreign[-1].body.get("software", ""))[:40],
        own=__version__,
    )


def _drawn(entry: Entry) -> set[str]:
    return set(upgraded(entry.body)["draws"])


def _related(entry: Entry, how: tuple[str, float], prints: Fingerprints, plan: Plan) -> EarlierRelease:
    drawn, roles = _drawn(entry), entry.body["recipe"]["roles"]
    names = {value: name for name, value in entry.body["source"]["columns"].items()}
    sensitive, undone, renamed = [], [], {}
    for name, role in plan.roles.items():
        there = name if name in roles else names.get(prints.columns.get(name, ""), name)
        if there != name:
            renamed[name] = there
        ours, unchanged = name in plan.sensitive, roles.get(there) == Role.NSA.value
        if ours and there in drawn:
            sensitive.append(name)
        elif (ours and unchanged) or (role is Role.NSA and there in drawn):
            undone.append(name)
    new = tuple(name for name in plan.sensitive if name not in sensitive and name not in undone)
    old = tuple(sorted(drawn - {renamed.get(name, name) for name in plan.roles}))
    unmatched = (new, old) if new and old else ((), ())
    return EarlierRelease(entry, *how, tuple(sensitive), tuple(undone), renamed, unmatched)


class _EarlierSearch:
    """Compares one source with many entries; equal sketches, as repeated releases have them, are compared once."""

    def __init__(
        self, prints: Fingerprints, table: Table, plan: Plan, key: bytes, folder: Path, progress: Progress
    ) -> None:
        self._prints, self._table, self._key, self._folder, self._progress = prints, table, key, folder, progress
        self._sensitive = set(plan.sensitive)
        self._rows: dict[tuple[str, ...], Sketch] = {} if prints.rows is None else {prints.nsas: prints.rows}
        self._known: dict[str, tuple[str, float] | None] = {}
        self._alike: SketchedRows | None = None

    def compare(self, source: Mapping[str, Any], drawn: set[str]) -> tuple[str, float] | None:
        """Return how the sources are related and the share of common records, None where they are not."""
        prints = self._prints
        if source["table"] == prints.table or (prints.file is not None and source["file"] == prints.file):
            return "the same records", 1.0
        ours = {value: name for name, value in prints.columns.items()}
        for name, value in source["columns"].items():
            here = ours.get(value)
            if here is not None and (name in drawn or here in self._sensitive) and telling(self._table[here]):
                return say("the same values in “{name}”", name=name), 1.0
        for name, facts in source["identifiers"].items():
            if facts["sha256"] not in self._known:
                self._known[facts["sha256"]] = self._identifiers(facts)
            if (how := self._known[facts["sha256"]]) is not None:
                return say(how[0], name=name), how[1]
        if source["rows"] is not None:
            mark = f"{source['rows']['sha256']} {source['nsas']}"
            if mark not in self._known:
                self._known[mark] = self._unique_rows(source["rows"], tuple(source["nsas"]))
            if (how := self._known[mark]) is not None:
                return how
        facts = source.get("likeness")  # releases of version 0.1.0 have none
        if facts is None:
            return None
        if facts["sha256"] not in self._known:
            self._known[facts["sha256"]] = self._likeness(facts)
        return self._known[facts["sha256"]]

    def _likeness(self, facts: Mapping[str, Any]) -> tuple[str, float] | None:
        theirs = likeness_from(facts, read_file(self._folder / f"{facts['sha256']}.bin"))
        if self._alike is None:
            self._alike = self._prints.alike or likeness_rows(self._table, self._key, progress=self._progress)
        found = self._alike.chance(theirs)
        return None if found is None else ("records too much alike for chance", found[1])

    def _load(self, facts: Mapping[str, Any]) -> Sketch:
        self._progress.report("Looking for earlier releases", 0.5)
        return sketch_from(facts, read_file(self._folder / f"{facts['sha256']}.bin"))

    def _identifiers(self, facts: Mapping[str, Any]) -> tuple[str, float] | None:
        theirs = self._load(facts)
        for ours in self._prints.identifiers.values():
            common = ours.overlap(theirs)
            smaller = max(1, min(ours.size, theirs.size))
            share = min(1.0, common / smaller)
            # Of moments and amounts, each of theirs is among ours by chance with a probability of our density.
            chance = min(1.0, ours.density * theirs.size / smaller)
            noise = 4 * (chance * (1 - chance) / max(1, min(len(ours.kept), len(theirs.kept)))) ** 0.5
            if common >= _LEAST_MEMBERS and share >= _MORE_THAN_CHANCE * chance + noise + _LEAST_SHARE:
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
    """How one release more weakens the protection of an SA (mechanism.md section 3).

    Attributes
    ----------
    column : the SA, of this release or of an earlier one.
    releases : how many there are before, of the same records.
    gamma : the smallest group size among all of them; for tolerances the largest of this release.
    t_p : T_P of this release alone, with the newest earlier one, ... with all, by the exact law of all their groups; 0
        where nothing is promised, since it was not computed.
    row : what someone learns who finds a person's row in all of them.
    undone : whether the column is re-drawn in one release and published as it is in another.
    """

    column: str
    releases: int
    gamma: int
    t_p: tuple[float, ...]
    row: RowGain
    undone: bool = False


def costs(plan: Plan, earlier: tuple[EarlierRelease, ...], told: Collection[str | None] = ()) -> tuple[Cost, ...]:
    """Return the cost of one release more for each column that this release or an earlier one re-draws.

    told : columns whose small counts public figures alone tell: nothing is left of their T_P.
    """
    found = []
    for name, role in plan.roles.items():
        undone = [other for other in earlier if name in other.undone]
        before = [other for other in reversed(earlier) if name in other.sensitive]
        if not undone and not before:
            continue
        if role is Role.NSA:  # here published as it is: what the earlier ones promised is lost
            before = list(reversed(undone))
        draws = [_draws_before(other, name, plan) for other in before]
        if name in plan.sensitive:
            draws.insert(0, plan.draws[name].by_value())
        # Many law tests publish one table hundreds of times; only the ends of such a curve say anything.
        last = len(draws)
        plain = all(len(each) == 1 and each[0].is_plain for each in draws)
        steps = (
            range(1, last + 1) if last <= (10 if plain else 5) else (1, 2, 5, 10, last) if plain else (1, 2, 5, last)
        )
        falls = [least_t_p(draws[:k], plan.thresholds.epsilon, plan.thresholds.alpha) for k in steps]
        if name in plan.sensitive and not (plan.draws[name].true_shares and draws[0]):
            falls[0] = plan.draws[name].t_p(plan.thresholds)
        worst = [max(each, key=lambda draw: draw.limit, default=ValueDraw((1,), Fraction(1))) for each in draws]
        gain, others = row_gain(worst), len(before)
        if name in told:
            falls = [0.0] * len(falls)
        if undone:
            gain, falls, others = RowGain(1.0, 1.0), [*falls, 0.0], len({id(x) for x in (*before, *undone)})
        sizes = [draw.sizes[-1] for each in draws for draw in each if draw.sizes]
        found.append(Cost(name, others, min(sizes, default=1), tuple(falls), gain, bool(undone)))
    return tuple(found)


def least_t_p(draws: Iterable[tuple[ValueDraw, ...]], epsilon: float, alpha: int) -> float:
    """Return T_P of the least protected value over several releases; 0 where it is not promised or not computed.

    draws : for each release, how it draws the values of its tolerances below 1; which value had which is not known.
    """
    every = list(draws)
    different = list(dict.fromkeys(every))
    if math.prod(len(each) for each in different) > _MOST_WAYS:
        return 0.0
    ways = (dict(zip(different, chosen, strict=True)) for chosen in itertools.product(*different))
    return min((t_p_of_all([way[each] for each in every], epsilon, alpha) for way in ways), default=0.0)


def least_stated(stated: Mapping[str, Any]) -> float:
    """Return the least T_P that a release states of a column; several releases together never have more."""
    promises = stated["by_tolerance"].values() if "by_tolerance" in stated else [stated]
    return min((each["t_p"] for each in promises if each.get("confidence", 0) < 1), default=0.0)


def _draws_before(other: EarlierRelease, name: str, plan: Plan) -> tuple[ValueDraw, ...]:
    found = registered_draws(other.entry, other.theirs.get(name, name))
    return found or (plan.draws[name].by_value() if name in plan.draws else ())


def registered_draws(entry: Entry, name: str) -> tuple[ValueDraw, ...]:
    """Return how a registered release draws the values of an SA, one per tolerance below 1.

    Raises BadSetting, KeyError, TypeError, ValueError or AttributeError on other data.
    """
    draws = upgraded(entry.body)["draws"]  # of many columns only this one is made
    return recorded_draws({"draws": {name: draws[name]}})[name].by_value() if name in draws else ()


def sentence(earlier: tuple[EarlierRelease, ...], fall: tuple[Cost, ...], *, whole: bool = True) -> str:
    """Return what the custodian is told about earlier releases: how many, where, and what one more costs.

    whole : whether nothing of the register was ever lost (`Reading.whole`); else there may have been more of them.
    """
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
        say(" It is still in “{folder}”: better hand that one out again.", folder=last.folder) if last.folder else ""
    )
    worst = sorted(fall, key=lambda cost: (not cost.undone, -cost.row.twice))[:_TOLD]
    told = [_cost_sentence(cost) for cost in fall if cost in worst]
    if more := len(fall) - len(worst):
        told.append(counted(more, "1 more column loses likewise.", "{n} more columns lose likewise."))
    if not fall:
        told.append(say("It re-draws other columns, and both together tell more of each person than one of them."))
    for ours, theirs in dict.fromkeys(other.unmatched for other in earlier[-1:] if other.unmatched[0]):
        told.append(
            say(
                "{ours} can't be recognised in it, nor its {theirs} here: a column that only its name and its codes "
                "tell apart loses likewise.",
                ours=quoted(ours),
                theirs=quoted(theirs),
            )
        )
    if fall and not whole:
        told.append(say("Only releases that are still entered are counted here; each one that is lost tells more."))
    weaker = listed(told, "{head} {tail}", "{head} {tail}")
    times = counted(count, "once", "{n} times") if whole else counted(count, "at least once", "at least {n} times")
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


def in_short(earlier: tuple[EarlierRelease, ...]) -> str:
    """Return the same in one short sentence."""
    return say(
        "This source was released before, last on {date}: one more release weakens its protection.",
        date=earlier[-1].entry.time[:10],
    )


def _at_least(share: float) -> Figure:
    """Return what is promised as per cent, rounded down."""
    return Figure(f"{math.floor(100 * share + 1e-9)} %")


def _cost_sentence(cost: Cost) -> str:
    if cost.undone:
        return say(
            "“{column}” is re-drawn in one of them and published as it is in another: whoever holds both reads the "
            "true value of every row (100 %).",
            column=cost.column,
        )
    counts = (
        say(
            "Of small counts of “{column}” nothing is promised over {releases} releases; one alone shows them wrong in "
            "{before} of the cases at least.",
            releases=cost.releases + 1,
            column=cost.column,
            before=_at_least(cost.t_p[0]),
        )
        if cost.t_p[-1] == 0
        else say(
            "{releases} releases, averaged, show small counts of “{column}” wrong in {after} of the cases at least, "
            "not {before} (gamma {gamma}).",
            releases=cost.releases + 1,
            column=cost.column,
            before=_at_least(cost.t_p[0]),
            after=_at_least(cost.t_p[-1]),
            gamma=cost.gamma,
        )
    )
    if cost.row.shown:
        return say(
            "{counts} A person's rows, found in all of them, are right with up to {sure}.",
            counts=counts,
            sure=up(cost.row.right),
        )
    return say(
        "{counts} A person's rows, found in all of them, show a rare true value at least twice in {twice} of the "
        "cases, and so tell it.",
        counts=counts,
        twice=percent_of(cost.row.twice),
    )
