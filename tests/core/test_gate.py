"""Each condition of a release has its line, and the light that it deserves."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from splu_desktop.cluster.counted import CountedColumn
from splu_desktop.core.checks.gate import NAMES, Gate, Light, Line, persons_line, table_lines
from splu_desktop.core.checks.proposing import exceeded, kept_by
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.draw.by_person import ByPerson
from splu_desktop.core.draw.ways import by_gamma
from splu_desktop.core.guarantees.audience import Audience
from splu_desktop.core.guarantees.exact import t_p
from splu_desktop.core.messages import share_of
from splu_desktop.core.plan import Plan, Thresholds
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.language import language
from tests.core.published_tables import table_of
from tests.core.tables import column, plan_for, skewed, with_nsas
from tests.draws import plain


@pytest.fixture
def table() -> Table:
    return with_nsas(skewed(2_000, 30, 0.1, 1), 2)


def lights(lines: tuple[Line, ...]) -> dict[str, set[Light]]:
    found: dict[str, set[Light]] = {}
    for line in lines:
        found.setdefault(line.name, set()).add(line.light)
    return found


def test_a_sound_plan_without_unique_rows_is_green() -> None:
    table = Table((column("sex", np.arange(1_000) % 2), column("s", np.arange(1_000) % 20)))
    gate = Gate(table_lines(table, plan_for(table, s=4)))
    assert gate.open
    assert all(line.light is Light.GREEN for line in gate.lines)


def test_an_ineligible_column_is_red_and_says_where(table: Table) -> None:
    line = next(line for line in table_lines(table, plan_for(table, s=29)) if line.name == "eligible")
    assert line.light is Light.RED
    assert line.step == "plan"
    assert line.column == "s"
    assert not Gate((line,), {"eligible": "I want it"}).open  # red can't be accepted


def test_unique_records_are_amber_until_acknowledged() -> None:
    table = Table((column("n", np.arange(1_000)), column("s", np.arange(1_000) % 20)))
    lines = table_lines(table, Plan({"n": Role.NSA, "s": Role.SA}, plain({"s": 4})))
    amber = next(line for line in lines if line.name == "unique-records")
    assert amber.light is Light.AMBER
    assert "1,000 of 1,000" in amber.sentence
    assert "1 in 4" in amber.sentence
    assert not Gate((amber,)).open
    assert amber.grave, "all of them are"
    assert not Gate((amber,), {"unique-records": ""}).open
    assert Gate((amber,), {"unique-records": "a closed room, under contract"}).open


@pytest.mark.parametrize(("alone", "grave"), [(0, None), (40, False), (400, False), (600, True), (1_000, True)])
def test_how_grave_unique_records_are_follows_from_how_many_they_are(alone: int, grave: bool | None) -> None:
    """4 % are accepted by a tick, most of all records in words alone, and none needs nothing."""
    codes = np.concatenate((np.arange(alone), alone + np.arange(1_000 - alone) // 100))
    table = Table((column("n", codes), column("s", np.arange(1_000) % 20)))
    lines = table_lines(table, Plan({"n": Role.NSA, "s": Role.SA}, plain({"s": 4})))
    line = next(line for line in lines if line.name == "unique-records")
    assert line.light is (Light.GREEN if grave is None else Light.AMBER)
    assert line.grave is bool(grave)


def test_who_gets_it_sets_what_is_grave() -> None:
    """The same 4 % unique are nothing to a colleague, too much for a partner, and small classes are told of."""
    codes = np.concatenate((np.arange(40), 40 + np.arange(960) // 4))
    table = Table((column("n", codes), column("s", np.arange(1_000) % 20)))
    plan = Plan({"n": Role.NSA, "s": Role.SA}, plain({"s": 4}))
    found = {}
    for who in ("colleague", "partner", "public"):
        lines = table_lines(table, replace(plan, audience=Audience(who)))
        found[who] = {line.name: (line.light, line.grave) for line in lines}
    assert found["colleague"]["unique-records"] == (Light.AMBER, False)
    assert found["partner"]["unique-records"] == found["public"]["unique-records"] == (Light.AMBER, True)
    assert [found[who]["small-classes"] for who in found] == [
        (Light.AMBER, False),  # the 40 alone
        (Light.AMBER, True),  # and all in fours, below 5 and 11
        (Light.AMBER, True),
    ]
    assert [found[who]["certainty"][0] for who in found] == [Light.GREEN, Light.GREEN, Light.AMBER]  # 1 in 4


def test_the_certainty_beyond_a_limit_is_that_of_the_promise() -> None:
    """One figure in both lines; and that guessing goes beyond the limit, too, is said where it does."""
    for often in (60, 25):
        table = Table((column("ward", np.arange(900) % 3), column("s", np.arange(900) // 3 % 100 // often)))
        plan = Plan({"ward": Role.NSA, "s": Role.SA}, {"s": by_gamma(table["s"], 2)}, audience=Audience("partner"))
        found = {line.name: line.sentence for line in table_lines(table, plan)}
        (sure,) = re.findall(r"up to ([\d.]+ %) are right, more than the limit of 33.33 %", found["certainty"])
        assert sure in found["eligible"] or sure == "50 %"  # one of two
        before = f"Whoever names the commonest value is right in {often}.0 % anyway."
        assert (before in found["certainty"]) == (often > 34)


def test_every_green_tick_is_broken_by_a_table_that_breaks_its_sentence() -> None:
    """For each tick a table of which it is true, and one that differs where the sentence is no longer true."""
    n = 1_000
    s, ward = np.arange(n) % 20, np.arange(n) // 20 % 5
    sound = Table((column("ward", ward), column("s", s)))
    plan = Plan({"ward": Role.NSA, "s": Role.SA}, plain({"s": 4}), audience=Audience("partner"))
    assert {line.light for line in table_lines(sound, plan)} == {Light.GREEN}
    one = ward.copy()
    one[0] = 5
    three = ward.copy()
    three[:3] = 5
    broken: dict[str, tuple[Table, Plan]] = {
        "unique-records": (Table((column("ward", one), column("s", s))), plan),
        "small-classes": (Table((column("ward", three), column("s", s))), plan),
        "giveaway": (Table((column("ward", s // 4), column("s", s // 4 + 5 * (np.arange(n) % 400 == 7)))), plan),
        "identifiers": (
            Table((column("ward", ward), column("patient id", np.arange(n) // 10), column("s", s))),
            replace(plan, roles={"ward": Role.NSA, "patient id": Role.NSA, "s": Role.SA}),
        ),
        "sensitive": (
            Table((column("ward", ward), column("HIV", ward % 2), column("s", s))),
            replace(plan, roles={"ward": Role.NSA, "HIV": Role.NSA, "s": Role.SA}),
        ),
        "persons": (
            Table((column("ward", ward), column("patient id", np.arange(n) // 10), column("s", s))),
            replace(plan, roles={"ward": Role.NSA, "patient id": Role.IDENTIFIER, "s": Role.SA}),
        ),
        "certainty": (sound, replace(plan, draws=plain({"s": 2}))),
    }
    for name, (table, changed) in broken.items():
        assert Light.AMBER in lights(table_lines(table, changed))[name], name


def test_an_identifier_needs_its_reason() -> None:
    n = 500
    table = Table((column("patient_id", np.arange(n)), column("s", np.arange(n) % 20)))
    roles = {"patient_id": Role.NSA, "s": Role.SA}
    assert lights(table_lines(table, Plan(roles, plain({"s": 4}))))["identifiers"] == {Light.AMBER}
    reasoned = Plan(roles, plain({"s": 4}), kept_identifiers={"patient_id": "a running number, drawn afresh"})
    line = next(line for line in table_lines(table, reasoned) if line.name == "identifiers")
    assert line.light is Light.GREEN
    assert "drawn afresh" in line.sentence


@pytest.mark.parametrize(("wanted", "light"), [(0.5, Light.GREEN), (0.7, Light.AMBER)])
def test_thresholds_are_met_or_accepted(table: Table, wanted: float, light: Light) -> None:
    assert 0.5 < t_p(5, 0.3, 3) < 0.7
    plan = plan_for(table, s=5)
    asked = Plan(plan.roles, plan.draws, Thresholds(t_p=wanted))
    assert lights(table_lines(table, asked))["thresholds"] == {light}


def test_a_plan_for_another_table_is_one_red_line(table: Table) -> None:
    lines = table_lines(table, Plan({"x": Role.SA}, plain({"x": 2})))
    assert [line.light for line in lines] == [Light.RED]


def test_every_amber_line_can_be_accepted_by_name(table: Table) -> None:
    amber = [line.name for line in table_lines(table, plan_for(table, s=5)) if line.light is Light.AMBER]
    assert set(amber) <= set(NAMES)


def test_a_missed_threshold_is_accepted_in_words_and_not_by_a_bare_yes() -> None:
    line = Line("thresholds", Light.AMBER, "Less than asked.", "plan", "s")
    other = Line("unique-records", Light.AMBER, "Some are unique.", "classify")
    assert Gate((line, other)).wordless == (line,)
    assert not Gate((line,), {"thresholds": " "}).open
    assert Gate((line,), {"thresholds": "the board agreed"}).open
    assert Gate((other,), {"unique-records": ""}).open


@pytest.mark.parametrize(("every", "grave"), [(1, True), (4, False), (10, False)])
def test_a_column_that_tells_most_records_is_accepted_in_words_wherever_it_is_published(
    every: int, grave: bool
) -> None:
    """One of `every` values is told in all of its records: what is left of the others' protection decides."""
    s = np.arange(2_000) % 20
    tells = np.where(s % every == 0, s, 20 + np.arange(2_000) % 7)
    table = Table((column("unit", tells), column("s", s)))
    lines = [line for line in table_lines(table, plan_for(table, s=4)) if line.name == "giveaway"]
    assert [line.light for line in lines if line.column == "unit"] == [Light.AMBER]
    (line,) = (line for line in lines if line.column == "unit")
    assert line.grave is grave
    assert Gate((line,)).wordless == ((line,) if grave else ())
    assert Gate((line,), {"giveaway": ""}).open is not grave
    assert Gate((line,), {"giveaway": "the units are known to all"}).open


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(2, 300, "0.7 %"), (2, 20_000, "< 0.1 %"), (19_999, 20_000, "> 99.9 %"), (0, 5, "0 %"), (5, 5, "100 %")],
)
def test_a_share_is_rounded_but_never_to_none_or_all(part: int, whole: int, text: str) -> None:
    assert share_of(part, whole) == text


def test_a_sensitive_column_of_which_nothing_is_protected_is_told() -> None:
    """All records have one value, so the draw leaves it: no green line may be all that is said."""
    table = Table(
        (Column.from_labels("test", ["negative"] * 40), Column.from_labels("ward", ["A", "B"] * 20)),
    )
    plan = Plan({"test": Role.SA, "ward": Role.NSA}, {"test": by_gamma(table["test"], 3)})
    lines = [line for line in table_lines(table, plan) if line.column == "test" and line.light is Light.AMBER]
    assert any("no value of it is protected" in line.sentence for line in lines)


def test_what_is_promised_is_what_the_persons_of_the_table_leave() -> None:
    """A draw per person keeps of its tolerances what the persons allow; gate and release must say the same figure."""
    chance = np.random.default_rng(5)
    who = np.repeat(np.arange(900), np.minimum(chance.geometric(0.5, 900), 6))
    usual = chance.choice(["died", "recovered", "unknown"], 900, p=[0.5, 0.3, 0.2])
    other = chance.choice(["died", "recovered", "unknown"], len(who), p=[0.5, 0.3, 0.2])
    table = Table(
        (
            Column.from_labels("who", [f"P{x}" for x in who]),
            Column.from_labels("outcome", np.where(chance.random(len(who)) < 0.6, usual[who], other).tolist()),
        )
    )
    draw = by_gamma(table["outcome"], 5)
    plan = Plan({"who": Role.IDENTIFIER, "outcome": Role.SA}, {"outcome": draw}, persons=ByPerson("who", "draw"))
    learned = plan.draws["outcome"].learned(table, "outcome", plan.thresholds)
    assert learned.words() != plan.draws["outcome"].words(), "else this test can't fail"
    said = {line.name: line.sentence for line in table_lines(table, plan)}
    assert learned.words() in said["eligible"]
    assert learned.chance() in said["persons"]
    german = language("de").sentence(said["persons"])
    assert "höchstens" in german
    assert "at most" not in german


def _line(columns: dict[str, Any], identifiers: set[str], name: str) -> Line:
    table = table_of(columns)
    roles = {each: Role.IDENTIFIER if each in identifiers else Role.NSA for each in table.names} | {"diag": Role.SA}
    (line,) = [each for each in table_lines(table, Plan(roles, {"diag": PlainGroups(2)})) if each.name == name]
    return line


def _surnames(numbers: np.ndarray) -> list[str]:
    return [f"Mei{chr(97 + at // 26)}{chr(97 + at % 26)}er" for at in numbers.tolist()]


def test_persons_are_told_by_names_and_births_and_by_numbers_in_two_spellings() -> None:
    """Each stay had a number of its own, or one person's was written in two ways: the tick said one record each."""
    n = 600
    rng = np.random.default_rng(2)
    who, diag = np.arange(n) // 2, rng.choice(["a", "b", "c"], n)
    surname, born = _surnames(who), [f"{w % 28 + 1:02}.05.{1930 + w % 70}" for w in who]
    stay, rest = np.arange(10_000, 10_000 + n), {"sex": rng.choice(["f", "m"], n), "diag": diag}
    numbered = {"patient_no": stay, "Nachname": surname, "Geburtsdatum": born, **rest}
    line = _line(numbered, {"patient_no", "Nachname", "Geburtsdatum"}, "persons")
    assert line.light is Light.AMBER
    assert "300 different persons" in line.sentence
    once = {**numbered, "Nachname": _surnames(np.arange(n))}
    assert _line(once, {"patient_no", "Nachname", "Geburtsdatum"}, "persons").light is Light.GREEN
    for first, second in (("M{:05d}", "m{:05d}"), ("M {:05d}", "M  {:05d}"), ("{:06d}", "0{:06d}")):
        spelled = [(first if at % 2 else second).format(w) for at, w in enumerate(who)]
        line = _line({"patient_no": spelled, **rest}, {"patient_no"}, "persons")
        assert line.light is Light.AMBER, first
        assert "300 values" in line.sentence


def test_of_records_without_a_number_nothing_is_said_of_persons() -> None:
    n = 300
    numbers = [f"M{at:05}" if at % 3 else "" for at in range(n)]
    line = _line(
        {"patient_no": numbers, "sex": ["f", "m"] * 150, "diag": ["a", "b", "c"] * 100}, {"patient_no"}, "persons"
    )
    assert "in 100 records without a value there nothing is known" in line.sentence


@pytest.mark.parametrize("written", ["%d%m%Y", "%y%m%d", "%j%Y"])
def test_no_tick_for_a_date_of_birth_in_digits(written: str) -> None:
    births = [(dt.date(1930, 1, 1) + dt.timedelta(37 * at)).strftime(written) for at in range(600)]
    line = _line({"Geburtsdatum": births, "diag": ["a", "b", "c"] * 200}, set(), "identifiers")
    assert line.light is Light.AMBER
    months = [f"{at % 12 + 1:02}{1940 + at % 60}" for at in range(600)]
    assert _line({"MYDOB": months, "diag": ["a", "b", "c"] * 200}, set(), "identifiers").light is Light.GREEN


def test_no_tick_for_persons_whose_records_are_elsewhere() -> None:
    """Names and births are looked at together, which counts of each alone can't tell."""
    who = np.arange(200)
    names = Column.from_labels("Nachname", _surnames(who))
    born = Column.from_labels("Geburtsdatum", [f"{1940 + w % 60}-05-{w % 28 + 1:02}" for w in who], kind=Kind.DATE)
    counted = Table(
        tuple(
            CountedColumn(
                each.name,
                each.kind,
                np.arange(each.m, dtype=np.int32),
                each.labels,
                each.missing,
                each.values,
                weights=2 * each.counts(),
                records=400,
            )
            for each in (names, born)
        )
    )
    line = persons_line(counted, counted, {})
    assert line.light is Light.AMBER
    assert "not looked at" in line.sentence


def test_no_tick_for_persons_whose_numbers_end_in_a_count() -> None:
    """Each record had a number of its own, the person's with the visit behind it; the tick said one record each."""
    n = 600
    who, diag = np.arange(n) // 3, ["a", "b", "c"] * (n // 3)
    visits = [f"{w:06}/{at % 3 + 1}" for at, w in enumerate(who)]
    line = _line({"patient_no": visits, "diag": diag}, {"patient_no"}, "persons")
    assert line.light is Light.AMBER
    assert "counts up" in line.sentence
    years = [f"{at:06}/{at % 5 + 20}" for at in range(n)]  # of the record
    assert _line({"patient_no": years, "diag": diag}, {"patient_no"}, "persons").light is Light.GREEN


def test_persons_are_told_by_names_and_years_where_chance_makes_no_such_namesakes() -> None:
    n = 600
    rng, diag = np.random.default_rng(4), ["a", "b", "c"] * 200
    numbers = [str(at + 5_000) for at in range(n)]
    surnames, names, years = (
        rng.choice(_surnames(np.arange(150)), n),
        rng.choice(["Anna", "Bert", "Carla", "Dora", "Emil", "Fritz"], n),
        rng.integers(1930, 2000, n),
    )
    told = {"patient_no", "Nachname", "Vorname"}
    who = np.arange(n) // 3
    for some in (np.arange(n), who):
        found = {"patient_no": numbers, "Nachname": surnames[some], "Vorname": names[some], "diag": diag}
        assert _line(found, told, "persons").light is (Light.AMBER if some is who else Light.GREEN)
        found |= {"Vorname": ["Anna"] * n, "birth_year": years[some]}
        assert _line(found, told, "persons").light is (Light.AMBER if some is who else Light.GREEN)


def test_no_tick_for_keys_of_letters_and_digits() -> None:
    keys = [hashlib.sha256(str(at // 3).encode()).hexdigest()[:12] for at in range(600)]
    table = {"h": keys, "diag": ["a", "b", "c"] * 200}
    assert _line(table, set(), "identifiers").light is Light.AMBER
    assert "200 values of “h”" in _line(table, set(), "persons").sentence


def test_the_tick_for_identifiers_names_the_columns_that_nobody_can_read() -> None:
    line = _line({"Summe": [1, 2, 3] * 200, "diag": ["a", "b", "c"] * 200}, set(), "identifiers")
    assert line.light is Light.GREEN
    assert "“Summe”" in line.sentence
    assert "known to you alone" in line.sentence


@pytest.mark.parametrize("written", ["{0}{1}", "{0}.{1}"])
def test_no_tick_for_a_number_whose_last_digit_tells(written: str) -> None:
    rng = np.random.default_rng(3)
    told = rng.integers(0, 4, 1_200)
    amounts = [written.format(*each) for each in zip(rng.integers(1_000, 9_999, 1_200), told, strict=True)]
    assert _line({"amount": amounts, "diag": [f"d{at}" for at in told]}, set(), "giveaway").light is Light.AMBER
    rng.shuffle(told)
    assert _line({"amount": amounts, "diag": [f"d{at}" for at in told]}, set(), "giveaway").light is Light.GREEN


@pytest.mark.parametrize("written", ["%d%m%Y", "%Y%m%d"])
def test_no_tick_for_two_days_in_digits_whose_distance_tells(written: str) -> None:
    rng = np.random.default_rng(5)
    told, first = rng.integers(0, 4, 1_200), rng.integers(0, 300, 1_200)

    def days(numbers: np.ndarray) -> list[str]:
        return [(dt.date(2024, 1, 1) + dt.timedelta(int(at))).strftime(written) for at in numbers]

    table = {"von": days(first), "bis": days(first + 2 * told), "diag": [f"d{at}" for at in told]}
    line = _line(table, set(), "giveaway")
    assert line.light is Light.AMBER
    assert re.search(r" in (\d+) of the \1 records", line.sentence)
    assert "3 other values" in line.sentence


@pytest.mark.parametrize("certainty", [0.15, 0.34])
@pytest.mark.parametrize("often", [0.12, 0.3])
def test_a_group_size_that_is_offered_keeps_the_limit(certainty: float, often: float) -> None:
    """The next larger one before a smaller one; none is offered where none does, nor where guessing does better."""
    codes = np.concatenate((np.zeros(round(600 * often), int), np.arange(600 - round(600 * often)) % 11 + 1))
    table = Table((column("ward", np.arange(600) % 3), column("s", codes)))
    audience = Audience("partner", changed={"certainty": (certainty, "a test")})
    plan = Plan({"ward": Role.NSA, "s": Role.SA}, plain({"s": 2}), audience=audience)
    sizes = range(2, 13)
    keeping = [gamma for gamma in sizes if not exceeded(audience, table["s"], by_gamma(table["s"], gamma))]
    for now in (2, 8):
        found = kept_by(table, plan, ["s"], now, sizes)
        assert bool(found) == any(gamma != now for gamma in keeping)
        if found:
            assert found in keeping
            assert (found > now) == any(gamma > now for gamma in keeping)
    assert not kept_by(table, replace(plan, audience=None), ["s"], 2, sizes)
