"""The public part of the report: from an opened release and typed fields, and from nothing else.

The signature is the safeguard: no function here can see a source table, plan or register, so nothing computed from
original sensitive values can reach the external edition (tests/report/test_editions.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from splu_desktop import __version__
from splu_desktop.core.checks import selfcheck
from splu_desktop.core.draw import Draw
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.guarantees import exact as guarantees
from splu_desktop.core.guarantees import planning
from splu_desktop.core.guarantees.audience import Limits
from splu_desktop.core.guarantees.several_releases import row_gain, t_p_of_all
from splu_desktop.core.persons import per_person, told_of_persons
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.query.reader import Condition, Reader
from splu_desktop.core.risk import uniqueness
from splu_desktop.core.risk.attack import Carried, attack
from splu_desktop.core.risk.disclosure import disclosure
from splu_desktop.core.table import Column, Table
from splu_desktop.files.release.facts import FACTS_NAME
from splu_desktop.files.release.package import Package, open_package
from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.report import model
from splu_desktop.report.law import packs

RELEASES = (1, 2, 3, 5, 10)
_EPSILONS = (0.1, 0.2, 0.3, 0.5)
_T_ES = (0.01, 0.05, 0.1, 0.2)
_STEPS = (1, 2, 3, 5)
_SMALL_SHOWN = (20, 60)  # counts on the sawtooth: at least, and at most unless alpha is larger
_MOST_SMALL = 400
_WARNED = {"identifiers", "sensitive", "giveaway"}  # lines of the gate on what published columns tell
_MANY = 0.1  # of the rows, of which an attack is sure: to be weighed
_TOLD = 11  # classes of fewer have a risk above 0.09, the threshold of EMA 0070 and Health Canada


def public(
    opened: OpenRelease,
    fields: model.Fields,
    *,
    created: str | None = None,
    time_zone: str | None = None,
    software_version: str = __version__,
    password: str | None = None,
    attacks: Sequence[Carried] | None = None,
    laws: tuple[model.LawPack, ...] | None = None,
    progress: Progress = SILENT,
) -> model.Public:
    """Return the public part.

    Parameters
    ----------
    opened : the release.
    fields : what the custodian typed.
    created, time_zone, software_version : of the report; None for now and here. `verify` passes those of the report.
    password : of an encrypted ZIP.
    attacks : `carried_out`, where it was done already.
    laws : the law packs as a report states them; None for those of `fields`, as they are now.

    Raises
    ------
    BadRelease : a file can't be read. Cancelled.
    """
    now = datetime.now().astimezone()
    published = opened.published
    files = tuple(_files(open_package(opened.folder, password), opened, progress))
    checks = tuple(
        model.CheckResult(check.name, check.column, check.passed, check.sentence)
        for check in selfcheck.check_alone(published, progress=progress)
    )
    promised = tuple(_guarantee(name, published) for name in published.sensitive)
    blocks = tuple(
        model.DrawnBlock(names, draw.how(), tuple(draw.costs(published.table.select(names), published=True)))
        for names, draw in published.blocks.items()
    )
    persons = _persons(published)
    measured = _risk(published, carried_out(published, progress) if attacks is None else attacks, progress)
    cover = model.Cover(
        fields=fields,
        created=created or now.isoformat(timespec="seconds"),
        time_zone=time_zone if time_zone is not None else (now.tzname() or ""),
        software="SPLU Desktop",
        software_version=software_version,
        verdict=model.Verdict("sound", ()),  # `filled` weighs the rest
    )
    made = model.Public(
        cover=cover,
        release=_release(opened),
        columns=tuple(_columns(opened)),
        blocks=blocks,
        eligibility=tuple(
            eligibility(published.table[each.column], published.draws[each.column], each) for each in promised
        ),
        guarantees=promised,
        risk=measured,
        checks=checks,
        files=files,
        persons=persons,
    )
    return filled(made, fields, laws)


def filled(public: model.Public, fields: model.Fields, laws: tuple[model.LawPack, ...] | None = None) -> model.Public:
    """Return the public part with other fields, and with what follows from them. Raises BadSetting for unknown law.

    What only the source tells is not weighed (any more): `weighed` adds it.
    """
    if laws is None:
        laws = tuple(pack.stated for pack in packs(fields.law))
    cover = replace(public.cover, fields=fields, laws=laws)
    return replace(public, cover=replace(cover, verdict=_verdict(public, fields)))


def _persons(published: Published) -> model.Persons:
    repeats, table = published.repeats, published.table
    several = repeats is not None and repeats.largest > 1
    told = None
    if repeats is not None and several:
        told = per_person(repeats, table, published.draws, published=True)
    return model.Persons(
        most_records=None if repeats is None else repeats.largest,
        mean_records=None if repeats is None else repeats.mean,
        column=None if told is None else told.sensitive,
        right=() if told is None else told.right,
        sentences=told_of_persons(repeats, table, published.draws),
    )


def _files(package: Package, opened: OpenRelease, progress: Progress) -> Iterable[model.FileFacts]:
    for entry in opened.facts["files"]:
        if entry["name"] in package.names():
            yield file_facts(package, entry["name"], entry["sha256"], progress)
    yield file_facts(package, FACTS_NAME, None, progress)


def file_facts(package: Package, name: str, stated: str | None, progress: Progress) -> model.FileFacts:
    """Return name, size and SHA-256 of a file as it is now."""
    digest, seen, size = hashlib.sha256(), 0, max(1, package.size(name))
    with package.open(name) as file:
        while block := file.read(1 << 22):
            digest.update(block)
            seen += len(block)
            progress.report("Checking the files", min(1.0, seen / size))
    return model.FileFacts(name, seen, digest.hexdigest(), stated)


def _release(opened: OpenRelease) -> model.ReleaseFacts:
    facts, published = opened.facts, opened.published
    return model.ReleaseFacts(
        folder=opened.folder.name,
        id=facts.get("id"),
        created=str(facts["created"]),
        software=f"{facts['software']['name']} {facts['software']['version']}",
        mechanism=str(facts["mechanism"]),
        records=published.n,
        columns=len(published.table.columns),
        nsas=published.nsas,
        sensitive=published.sensitive,
    )


def _columns(opened: OpenRelease) -> Iterable[model.PublishedColumn]:
    stated = {entry["name"]: entry for entry in opened.facts["columns"]}
    repeats = opened.published.repeats
    moved = () if repeats is None else repeats.shift
    for column in opened.published.table.columns:
        yield model.PublishedColumn(
            name=column.name,
            role="sa" if opened.published.is_sensitive(column.name) else "nsa",
            kind=column.kind.value,
            distinct=int(np.count_nonzero(~column.missing)),
            missing=int(column.counts()[column.missing].sum()),
            generalised=(
                *({"how": "shifted"} for _ in range(column.name in moved)),
                *stated[column.name].get("generalised", ()),
            ),
        )


def eligibility(column: Column, draw: Draw, promise: model.Guarantee | None = None) -> model.Eligibility:
    """Return the eligibility of a column, of the original or by what its release tells (mechanism.md 2 and 5)."""
    counts, told = column.counts(), {} if promise is None else {each.value: each.likely for each in promise.values}
    likely = np.array([told.get(str(label), count) for label, count in zip(column.labels, counts, strict=True)])
    most = (draw.most_share(str(label), column.n) for label in column.labels)
    limits = [None if each is None else float(each) for each in most]
    near = np.array([count / limit if limit else 0.0 for count, limit in zip(likely, limits, strict=True)])
    at = int((near if near.any() else likely).argmax())
    return model.Eligibility(
        column=column.name,
        gamma=draw.gamma,
        values=int(np.count_nonzero(counts)),
        nearest=str(column.labels[at]),
        count=int(likely[at]),
        share=float(likely[at] / column.n),
        limit=limits[at],
        largest_gamma=None if draw.gamma is None else int(column.n // counts.max()),
    )


def _guarantee(name: str, published: Published) -> model.Guarantee:
    asked, column, draw = published.thresholds, published.table[name], published.draws[name]
    labels = column.labels.tolist()
    told = draw.told(published.n, labels, asked)
    known = draw.known_anyhow(published.n, labels, name, asked)
    promises = [each for each in draw.promises(asked, told) if each.confidence < 1]
    t_p = 0.0 if known else min((each.t_p for each in promises), default=0.0)
    t_f = draw.t_f(asked)
    return model.Guarantee(
        column=name,
        drawn=draw.words(),
        gamma=draw.gamma,
        epsilon=asked.epsilon,
        t_e=asked.t_e,
        alpha=asked.alpha,
        confidence=float(draw.confidence),
        wanted_t_p=asked.t_p,
        t_p=t_p,
        t_f=t_f,
        meets=None if asked.t_p is None else known is None and _reaches(draw, asked, t_p),
        sentences=((known,) if known else ()) + tuple(draw.sentences(name, asked, told)),
        readers=draw.readers(name),
        unprotected=known,
        caution=draw.caution(name),
        repeated=tuple(_repeated(draw, asked, protected=known is None)),
        values=tuple(_values(published, name, t_f, 0.0 if known else None)),
        law=None if draw.gamma is None else _exact_law(draw.gamma, published),
        **draw.shape(),
    )


def told_counts(published: Published, name: str, labels: Iterable[str]) -> list[int]:
    """Return how many records recipients are told to have each of these values of a sensitive column.

    Published counts where the draw keeps shares true; elsewhere these answer nothing and are reconstructed.
    """
    column, asked = published.table[name], [[Condition(name, values=(label,))] for label in labels]
    if not published.draws[name].true_shares:
        return [round(answer.estimate) for answer in Reader(published).answers(asked, vanished=True)]
    counts = dict(zip(column.labels.tolist(), column.counts().tolist(), strict=True))
    return [counts.get(question[0].values[0], 0) for question in asked]


def _reaches(draw: Draw, asked: Thresholds, t_p: float) -> bool:
    assert asked.t_p is not None
    if draw.gamma is not None:
        return guarantees.t_p_reaches(draw.gamma, asked.epsilon, asked.alpha, asked.t_p)
    return t_p >= asked.t_p


def _repeated(draw: Draw, asked: Thresholds, *, protected: bool) -> Iterable[model.Repeated]:
    drawn = [each for each in draw.by_value() if each.limit < 1]
    for k in RELEASES if drawn else ():
        t_p = min(t_p_of_all([each] * k, asked.epsilon, asked.alpha) for each in drawn)
        if k == 1 and not draw.true_shares:
            t_p = draw.t_p(asked)
        # Of decoys with the same value, as they come by person, rows are right more often than their own are kept.
        gains = [row_gain([replace(each, limit=max(each.limit, draw.confidence))] * k) for each in drawn]
        worst = max(gains, key=lambda gain: gain.right)
        yield model.Repeated(k, t_p if protected else 0.0, worst.right, worst.twice)


def _values(published: Published, name: str, t_f: int, known: float | None) -> Iterable[model.Value]:
    asked, column, draw = published.thresholds, published.table[name], published.draws[name]
    if column.m < 2:
        return
    counts, likely, told = column.counts(), published.likely(name), told_counts(published, name, column.labels)
    through = draw.two_numbers(likely) or published.transition(name)
    keeps, signal = np.broadcast_to(through.a, column.m), through.signal
    scatter = draw.scatter(likely, column.labels)
    t_ps = {label: each.t_p for each in draw.promises(asked) for label in each.values}
    every = min((each.t_p for each in draw.promises(asked)), default=0.0)
    for at in np.argsort(-counts, kind="stable").tolist():
        label = str(column.labels[at])
        yield model.Value(
            value=label,
            published=int(counts[at]),
            state=state_of(int(counts[at]), t_f, asked.alpha, protected=draw.limit(label) < 1),
            tolerance=float(draw.limit(label)),
            t_p=t_ps.get(label, every) if known is None else known,
            keeps=float(keeps[at]),
            signal=float(signal[at]),
            likely=float(told[at]),
            deviation=float(scatter[at]),
        )


def state_of(count: int, t_f: int, alpha: int, *, protected: bool) -> str:
    """Return what a count of a value is: "answerable" from T_f on, "protected" up to alpha, else "in between"."""
    if count >= t_f:
        return planning.ValueState.ANSWERABLE.value
    if count <= alpha and protected:
        return planning.ValueState.PROTECTED.value
    return planning.ValueState.BETWEEN.value


def _exact_law(gamma: int, published: Published) -> model.ExactLaw:
    asked, epsilon = published.thresholds, published.thresholds.epsilon
    shown = min(max(asked.alpha, _SMALL_SHOWN[0], min(5 * asked.alpha, _SMALL_SHOWN[1])), _MOST_SMALL)
    exact, chebyshev, _ = guarantees.t_f_curve(gamma, epsilon)
    counts = np.array(expected_counts(published.n), np.int64)
    error = guarantees.expected_relative_error(gamma, counts)
    wrong = guarantees.miss_probability(gamma, epsilon, counts)
    return model.ExactLaw(
        gamma=gamma,
        t_f_chebyshev=guarantees.t_f_chebyshev(gamma, epsilon, asked.t_e),
        t_f_as_published=guarantees.t_f_as_published(gamma, epsilon, asked.t_e),
        small_counts=tuple(guarantees.small_count_curve(gamma, epsilon, shown).tolist()),
        curve_t_e=tuple(guarantees.T_E_GRID.tolist()),
        curve_t_f=tuple(exact.tolist()),
        curve_t_f_chebyshev=tuple(chebyshev.tolist()),
        thresholds=tuple(_thresholds(gamma, asked)),
        expected=tuple(zip(counts.tolist(), error.tolist(), wrong.tolist(), strict=True)),
    )


def _thresholds(gamma: int, asked: Thresholds) -> Iterable[tuple[float, float, int]]:
    for epsilon in sorted({*_EPSILONS, asked.epsilon}):
        grid = sorted({*_T_ES, asked.t_e})
        try:
            found = guarantees.t_f_exact(gamma, epsilon, grid)
        except BadSetting:  # counts beyond any table: nothing to state
            continue
        yield from ((epsilon, t_e, int(t_f)) for t_e, t_f in zip(grid, found, strict=True))


def expected_counts(n: int) -> list[int]:
    """Return the counts 1, 2, 3, 5, 10, 20, 30, 50, ... up to n."""
    return [step * 10**power for power in range(len(str(n))) for step in _STEPS if step * 10**power <= n]


def carried_out(published: Published, progress: Progress = SILENT) -> tuple[Carried, ...]:
    """Return an attack on each SA, from the release alone. Raises Cancelled."""
    return tuple(attack(published, name, progress) for name in published.sensitive)


def recognisable(table: Table, nsas: tuple[str, ...], progress: Progress, *, why: bool) -> model.Recognisable:
    """Return how recognisable the records of a table are by some columns, and by which most where `why`."""
    sizes = uniqueness.class_sizes(table, nsas, progress)
    whole = uniqueness.figures(sizes)
    causes = uniqueness.causes(table, nsas, progress) if why and whole.unique else ()
    return model.Recognisable(
        nsas=nsas,
        records=whole.records,
        classes=whole.classes,
        smallest=whole.smallest,
        below={str(k): uniqueness.records_below(sizes, k) for k in (*uniqueness.KS, _TOLD)},
        causes=tuple((cause.name, cause.without.unique) for cause in causes),
    )


def _risk(published: Published, attacks: Sequence[Carried], progress: Progress) -> model.Risk:
    table, nsas = published.table, published.knowable
    drawn: dict[str, float | NDArray[np.float64] | None] = {
        name: published.transition(name).matrix if through is None else through.a
        for name in published.sensitive
        for through in (published.draws[name].two_numbers(published.likely(name)),)
    }
    return model.Risk(
        recognisable=recognisable(table, nsas, progress, why=True),
        disclosure=disclosure(table, nsas, drawn, progress, likely={n: published.likely(n) for n in drawn}),
        attacks=tuple(each.attack for each in attacks),
    )


def weighed(
    public: model.Public,
    checks: tuple[model.CheckResult, ...],
    *,
    again: bool = False,
    warned: Collection[str] = (),
    limits: Limits | None = None,
) -> model.Public:
    """Return the public part with a verdict over what the internal edition adds, too.

    No document may say that all checks passed and hold one that failed, nor promise of one release what several break,
    nor say that all thresholds are met beside a row of the front that is above its own.

    Parameters
    ----------
    checks : those against the source.
    again : whether the register knows other releases of the same records.
    warned : names of the amber lines of the gate, of which those on what is published unchanged are weighed.
    limits : those asked for by who gets the release.
    """
    found = _verdict(
        public,
        public.cover.fields,
        limits,
        failed=not all(check.passed for check in checks),
        again=again,
        warned=bool(_WARNED.intersection(warned)),
    )
    return public if found == public.cover.verdict else replace(public, cover=replace(public.cover, verdict=found))


def _verdict(
    public: model.Public,
    fields: model.Fields,
    limits: Limits | None = None,
    *,
    failed: bool = False,
    again: bool = False,
    warned: bool = False,
) -> model.Verdict:
    """Return the verdict: the public part's, and with what only the source tells where it is given."""
    promises, found = public.guarantees, public.risk.recognisable
    failures = {
        "file-altered": any(file.stated not in (None, file.sha256) for file in public.files),
        "check-failed": failed or not all(check.passed for check in public.checks),
    }
    weighed = {
        "small-told": any(promise.unprotected for promise in promises),
        "threshold-missed": any(promise.meets is False for promise in promises),
        "no-threshold": any(promise.meets is None for promise in promises),
        "small-answered": any(promise.t_f <= promise.alpha for promise in promises),
        "unique-records": bool(found.below["2"]),
        "inferred": any(each.gained >= _MANY for each in public.risk.attacks),
        "combinations": any(block.costs for block in public.blocks),
        "persons": (public.persons.most_records or 1) > 1,
        "risk-above": found.above(model.asked_risk(fields, limits)),
        "row-above": limits is not None and any(promise.confidence > limits.certainty for promise in promises),
        "released-again": again,
        "warned": warned,
    }
    reasons = tuple(name for name, there in {**failures, **weighed}.items() if there)
    return model.Verdict("fails" if any(failures.values()) else "reservations" if reasons else "sound", reasons)
