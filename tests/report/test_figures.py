"""Every figure of the report is the program's: the test walks the model, and no leaf may stay unclaimed.

What is compared with is the command line's --json where there is a command, else the core's own function.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, is_dataclass, replace
from typing import Any

import numpy as np
import pytest

from splu_desktop.cli import main
from splu_desktop.core.checks import selfcheck
from splu_desktop.core.guarantees import attackers, planning, sentences
from splu_desktop.core.guarantees import exact as guarantees
from splu_desktop.core.persons import Repeats, told_of_persons
from splu_desktop.core.query import workload
from splu_desktop.core.query.reader import DEFAULT
from splu_desktop.core.risk import attack
from splu_desktop.core.risk import uniqueness as risk
from splu_desktop.core.risk.disclosure import disclosure
from splu_desktop.files.importer import read
from splu_desktop.report import law as law_packs
from splu_desktop.report import model
from tests.report.conftest import FIELDS, Case

SA, GAMMA = "illness", 5


def told(*words: object) -> Any:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main([str(word) for word in words]) == 0
    return json.loads(out.getvalue())


def leaves(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{where}.{name}")
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from leaves(inner, f"{where}[{i}]")
    else:
        yield where, value


def flat(value: Any, where: str) -> dict[str, Any]:
    plain = model.plain(value) if is_dataclass(value) or isinstance(value, tuple | dict) else value
    return dict(leaves(plain, where))


@pytest.fixture(scope="module")
def claimed(case: Case) -> dict[str, Any]:
    """Place in the report -> the figure as the program gives it elsewhere."""
    facts = json.loads((case.release / "release.json").read_text(encoding="utf-8"))
    table, n = case.opened.published.table, facts["records"]
    expected: dict[str, Any] = {}

    def claim(where: str, value: Any) -> None:
        expected.update(flat(value, where))

    # cover and release
    claim("public.cover.fields", asdict(FIELDS))
    claim("public.cover.laws[0]", law_packs.pack("gdpr").stated)
    claim("public.cover.software", facts["software"]["name"])
    claim("public.cover.software_version", facts["software"]["version"])
    claim("public.release.folder", case.release.name)
    for key in ("id", "created", "mechanism", "records"):
        claim(f"public.release.{key}", facts[key])
    claim("public.release.software", f"{facts['software']['name']} {facts['software']['version']}")
    claim("public.release.columns", len(facts["columns"]))
    claim("public.release.nsas", [c["name"] for c in facts["columns"] if c["role"] == "nsa"])
    claim("public.release.sensitive", [c["name"] for c in facts["columns"] if c["role"] == "sa"])

    # columns, as `splu inspect` of the published table counts them
    inspected = {c["name"]: c for c in told("inspect", case.release / "table.csv", "--json")["columns"]}
    for i, column in enumerate(facts["columns"]):
        where = f"public.columns[{i}]"
        for key in ("name", "role", "distinct"):
            claim(f"{where}.{key}", column[key])
        claim(f"{where}.kind", table[column["name"]].kind.value)
        claim(f"{where}.missing", inspected[column["name"]]["missing"])

    # blocks and eligibility
    groups = n // GAMMA
    draw = case.opened.published.draws[SA]
    claim("public.blocks", [{"columns": [SA], "how": draw.how(), "costs": []}])
    seen = inspected[SA]
    top = told("query", case.release, f"{SA}={seen['most_frequent']}", "--json")["published"]
    claim(
        "public.eligibility[0]",
        {
            "column": SA,
            "gamma": GAMMA,
            "values": facts["columns"][-1]["distinct"],
            "nearest": seen["most_frequent"],
            "count": top,
            "share": seen["most_frequent_share"],
            "limit": groups / n,
            "largest_gamma": seen["largest_gamma"],
        },
    )

    # guarantees, as `splu guarantee` states them
    asked = facts["thresholds"]
    options = ["--gamma", GAMMA, "--epsilon", asked["epsilon"], "--t-e", asked["t_e"]]
    said = told("guarantee", *options, "--alpha", 20, "--curves", "--json")
    stated = told("guarantee", *options, "--alpha", asked["alpha"], "--json")
    where, law = "public.guarantees[0]", "public.guarantees[0].law"
    claim(f"{where}.unprotected", sentences.unprotected(n, GAMMA, table[SA].m, 0.3, asked["alpha"], column=SA))
    claim(
        where,
        {
            "column": SA,
            "drawn": draw.words(),
            "gamma": GAMMA,
            **{k: asked[k] for k in ("epsilon", "t_e", "alpha")},
            "confidence": 1 / GAMMA,
            "wanted_t_p": asked["t_p"],
            "meets": stated["t_p"] >= asked["t_p"],
            "sentences": [
                sentences.small_count_promise(GAMMA, asked["epsilon"], asked["alpha"], column=SA),
                sentences.large_count_promise(GAMMA, asked["epsilon"], asked["t_e"], column=SA),
            ],
            "readers": list(attackers.of_gamma(SA, GAMMA)),
            "caution": "",
        },
    )
    claim(where, draw.shape())
    claim(f"{law}.gamma", GAMMA)
    for key in ("t_p", "t_f", "t_f_chebyshev", "t_f_as_published"):
        claim(f"{law if key in ('t_f_chebyshev', 't_f_as_published') else where}.{key}", stated[key])
        assert facts["guarantees"][SA].get(key, stated[key]) == stated[key]
    claim(f"{law}.small_counts", said["curves"]["probability"])
    for ours, theirs in (("curve_t_e", "t_e"), ("curve_t_f", "t_f"), ("curve_t_f_chebyshev", "t_f_chebyshev")):
        claim(f"{law}.{ours}", said["curves"][theirs])
    thresholds = [(e, t, guarantees.t_f(GAMMA, e, t)) for e in (0.1, 0.2, 0.3, 0.5) for t in (0.01, 0.05, 0.1, 0.2)]
    claim(f"{law}.thresholds", [list(row) for row in thresholds])
    for i, k in enumerate((1, 2, 3, 5, 10)):
        again = told("guarantee", *options, "--alpha", asked["alpha"], "--releases", k, "--json")
        twice = 1 - (1 - 1 / GAMMA) ** k - k / GAMMA * (1 - 1 / GAMMA) ** (k - 1)  # Binomial(k, 1/gamma) >= 2
        right = twice + 1 / GAMMA * (1 - 1 / GAMMA) ** (k - 1)  # else any one of them is shown
        row = {"releases": k, "t_p": again["t_p"], "right": right, "twice": max(0.0, twice)}
        claim(f"{where}.repeated[{i}]", row)

    # utility
    counts = np.array([f for p in range(4) for f in (10**p, 2 * 10**p, 3 * 10**p, 5 * 10**p) if f <= n])
    error = guarantees.expected_relative_error(GAMMA, counts).tolist()
    wrong = guarantees.miss_probability(GAMMA, asked["epsilon"], counts).tolist()
    claim(f"{law}.expected", [list(row) for row in zip(counts.tolist(), error, wrong, strict=True)])
    column = table[SA]
    rows = planning.plan_values(column.counts(), n, GAMMA, case.opened.published.thresholds).as_dict(column.labels)
    values = sorted(rows["values"], key=lambda row: -row["count"])  # type: ignore[arg-type]
    claim(
        f"{where}.values",
        [
            {
                "value": row["value"],
                "published": row["count"],
                "state": row["state"],
                "tolerance": 1 / GAMMA,
                "t_p": stated["t_p"],
                "keeps": groups / n,
                "signal": row["signal"] * groups / n,  # a - b, where a plan tells it as a share of a
                "likely": float(row["count"]),
                "deviation": float(np.sqrt(row["count"] * (1 - 1 / GAMMA))),
            }
            for row in values
        ],
    )

    # risk
    nsas = case.opened.published.nsas
    whole = risk.risk(table, nsas).as_dict()
    where = "public.risk.recognisable"
    claim(
        where,
        {
            "nsas": list(nsas),
            "records": whole["records"],
            "classes": whole["classes"],
            "smallest": whole["smallest_class"],
            "below": {**whole["below"], "11": risk.records_below(risk.class_sizes(table, nsas), 11)},
        },
    )
    claim(f"{where}.causes", [[c.name, c.without.unique] for c in risk.causes(table, nsas)])
    claim("public.risk.disclosure", disclosure(table, nsas, {SA: groups / n}))
    carried = attack.attack(case.opened.published, SA)
    claim("public.risk.attacks[0]", carried.attack)

    stated = facts["persons"]  # the source has a patient's number, which does not repeat
    claim("public.persons.most_records", stated["most_records"])
    claim("public.persons.mean_records", stated["mean_records"])
    claim("public.persons.column", None)
    claim("public.persons.right", [])
    claim("public.persons.sentences", told_of_persons(Repeats(1, 1.0), table, case.opened.published.draws))

    # checks and files
    checks = selfcheck.check_alone(case.opened.published)
    claim(
        "public.checks",
        [{"name": c.name, "column": c.column, "passed": c.passed, "sentence": c.sentence} for c in checks],
    )
    entries = [(e["name"], e["sha256"]) for e in facts["files"]] + [("release.json", None)]
    for i, (name, sha256) in enumerate(entries):
        raw = (case.release / name).read_bytes()
        claim(
            f"public.files[{i}]",
            {"name": name, "bytes": len(raw), "stated": sha256, "sha256": hashlib.sha256(raw).hexdigest()},
        )

    _claim_original(case, claim, asked, n)
    return expected


def _claim_original(case: Case, claim: Callable[[str, Any], None], asked: dict[str, Any], n: int) -> None:
    # Nothing was made coarser, so records were as recognisable before.
    claim("original.before", replace(case.external.public.risk.recognisable, causes=()))
    claim("original.alternatives", [])
    claim("original.audience", None)  # nobody was asked who gets it
    claim("original.audience_brief", None)
    claim("original.audience_limits", None)
    seen = told("inspect", case.source, "--json")
    for ours, theirs in (("file", "file"), ("bytes", "size"), ("sha256", "sha256"), ("records", "records")):
        claim(f"original.source.{ours}", seen[theirs])
    claim("original.source.columns", len(seen["columns"]))
    claim("original.source.rows_dropped", 0)
    tokens = [[c, t["token"], t["count"], t["applied"]] for c, found in seen["missing_tokens"].items() for t in found]
    claim("original.source.missing", tokens)
    roles = {"patient no": "identifier", "illness": "sa"}
    source = read(case.source).table
    for i, column in enumerate(seen["columns"]):
        name = column["name"]
        claim(
            f"original.columns[{i}]",
            {"name": name, "role": roles.get(name, "nsa"), "kind": column["type"], "distinct": source[name].m},
        )
    at = next(c for c in seen["columns"] if c["name"] == SA)
    counts = source[SA].counts()
    claim(
        "original.eligibility[0]",
        {
            "column": SA,
            "gamma": GAMMA,
            "values": at["distinct"],
            "nearest": at["most_frequent"],
            "count": int(counts.max()),
            "share": at["most_frequent_share"],
            "limit": (n // GAMMA) / n,
            "largest_gamma": at["largest_gamma"],
        },
    )
    true = dict(zip(source[SA].labels.tolist(), counts.tolist(), strict=True))
    column = case.opened.published.table[SA]
    after = dict(zip(column.labels.tolist(), column.counts().tolist(), strict=True))
    states = planning.plan_values(counts, n, GAMMA, case.opened.published.thresholds).as_dict(source[SA].labels)
    state = {row["value"]: row["state"] for row in states["values"]}  # type: ignore[attr-defined]
    rows = [
        {
            "value": v,
            "true": f,
            "published": after.get(v, 0),
            "state": state[v],
            "told": after.get(v, 0),
            "inside": 10 * abs(after.get(v, 0) - f) <= 3 * f,
        }
        for v, f in sorted(true.items(), key=lambda item: -item[1])
    ]
    assert asked["epsilon"] == 0.3
    small = [r for r in rows if r["state"] == "protected"]
    large = [r for r in rows if r["state"] == "answerable"]
    where = "original.marginals[0]"
    claim(f"{where}.values", rows)
    claim(
        where,
        {
            "column": SA,
            "small_values": len(small),
            "large_values": len(large),
            "small_wrong": sum(not r["inside"] for r in small),
            "large_wrong": sum(not r["inside"] for r in large),
            "total_deviation": sum(abs(r["true"] - r["published"]) for r in rows) / 2 / n,
        },
    )
    published, nsas = case.opened.published, case.opened.published.nsas
    questions = workload.draw(source, nsas, [SA], size=3_000, seed=20_140_815)
    answered = workload.measure(questions, [published], [DEFAULT])
    bands = [
        {
            "label": label,
            "queries": int(q),
            "mean_relative_error": None if np.isnan(e) else float(e),
            "coverage": None if np.isnan(c) else float(c),
        }
        for label, q, e, c in zip(
            answered.names, answered.queries, answered.errors[DEFAULT], answered.coverage, strict=True
        )
    ]
    claim(
        "original.utility[0]",
        {
            "column": SA,
            "queries": len(questions.questions),
            "method": DEFAULT.value,
            "small": answered.small,
            "unsafe": answered.unsafe[DEFAULT],
        },
    )
    claim("original.utility[0].bands", bands)
    ours, theirs = attack.align(source, published.table)
    where = "original.disclosure[0]"
    claim(where, {"column": SA})
    claim(f"{where}.disclosure", disclosure(ours, nsas, {SA: None})[0])
    claim(f"{where}.attack", attack.judged(attack.attack(published, SA), theirs, ours, nsas))
    claim(f"{where}.original", attack.from_original(ours, nsas, SA))


# Words and moments that stand for no figure; checked by the tests of their own rooms.
WORDS = (
    "public.cover.created",
    "public.cover.time_zone",
    "public.cover.verdict.",
    "original.source.choices[",
    ".reason",
    "original.acknowledged[",
    "original.earlier[",
    "original.checks[",
)


def test_every_figure_is_the_programs(case: Case, claimed: dict[str, Any]) -> None:
    data = case.internal.as_dict()
    unclaimed, differing = [], []
    for where, value in leaves({"public": data["public"], "original": data["original"]}, ""):
        place = where.removeprefix(".")
        if any(word in place for word in WORDS):
            continue
        if place not in claimed:
            unclaimed.append(place)
            continue
        wanted = claimed[place]
        same = value == pytest.approx(wanted, rel=1e-12, nan_ok=True) if isinstance(value, float) else value == wanted
        if not same:
            differing.append((place, value, wanted))
    assert not differing[:5]
    assert not unclaimed[:20], "a figure of the report that no other part of the program gives"


def test_every_order_row_is_in_place(case: Case) -> None:
    """Values stand by falling count in both tables of values."""
    assert case.internal.original is not None
    true = [row.true for row in case.internal.original.marginals[0].values]
    assert true == sorted(true, reverse=True)
    shown = [row.published for row in case.external.public.guarantees[0].values]
    assert shown == sorted(shown, reverse=True)


def test_the_register_tells_what_was_acknowledged_and_released_before(case: Case) -> None:
    found = case.internal.original
    assert found is not None
    assert found.acknowledged is not None
    unique = next(each for each in found.acknowledged if each.name == "unique-records")
    assert unique.accepted
    assert unique.words == "Approved by the board"
    alone = case.external.public.risk.recognisable.below["2"]
    assert str(alone) in unique.sentence, "the gate's number of unique records is the report's"
    attempts = int(case.release.name.removeprefix("release"))
    assert found.earlier is not None
    assert len(found.earlier) == attempts, "every other release of the source, and not this one"
    assert all(check.passed for check in found.checks)
    assert case.external.public.cover.verdict.code == "reservations"
    assert case.external.public.cover.verdict.reasons[0] == "unique-records"
