"""What the internal edition adds: figures computed with the source at hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace

import numpy as np

from splu_desktop.core.checks import selfcheck
from splu_desktop.core.draw.by_person import NUMBER
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.generalise import table_after
from splu_desktop.core.guarantees import planning
from splu_desktop.core.messages import say
from splu_desktop.core.plan import Plan, as_fraction
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.query import workload
from splu_desktop.core.query.reader import DEFAULT
from splu_desktop.core.risk.attack import Carried, align, from_original, judged
from splu_desktop.core.risk.disclosure import disclosure, finite
from splu_desktop.core.roles.suggest import Role, suggest_roles
from splu_desktop.core.table import Column, Table
from splu_desktop.files.importer import Imported
from splu_desktop.files.importer.problems import Decision, ProblemKind
from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.files.tables.spelling import plain as plainly_spelled
from splu_desktop.frozen import dataclass
from splu_desktop.report import model
from splu_desktop.report.public import carried_out, eligibility, recognisable, state_of, told_counts

# Which questions are asked decides no value that is released; the same ones make two reports comparable.
_QUESTIONS, _SEED = 3_000, 20_140_815


class NotItsSource(BadSetting):
    """The source given is not the one that the release was made from."""


@dataclass(frozen=True, eq=False)
class Background:
    """What the custodian's side knows besides the release.

    Attributes
    ----------
    imported : the source as it was read.
    plan : roles and generalisations; None: roles are those of the release, and suggested ones for columns left out.
    acknowledged : lines of the gate that were accepted; None where it is not known.
    earlier : earlier releases of the same source; None where no register was asked.
    alternatives : other systems compared on the same table (`report.alternatives`).
    altered : whether the register says that the release was made from another table than this one.
    """

    imported: Imported
    plan: Plan | None = None
    acknowledged: tuple[model.Acknowledged, ...] | None = None
    earlier: tuple[model.Earlier, ...] | None = None
    alternatives: tuple[model.Alternative, ...] = ()
    altered: bool = False


@dataclass(frozen=True, eq=False)
class Matched:
    """A release beside its source, before anything is measured.

    Attributes
    ----------
    opened : the release without what was added or moved.
    known : the columns of the source by which somebody may know a person, those that were moved among them.
    plan : by which it was made.
    source : generalised and spelled as the release is.
    background : as it was given.
    """

    opened: OpenRelease
    known: tuple[str, ...]
    plan: Plan
    source: Table
    background: Background


def matched(opened: OpenRelease, background: Background) -> Matched:
    """Return a release beside its source.

    Raises
    ------
    NotItsSource : records or columns differ from the release's, or it takes the recipe to tell. CannotGeneralise,
        UnknownColumn.
    """
    imported, known = background.imported, opened.published.knowable
    opened = _from_source(opened, imported.table)
    plan = background.plan or _implied(imported.table, opened)
    if plan.persons is not None:
        moved = dict.fromkeys(plan.persons.shift, Role.DROPPED)
        plan = replace(
            plan, roles={**plan.roles, **moved}, persons=replace(plan.persons, number=False, shift=(), days=0)
        )
    return Matched(opened, known, plan, _comparable(imported, plan, opened), background)


def original(
    given: Matched, *, attacks: Sequence[Carried] | None = None, progress: Progress = SILENT
) -> model.Original:
    """Return the part of the report that needs the source.

    Parameters
    ----------
    attacks : those on the release (`public.carried_out`), where they were made already.

    Raises
    ------
    Cancelled.
    """
    plan, source, background = given.plan, given.source, given.background
    published, imported = given.opened.published, background.imported
    checks = tuple(
        model.CheckResult(check.name, check.column, check.passed, check.sentence)
        for check in selfcheck.check_release(source, plan, published, progress=progress)
    )
    if background.altered:  # in a sensitive column or one left out, where the release does not show it
        checks += (
            model.CheckResult(
                "source",
                None,
                False,
                say(
                    "“{name}”, as it was read here, is not the table that was published: its fingerprint in the "
                    "register is another one. True counts and attacks are those of another table.",
                    name=imported.source.name,
                ),
            ),
        )
    ours, theirs = align(source, published.table)
    carried = carried_out(published, progress) if attacks is None else attacks
    disclosed = tuple(_disclosure(ours, theirs, published, carried, progress))
    return model.Original(
        source=_source(imported),
        columns=tuple(_columns(imported.table, plan)),
        before=recognisable(imported.table, given.known, progress, why=False),
        eligibility=tuple(eligibility(source[name], published.draws[name]) for name in published.sensitive),
        marginals=tuple(_marginal(ours, theirs, published, name) for name in published.sensitive),
        # Questions about records that were not released have no true answer to compare with.
        utility=()
        if any(c.name == "rows" and not c.passed for c in checks)
        else _workloads(source, published, progress),
        disclosure=disclosed,
        earlier=background.earlier,
        acknowledged=background.acknowledged,
        checks=checks,
        alternatives=background.alternatives,
        audience=None if plan.audience is None else plan.audience.sentence,
        audience_brief=None if plan.audience is None else plan.audience.brief,
        audience_limits=None if plan.audience is None else plan.audience.limits,
    )


def _from_source(opened: OpenRelease, source: Table) -> OpenRelease:
    """Return the release without what was added or moved: random numbers of persons, and shifted dates."""
    published, shift = opened.published, () if opened.published.repeats is None else opened.published.repeats.shift
    left = [name for name in published.table.names if name not in shift and (name != NUMBER or name in source)]
    if len(left) == len(published.table.names):
        return opened
    return replace(opened, published=replace(published, table=published.table.select(left)))


def _implied(table: Table, opened: OpenRelease) -> Plan:
    """Return the plan that a release shows by itself; its generalisations can't be repeated from it."""
    generalised = [entry["name"] for entry in opened.facts["columns"] if entry.get("generalised")]
    if generalised:
        raise NotItsSource(
            "Column “{column}” was generalised before it was published; give the recipe of the "
            "release, so that the source can be compared.",
            column=generalised[0],
        )
    if opened.facts.get("persons", {}).get("way") == "draw":
        raise NotItsSource(
            "All records of a person were drawn at once, and the release does not say which column tells persons; give "
            "the recipe of the release, so that the source can be compared."
        )
    published = opened.published
    roles = {name: Role.SA if published.is_sensitive(name) else Role.NSA for name in published.table.names}
    suggested = suggest_roles(table, sensitive=published.sensitive)
    for name in table.names:
        if name not in roles:
            roles[name] = Role.IDENTIFIER if suggested[name].role is Role.IDENTIFIER else Role.DROPPED
    ordered = {name: roles[name] for name in (*table.names, *roles)}
    # What the draw says of values that vanished is not in the release; a comparison needs none.
    draws = {
        name: draw.completed(table[name].labels) if name in table else draw for name, draw in published.draws.items()
    }
    return Plan(roles=ordered, draws=draws, thresholds=published.thresholds)


def _comparable(imported: Imported, plan: Plan, opened: OpenRelease) -> Table:
    """Return the source generalised and spelled as the release is. Raises NotItsSource."""
    name, folder = imported.source.name, opened.folder.name
    for column in opened.published.table.names:
        if column not in imported.table:
            raise NotItsSource(
                "“{name}” is not the source of release “{folder}”: it has no column “{column}”.",
                name=name,
                folder=folder,
                column=column,
            )
    if imported.table.n != opened.published.n:
        raise NotItsSource(
            "“{name}” is not the source of release “{folder}”: it has {records} records where the "
            "release has {released}; read it with the choices that were used for publishing.",
            name=name,
            folder=folder,
            records=imported.table.n,
            released=opened.published.n,
        )
    table = table_after(imported.table, plan.generalisations)

    def spelled(column: Column) -> Column:
        found = plainly_spelled(column) if column.name in opened.published.table else column
        return plan.draws[column.name].domain(found) if column.name in plan.draws else found

    return Table(tuple(map(spelled, table.columns)))


def _source(imported: Imported) -> model.SourceFacts:
    problems: dict[tuple[str, str], list[int | str]] = {}
    for problem in imported.problems:
        entry = problems.setdefault((problem.kind.value, problem.done), [0, 0, problem.sentence])
        entry[0], entry[1] = int(entry[0]) + 1, int(entry[1]) + problem.told_rows
    return model.SourceFacts(
        file=imported.source.name,
        bytes=imported.source.size,
        sha256=imported.source.sha256,
        records=imported.table.n,
        columns=len(imported.table.columns),
        rows_dropped=imported.rows_dropped + _uneven(imported),
        choices=tuple(_choices(imported)),
        missing=tuple((token.column, token.token, token.count, token.applied) for token in imported.missing_tokens),
        problems=tuple(
            model.SourceProblem(kind, decision, int(entry[0]), int(entry[1]), str(entry[2]))
            for (kind, decision), entry in problems.items()
        ),
    )


def _uneven(imported: Imported) -> int:
    """Return the rows left out because they have too many or too few fields."""
    kinds = (ProblemKind.LONG_ROW, ProblemKind.SHORT_ROW)
    return sum(p.told_rows for p in imported.problems if p.kind in kinds and p.decision is Decision.DROP)


def _choices(imported: Imported) -> Iterable[tuple[str, str, str]]:
    for item in fields(imported.choices):
        value = getattr(imported.choices, item.name)
        if value is None or isinstance(value, Mapping) or item.name == "names":
            continue
        yield item.name, str(value), str(imported.reasons.get(item.name, ""))
    for old, new in imported.choices.renames.items():
        yield "renames", new, str(imported.reasons.get(f"name of {new}", old))
    for kind, decision in imported.choices.decisions.items():
        yield "decisions", str(say(decision.value)), str(say(kind.value))


def _columns(table: Table, plan: Plan) -> Iterable[model.SourceColumn]:
    suggested = suggest_roles(table, sensitive=plan.sensitive)
    for column in table.columns:
        role = plan.roles.get(column.name, Role.DROPPED)
        kept, found = plan.kept_identifiers.get(column.name), suggested[column.name]
        yield model.SourceColumn(
            name=column.name,
            role=role.value,
            kind=column.kind.value,
            distinct=int(np.count_nonzero(~column.missing)),
            generalised=tuple(step.words for step in plan.generalisations.get(column.name, ())),
            # Why a role was suggested is no reason for another one.
            reason=kept or (found.reason if found.role is role else str(say("chosen so; {why}", why=found.why))),
        )


def _marginal(ours: Table, theirs: Table, published: Published, name: str) -> model.Marginal:
    before, after = ours[name].counts(), theirs[name].counts()
    asked, draw = published.thresholds, published.draws[name]
    there = np.flatnonzero(before > 0)
    told = after.copy()
    told[there] = told_counts(published, name, ours[name].labels[there].tolist())
    reliable = draw.t_f(asked)
    epsilon = as_fraction(asked.epsilon)
    # |f' - f| <= epsilon f on whole numbers: 0.4 * 45 is no binary fraction.
    inside = np.abs(told - before).astype(object) * epsilon.denominator <= before.astype(object) * epsilon.numerator
    rows = []
    for at in there.tolist():
        label = str(ours[name].labels[at])
        state = state_of(int(before[at]), reliable, asked.alpha, protected=draw.limit(label) < 1)
        rows.append(model.BeforeAfter(label, int(before[at]), int(after[at]), int(told[at]), state, bool(inside[at])))
    rows.sort(key=lambda row: -row.true)
    small = [row for row in rows if row.state == planning.ValueState.PROTECTED.value]
    large = [row for row in rows if row.state == planning.ValueState.ANSWERABLE.value]
    return model.Marginal(
        column=name,
        values=tuple(rows),
        small_values=len(small),
        small_wrong=sum(not row.inside for row in small),
        large_values=len(large),
        large_wrong=sum(not row.inside for row in large),
        total_deviation=float(np.abs(told - before).sum() / 2 / published.n),
    )


def _disclosure(
    ours: Table, theirs: Table, published: Published, attacks: Sequence[Carried], progress: Progress
) -> Iterable[model.OriginalDisclosure]:
    nsas: Sequence[str] = published.nsas
    found = disclosure(ours, nsas, dict.fromkeys(published.sensitive), progress)
    for name, measured, carried in zip(published.sensitive, found, attacks, strict=True):
        yield model.OriginalDisclosure(
            column=name,
            disclosure=measured,
            attack=judged(carried, theirs, ours, nsas),
            original=from_original(ours, nsas, name, progress, columns=len(published.sensitive)),
        )


def _workloads(source: Table, published: Published, progress: Progress) -> tuple[model.MeasuredUtility, ...]:
    """Return the measured error by band of a workload (journal section 6), one per SA."""
    if not published.nsas:
        return ()
    found = []
    for name in published.sensitive:
        asked = workload.draw(source, published.nsas, [name], size=_QUESTIONS, seed=_SEED, progress=progress)
        if not asked.questions:
            continue
        measured = workload.measure(asked, [published], [DEFAULT], progress=progress)
        errors, unsafe = measured.errors[DEFAULT], measured.unsafe[DEFAULT]
        found.append(
            model.MeasuredUtility(
                column=name,
                queries=len(asked.questions),
                method=DEFAULT.value,
                bands=tuple(
                    model.Band(label, int(queries), finite(float(error)), finite(float(held)))
                    for label, queries, error, held in zip(
                        measured.names, measured.queries, errors, measured.coverage, strict=True
                    )
                ),
                small=measured.small,
                unsafe=finite(unsafe),
            )
        )
    return tuple(found)
