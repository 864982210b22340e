"""Official numbers of persons, told by their form and check digit."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from splu_desktop.core.resources import read_toml, resource_path
from splu_desktop.core.table import LOOKED_AT, Column, Kind, remember, sample_labels

_NATIONAL = tuple(read_toml(resource_path("roles/forms.toml"))["numbers"]["modules"].split())
_LENGTHS = {"nl.bsn": 9, "pl.pesel": 11, "gb.nhs": 10, "br.cpf": 11}  # a number column has lost the noughts in front
_SHAPED = re.compile(r"(?=(?:\D*\d){6})[A-Z0-9][A-Z0-9 ./+-]{7,20}", re.IGNORECASE)  # all of them hold seven digits
_FEWEST = 6  # different numbers from which check digits that all agree are no chance
_AGREE = 0.95  # of them


@remember
def national_number(column: Column) -> str | None:
    """Return which country's number of persons a column holds ("nl.bsn"), by its check digits; None for none."""
    if column.kind in (Kind.DATE, Kind.DATETIME, Kind.BOOLEAN):
        return None
    texts = sample_labels(column)
    if len(texts) < _FEWEST or not _agree(texts[:20], _SHAPED.fullmatch, 0.9):
        return None
    return next((name for name in _NATIONAL if _agree(texts[:20], _check(name)) and _agree(texts, _check(name))), None)


def holds_products(column: Column) -> bool:
    """Whether a column holds numbers of goods (EAN, GTIN), as of drugs; those from 76 on are of Swiss doctors."""
    texts = [str(text).strip() for text in column.labels[~column.missing][:LOOKED_AT]]
    goods = all(len(text) in (13, 14) and not text.startswith("76") for text in texts)
    return goods and len(texts) >= _FEWEST and national_number(column) is None and _agree(texts, _check("ean"))


def _agree(texts: Sequence[str], check: Any, share: float = _AGREE) -> bool:
    return sum(bool(check(text)) for text in texts) >= share * len(texts)


@cache
def _check(name: str) -> Any:
    # The library would load TLS for look-ups that nobody makes here, and in R another program's TLS does not fit.
    absent = "ssl" not in sys.modules
    if absent:
        sys.modules["ssl"] = ModuleType("ssl")
    try:
        valid, length = import_module(f"stdnum.{name}").is_valid, _LENGTHS.get(name, 0)
    finally:
        if absent:
            del sys.modules["ssl"]
    return lambda text: valid(text.zfill(length) if length and len(text) >= length - 2 else text)


def is_official(text: str) -> bool:
    """Whether a text is an official number that a bank or a health service gave somebody, and python-stdnum lacks."""
    written = text.strip().upper()
    provider = re.fullmatch(r"[12]\d{9}", written) and _check("luhn")("80840" + written)  # United States (NPI)
    return bool(provider or _check("iban")(text) or german_insurance(text))


def german_insurance(text: str) -> bool:
    """Whether a text is a German health-insurance number: a letter, eight digits and the check digit of them all."""
    match = re.fullmatch(r"([A-Z])(\d{8})(\d)", text.strip().upper())
    if match is None:
        return False
    digits = f"{ord(match[1]) - 64:02d}{match[2]}"
    total = sum(sum(divmod(int(d) * (1 + i % 2), 10)) for i, d in enumerate(digits))
    return total % 10 == int(match[3])
