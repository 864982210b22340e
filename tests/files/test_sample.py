"""The sample is what its script says, opens everywhere, and has something to tell."""

from __future__ import annotations

import importlib.util
import sys
import zipfile
from datetime import date, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest
import python_calamine
from scipy.stats import chi2_contingency

from splu_desktop.core.resources import resource_path, sample_path

pytestmark = pytest.mark.usefixtures("readers_here")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    found = sample_path().with_name("make_sample.py")
    spec = importlib.util.spec_from_file_location("make_sample", found)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_sample"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rows() -> list[list[Any]]:
    return python_calamine.load_workbook(str(sample_path())).get_sheet_by_index(0).to_python()


@pytest.fixture(scope="module")
def sample(rows: list[list[Any]]) -> pd.DataFrame:
    return pd.DataFrame(rows[1:], columns=rows[0])


def test_the_script_makes_the_file_again(script: ModuleType, tmp_path: Path) -> None:
    # Part by part and unpacked, since another build of zlib may pack the same bytes differently.
    again = tmp_path / "again.xlsx"
    script.write(again)
    with zipfile.ZipFile(again) as new, zipfile.ZipFile(sample_path()) as kept:
        assert sorted(new.namelist()) == sorted(kept.namelist())
        for name in new.namelist():
            assert new.read(name) == kept.read(name), name


def test_size_and_columns(rows: list[list[Any]], script: ModuleType) -> None:
    assert rows[0] == [name for name, _ in script.COLUMNS]
    assert len(rows) == 20_001
    assert sample_path().stat().st_size < 1_500_000


def test_excel_types(rows: list[list[Any]]) -> None:
    book = openpyxl.load_workbook(sample_path(), read_only=True)
    assert book.sheetnames == ["Admissions"]
    cells = next(book["Admissions"].iter_rows(min_row=2, max_row=2, values_only=True))
    book.close()
    entry = dict(zip(rows[0], cells, strict=True))
    assert isinstance(entry["Record number"], str)
    assert entry["Record number"].startswith("00")
    assert isinstance(entry["Date of birth"], datetime)
    assert isinstance(entry["Admission date"], datetime)
    assert isinstance(entry["Age"], int)
    first = dict(zip(rows[0], rows[1], strict=True))
    assert first["Admission date"] == entry["Admission date"].date()
    assert first["Record number"] == entry["Record number"]


def test_records_are_unique_and_in_order_of_admission(sample: pd.DataFrame) -> None:
    assert sample["Record number"].is_unique
    assert sample["Record number"].is_monotonic_increasing
    assert sample["Admission date"].is_monotonic_increasing
    assert sample["Admission date"].iloc[0] >= date(2024, 1, 1)
    assert sample["Admission date"].iloc[-1] <= date(2025, 12, 31)


def test_diagnoses_run_from_very_common_to_single_cases(sample: pd.DataFrame) -> None:
    counts = sample["Diagnosis"].value_counts()
    assert len(counts) == 60
    assert counts.max() <= len(sample) // 10  # eligible at gamma 10
    assert counts.max() > 0.05 * len(sample)
    assert (counts == 1).sum() >= 3
    # Every size in between: no gap wider than a factor of 3 from 1 to the top.
    sizes = np.sort(counts.to_numpy())
    assert (sizes[1:] <= 3 * sizes[:-1]).all()


def test_second_sensitive_column_is_eligible(sample: pd.DataFrame) -> None:
    assert sample["Alcohol"].value_counts().max() <= len(sample) // 5


def test_ages_fit_their_dates(sample: pd.DataFrame) -> None:
    known = sample[sample["Date of birth"] != ""]
    assert 0 < len(sample) - len(known) < 200
    assert ((known["Age"] >= 0) & (known["Age"] <= 100)).all()
    days = pd.to_datetime(known["Admission date"]) - pd.to_datetime(known["Date of birth"])
    assert (np.abs(days.dt.days / 365.25 - 0.5 - known["Age"].astype(float)) < 0.51).all()


@pytest.mark.parametrize("column", ["Ward", "Sex", "Postcode", "Smoker", "Alcohol"])
def test_diagnosis_depends_on(column: str, sample: pd.DataFrame) -> None:
    # Only values frequent enough for the chi-square law; chance alone gives p < 1e-12 once in 10^12 samples, and the
    # sample is a fixed file.
    common = sample[sample["Diagnosis"].map(sample["Diagnosis"].value_counts()) >= 200]
    assert chi2_contingency(pd.crosstab(common["Diagnosis"], common[column])).pvalue < 1e-12


def test_the_dependences_point_the_right_way(sample: pd.DataFrame) -> None:
    by = sample.groupby("Diagnosis")
    smoking = by["Smoker"].apply(lambda column: (column == "yes").mean())
    for diagnosis in ("COPD", "Lung cancer", "Heart attack"):
        assert smoking[diagnosis] > 1.5 * (sample["Smoker"] == "yes").mean()
    ages = sample[sample["Age"] != ""].astype({"Age": float}).groupby("Diagnosis")["Age"].mean()
    assert ages["Bronchiolitis"] < 3 < 25 < ages["Normal delivery"] < 35 < 75 < ages["Fracture of hip"]
    month = pd.to_datetime(sample["Admission date"]).dt.month
    winter = month.isin([12, 1, 2])
    assert winter[sample["Diagnosis"] == "Influenza"].mean() > 0.6
    assert winter[sample["Diagnosis"] == "Gallstones"].mean() < 0.35
    known = sample[(sample["Length of stay"] != "") & (sample["Age"] != "")].astype(
        {"Length of stay": float, "Age": float}
    )
    pneumonia = known[known["Diagnosis"] == "Pneumonia"]
    old = pneumonia["Age"] >= 75
    assert pneumonia.loc[old, "Length of stay"].mean() > 1.2 * pneumonia.loc[~old, "Length of stay"].mean()
    drinking = sample["Alcohol"].isin(["22 to 35", "36 to 50", "over 50"])
    assert drinking[sample["Diagnosis"] == "Alcohol dependence"].mean() > 0.7
    assert (sample.loc[sample["Diagnosis"] == "Prostate cancer", "Sex"] == "male").all()


def test_an_absent_resource_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.svg"):
        resource_path("nowhere.svg")
