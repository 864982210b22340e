"""Cut points that medicine uses, for laboratory values and vital signs under common names.

They come from published criteria, never from the table, so they tell nothing of its records. A cut point begins the
interval above it. Units are told by where the median of a column lies; a column whose median lies in none of the spans
has an unknown unit and gets no clinical cut points. Limits of what is usual stand beside those of the criteria named.

Sources, by the short name in each entry: ADA 2024 (Standards of Care in Diabetes, section 2); WHO BMI (Technical Report
894, 2000); ESC 2018 (ESC/ESH guidelines on hypertension, table 3); NEWS2 (Royal College of Physicians 2017); KDIGO 2012
(chronic kidney disease); ATP III (NCEP Adult Treatment Panel III, 2002); WHO 2011 (haemoglobin); CTCAE 5 (US
NCI, 2017); SOFA (Vincent et al. 1996); Berlin 2012 (definition of ARDS); EHNS 2014 (hyponatraemia, Spasovski et al.);
UKKA 2023 (hyperkalaemia); SSC 2021 (Surviving Sepsis Campaign; Sepsis-3, Singer et al. 2016); ESC 2021 (heart failure);
ATA 2012 (hypothyroidism); IOM 2011 (vitamin D); NICE CG191 (CRP in pneumonia); Schuetz 2018 (procalcitonin); WHO 2020
(ferritin); ACR 2020 (gout); EAU 2023 (PSA); ESC 2020 (anticoagulation); WHO ICD-10 (birth weight, weeks of gestation);
BTS 2017 (oxygen and blood gases); Child-Pugh (Pugh et al. 1973, albumin); BSH 2020 (mean corpuscular volume).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splu_desktop.core.generalise.intervals import Intervals, filled
from splu_desktop.core.generalise.step import CannotGeneralise
from splu_desktop.core.table import Column, unique
from splu_desktop.core.words import words_of


@dataclass(frozen=True)
class Measure:
    """A clinical measure in one unit.

    Attributes
    ----------
    name, unit, source : as people write them.
    cuts : rising cut points.
    medians : between which the median of a column in this unit lies, the upper one excluded.
    words : how columns that hold it are called.
    """

    name: str
    unit: str
    cuts: tuple[float, ...]
    medians: tuple[float, float]
    source: str
    words: tuple[str, ...]

    @property
    def title(self) -> str:
        """Name, unit and source in one."""
        return f"{self.name}, {self.unit}: {self.source}"


_HBA1C = ("hba1c", "a1c", "glycated haemoglobin", "glycated hemoglobin", "hemoglobine glyquee", "langzeitzucker")
_GLUCOSE = ("glucose", "blood sugar", "blutzucker", "glukose", "glycemie", "glycaemia", "glycemia", "glu", "fpg")
_BMI = ("bmi", "body mass index", "imc", "koerpermasseindex")
_SYSTOLIC = ("systolic", "sbp", "sys bp", "systolisch", "systolique", "rr sys", "nibp sys", "pas", "sistolica")
_DIASTOLIC = ("diastolic", "dbp", "dia bp", "diastolisch", "diastolique", "rr dia", "nibp dia", "diastolica")
_HEART = ("heart rate", "pulse", "hr", "bpm", "herzfrequenz", "puls", "frequence cardiaque", "frecuencia cardiaca")
_BREATH = ("respiratory rate", "resp rate", "rr", "atemfrequenz", "frequence respiratoire", "breathing rate")
_SATURATION = ("spo2", "sao2", "oxygen saturation", "o2 sat", "sauerstoffsaettigung", "saturation")
_TEMPERATURE = ("temperature", "body temp", "temp", "temperatur", "koerpertemperatur", "temperatura")
_HAEMOGLOBIN = ("haemoglobin", "hemoglobin", "hgb", "hb", "haemoglobine", "hemoglobine", "hemoglobina")
_PLATELETS = ("platelets", "platelet count", "plt", "thrombocytes", "thrombozyten", "plaquettes", "plaquetas")
_WHITE = ("white blood cells", "white cell count", "wbc", "leukocytes", "leucocytes", "leukozyten", "leucocitos")
_NEUTROPHILS = ("neutrophils", "neutrophil count", "anc", "neutrophile", "neutrophiles", "neutrofilos")
_LYMPHOCYTES = ("lymphocytes", "lymphocyte count", "lymphozyten", "linfocitos")
_CREATININE = ("creatinine", "crea", "kreatinin", "creat", "creatinina", "scr")
_EGFR = ("egfr", "gfr", "glomerular filtration rate", "ckd epi", "mdrd", "dfg")
_ALBUMINURIA = ("acr", "uacr", "albumin creatinine ratio", "albuminuria", "microalbumin")
_SODIUM = ("sodium", "natrium", "na", "sodio")
_POTASSIUM = ("potassium", "kalium", "k", "potasio")
_CALCIUM = ("calcium", "kalzium", "ca", "calcio")
_CHOLESTEROL = ("cholesterol", "total cholesterol", "cholesterin", "chol", "colesterol")
_LDL = ("ldl", "ldl cholesterol", "ldl c", "ldl cholesterin")
_HDL = ("hdl", "hdl cholesterol", "hdl c", "hdl cholesterin")
_TRIGLYCERIDES = ("triglycerides", "triglyceride", "tg", "trig", "triglyzeride", "trigliceridos")
_BILIRUBIN = ("bilirubin", "total bilirubin", "bilirubine", "bili", "bilirrubina")
_ALBUMIN = ("albumin", "serum albumin", "alb", "albumine", "albumina")
_ALT = ("alt", "alat", "gpt", "sgpt", "alanine aminotransferase")
_AST = ("ast", "asat", "got", "sgot", "aspartate aminotransferase")
_CRP = ("crp", "c reactive protein", "c reaktives protein", "proteine c reactive", "proteina c reactiva")
_VITAMIN_D = ("vitamin d", "25 oh d", "25 ohd", "vit d", "calcidiol", "25 hydroxyvitamin d")
_URATE = ("uric acid", "urate", "harnsaeure", "acide urique", "acido urico")
_WEIGHT_AT_BIRTH = ("birth weight", "birthweight", "geburtsgewicht", "poids de naissance", "peso al nacer")
_WEEKS = ("gestational age", "gestation weeks", "gestation", "schwangerschaftswoche", "ssw", "age gestationnel")

MEASURES = (
    Measure("HbA1c", "%", (5.7, 6.5, 8, 10), (3, 18), "ADA 2024", _HBA1C),
    Measure("HbA1c", "mmol/mol", (39, 48, 64, 86), (18, 150), "ADA 2024", _HBA1C),
    Measure("Glucose", "mmol/l", (3.9, 5.6, 7, 11.1), (2, 25), "ADA 2024", _GLUCOSE),
    Measure("Glucose", "mg/dl", (70, 100, 126, 200), (40, 500), "ADA 2024", _GLUCOSE),
    Measure("Body mass index", "kg/m²", (18.5, 25, 30, 35, 40), (12, 60), "WHO BMI", _BMI),
    Measure("Systolic blood pressure", "mmHg", (90, 120, 130, 140, 160, 180), (70, 220), "ESC 2018", _SYSTOLIC),
    Measure("Diastolic blood pressure", "mmHg", (60, 80, 85, 90, 100, 110), (40, 130), "ESC 2018", _DIASTOLIC),
    Measure("Heart rate", "1/min", (41, 51, 91, 111, 131), (30, 200), "NEWS2", _HEART),
    Measure("Respiratory rate", "1/min", (9, 12, 21, 25), (6, 50), "NEWS2", _BREATH),
    Measure("Oxygen saturation", "%", (92, 94, 96), (60, 101), "NEWS2", _SATURATION),
    Measure("Temperature", "°C", (35.1, 36.1, 38.1, 39.1), (33, 43), "NEWS2", _TEMPERATURE),
    Measure("Temperature", "°F", (95.2, 97, 100.6, 102.4), (92, 109), "NEWS2", _TEMPERATURE),
    Measure("Haemoglobin", "g/dl", (8, 11, 13), (5, 25), "WHO 2011", _HAEMOGLOBIN),
    Measure("Haemoglobin", "g/l", (80, 110, 130), (50, 250), "WHO 2011", _HAEMOGLOBIN),
    Measure("Mean corpuscular volume", "fl", (80, 100), (50, 150), "BSH 2020", ("mcv", "mean corpuscular volume")),
    Measure("Platelets", "10⁹/l", (25, 50, 75, 150, 450), (20, 1_000), "CTCAE 5", _PLATELETS),
    Measure("White blood cells", "10⁹/l", (1, 2, 3, 4, 11), (1, 60), "CTCAE 5", _WHITE),
    Measure("Neutrophils", "10⁹/l", (0.5, 1, 1.5, 7.5), (0.5, 20), "CTCAE 5", _NEUTROPHILS),
    Measure("Lymphocytes", "10⁹/l", (0.2, 0.5, 0.8, 4), (0.2, 10), "CTCAE 5", _LYMPHOCYTES),
    Measure("Creatinine", "mg/dl", (1.2, 2, 3.5, 5), (0.2, 12), "SOFA", _CREATININE),
    Measure("Creatinine", "µmol/l", (110, 171, 300, 440), (25, 1_000), "SOFA", _CREATININE),
    Measure("Glomerular filtration rate", "ml/min/1.73 m²", (15, 30, 45, 60, 90), (5, 200), "KDIGO 2012", _EGFR),
    Measure("Albumin to creatinine", "mg/g", (30, 300), (1, 3_000), "KDIGO 2012", _ALBUMINURIA),
    Measure("Sodium", "mmol/l", (125, 130, 135, 146, 155), (100, 180), "EHNS 2014", _SODIUM),
    Measure("Potassium", "mmol/l", (3, 3.5, 5.5, 6, 6.5), (2, 9), "UKKA 2023", _POTASSIUM),
    Measure("Calcium", "mmol/l", (1.75, 2, 2.2, 2.6, 2.9), (1, 4), "CTCAE 5", _CALCIUM),
    Measure("Calcium", "mg/dl", (7, 8, 8.8, 10.5, 11.5), (5, 16), "CTCAE 5", _CALCIUM),
    Measure("Cholesterol", "mg/dl", (200, 240), (60, 500), "ATP III", _CHOLESTEROL),
    Measure("Cholesterol", "mmol/l", (5.2, 6.2), (1.5, 13), "ATP III", _CHOLESTEROL),
    Measure("LDL cholesterol", "mg/dl", (100, 130, 160, 190), (30, 400), "ATP III", _LDL),
    Measure("LDL cholesterol", "mmol/l", (2.6, 3.4, 4.1, 4.9), (0.5, 12), "ATP III", _LDL),
    Measure("HDL cholesterol", "mg/dl", (40, 60), (15, 150), "ATP III", _HDL),
    Measure("HDL cholesterol", "mmol/l", (1, 1.6), (0.3, 5), "ATP III", _HDL),
    Measure("Triglycerides", "mg/dl", (150, 200, 500), (30, 1_500), "ATP III", _TRIGLYCERIDES),
    Measure("Triglycerides", "mmol/l", (1.7, 2.3, 5.6), (0.3, 15), "ATP III", _TRIGLYCERIDES),
    Measure("Bilirubin", "mg/dl", (1.2, 2, 6, 12), (0.1, 3), "SOFA", _BILIRUBIN),
    Measure("Bilirubin", "µmol/l", (20, 33, 102, 204), (3, 300), "SOFA", _BILIRUBIN),
    Measure("Albumin", "g/dl", (2.8, 3.5), (1, 6.5), "Child-Pugh", _ALBUMIN),
    Measure("Albumin", "g/l", (28, 35), (10, 65), "Child-Pugh", _ALBUMIN),
    Measure("ALT", "U/l", (40, 120, 200, 800), (5, 2_000), "CTCAE 5", _ALT),
    Measure("AST", "U/l", (40, 120, 200, 800), (5, 2_000), "CTCAE 5", _AST),
    Measure("C-reactive protein", "mg/l", (5, 20, 100), (0.1, 400), "NICE CG191", _CRP),
    Measure("Procalcitonin", "µg/l", (0.1, 0.25, 0.5, 2), (0.01, 50), "Schuetz 2018", ("procalcitonin", "pct")),
    Measure("Lactate", "mmol/l", (2, 4), (0.3, 20), "SSC 2021", ("lactate", "laktat", "lactato", "lac")),
    Measure("Arterial pH", "", (7.2, 7.35, 7.46), (6.7, 7.8), "BTS 2017", ("ph", "arterial ph", "blood ph")),
    Measure("pCO2", "mmHg", (35, 46), (15, 120), "BTS 2017", ("pco2", "paco2")),
    Measure("pO2", "mmHg", (60, 80), (30, 600), "BTS 2017", ("po2", "pao2")),
    Measure("paO2/FiO2", "mmHg", (100, 200, 300), (40, 700), "Berlin 2012", ("pf ratio", "pao2 fio2", "horowitz")),
    Measure("INR", "", (1.2, 2, 3, 4.5), (0.7, 8), "ESC 2020", ("inr",)),
    Measure("TSH", "mU/l", (0.1, 0.4, 4.5, 10), (0.1, 30), "ATA 2012", ("tsh", "thyrotropin")),
    Measure("NT-proBNP", "ng/l", (125, 300, 900, 1_800), (10, 20_000), "ESC 2021", ("nt probnp", "probnp")),
    Measure("BNP", "ng/l", (35, 100, 400), (5, 5_000), "ESC 2021", ("bnp",)),
    Measure("Ferritin", "µg/l", (15, 30, 150), (3, 5_000), "WHO 2020", ("ferritin", "ferritine", "ferritina")),
    Measure("Vitamin D", "ng/ml", (12, 20, 30), (5, 36), "IOM 2011", _VITAMIN_D),
    Measure("Vitamin D", "nmol/l", (30, 50, 75), (36, 250), "IOM 2011", _VITAMIN_D),
    Measure("Uric acid", "mg/dl", (6, 9), (1, 20), "ACR 2020", _URATE),
    Measure("Uric acid", "µmol/l", (360, 540), (60, 1_200), "ACR 2020", _URATE),
    Measure("PSA", "µg/l", (4, 10, 20), (0.1, 100), "EAU 2023", ("psa", "prostate specific antigen")),
    Measure("Weight at birth", "g", (1_000, 1_500, 2_500, 4_500), (400, 6_000), "WHO ICD-10", _WEIGHT_AT_BIRTH),
    Measure("Weeks of gestation", "weeks", (28, 32, 37, 42), (20, 45), "WHO ICD-10", _WEEKS),
)
# Under one of these words stands something else about a measure: how often, when, how much it changed.
_NOT = frozenset(
    {"num", "number", "count", "anzahl", "nombre", "numero", "n", "days", "day", "tage", "tag", "jours", "date",
     "time", "hours", "hour", "stunden", "year", "change", "delta", "diff", "difference", "veraenderung",
     "cost", "charge", "price", "id", "code", "ratio", "urine", "urin", "csf", "liquor", "target", "percent",
     "pct", "score"}
)  # fmt: skip


def measure_of(column: Column) -> Measure | None:
    """Return the clinical measure that a column of numbers holds, by its name and its median; None where none is known.

    The longest name that fits decides; where its unit stays unknown, no shorter one does.
    """
    words = words_of(column.name)
    runs = {"".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1)}
    known = [(len(own), each) for each in MEASURES for word in each.words if (own := "".join(words_of(word))) in runs]
    if not known:
        return None
    longest = max(known, key=lambda each: each[0])[0]
    spared = {word for size, each in known if size == longest for name in each.words for word in words_of(name)}
    # A name of one or two letters is that of a measure only where it is all the name.
    if (_NOT - spared).intersection(words) or (longest <= 2 and len("".join(words)) > longest):
        return None
    try:
        values, counts = filled(column)
    except CannotGeneralise:
        return None
    median = float(values[np.searchsorted(np.cumsum(counts), counts.sum() / 2)])
    fits = [each for size, each in known if size == longest and each.medians[0] <= median < each.medians[1]]
    return fits[0] if fits else None


def clinical(column: Column) -> Intervals:
    """Return intervals at the cut points of the column's measure. Raises CannotGeneralise where it has none."""
    found = measure_of(column)
    if found is None:
        raise CannotGeneralise(
            "No clinical cut points are known for column “{column}”, by its name and its numbers; give cut points "
            "of your own, or take intervals of equally many records.",
            column=column.name,
        )
    values, _ = filled(column)
    if len(unique(np.searchsorted(found.cuts, values, side="right"))) < 2:
        raise CannotGeneralise(
            "All records of column “{column}” lie between two clinical cut points ({title}); give cut points of "
            "your own, or take intervals of equally many records.",
            column=column.name,
            title=found.title,
        )
    return Intervals(found.cuts, clinical=found.title)
