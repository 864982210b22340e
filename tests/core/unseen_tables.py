"""Invented tables unlike the sample, each with what makes it awkward; the columns depend little on each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from splu_desktop.core.table import Kind, Table
from tests.columns import column_of

Chance = np.random.Generator
_KINDS = {"i": Kind.INTEGER, "u": Kind.INTEGER, "f": Kind.DECIMAL}


def _table(columns: dict[str, np.ndarray]) -> Table:
    found = []
    for name, values in columns.items():
        kind = _KINDS.get(values.dtype.kind, Kind.CATEGORY)
        if values.dtype.kind == "M":
            kind = Kind.DATE
        texts = np.array(["" if text == "NaT" else text for text in values.astype(str)], object)
        found.append(column_of(name, texts, kind=kind))
    return Table(tuple(found))


def _days(chance: Chance, n: int, start: str = "2022-01-01", span: int = 900) -> np.ndarray:
    return np.datetime64(start) + chance.integers(0, span, n).astype("timedelta64[D]")


def intensive_care(chance: Chance, n: int = 3_000, persons: int = 1_100) -> Table:
    """Several stays of a person, German headers, a number and an answer of nearly half."""
    who = chance.integers(0, persons, n)
    ill = ["Sepsis", "Pneumonie", "Herzinfarkt", "Schlaganfall", "Polytrauma", "Pankreatitis"]
    return _table({
        "Patienten-ID": np.char.add("ITS-", (who + 3_000).astype(str)),
        "Alter": chance.integers(18, 95, persons)[who],
        "Geschlecht": chance.choice(["m", "w"], persons, p=[0.58, 0.42])[who],
        "Station": chance.choice(["ITS 1", "ITS 2", "Stroke Unit", "IMC"], n, p=[0.4, 0.3, 0.1, 0.2]),
        "Aufnahmedatum": _days(chance, n),
        "Hauptdiagnose": chance.choice(ill, n, p=[0.3, 0.25, 0.2, 0.12, 0.08, 0.05]),
        "Beatmung": chance.choice(["ja", "nein"], n, p=[0.45, 0.55]),
        "Laktat max": np.round(chance.gamma(2, 1.5, n), 1),
        "verstorben": chance.choice(["nein", "ja"], n, p=[0.84, 0.16]),
    })  # fmt: skip


def trial(chance: Chance, n: int = 200) -> Table:
    """200 persons in two arms of the same size."""
    return _table({
        "subject": np.char.add("S", np.arange(1_000, 1_000 + n).astype(str)),
        "age": chance.integers(18, 80, n),
        "sex": chance.choice(["F", "M"], n),
        "arm": chance.permutation(np.array(["placebo", "drug"] * (n // 2))),
        "response": chance.permutation(np.repeat(["complete", "partial", "none"], [62, 62, n - 124])),
        "adverse_event": chance.choice(["none", "nausea", "headache", "rash"], n, p=[0.55, 0.2, 0.15, 0.1]),
    })  # fmt: skip


def screening(chance: Chance, n: int = 6_000) -> Table:
    """One value has nearly everybody, and the rows are numbered under a medical name."""
    return _table({
        "lab_no": np.arange(1_000_000, 1_000_000 + n),
        "collection_date": _days(chance, n, span=365),
        "sex": chance.choice(["female", "male"], n),
        "age": chance.integers(0, 99, n),
        "method": chance.choice(["PCR", "antigen"], n, p=[0.8, 0.2]),
        "result": chance.choice(["negative", "positive", "indeterminate"], n, p=[0.955, 0.04, 0.005]),
    })  # fmt: skip


def consultations(chance: Chance, n: int = 4_000) -> Table:
    """French headers, ages in bands, postcodes, days."""
    why = ["fièvre", "toux", "douleur abdominale", "céphalées", "suivi", "vaccination"]
    given = ["paracétamol", "amoxicilline", "ibuprofène", "aucun"]
    return _table({
        "tranche d'âge": chance.choice(["0-9", "10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "70 et plus"], n),
        "sexe": chance.choice(["femme", "homme"], n),
        "code postal": chance.choice(["75001", "75011", "13001", "69003", "31000", "33000", "44000", "59000"], n),
        "date de consultation": _days(chance, n),
        "motif de consultation": chance.choice(why, n, p=[0.2, 0.25, 0.15, 0.1, 0.2, 0.1]),
        "médicament prescrit": chance.choice(given, n, p=[0.35, 0.2, 0.15, 0.3]),
        "arrêt de travail": chance.choice(["oui", "non"], n, p=[0.2, 0.8]),
    })  # fmt: skip


def measurements(chance: Chance, n: int = 5_000) -> Table:
    """All that is secret is a number; years of birth, twelve districts."""
    age = chance.integers(20, 90, n)
    return _table({
        "participant_id": np.char.add("KA", (100_000 + chance.permutation(n)).astype(str)),
        "birth_year": 2023 - age,
        "sex": chance.choice([1, 2], n),
        "district": np.char.add("District ", chance.integers(1, 13, n).astype(str)),
        "hba1c": np.round(chance.normal(5.6, 0.9, n).clip(3.5, 14), 1),
        "systolic_bp": chance.normal(110 + age * 0.4, 14).round().astype(int),
        "household_income": (chance.lognormal(10.6, 0.6, n) / 100).round().astype(int) * 100,
    })  # fmt: skip


def registry(chance: Chance, n: int = 2_500) -> Table:
    """Secret dates, which most do not have."""
    begun = _days(chance, n, "2015-01-01", 2_500)
    relapse, death = begun + chance.integers(30, 1_000, n), begun + chance.integers(10, 1_500, n)
    relapse[chance.random(n) > 0.4] = np.datetime64("NaT")
    death[chance.random(n) > 0.35] = np.datetime64("NaT")
    return _table({
        "study_no": np.arange(1, n + 1),
        "birth_date": _days(chance, n, "1935-01-01", 20_000),
        "gender": chance.choice(["Male", "Female"], n),
        "hospital": chance.choice(["A", "B", "C"], n),
        "diagnosis_date": begun,
        "relapse_date": relapse,
        "date_of_death": death,
        "tumour_stage": chance.choice(["I", "II", "III", "IV"], n, p=[0.3, 0.3, 0.25, 0.15]),
    })  # fmt: skip


def rare_disease(chance: Chance, n: int = 15_000) -> Table:
    """One person in 500 has it."""
    return _table({
        "pid": chance.permutation(n) + 100_000,
        "age": chance.integers(0, 95, n),
        "sex": chance.choice(["m", "f"], n),
        "canton": chance.choice(["ZH", "BE", "VD", "AG", "SG", "GE"], n, p=[0.3, 0.25, 0.15, 0.1, 0.1, 0.1]),
        "rare_disease": np.where(chance.random(n) < 1 / 500, "yes", "no"),
        "treatment_model": chance.choice(["standard", "hmo", "telmed"], n),
    })  # fmt: skip


def discharges(chance: Chance, n: int = 8_000) -> Table:
    """Twelve hospitals, two dates, persons with several stays, a sex that hardly anybody has."""
    ill = ["I21.4", "I50.1", "J18.9", "K35.8", "S72.0", "C50.9", "E11.9", "N39.0"]
    return _table({
        "hospital": np.char.add("Hospital ", chance.choice(list("ABCDEFGHIJKL"), n)),
        "patient": np.char.add("P", (100_000 + chance.integers(0, 6_000, n)).astype(str)),
        "age_at_admission": chance.integers(0, 100, n),
        "sex": chance.choice(["M", "F", "U"], n, p=[0.49, 0.5, 0.01]),
        "admission": _days(chance, n),
        "discharge": _days(chance, n),
        "principal_diagnosis": chance.choice(ill, n, p=[0.2, 0.15, 0.15, 0.1, 0.1, 0.1, 0.1, 0.1]),
        "discharge_type": chance.choice(["home", "transfer", "death", "rehab"], n, p=[0.7, 0.12, 0.05, 0.13]),
        "los": chance.geometric(0.18, n),
    })  # fmt: skip


def staff_survey(chance: Chance, n: int = 1_500) -> Table:
    """20 secret columns that all follow one mood."""
    mood = chance.normal(size=n)
    words = ["stress", "burnout", "sleep", "mobbing", "alcohol", "pain", "mood", "fear", "support", "leave"]
    answers = {
        f"q{at + 1}_{words[at % 10]}": np.digitize(mood * 0.6 + chance.normal(size=n), [-1, -0.3, 0.3, 1]) + 1
        for at in range(20)
    }
    known = {
        "age": chance.integers(18, 70, n),
        "gender": chance.choice(["woman", "man", "diverse"], n, p=[0.55, 0.44, 0.01]),
        "department": chance.choice(["nursing", "administration", "physicians", "kitchen"], n, p=[0.5, 0.2, 0.2, 0.1]),
    }
    return _table({**known, **answers})


def flags(chance: Chance, n: int = 4_000) -> Table:
    """40 illnesses, yes or no."""
    words = (
        "hypertension diabetes copd asthma ckd depression anxiety cancer stroke chf cad afib obesity anemia arthritis "
        "gout hepatitis hiv epilepsy migraine psoriasis ibd osteoporosis dementia parkinson thyroid glaucoma cataract "
        "apnea alcohol smoking opioids ulcer reflux gallstones tb sarcoid lupus ms fracture"
    )
    known = {
        "age_group": chance.choice(["18-29", "30-44", "45-59", "60-74", "75+"], n),
        "gender": chance.choice(["female", "male"], n),
    }
    ill = {word: (chance.random(n) < chance.uniform(0.03, 0.25)).astype(int) for word in words.split()}
    return _table({**known, **ill})


TABLES: dict[str, Callable[[Chance], Table]] = {
    each.__name__: each
    for each in (
        intensive_care, trial, screening, consultations, measurements, registry, rare_disease, discharges,
        staff_survey, flags,
    )
}  # fmt: skip
