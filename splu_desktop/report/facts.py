"""The facts of a report: gathered once, printed by every format.

Each figure comes from the function that window and command line ask. The internal edition asks them about the source;
the external one asks the same of the published table, so that it holds nothing its recipient can't work out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from splu_desktop.core.audience import Audience
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.mechanism import CLASS, NUMBER, Block, Classes, Units
from splu_desktop.core.mechanism.law import privacy_ratio, t_f, t_p
from splu_desktop.core.messages import read_plain, say
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.figures import figures_of
from splu_desktop.core.policy.limits import limits_for
from splu_desktop.core.policy.lines import Line
from splu_desktop.core.policy.verdict import UNSAFE, USEFUL, Verdict, verdict
from splu_desktop.core.progress import Progress
from splu_desktop.core.questions import parse_question
from splu_desktop.core.risk.alike import alike, unique_combinations, unique_distances, unique_histories
from splu_desktop.core.risk.attack import ColumnAttack, attack
from splu_desktop.core.risk.certainty import Certainty, certainties
from splu_desktop.core.risk.releases import EarlierRelease
from splu_desktop.core.roles import Role
from splu_desktop.core.roles.suggest import suggest_roles
from splu_desktop.core.sanitise import DrawInput, prepare
from splu_desktop.core.table import Column, Kind, Table, unique
from splu_desktop.files.disk.digests import file_sha256
from splu_desktop.files.register.ledger import Entry, Register
from splu_desktop.files.release.facts import FACTS_NAME, audience_of
from splu_desktop.files.release.fingerprint import fingerprint
from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.report.fields import Fields
from splu_desktop.report.limit_facts import (
    ChangedLimit,
    Limit,
    asked_limit,
    changed_limits,
    judged_limits,
    limit_values,
    recipient_limits,
)
from splu_desktop.report.rehearsal import FixedRandomness
from splu_desktop.report.table_facts import TableFact, forecast_table, read_tables

INTERNAL, EXTERNAL = "internal", "external"


@dataclass(frozen=True)
class Secret:
    """What a secret value risks.

    Attributes
    ----------
    column, value : which.
    bearers : persons (rows) who have it; in the external edition rows that show it.
    without, with_release : how often somebody is right who knows the classes alone, and who has the release.
    named : persons of whom it can be named with 80 of 100 or more; None where that can't be worked out.
    """

    column: str
    value: str
    bearers: int
    without: float
    with_release: float
    named: int | None

    @property
    def gain(self) -> float:
        """What the release adds."""
        return self.with_release - self.without


@dataclass(frozen=True)
class ColumnFact:
    """A column: its role, what was done to it, how many values it has, and which of them are not secret."""

    name: str
    role: str
    kind: str
    values: int | None
    steps: tuple[str, ...]
    public: tuple[str, ...]
    subject: str
    detail: str = ""

    @property
    def is_known(self) -> bool:
        """Whether others may know it of a person; a column that was added is nobody's."""
        return any(role.is_known for role in Role if role.value == self.role)


@dataclass(frozen=True)
class BlockFact:
    """Columns drawn as one, and what the draw promises of them.

    Attributes
    ----------
    t_p : chance that a count of 1 to alpha is wrong by more than epsilon, at least.
    t_f : least count that is within epsilon with a chance of 1 - T_E.
    alone : share of persons whose combination nobody else has; None for one column.
    histories : share of persons with several rows whose course nobody else has; None where rows are drawn.
    sole : ratio that a reader of differential privacy computes for the only bearer of a value.
    """

    columns: tuple[str, ...]
    draw: str
    gamma: float
    t_p: float
    t_f: int
    alone: float | None
    histories: float | None
    sole: float


@dataclass(frozen=True)
class AttackFact:
    """The attack on a column: share of rows guessed rightly, the same without the release, share known at 80 of 100."""

    column: str
    right: float
    without: float
    known: float


@dataclass(frozen=True, kw_only=True)
class Facts:
    """All that a report says. What has a default here is not in the external edition."""

    edition: str
    title: str
    id: str
    created: str
    software: str
    digest: str
    fingerprint: str
    rows: int
    persons: int | None  # None where the reader does not know them
    by_person: bool  # whether figures count persons; else rows
    most_rows: int | None  # of one person; None where the reader can't know
    one_row: str  # which row of each person is there: "first", "last", "random"; "" where all are
    row_word: str  # what one row is ("test")
    audience: Audience
    operator: str = ""
    level: str  # whose limits these are: "colleague", "partner", "public"
    printed: int  # the least count that this audience may see printed
    state: str  # of the verdict
    limits: tuple[Limit, ...]
    changed: tuple[ChangedLimit, ...]
    average: float  # certainty with which a row is right, over all rows
    riskiest: float  # the same in the riskiest group
    riskiest_value: tuple[str, str, str]
    riskiest_share: float
    person: float | None = None  # certainty at most that a person has a secret value in some row
    secrets: tuple[Secret, ...]
    tables: tuple[TableFact, ...]
    other: float | None = None  # share of other questions that can be read
    joint: float | None = None  # certainty of who holds the earlier releases, too
    earlier: tuple[tuple[str, str, float], ...] = ()  # recipient, date and gamma of each
    courses: float | None = None  # share of persons whose distances between moved dates nobody else has
    columns: tuple[ColumnFact, ...]
    class_columns: tuple[str, ...]
    classes: int
    by_rows: bool  # whether persons are in classes by their number of rows
    stand_out: tuple[int, int] | None = None  # persons unlike all others in the source, and in what goes out
    emptied: int | None = None  # persons of whom cells were emptied
    left_out: int | None = None  # persons
    rows_left_out: int | None = None
    kept: Mapping[str, str] = field(default_factory=dict)  # column that names persons and goes out -> why
    apart: str = ""  # why each row of a person is drawn by itself
    blocks: tuple[BlockFact, ...]
    attacked: tuple[AttackFact, ...] = ()
    epsilon: float
    alpha: int
    t_e: float
    files: tuple[tuple[str, int, str], ...]
    number: int | None = None  # of the entry in the register
    source: tuple[str, str] = ("", "")  # name and SHA-256 of the file that the release was made from

    @property
    def internal(self) -> bool:
        """Whether it holds true counts."""
        return self.edition == INTERNAL

    @property
    def cells(self) -> tuple[int, int]:
        """How many of the cells of 50 and more can be read."""
        return sum(each.readable for each in self.tables), sum(each.of for each in self.tables)

    @property
    def missed_limits(self) -> tuple[Limit, ...]:
        """Limits that are not met."""
        return tuple(each for each in self.limits if each.grave and not each.met)

    def limit(self, name: str) -> Limit | None:
        """Return a line by its name."""
        return next((each for each in self.limits if each.name == name), None)


# --- the edition for the own files


def internal_facts(
    opened: OpenRelease,
    fields: Fields,
    entry: Entry | None,
    source: Table,
    earlier: Sequence[EarlierRelease],
    progress: Progress,
) -> Facts:
    """Return what is known of a release with its source. Raises BadSetting where that is another table; Cancelled.

    entry : of the register, None where this computer did not make the release.
    """
    plan = _plan_of(opened, entry, source)
    # Of a release of another computer by the key here: the same in each report that this one writes of it.
    rehearsal = FixedRandomness(Register().rehearsal_key(opened.id))
    prepared = prepare(source, plan)
    # Before anything is worked out: else another table's true counts would be printed as this release's.
    _check_source(opened, prepared, plan)
    judged = _judge(prepared, plan, entry, earlier, progress)
    attacked = attack(prepared, plan, randomness=rehearsal, progress=progress)
    figures, accepted = judged.figures, {} if entry is None else dict(entry.body.get("accepted", {}))
    unique = alike(replace(prepared, table=prepared.source), plan).below(2)
    return Facts(
        **_shared_facts(opened, fields, entry, prepared, plan, figures.certainty),
        edition=INTERNAL,
        number=None if entry is None else entry.number,
        persons=figures.persons if prepared.knows_persons else None,
        by_person=prepared.knows_persons,
        most_rows=int(np.bincount(prepared.owner).max(initial=1)),
        one_row=plan.persons.one_row if plan.persons else "",
        audience=plan.audience,
        changed=changed_limits(plan.audience),
        operator="" if entry is None else str(entry.body.get("operator", "")),
        source=("", "") if entry is None else (entry.body["source"]["name"], entry.body["source"]["sha256"]),
        level=judged.limits.name,
        printed=judged.limits.printed,
        state=judged.state,
        limits=(*asked_limit(fields, judged.figures.certainty), *judged_limits(judged, accepted)),
        secrets=_secrets_attacked(attacked, prepared),
        tables=tuple(map(forecast_table, figures.tables)),
        person=figures.person,
        other=figures.other,
        joint=figures.joint if earlier else None,
        earlier=tuple((each.recipient, each.date, each.gamma) for each in earlier),
        courses=unique_distances(prepared, plan) if plan.persons and plan.persons.shift else None,
        columns=tuple(_own_columns(source, prepared, plan)),
        stand_out=(unique, figures.alike.below(2)),
        emptied=figures.blanked_persons,
        left_out=figures.left_out,
        rows_left_out=figures.rows_left_out,
        kept=dict(plan.kept_identifiers),
        apart=plan.persons.reason if plan.persons is not None else "",
        attacked=tuple(AttackFact(each.column, each.right, each.baseline, each.known_share) for each in attacked),
    )


def _own_columns(source: Table, prepared: DrawInput, plan: Plan) -> Iterator[ColumnFact]:
    """Give all columns of the source."""
    suggestions = suggest_roles(source)
    for name, role in plan.roles.items():
        column = prepared.table[name]
        yield ColumnFact(
            name,
            role.value,
            source[name].kind.value,
            _values(column) if role.is_published else None,
            tuple(step.words for step in plan.generalisations.get(name, ())),
            _public(plan, column),
            suggestions[name].subject if name in suggestions else "",
            _detail(column) if role.is_published else "",
        )


def _judge(
    prepared: DrawInput, plan: Plan, entry: Entry | None, earlier: Sequence[EarlierRelease], progress: Progress
) -> Verdict:
    """Return a release's verdict, with the lines that were told and accepted when it was made where they are known."""
    if entry is None:
        return verdict(prepared, plan, earlier=earlier, progress=progress)
    lines = [
        Line(each["name"], each["state"], read_plain(each["sentence"]), each["value"], each["limit"])
        for each in entry.body["lines"]
    ]
    figures = figures_of(prepared, plan, earlier, progress)
    return Verdict(entry.body["verdict"], "", tuple(lines), figures, limits_for(plan.audience))


def _plan_of(opened: OpenRelease, entry: Entry | None, source: Table) -> Plan:
    """Return the plan of a release: of its entry, else what its facts tell where that is all."""
    if entry is not None:
        if not set(entry.body["plan"]["roles"]) <= set(source.names):
            raise _other_file()
        return Plan.from_dict(entry.body["plan"], lambda data: parse_question(data["table"], source, data["within"]))
    facts, published = opened.facts, opened.published
    if published.person or any("coarsened" in each for each in facts["columns"]):
        raise BadSetting(
            "The register of this computer has no entry of this release; write the report where it was made."
        )
    plan = _plan_read(opened)
    return replace(plan, roles={name: plan.roles.get(name, Role.DROPPED) for name in source.names})


def _check_source(opened: OpenRelease, prepared: DrawInput, plan: Plan) -> None:
    """Raise BadSetting where the release was not made from this table."""
    published, source_table = opened.published.table, prepared.table
    moved = () if plan.persons is None else plan.persons.shift
    # Secret columns are drawn and rows stand in random order, so unchanged columns' counts alone must agree.
    names = [name for name in plan.nsas if name not in moved and name in published]
    if published.n != source_table.n or any(_tally(published[name]) != _tally(source_table[name]) for name in names):
        raise _other_file()


def _other_file() -> BadSetting:
    return BadSetting(
        say("This release was not made from this file, or its rows stood in another order; give the published file.")
    )


def _tally(column: Column) -> Counter[str]:
    """Return how many rows have each value; a date by its day, since a release spells dates in its own way."""
    texts = column.labels if column.values is None or not column.kind.is_date else column.values
    triples = zip(texts.tolist(), column.missing, column.counts(), strict=True)
    return Counter({str(text): int(n) for text, gone, n in triples if n and not gone})


def _secrets_attacked(attacked: Sequence[ColumnAttack], prepared: DrawInput) -> tuple[Secret, ...]:
    rows = []
    for each in attacked:
        bearers = _bearers(prepared, prepared.table[each.column])
        for value in each.values:
            n = bearers[value.value]
            rows.append(Secret(each.column, value.value, n, value.baseline, value.right, round(value.known_share * n)))
    return tuple(sorted(rows, key=lambda each: (-(each.named or 0), -each.gain)))


def _bearers(prepared: DrawInput, column: Column) -> dict[str, int]:
    """Return how many have each value, of the whole table: the attack judges some rows of a large one."""
    pairs = unique(prepared.owner.astype(np.int64) * column.m + column.codes)
    counts = np.bincount(pairs % column.m, minlength=column.m)
    return dict(zip(map(str, column.labels.tolist()), counts.tolist(), strict=True))


def _values(column: Column) -> int:
    return int(np.count_nonzero(column.counts()[~column.missing]))


def _public(plan: Plan, column: Column) -> tuple[str, ...]:
    """Return the values that are not secret, without the marks of no value."""
    missing = set(column.labels[column.missing].tolist())
    return tuple(value for value in plan.public_values.get(column.name, ()) if value not in missing)


# --- the recipient's edition


def external_facts(opened: OpenRelease, fields: Fields, entry: Entry | None, progress: Progress) -> Facts:
    """Return what a recipient works out of a release, and the custodian's verdict by its entry. Raises Cancelled."""
    published = opened.published
    plan = _plan_read(opened)
    prepared = _as_prepared(opened)
    certainty = certainties(prepared, plan)
    progress.report("Working out the verdict", 0.3)
    audience = audience_of(opened.facts)
    limits = limits_for(audience)
    # Persons drawn without a number have rows of which the release does not tell whose they are.
    knows = not published.person or NUMBER in published.table or published.one_row_each
    known = alike(prepared, plan)
    draw = published.blocks[0].draw.with_gamma(published.gamma)
    small = t_p(draw, published.thresholds.epsilon, published.thresholds.alpha)
    smallest, few = (known.smallest, known.below(limits.alike)) if knows else (None, 0)
    progress.report("Working out the verdict", 0.6)
    one_row = str(opened.facts.get("one_row", ""))
    tables = tuple(read_tables(opened))
    read, of = sum(each.readable for each in tables), sum(each.of for each in tables)
    values = limit_values(limits, smallest, few, certainty, small)
    lines = list(recipient_limits(limits, values, read, of, entry))
    state = str(entry.body.get("verdict", "")) if entry is not None else ""
    return Facts(
        **_shared_facts(opened, fields, entry, prepared, plan, certainty),
        edition=EXTERNAL,
        persons=prepared.person_count if one_row or (published.person and knows) else None,
        by_person=bool(one_row) or (published.person and knows),
        most_rows=1 if one_row or published.one_row_each else None,
        one_row=one_row,
        audience=audience,
        changed=changed_limits(audience),
        level=limits.name,
        printed=limits.printed,
        state=state or (UNSAFE if any(not each.met and each.grave for each in lines) else USEFUL),
        limits=(*asked_limit(fields, certainty), *lines),
        secrets=_secrets_by_law(certainty),
        tables=tables,
        columns=tuple(_read_columns(opened, plan)),
    )


def _read_columns(opened: OpenRelease, plan: Plan) -> Iterator[ColumnFact]:
    """Give the columns of a release as its recipient knows them."""
    table = opened.published.table
    suggestions = suggest_roles(table)
    for entry in opened.facts["columns"]:
        name, column = entry["name"], table[entry["name"]]
        yield ColumnFact(
            name,
            entry["role"],
            column.kind.value,
            _values(column),
            tuple(entry.get("coarsened", ())),
            tuple(entry.get("public_values", ())),
            suggestions[name].subject if name in suggestions and name in plan.roles else "",
            _detail(column),
        )


def _plan_read(opened: OpenRelease) -> Plan:
    """Return the plan of a published table: what its facts tell."""
    facts, published = opened.facts, opened.published
    roles = {each["name"]: Role(each["role"]) for each in facts["columns"] if each["name"] not in (CLASS, NUMBER)}
    moved, number = tuple(facts["dates_moved"]["columns"]), NUMBER in published.table
    persons = None
    if moved or number:  # the column that names persons is unknown; of the choice only these are asked
        persons = ByPerson(next(iter(roles)), number=number, shift=moved, days=int(facts["dates_moved"]["days"]))
    return Plan(
        roles=roles,
        blocks=published.blocks,
        classes=published.class_columns,
        thresholds=published.thresholds,
        persons=persons,
        public_values={
            each["name"]: tuple(each["public_values"]) for each in facts["columns"] if each.get("public_values")
        },
        row_word=facts.get("row", ""),
    )


def _as_prepared(opened: OpenRelease) -> DrawInput:
    """Return the published table as a table to be asked, its rows or numbered persons as units."""
    published = opened.published
    table = published.table.select([name for name in published.table.names if name not in (CLASS, NUMBER)])
    owner = published.owner if published.owner is not None else np.arange(published.n)
    drawn = published.person and published.owner is not None
    units = Units.of_persons(owner) if drawn else Units.of_records(published.n)
    code = np.zeros(units.number, np.int32)
    code[units.owner] = published.record_class
    return DrawInput(table, table, owner, drawn, units, Classes(published.class_columns, code, published.cells))


def _secrets_by_law(certainty: Certainty) -> tuple[Secret, ...]:
    facts = []
    for name, each in certainty.shares.items():
        counts = each.column.counts()
        for at in np.flatnonzero(each.weight).tolist():
            pi = float(each.average[at])
            facts.append(Secret(name, str(each.column.labels[at]), int(counts[at]), pi, each.draw.certainty(pi), None))
    return tuple(sorted(facts, key=lambda each: -each.with_release))


# --- what both editions have


def _shared_facts(
    opened: OpenRelease, fields: Fields, entry: Entry | None, prepared: DrawInput, plan: Plan, certainty: Certainty
) -> dict[str, Any]:
    facts, published = opened.facts, opened.published
    digest = _digest(opened, entry)
    return {
        "title": fields.title or opened.title,
        "id": opened.id,
        "created": opened.timestamp,
        "software": str(facts["software"]["version"]),
        "digest": digest,
        "fingerprint": fingerprint(digest) if digest else "",
        "rows": published.n,
        "row_word": str(facts.get("row", "")),
        "average": certainty.average,
        "riskiest": certainty.riskiest,
        "riskiest_value": certainty.riskiest_value,
        "riskiest_share": certainty.riskiest_share,
        "class_columns": published.class_columns,
        "classes": len(published.cells),
        "by_rows": len({each.rows for each in published.cells}) > 1,
        "blocks": tuple(_block(block, prepared, plan) for block in plan.blocks),
        "epsilon": published.thresholds.epsilon,
        "alpha": published.thresholds.alpha,
        "t_e": published.thresholds.t_e,
        "files": tuple((each["name"], int(each["bytes"]), each["sha256"]) for each in facts["files"]),
    }


def _block(block: Block, prepared: DrawInput, plan: Plan) -> BlockFact:
    thresholds, draw = plan.thresholds, block.draw
    return BlockFact(
        block.columns,
        draw.name,
        draw.gamma,
        t_p(draw, thresholds.epsilon, thresholds.alpha),
        t_f(draw, thresholds.epsilon, thresholds.t_e),
        unique_combinations(prepared, block) if len(block.columns) > 1 else None,
        unique_histories(prepared, block) if prepared.units.person else None,
        privacy_ratio(prepared.units.number, 1, draw.gamma),
    )


def _digest(opened: OpenRelease, entry: Entry | None) -> str:
    """Return the SHA-256 of release.json: of the entry, else of the file where it lies open."""
    if entry is not None and "facts_sha256" in entry.body:
        return str(entry.body["facts_sha256"])
    for path in (Path(opened.path) / FACTS_NAME, Path(opened.path)):
        if path.is_file() and path.name == FACTS_NAME:
            return file_sha256(path)
    return ""


def _detail(column: Column) -> str:
    """Return how fine a column is where law asks: "day" for dates to the day, "old" for single ages above 89."""
    if column.kind.is_date:
        return "day"
    if column.kind is Kind.INTEGER and column.values is not None and np.nanmax(column.values, initial=0) > 89:
        return "old"
    return column.grain if column.grain not in ("", "year") else ""
