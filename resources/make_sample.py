"""Write `sample_hospital.xlsx`: 20,000 invented admissions to try SPLU Desktop on.

Run it as ``python resources/make_sample.py [FILE]``; the same file comes out every time. Nobody in it exists: names are
made of parts that no one bears, and no British postcode begins with Q. The seed is fixed because this is an example and
not a release; releases never have a seed.

What the columns owe to each other, so that counts in the sample have something to tell:

==================  ====================================================================================================
Diagnosis           60 values with the fixed counts below, from 1,560 records (7.8 %, eligible up to gamma 12) to 1
Age, sex            by diagnosis; date of birth = admission date less the age
Postcode            24 areas; QB is deprived (smoking, drinking and what they cause), QC is where the old live
Smoker              by diagnosis (COPD, lung cancer, heart attack ...), age and area; 4 % unknown
Alcohol             units a week in ten bands, by diagnosis, sex, age and area; the second sensitive column
Admission date      2024 and 2025, with a season for influenza, pneumonia, COPD, bronchiolitis and others
Length of stay      days, by diagnosis, longer with age
Ward                the diagnosis's own ward for most; children to Paediatrics, many of the very old to Geriatrics
==================  ====================================================================================================

Some dates of birth, postcodes, lengths of stay and alcohol entries are empty, as in life.
Each record is another person.
"""

from __future__ import annotations

import sys
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xlsxwriter
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

SEED = 20_251_231
FIRST_DAY = date(2024, 1, 1)
DAYS = 731  # 2024 is a leap year

MEDICINE, CARDIOLOGY, RESPIRATORY, SURGERY = "General medicine", "Cardiology", "Respiratory", "Surgery"
ORTHOPAEDICS, MATERNITY, PAEDIATRICS, ONCOLOGY = "Orthopaedics", "Maternity", "Paediatrics", "Oncology"
NEUROLOGY, MENTAL, GERIATRICS = "Neurology", "Mental health", "Geriatrics"


class Diagnosis(NamedTuple):
    """One diagnosis: how many records have it, and whom it meets."""

    name: str
    records: int
    ward: str
    female: float  # share of women
    age: float  # mean, years
    spread: float  # standard deviation of age, years
    stay: float  # median length of stay, days
    youngest: int = 0
    oldest: int = 100
    smoking: float = 0.0  # added to the log-odds of smoking
    drinking: float = 0.0  # added to the drinking score, in standard deviations
    deprivation: float = 0.0  # added to the log-weight of the deprived areas
    winter: float = 0.0  # strength of the season, peak in mid-January (negative: mid-July)


DIAGNOSES = (
    Diagnosis("Heart failure", 1560, CARDIOLOGY, 0.48, 76, 11, 7, 30, smoking=0.3, winter=0.2),
    Diagnosis("Normal delivery", 1480, MATERNITY, 1.0, 30, 5.5, 2, 16, 48, smoking=-0.5, drinking=-1.2),
    Diagnosis("Pneumonia", 1350, RESPIRATORY, 0.48, 66, 21, 6, smoking=0.6, winter=0.7),
    Diagnosis("Osteoarthritis of hip or knee", 1150, ORTHOPAEDICS, 0.57, 68, 10, 4, 35, smoking=-0.2),
    Diagnosis("COPD", 1040, RESPIRATORY, 0.47, 69, 10, 5, 40, smoking=2.6, deprivation=0.8, winter=0.6),
    Diagnosis("Gallstones", 920, SURGERY, 0.63, 54, 17, 2, 18),
    Diagnosis("Atrial fibrillation", 880, CARDIOLOGY, 0.45, 71, 12, 2, 25, drinking=0.3),
    Diagnosis("Heart attack", 850, CARDIOLOGY, 0.33, 67, 13, 4, 30, smoking=1.3, deprivation=0.3, winter=0.15),
    Diagnosis("Stroke", 820, NEUROLOGY, 0.49, 74, 13, 8, 25, smoking=0.8, drinking=0.2),
    Diagnosis("Urinary tract infection", 750, MEDICINE, 0.66, 68, 22, 4),
    Diagnosis("Inguinal hernia", 710, SURGERY, 0.09, 60, 16, 1, 1),
    Diagnosis("Fracture of hip", 640, ORTHOPAEDICS, 0.7, 81, 10, 10, 40, winter=0.15),
    Diagnosis("Cellulitis", 580, MEDICINE, 0.45, 58, 19, 4, 5, deprivation=0.2, winter=-0.2),
    Diagnosis("Type 2 diabetes", 570, MEDICINE, 0.44, 64, 13, 5, 25, smoking=0.2, deprivation=0.5),
    Diagnosis("Sepsis", 517, MEDICINE, 0.47, 70, 17, 9),
    Diagnosis("Influenza", 490, RESPIRATORY, 0.52, 58, 25, 4, winter=2.4),
    Diagnosis("Appendicitis", 450, SURGERY, 0.44, 28, 15, 2, 4),
    Diagnosis("Breast cancer", 420, ONCOLOGY, 0.99, 61, 13, 2, 25),
    Diagnosis("Caesarean delivery", 400, MATERNITY, 1.0, 32, 5.5, 3, 16, 50, smoking=-0.4, drinking=-1.2),
    Diagnosis("Gastroenteritis", 350, MEDICINE, 0.53, 47, 28, 3, winter=0.4),
    Diagnosis("Colorectal cancer", 350, ONCOLOGY, 0.44, 69, 12, 6, 30, smoking=0.2, drinking=0.3),
    Diagnosis("Depression", 320, MENTAL, 0.61, 43, 17, 18, 14, smoking=0.9, drinking=0.5, deprivation=0.4),
    Diagnosis("Lung cancer", 300, ONCOLOGY, 0.43, 69, 9, 6, 35, smoking=3.0, deprivation=0.6),
    Diagnosis("Bronchiolitis", 280, PAEDIATRICS, 0.41, 0.7, 0.5, 2, 0, 2, winter=2.0),
    Diagnosis("Acute kidney failure", 260, MEDICINE, 0.45, 71, 15, 7, 18),
    Diagnosis("Alcohol dependence", 240, MENTAL, 0.29, 48, 12, 8, 18, smoking=1.8, drinking=3.6, deprivation=1.0),
    Diagnosis("Asthma", 225, RESPIRATORY, 0.58, 35, 21, 2, 2, smoking=-0.2, winter=0.3),
    Diagnosis("Concussion", 210, NEUROLOGY, 0.38, 34, 22, 1, 1, drinking=0.5),
    Diagnosis("Pulmonary embolism", 195, RESPIRATORY, 0.51, 64, 16, 5, 18),
    Diagnosis("Prostate cancer", 180, ONCOLOGY, 0.0, 69, 8, 3, 45),
    Diagnosis("Schizophrenia", 165, MENTAL, 0.38, 40, 13, 28, 17, smoking=2.2, drinking=0.4, deprivation=1.0),
    Diagnosis("Epilepsy", 150, NEUROLOGY, 0.46, 39, 22, 3),
    Diagnosis("Pancreatitis", 140, SURGERY, 0.43, 54, 16, 6, 18, smoking=0.9, drinking=1.9),
    Diagnosis("Cirrhosis of the liver", 125, MEDICINE, 0.35, 58, 11, 8, 25, smoking=0.9, drinking=2.6, deprivation=0.6),
    Diagnosis("Tonsillitis", 115, PAEDIATRICS, 0.52, 8, 5, 1, 2, 40, winter=0.3),
    Diagnosis("Crohn disease", 105, MEDICINE, 0.53, 37, 15, 6, 10, smoking=0.7),
    Diagnosis("Bipolar disorder", 95, MENTAL, 0.54, 43, 14, 24, 17, smoking=1.2, drinking=0.5),
    Diagnosis("Parkinson disease", 88, NEUROLOGY, 0.4, 75, 8, 9, 45, smoking=-0.7),
    Diagnosis("Opioid dependence", 80, MENTAL, 0.3, 38, 9, 7, 17, smoking=2.8, drinking=0.8, deprivation=1.5),
    Diagnosis("Self-harm", 72, MENTAL, 0.6, 31, 14, 3, 12, smoking=1.1, drinking=1.1, deprivation=0.7),
    Diagnosis("Dementia", 64, GERIATRICS, 0.61, 84, 6, 16, 60),
    Diagnosis("Multiple sclerosis", 56, NEUROLOGY, 0.72, 43, 12, 5, 18, smoking=0.4),
    Diagnosis("Eating disorder", 48, MENTAL, 0.9, 22, 7, 30, 12, 55),
    Diagnosis("Hepatitis C", 42, MEDICINE, 0.34, 48, 11, 4, 20, smoking=1.6, drinking=0.7, deprivation=1.2),
    Diagnosis("HIV disease", 36, MEDICINE, 0.27, 44, 11, 8, 18, smoking=0.8, deprivation=0.4),
    Diagnosis("Sickle cell crisis", 30, MEDICINE, 0.5, 24, 13, 4, 2),
    Diagnosis("Tuberculosis", 24, RESPIRATORY, 0.41, 43, 18, 14, 5, smoking=0.9, deprivation=1.4),
    Diagnosis("Meningitis", 19, NEUROLOGY, 0.48, 24, 22, 9, winter=0.5),
    Diagnosis("Cystic fibrosis", 15, RESPIRATORY, 0.5, 20, 10, 12, 1, 60),
    Diagnosis("Syphilis", 11, MEDICINE, 0.2, 38, 11, 3, 18),
    Diagnosis("Malaria", 8, MEDICINE, 0.4, 37, 13, 4, 3, winter=-0.9),
    Diagnosis("Huntington disease", 6, NEUROLOGY, 0.5, 48, 10, 14, 25),
    Diagnosis("Motor neurone disease", 5, NEUROLOGY, 0.4, 65, 10, 11, 35),
    Diagnosis("Sarcoidosis", 4, RESPIRATORY, 0.5, 44, 10, 4, 20),
    Diagnosis("Guillain-Barré syndrome", 3, NEUROLOGY, 0.4, 51, 17, 21, 10),
    Diagnosis("Wilson disease", 2, MEDICINE, 0.5, 22, 8, 6, 6),
    Diagnosis("Tetanus", 2, MEDICINE, 0.5, 66, 14, 19, 30),
    Diagnosis("Leprosy", 1, MEDICINE, 0.4, 47, 12, 9, 18),
    Diagnosis("Creutzfeldt-Jakob disease", 1, NEUROLOGY, 0.5, 66, 8, 26, 40),
    Diagnosis("Rabies", 1, MEDICINE, 0.4, 41, 14, 11, 5),
)

AREAS = tuple(f"{district}{number}" for district in ("QA", "QB", "QC", "QD") for number in range(1, 7))
AREA_SIZE = np.array([9, 8, 7, 6, 5, 4, 8, 7, 6, 5, 4, 3, 6, 5, 4, 4, 3, 2, 7, 5, 4, 3, 2, 1], float)
DEPRIVED = np.array([area.startswith("QB") for area in AREAS])
COAST = np.array([area.startswith("QC") for area in AREAS])

ALCOHOL = ("never", "stopped", "under 1", "1 to 4", "5 to 9", "10 to 14", "15 to 21", "22 to 35", "36 to 50", "over 50")
ALCOHOL_LIMITS = ndtri(np.array([0.09, 0.17, 0.27, 0.44, 0.59, 0.72, 0.83, 0.92, 0.97]))

SURNAMES = tuple(
    first + last
    for first in ("Test", "Sample", "Mock", "Demo", "Dummy", "Specimen", "Example", "Pattern", "Trial", "Model")
    for last in ("ley", "ton", "worth", "ford", "by", "wick", "ham", "field", "stone", "ridge", "ström", "müller")
)
FORENAME_STEMS = ("Ad", "Bel", "Cor", "Dal", "El", "Fen", "Gar", "Hal", "Il", "Jor", "Kal", "Lor", "Mar", "Nol", "Or")
FORENAME_ENDS = {"female": ("ana", "eth", "issa", "ova", "ine", "ura"), "male": ("an", "ric", "od", "emar", "ik", "us")}

COLUMNS = (
    ("Record number", 14), ("Name", 24), ("Date of birth", 13), ("Age", 6), ("Sex", 8), ("Postcode", 10), ("Ward", 18),
    ("Admission date", 15), ("Length of stay", 14), ("Smoker", 9), ("Diagnosis", 30), ("Alcohol", 12),
)  # fmt: skip


class Uniform:
    """Uniform numbers from the raw bits of PCG64, the part of NumPy's randomness that no version may change."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def __call__(self, count: int) -> NDArray[np.float64]:
        """Return (count,) numbers strictly between 0 and 1."""
        return ((self._bits.random_raw(count) >> np.uint64(11)) + 0.5) * 2.0**-53


def _pick(weights: NDArray[np.float64], uniform: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return for each row of (N, k) weights the column that (N,) `uniform` falls into."""
    steps = np.cumsum(weights, axis=1)
    return (uniform[:, None] * steps[:, -1:] >= steps).sum(axis=1)


def admissions() -> dict[str, list[Any]]:
    """Return the columns of the sample, each with one entry per record in order of admission; None where missing."""
    draw = Uniform(SEED)
    which = np.repeat(np.arange(len(DIAGNOSES)), [d.records for d in DIAGNOSES])
    n = len(which)

    def of(field: str) -> NDArray[Any]:
        return np.array([getattr(d, field) for d in DIAGNOSES])[which]

    # Season: thinning by a cosine, drawn by its table over the days; then everything in order of admission.
    day = np.arange(DAYS)
    season = np.exp(of("winter")[:, None] * np.cos(2 * np.pi * (day - 14) / 365.25)[None, :])
    admitted = _pick(season, draw(n))
    order = np.lexsort((draw(n), admitted))
    admitted, which = admitted[order], which[order]

    low, high = (ndtr((of(end) - of("age")) / of("spread")) for end in ("youngest", "oldest"))
    years = of("age") + of("spread") * ndtri(low + draw(n) * (high - low))
    born = np.array([FIRST_DAY + timedelta(days=int(a)) for a in admitted - np.floor(years * 365.25)], object)
    arrived = np.array([FIRST_DAY + timedelta(days=int(a)) for a in admitted], object)
    age = np.array(
        [a.year - b.year - ((a.month, a.day) < (b.month, b.day)) for a, b in zip(arrived, born, strict=True)]
    )
    female = draw(n) < of("female")

    area = _pick(
        AREA_SIZE
        * np.exp(1.3 * of("deprivation")[:, None] * DEPRIVED + 0.045 * np.maximum(age - 60, 0)[:, None] * COAST),
        draw(n),
    )
    deprived = DEPRIVED[area]

    odds = -1.7 + of("smoking") + 0.5 * deprived - 0.025 * np.maximum(age - 65, 0) - 0.15 * female
    smokes = np.where(age < 15, False, draw(n) < 1 / (1 + np.exp(-odds)))
    smoker = np.where(draw(n) < 0.04, "unknown", np.where(smokes, "yes", "no"))

    score = ndtri(draw(n)) + of("drinking") - 0.35 * female + 0.15 * deprived - 0.012 * np.maximum(age - 60, 0)
    alcohol = np.where(age < 15, 0, np.searchsorted(ALCOHOL_LIMITS, score))

    stay = of("stay") * np.exp(0.55 * ndtri(draw(n)) + 0.008 * (age - of("age")))
    stay = np.maximum(np.rint(stay), 0).astype(int)

    ward = of("ward").astype(object)
    elsewhere = draw(n)
    fixed = np.isin(ward, [MATERNITY, MENTAL])
    ward[~fixed & (elsewhere < 0.12)] = MEDICINE
    ward[~fixed & (age >= 80) & (elsewhere > 0.7)] = GERIATRICS
    ward[(age < 16) & (ward != MATERNITY)] = PAEDIATRICS

    sex = np.where(female, "female", "male")
    stem, end, family = (
        (draw(n) * size).astype(int) for size in (len(FORENAME_STEMS), len(FORENAME_ENDS["male"]), len(SURNAMES))
    )
    names = [
        f"{FORENAME_STEMS[s]}{FORENAME_ENDS[x][e]} {SURNAMES[f]}"
        for s, x, e, f in zip(stem, sex.tolist(), end, family, strict=True)
    ]
    numbers = 41_207 + np.cumsum(1 + (draw(n) * 3).astype(int))

    def with_gaps(entries: NDArray[Any], share: float) -> list[Any]:
        gaps = draw(n) < share
        return [None if gap else entry for gap, entry in zip(gaps, entries.tolist(), strict=True)]

    births = with_gaps(born, 0.004)
    return {
        "Record number": [f"{number:07d}" for number in numbers],
        "Name": names,
        "Date of birth": births,
        "Age": [None if b is None else a for b, a in zip(births, age.tolist(), strict=True)],
        "Sex": sex.tolist(),
        "Postcode": with_gaps(np.array(AREAS)[area], 0.011),
        "Ward": ward.tolist(),
        "Admission date": arrived.tolist(),
        "Length of stay": with_gaps(stay, 0.003),
        "Smoker": smoker.tolist(),
        "Diagnosis": of("name").tolist(),
        "Alcohol": with_gaps(np.array(ALCOHOL)[alcohol], 0.02),
    }


def write(path: Path) -> None:
    """Write the workbook to `path`, byte for byte the same every time."""
    data = admissions()
    with xlsxwriter.Workbook(path, {"strings_to_formulas": False, "strings_to_urls": False}) as book:
        book.set_properties(
            {
                "title": "Sample hospital",
                "comments": "Invented admissions, made by resources/make_sample.py of SPLU Desktop. No real person.",
                "created": datetime(2026, 1, 1),
            }
        )
        sheet = book.add_worksheet("Admissions")
        bold, as_date = book.add_format({"bold": True}), book.add_format({"num_format": "yyyy-mm-dd"})
        sheet.freeze_panes(1, 0)
        sheet.autofilter(0, 0, len(data["Name"]), len(COLUMNS) - 1)
        for place, (name, width) in enumerate(COLUMNS):
            sheet.set_column(place, place, width)
            sheet.write_string(0, place, name, bold)
            for row, entry in enumerate(data[name], start=1):
                if isinstance(entry, date):
                    sheet.write_datetime(row, place, datetime(entry.year, entry.month, entry.day), as_date)
                elif entry is not None:
                    sheet.write(row, place, entry)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("sample_hospital.xlsx"))
