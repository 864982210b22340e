"""Persons with several records."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_desktop.core.checks.gate import Light, Line, table_lines
from splu_desktop.core.draw.ways import by_gamma, by_tolerances
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.persons import PerPerson, Repeats, per_person, persons_of, right_guesses, rounded_up
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.sanitise import run
from splu_desktop.core.table import Column, Kind, Table
from tests.core.tables import column, plan_for
from tests.draws import plain
from tests.seeded import Seeded


def _rows_of_chances(counts: list[int], a: float) -> np.ndarray:
    f = np.array(counts, float)
    prior = f / f.sum()
    rows = np.tile((1 - a) * prior / (1 - prior), (len(f), 1))
    np.fill_diagonal(rows, 0)
    rows *= (1 - a) / rows.sum(axis=1, keepdims=True)
    np.fill_diagonal(rows, a)
    return rows


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=2, max_size=4), st.integers(1, 4), st.sampled_from([1 / 2, 1 / 3, 1 / 5]))
def test_right_guesses_are_those_of_all_draws_counted_one_by_one(counts: list[int], k: int, a: float) -> None:
    """The sum over all m^k rows of a person of the largest joint probability."""
    prior, chances = np.array(counts) / sum(counts), _rows_of_chances(counts, a)
    exact = sum(
        float((prior * np.prod(chances[:, list(seen)], axis=1)).max())
        for seen in itertools.product(range(len(counts)), repeat=k)
    )
    assert right_guesses(counts, a, k) == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize(
    "chances", [[[1, 0], [0.1, 0.9]], [[0.5, 0.5], [0, 1]], [[1, 0], [0, 1]], [[0.3, 0.7], [0.2, 0.8]]]
)
def test_right_guesses_hold_where_records_join_a_value_and_none_leaves_it(chances: list[list[float]], k: int) -> None:
    counts, rows = np.array([30.0, 70.0]), np.array(chances)
    exact = sum(
        float((counts / 100 * np.prod(rows[:, list(seen)], axis=1)).max())
        for seen in itertools.product(range(2), repeat=k)
    )
    with np.errstate(all="raise", under="ignore"):
        assert right_guesses(counts, np.diag(rows), k, counts @ rows) == pytest.approx(exact, abs=1e-9)


def test_who_sees_more_rows_is_surer() -> None:
    counts = 1 / np.arange(2, 200)
    guesses = [right_guesses(counts, 0.25, k) for k in (1, 2, 3, 5, 10, 20, 50)]
    assert guesses == sorted(guesses)
    assert guesses[0] == pytest.approx(0.25)
    assert guesses[-1] > 0.99
    assert right_guesses([50, 50], 0.5, 30) == pytest.approx(0.5), "both values at the limit: nothing is left to see"


def _visits(n: int = 6_000, name: str = "patient_nbr") -> Table:
    """Some hundred persons with some records each, the value of each person the same in all."""
    rng = np.random.default_rng(6)
    persons = np.sort(rng.integers(0, n // 6, n))
    value = rng.integers(0, 12, n // 6)[persons]
    labels = [f"{100_000 + 7 * i}" for i in range(int(persons.max()) + 1)]
    return Table((column(name, persons, labels), column("free", rng.integers(0, 4, n)), column("s", value)))


def _guessed(table: Table, gamma: int, releases: int) -> dict[int, tuple[int, int]]:
    """Return records k -> (persons, guessed right), by an attacker who sees all rows of a person in releases."""
    plan = Plan(dict.fromkeys(("person", "free", "truth"), Role.NSA) | {"s": Role.SA}, plain({"s": gamma}))
    told = Table(
        (Column("person", *_rest(table["patient_nbr"])), table["free"], Column("truth", *_rest(table["s"])), table["s"])
    )
    found: dict[int, tuple[int, int]] = {}
    chances = _rows_of_chances(table["s"].counts().tolist(), (table.n // gamma) / table.n)
    for seed in range(releases):
        published = run(told, plan, randomness=Seeded(seed)).table
        person, truth, shown = (published[name].codes for name in ("person", "truth", "s"))
        score = np.tile(np.log(table["s"].counts() / table.n), (published["person"].m, 1))
        np.add.at(score, person, np.log(chances[:, shown].T))
        right = score.argmax(axis=1)
        own = np.zeros(published["person"].m, int)
        own[person] = truth
        for k in (3, 6, 9):
            those = published["person"].counts() == k
            persons, sure = found.get(k, (0, 0))
            found[k] = persons + int(those.sum()), sure + int((right == own)[those].sum())
    return found


def _rest(source: Column) -> tuple[object, ...]:
    return source.kind, source.codes, source.labels, source.missing


def test_the_promise_per_person_is_what_an_attacker_reaches() -> None:
    """By k records, over three releases, within 4 standard errors."""
    table = _visits()
    for k, (persons, right) in _guessed(table, 4, 3).items():
        stated = right_guesses(table["s"].counts(), 0.25, k)
        assert persons > 100
        assert abs(right / persons - stated) < 4 * np.sqrt(0.25 / persons)


def test_a_release_tells_the_promise_that_its_plan_told() -> None:
    """Also of a column drawn joined, whose published counts are not true."""
    table = _visits(20_000)
    flag = column("s", (np.random.default_rng(5).random(table.n) < 0.06).astype(int), ["no", "yes"])
    table = Table((table["patient_nbr"], table["free"], flag))
    draw = by_tolerances(flag, Tolerances({"no": Fraction(1), "yes": Fraction("0.2")}), "joined")
    plan = Plan({"patient_nbr": Role.IDENTIFIER, "free": Role.NSA, "s": Role.SA}, {"s": draw})
    known, published = Repeats(5, 2.0), run(table, plan, randomness=Seeded(3))
    planned = per_person(known, table, published.draws)
    told = per_person(known, published.table, published.draws, published=True)
    assert abs(published.counts("s")[1] - flag.counts()[1]) > 500
    assert told.before == pytest.approx(planned.before, abs=0.01)
    assert dict(told.right) == pytest.approx(dict(planned.right), abs=0.01)
    assert "what the release tells of the true counts" in told.sentence
    assert "what the release tells" not in planned.sentence


def test_an_identifier_that_repeats_is_found_whatever_its_role() -> None:
    table = _visits()
    found = persons_of(table)
    assert found is not None
    counts = table["patient_nbr"].counts()
    counts = counts[counts > 0]
    assert (found.column, found.persons, found.largest) == ("patient_nbr", len(counts), counts.max())
    for role in (Role.IDENTIFIER, Role.DROPPED):
        plan = Plan({"patient_nbr": role, "free": Role.NSA, "s": Role.SA}, plain({"s": 4}))
        (line,) = [line for line in table_lines(table, plan) if line.name == "persons"]
        assert line.light is Light.AMBER
        assert f"up to {rounded_up(found.largest)} each" in line.sentence
        assert run(table, plan, randomness=Seeded(1)).repeats == Repeats(
            rounded_up(found.largest), round(found.mean, 1)
        )


@pytest.mark.parametrize("name", ["Matricule", "c1", "Kürzel", "identifiant"])
@pytest.mark.parametrize("code", ["M{:05d}", "{:d}", "{:x}9"])
def test_what_somebody_says_identifies_a_person_numbers_persons(name: str, code: str) -> None:
    """Whatever its name: of one prefix and as many digits also where nobody says so."""
    numbers = np.random.default_rng(7).integers(0, 500, 1200)
    who = column(name, numbers, [code.format(each) for each in range(int(numbers.max()) + 1)])
    table = Table((who, column("s", np.arange(1200) % 9), column("c", np.zeros(1200))))
    plan = Plan({name: Role.IDENTIFIER, "c": Role.NSA, "s": Role.SA}, plain({"s": 4}))
    (line,) = [line for line in table_lines(table, plan) if line.name == "persons"]
    assert line.light is Light.AMBER
    released = run(table, plan, randomness=Seeded(1)).repeats
    assert released is not None
    assert released.largest >= 2
    assert (persons_of(table) is not None) == (code == "M{:05d}" or name in ("Matricule", "identifiant"))


def test_what_names_and_reaches_persons_numbers_none() -> None:
    """Surnames, wards and telephones repeat among persons, also where somebody calls them identifiers."""
    rows = np.arange(1200)
    named = {
        "Nachname": ("Meier-{:c}", 40),
        "Telefon": ("030/{:06d}", 400),
        "room": ("R{:03d}", 40),
        "icd": ("C{:03d}", 400),
    }
    table = Table(
        tuple(
            column(name, rows % many, [text.format(each + 97) for each in range(many)])
            for name, (text, many) in named.items()
        )
    )
    assert persons_of(table, told=table.names) is None


@pytest.mark.parametrize(
    "name", ["encounter_id", "visit id", "Fallnummer", "doctor id", "facility id", "postcode", "icd"]
)
def test_what_is_no_person_is_not_taken_for_one(name: str) -> None:
    """A stay's number that does not repeat says nothing of persons; numbers of others than patients never do."""
    table = Table((column(name, np.arange(600)), column("s", np.arange(600) % 9)))
    (line,) = [line for line in table_lines(table, plan_for(table, s=4)) if line.name == "persons"]
    assert line.light is Light.GREEN
    assert "nothing in the table tells whether persons have several" in line.sentence


@pytest.mark.parametrize(
    "name",
    ["PatientId", "Patientennummer", "mrn", "numéro patient", "Person", "ID", "NHS number", "encounter_id", "pid"],
)
def test_numbers_that_repeat_are_found_in_any_language(name: str) -> None:
    found = persons_of(_visits(name=name))
    assert found is not None
    assert found.repeats


@pytest.mark.parametrize(
    "name", ["doctor id", "Facility Id", "infector", "postcode", "diagnosis", "age", "household id"]
)
def test_what_repeats_by_its_nature_is_no_person(name: str) -> None:
    found = persons_of(_visits(name=name))
    assert found is None


@pytest.mark.parametrize("name", ["Block no", "barcode", "No", "Nr.", "lfd. Nr.", "ID", "Form", "account number"])
def test_a_number_of_records_or_samples_promises_nothing_of_persons(name: str) -> None:
    """What does not repeat tells of persons only where its name or form is a person's, whoever marks it."""
    table = Table((column(name, np.arange(600), [f"H{i:05d}" for i in range(600)]), column("s", np.arange(600) % 9)))
    plan = Plan({name: Role.IDENTIFIER, "s": Role.SA}, plain({"s": 4}))
    (line,) = [line for line in table_lines(table, plan) if line.name == "persons"]
    assert "nothing in the table tells whether persons have several" in line.sentence
    assert run(table, plan, randomness=Seeded(1)).repeats is None


@pytest.mark.parametrize("name", ["erfasst von", "signed by", "Bearbeiter", "device serial", "GMC no", "unterschrift"])
def test_who_wrote_or_measured_is_no_person_with_several_records(name: str) -> None:
    assert persons_of(_visits(name=name)) is None


@pytest.mark.parametrize(("name", "code"), [("Kzl.", "{:c}{:05d}/{:02d}"), ("xyz", "{2:d}{1:05d}")])
def test_codes_that_repeat_under_an_unknown_name_are_asked_about(name: str, code: str) -> None:
    """They are not left to a tick; marked as an identifier they number persons, and a code of a place is not asked."""
    who = np.random.default_rng(3).integers(0, 700, 1200)
    codes = [code.format(75 + i % 5, i * 7, 10 + i % 80) for i in range(int(who.max()) + 1)]
    other = [f"{3000 + i % 90} {chr(65 + i % 23)}{chr(65 + i % 7)}" for i in range(700)]
    table = Table(
        (
            column(name, who, codes),
            column("Postcode", who[::-1], other[: int(who.max()) + 1]),
            column("s", np.arange(1200) % 9),
        )
    )
    for role in (Role.DROPPED, Role.IDENTIFIER):
        plan = Plan({name: role, "Postcode": Role.DROPPED, "s": Role.SA}, plain({"s": 4}))
        (line,) = [line for line in table_lines(table, plan) if line.name == "persons"]
        assert (line.light, line.column) == (Light.AMBER, name)
        assert ("Mark it as an identifier" in line.sentence) == (role is Role.DROPPED)


@pytest.mark.parametrize("trait", ["Age", "Sex"])
def test_codes_of_many_forms_are_asked_about_where_each_keeps_its_age_or_sex(trait: str) -> None:
    """A clinic's numbers from three programs; a lot's number says nothing of who got it."""
    chance = np.random.default_rng(3)
    who = chance.integers(0, 700, 2000)
    forms = ("{:02d}-K/{}", "DC {:04d}X{}", "{}.{:03d}")
    kept = column(trait, chance.integers(0, 2 if trait == "Sex" else 60, 700)[who])
    lots = column("Batch", chance.integers(0, 150, 2000), [forms[i % 3].format(i, i * 7) for i in range(150)])
    codes = [forms[i % 3].format(i, i * 7) for i in range(700)]
    for table, asked in (((column("Kürzel", who, codes), kept), True), ((lots, kept), False)):
        drawn = Table((*table, column("s", np.arange(2000) % 9)))
        roles = {each.name: Role.DROPPED for each in table} | {"s": Role.SA}
        (line,) = [line for line in table_lines(drawn, Plan(roles, plain({"s": 4}))) if line.name == "persons"]
        assert ("Mark it as an identifier" in line.sentence) == asked


@pytest.mark.parametrize("counts", [{"no": 282, "yes": 38}, {"a": 118, "b": 81, "c": 42, "d": 41, "e": 22, "f": 16}])
def test_how_far_off_the_commonest_value_may_be_holds(counts: dict[str, int]) -> None:
    """“May be some points off” stood beside 63 % where 88 are right. 60 releases: false alarm below 1e-3 at 95 %."""
    table = Table((Column.from_labels("s", [label for label, count in counts.items() for _ in range(count)]),))
    plan = Plan({"s": Role.SA}, {"s": by_gamma(table["s"], 5)})
    held, true = 0, max(counts.values()) / table.n
    for seed in range(60):
        published = run(table, plan, randomness=Seeded(seed))
        told = per_person(Repeats(5, 1.7), published.table, published.draws, published=True)
        assert told.off is not None
        assert 0.03 < told.off < 0.3
        held += abs(told.before - true) <= told.off
    assert held >= 50


def _persons_line(table: Table, *identifiers: str) -> Line:
    roles = dict.fromkeys(table.names, Role.DROPPED) | dict.fromkeys(identifiers, Role.IDENTIFIER) | {"s": Role.SA}
    (line,) = [line for line in table_lines(table, Plan(roles, plain({"s": 4}))) if line.name == "persons"]
    return line


def test_children_of_one_mother_have_what_is_hers_in_several_records() -> None:
    """“Nothing in the table tells whether persons have several” of 2,401 mothers in 2,749 births."""
    mothers = np.sort(np.append(np.arange(1_000), np.arange(150)))
    codes = [f"M{1_000 + each}" for each in range(1_000)]
    children, s = column("Kind", np.arange(1_150), [str(7_000 + i) for i in range(1_150)]), np.arange(1_150) % 9
    table = Table((column("Mutter", mothers, codes), children, column("s", s)))
    line = _persons_line(table, "Mutter", "Kind")
    assert "1000 values of “Mutter” in 1150 records" in line.sentence.replace(",", "")
    # A child that comes again is the person, and not its mother; and who nobody says is a person is none.
    again = Table((column("Mutter", np.arange(2_300) // 3, codes), column("patient id", np.arange(2_300) // 2)))
    found = persons_of(again, told=again.names)
    assert found is not None
    assert found.column == "patient id"
    assert persons_of(again.select(["Mutter"])) is None


def test_of_stays_it_is_asked_whether_persons_have_several() -> None:
    """“Persons have several records, 23 at most” was of stays: the persons had up to 67."""
    stay = np.repeat(np.arange(400), 5)
    persons = column("Wristband", stay // 2, [str(602_282 + 7 * i) for i in range(200)])
    table = Table((column("Episode ref", stay), persons, column("s", np.arange(2_000) % 9)))
    line = _persons_line(table, "Episode ref")
    assert "400 values of “Episode ref”" in line.sentence
    assert "If “Wristband” tells persons, they have more, for it has 200 values" in line.sentence
    assert "200 values of “Wristband”" in _persons_line(table, "Episode ref", "Wristband").sentence


def test_a_measured_number_tells_no_persons_whatever_its_name_means_elsewhere() -> None:
    """“889 values of PCT stand in 2,000 records”: procalcitonin, which is a patient's number in another system."""
    rng = np.random.default_rng(7)
    measured = [f"{each:.2f}" for each in np.abs(rng.normal(3, 6, 2_000)) + 0.02]
    table = Table((Column.from_labels("PCT", measured, kind=Kind.DECIMAL), column("s", np.arange(2_000) % 9)))
    assert persons_of(table) is None
    assert _persons_line(table).light is Light.GREEN


@pytest.mark.parametrize("repeats", [False, True])
def test_persons_are_told_by_their_day_of_birth_with_sex_and_place(*, repeats: bool) -> None:
    """“Nothing in the table tells whether persons have several records” of 658 persons in 2,000."""
    rng = np.random.default_rng(7)
    who = rng.integers(0, 700, 2_000) if repeats else np.arange(2_000)
    born = rng.integers(0, 20_000, 2_000)[who]
    days = [str(np.datetime64("1950-01-01") + day) for day in range(20_000)]
    place, sex = column("plz", who % 97, [f"{10_000 + i}" for i in range(97)]), column("sex", who % 2, ["f", "m"])
    birth = Column.from_labels("dob", [days[day] for day in born], kind=Kind.DATE)
    line = _persons_line(Table((birth, place, sex, column("s", np.arange(2_000) % 9))), "dob")
    assert line.light is (Light.AMBER if repeats else Light.GREEN)
    assert ("by “dob”, “sex” and “plz”" in line.sentence) is repeats


def test_one_record_per_person_is_said_so() -> None:
    table = Table((column("patient id", np.arange(600)), column("s", np.arange(600) % 9)))
    (line,) = [line for line in table_lines(table, plan_for(table, s=4)) if line.name == "persons"]
    assert (line.light, line.column) == (Light.GREEN, "patient id")
    assert "Each value of “patient id” stands in one record" in line.sentence


def test_what_is_handed_out_of_the_one_with_the_most_is_rounded_up() -> None:
    assert [rounded_up(k) for k in (1, 2, 3, 4, 6, 11, 21, 40, 51, 101, 350)] == [
        1,
        2,
        3,
        5,
        10,
        20,
        30,
        50,
        100,
        200,
        500,
    ]
    told = per_person(Repeats(20, 2.4), _visits(), plain({"s": 4}))
    assert [k for k, _ in told.right] == [2, 5, 20]
    assert "who sees all records of a person guesses “s”" in told.sentence


def test_no_tick_where_a_column_holds_diagnoses_whatever_it_is_called() -> None:
    """Names that say nothing, values that do: the gate looks at both."""
    rng = np.random.default_rng(7)
    codes = [f"{letter}{number:02d}.{digit}" for letter in "EIJK" for number in range(10, 20) for digit in range(2)]
    table = Table((column("X1", rng.integers(0, 80, 2_000), sorted(codes)), column("s", rng.integers(0, 9, 2_000))))
    lines = [line for line in table_lines(table, plan_for(table, s=4)) if line.name in ("identifiers", "sensitive")]
    assert [(line.name, line.light, line.column) for line in lines] == [("sensitive", Light.AMBER, "X1")]


def test_where_one_decides_the_promise_is_told_in_short() -> None:
    """The line with all chances was seven lines high beside the choice that it explains."""
    told = PerPerson("s", ((2, 0.2), (5, 0.34), (50, 0.987)), before=0.067)
    assert told.in_short == (
        "Who sees all of a person's guesses “s”, the same in all, rightly in up to 98.7 % of the cases; who sees none, "
        "in 6.7 %."
    )
    assert len(told.in_short) < len(told.sentence) * 3 / 4
