"""The public part of the report: from an opened release and typed fields, and from nothing else.

The signature is the safeguard: no function here can see a source table, plan or register, so nothing computed from
original sensitive values can reach the external edition (tests/report/test_editions.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from splu_desktop import __version__
from splu_desktop.core.checks import selfcheck
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.guarantees import exact as guarantees
from splu_desktop.core.guarantees import planning
from splu_desktop.core.guarantees.sentences import unprotected
from splu_desktop.core.persons import per_person, told_of_persons
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.published import Published
from splu_desktop.core.risk import uniqueness as risk
from splu_desktop.core.risk.attack import Carried, attack
from splu_desktop.core.risk.disclosure import disclosure
from splu_desktop.core.table import Column
from splu_desktop.files.release.facts import FACTS_NAME
from splu_desktop.files.release.folder import OpenRelease
from splu_desktop.files.release.package import Package, open_package
from splu_desktop.report import model

RELEASES = (1, 2, 3, 5, 10)
_EPSILONS = (0.1, 0.2, 0.3, 0.5)
_T_ES = (0.01, 0.05, 0.1, 0.2)
_STEPS = (1, 2, 3, 5)
_SMALL_SHOWN = (20, 60)  # counts on the sawtooth: at least, and at most unless alpha is larger
_MOST_SMALL = 400


def public(
    opened: OpenRelease,
    fields: model.Fields,
    *,
    created: str | None = None,
    time_zone: str | None = None,
    software_version: str = __version__,
    password: str | None = None,
    attacks: Sequence[Carried] | None = None,
    progress: Progress | None = None,
) -> model.Public:
    """Return the public part.

    Parameters
    ----------
    opened : the release.
    fields : what the custodian typed.
    created, time_zone, software_version : of the report; None for now and here. `verify` passes those of the report.
    password : of an encrypted ZIP.
    attacks : `carried_out`, where it was done already.

    Raises
    ------
    BadRelease : a file can't be read. Cancelled.
    """
    progress = progress or Silent()
    now = datetime.now().astimezone()
    published = opened.published
    files = tuple(_files(open_package(opened.folder, password), opened, progress))
    checks = tuple(
        model.CheckResult(check.name, check.column, check.passed, check.sentence)
        for check in selfcheck.check_alone(published, progress=progress)
    )
    # Draws with one gamma have the exact laws of section 3; of all others, promises stand value by value.
    gammas = published.gammas
    promised = tuple(_guarantee(name, gamma, published) for name, gamma in gammas.items())
    measured = _risk(published, carried_out(published, progress) if attacks is None else attacks, progress)
    verdict = _verdict(files, checks, promised, measured)
    cover = model.Cover(
        fields=fields,
        created=created or now.isoformat(timespec="seconds"),
        time_zone=time_zone if time_zone is not None else (now.tzname() or ""),
        software="SPLU Desktop",
        software_version=software_version,
        verdict=verdict,
    )
    return model.Public(
        cover=cover,
        release=_release(opened),
        columns=tuple(_columns(opened)),
        mechanism=tuple(_mechanism(name, gamma, published.n) for name, gamma in gammas.items()),
        eligibility=tuple(eligibility(published.table[name], gamma) for name, gamma in gammas.items()),
        guarantees=promised,
        utility=tuple(_utility(published, name, gamma) for name, gamma in gammas.items()),
        risk=measured,
        checks=checks,
        files=files,
        tolerant=tuple(_by_value(published, name) for name in published.sensitive if name not in gammas),
        persons=_persons(published),
    )


def _persons(published: Published) -> model.Persons:
    repeats, table = published.repeats, published.table
    several = repeats is not None and repeats.largest > 1
    told = per_person(repeats, table, published.draws) if repeats is not None and several else None
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
            distinct=column.m,
            missing=int(column.counts()[column.missing].sum()),
            generalised=(
                *({"how": "shifted"} for _ in range(column.name in moved)),
                *stated[column.name].get("generalised", ()),
            ),
        )


def _mechanism(name: str, gamma: int, n: int) -> model.MechanismFacts:
    groups = n // gamma
    return model.MechanismFacts(name, gamma, groups, larger_groups=n - groups * gamma, confidence=groups / n)


def eligibility(column: Column, gamma: int) -> model.Eligibility:
    """Return the eligibility of a column, published or original (mechanism.md section 2, step 2)."""
    counts = column.counts()
    top = int(counts.argmax())
    return model.Eligibility(
        column=column.name,
        gamma=gamma,
        values=int(np.count_nonzero(counts)),
        most_frequent=str(column.labels[top]),
        count=int(counts[top]),
        share=float(counts[top] / column.n),
        limit=(column.n // gamma) / column.n,
        largest_gamma=int(column.n // counts[top]),
    )


def _guarantee(name: str, gamma: int, published: Published) -> model.Guarantee:
    asked = published.thresholds
    known = unprotected(published.n, gamma, published.table[name].m, asked.epsilon, asked.alpha, column=name)
    epsilon, alpha = asked.epsilon, asked.alpha
    shown = min(max(alpha, _SMALL_SHOWN[0], min(5 * alpha, _SMALL_SHOWN[1])), _MOST_SMALL)
    exact, chebyshev, _ = guarantees.t_f_curve(gamma, epsilon)
    return model.Guarantee(
        column=name,
        gamma=gamma,
        epsilon=epsilon,
        t_e=asked.t_e,
        alpha=alpha,
        wanted_t_p=asked.t_p,
        t_p=0.0 if known else guarantees.t_p(gamma, epsilon, alpha),
        t_f=guarantees.t_f(gamma, epsilon, asked.t_e),
        t_f_chebyshev=guarantees.t_f_chebyshev(gamma, epsilon, asked.t_e),
        t_f_as_published=guarantees.t_f_as_published(gamma, epsilon, asked.t_e),
        meets=None if asked.t_p is None else known is None and guarantees.t_p_reaches(gamma, epsilon, alpha, asked.t_p),
        unprotected=known,
        small_counts=tuple(guarantees.small_count_curve(gamma, epsilon, shown).tolist()),
        curve_t_e=tuple(guarantees.T_E_GRID.tolist()),
        curve_t_f=tuple(exact.tolist()),
        curve_t_f_chebyshev=tuple(chebyshev.tolist()),
        thresholds=tuple(_thresholds(gamma, asked)),
        repeated=tuple(
            model.Repeated(
                k,
                0.0 if known else guarantees.t_p(gamma, epsilon, alpha, k),
                guarantees.t_f(gamma, epsilon, asked.t_e, k),
            )
            for k in RELEASES
        ),
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


def _utility(published: Published, name: str, gamma: int) -> model.Utility:
    asked, column = published.thresholds, published.table[name]
    counts = np.array(expected_counts(published.n), np.int64)
    error = guarantees.expected_relative_error(gamma, counts)
    wrong = guarantees.miss_probability(gamma, asked.epsilon, counts)
    expected = tuple(
        model.ExpectedError(int(f), float(e), float(p)) for f, e, p in zip(counts, error, wrong, strict=True)
    )
    if column.m < 2:
        return model.Utility(name, expected, ())
    found = planning.plan_values(column.counts(), published.n, gamma, asked)
    order = np.argsort(-found.counts, kind="stable")
    values = tuple(
        model.PublishedValue(
            value=str(column.labels[at]),
            published=int(found.counts[at]),
            state=found.state(int(at)).value,
            error_probability=float(found.error_probability[at]),
            expected_relative_error=float(found.expected_error[at]),
            signal=float(found.signal[at]),
        )
        for at in order
    )
    return model.Utility(name, expected, values)


def _by_value(published: Published, name: str) -> model.Tolerant:
    asked = published.thresholds
    column, draw = published.table[name], published.draws[name]
    found = draw.figures(column, asked)
    likely = published.likely(name)
    scatter = draw.scatter(likely, column.labels)
    at = {str(label): place for place, label in enumerate(column.labels)}
    values = tuple(
        model.TolerantValue(
            row["value"],
            row["tolerance"],
            row["t_p"],
            row["count"],
            keeps=row["keeps"],
            signal=row["signal"],
            likely=float(likely[at[row["value"]]]),
            deviation=float(scatter[at[row["value"]]]),
        )
        for row in found["values"]
    )
    return model.Tolerant(
        column=name,
        epsilon=asked.epsilon,
        t_e=asked.t_e,
        alpha=asked.alpha,
        t_f=found["t_f"],
        sentences=tuple(found["sentences"]),
        readers=draw.readers(name),
        values=values,
        caution=draw.caution(name),
        **draw.shape(published.n),
    )


def carried_out(published: Published, progress: Progress | None = None) -> tuple[Carried, ...]:
    """Return an attack on each SA, from the release alone. Raises Cancelled."""
    return tuple(attack(published, name, progress) for name in published.sensitive)


def _risk(published: Published, attacks: Sequence[Carried], progress: Progress) -> model.Risk:
    table, nsas = published.table, published.nsas
    whole = risk.risk(table, nsas, progress)
    causes = risk.causes(table, nsas, progress) if whole.unique else ()
    recognisable = model.Recognisable(
        nsas=nsas,
        records=whole.records,
        classes=whole.classes,
        smallest=whole.smallest,
        below={str(k): count for k, count in whole.below.items()},
        causes=tuple((cause.name, cause.without.unique) for cause in causes),
    )
    drawn: dict[str, float | NDArray[np.float64] | None] = {
        name: published.transition(name).matrix if through is None else through.a
        for name in published.sensitive
        for through in (published.draws[name].two_numbers(published.likely(name)),)
    }
    return model.Risk(
        combinations=tuple(
            cost for names, draw in published.blocks.items() for cost in draw.costs(table.select(names))
        ),
        recognisable=recognisable,
        disclosure=disclosure(table, nsas, drawn, progress, likely={n: published.likely(n) for n in drawn}),
        attacks=tuple(each.attack for each in attacks),
    )


def weighed(public: model.Public, checks: tuple[model.CheckResult, ...]) -> model.Public:
    """Return the public part with a verdict over further checks too: those against the source, in the internal edition.

    No document may say that all checks passed and hold one that failed.
    """
    said = public.cover.verdict
    if all(check.passed for check in checks) or "check-failed" in said.reasons:
        return public
    first = [reason for reason in said.reasons if reason == "file-altered"]
    verdict = model.Verdict("fails", (*first, "check-failed", *said.reasons[len(first) :]))
    return replace(public, cover=replace(public.cover, verdict=verdict))


def _verdict(
    files: tuple[model.FileFacts, ...],
    checks: tuple[model.CheckResult, ...],
    promises: tuple[model.Guarantee, ...],
    measured: model.Risk,
) -> model.Verdict:
    reasons = []
    if any(file.stated not in (None, file.sha256) for file in files):
        reasons.append("file-altered")
    if not all(check.passed for check in checks):
        reasons.append("check-failed")
    failed = bool(reasons)
    if any(promise.meets is False for promise in promises):
        reasons.append("threshold-missed")
    if any(promise.meets is None for promise in promises):
        reasons.append("no-threshold")
    if any(promise.t_f <= promise.alpha for promise in promises):
        reasons.append("small-answered")
    if measured.recognisable.below["2"]:
        reasons.append("unique-records")
    return model.Verdict("fails" if failed else "reservations" if reasons else "sound", tuple(reasons))
