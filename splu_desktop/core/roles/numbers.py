"""Official numbers of persons, told by their form and check digit."""

from __future__ import annotations

import re

_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"


def nhs_number(text: str) -> bool:
    """Whether a text is an NHS number: ten digits, the last the modulus-11 check digit of the others.

    NHS Data Dictionary, NHS number: weights 10 down to 2, check digit 11 - (sum mod 11), 11 written as 0, 10 invalid.
    """
    digits = re.sub(r"[\s-]", "", text)
    if len(digits) != 10 or not digits.isdecimal():
        return False
    check = 11 - sum(int(d) * w for d, w in zip(digits, range(10, 1, -1), strict=False)) % 11
    return check % 11 == int(digits[9]) and check != 10


def spanish_dni(text: str) -> bool:
    """Whether a text is a Spanish DNI or NIE: eight digits and the letter of their remainder by 23."""
    found = re.fullmatch(r"([XYZ]?)(\d{7,8})-?([A-Z])", text.strip().upper())
    if found is None or len(found[1] + found[2]) != 8:
        return False
    number = int({"X": "0", "Y": "1", "Z": "2", "": ""}[found[1]] + found[2])
    return _DNI_LETTERS[number % 23] == found[3]


def french_nir(text: str) -> bool:
    """Whether a text is a French NIR: thirteen digits (2A, 2B for Corsica) and the key 97 - (number mod 97)."""
    digits = re.sub(r"\s", "", text).upper().replace("2A", "19").replace("2B", "18")
    return len(digits) == 15 and digits.isdecimal() and 97 - int(digits[:13]) % 97 == int(digits[13:])


def german_insurance_number(text: str) -> bool:
    """Whether a text is a German health-insurance number: a letter, eight digits and the check digit of them all."""
    found = re.fullmatch(r"([A-Z])(\d{8})(\d)", text.strip().upper())
    if found is None:
        return False
    digits = f"{ord(found[1]) - 64:02d}{found[2]}"
    total = sum(sum(divmod(int(d) * (1 + i % 2), 10)) for i, d in enumerate(digits))
    return total % 10 == int(found[3])


def iban(text: str) -> bool:
    """Whether a text is an IBAN: remainder 1 by 97 (ISO 13616)."""
    plain = re.sub(r"\s", "", text).upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", plain):
        return False
    return int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1


def german_tax_number(text: str) -> bool:
    """Whether a text is a German tax identification number: eleven digits, ISO/IEC 7064 MOD 11,10, the first not 0."""
    digits = re.sub(r"[\s/]", "", text)
    if len(digits) != 11 or not digits.isdecimal() or digits[0] == "0":
        return False
    product = 10
    for digit in digits[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def swiss_social_security(text: str) -> bool:
    """Whether a text is a Swiss AHV number: 756 and ten digits, the last the check digit of EAN-13."""
    digits = re.sub(r"[\s.]", "", text)
    if len(digits) != 13 or not digits.isdecimal() or not digits.startswith("756"):
        return False
    return sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(digits)) % 10 == 0


def spanish_social_security(text: str) -> bool:
    """Whether a text is a Spanish affiliation number: province, number, and their remainder by 97 in two digits."""
    digits = re.sub(r"[\s/-]", "", text)
    if len(digits) != 12 or not digits.isdecimal():
        return False
    province, number = int(digits[:2]), int(digits[2:10])
    whole = number + province * 10_000_000 if number < 10_000_000 else int(digits[:10])
    return whole % 97 == int(digits[10:])


_MBI = re.compile(
    r"[1-9](?![SLOIBZ])[A-Z](?![SLOIBZ])[A-Z0-9]\d-?(?![SLOIBZ])[A-Z](?![SLOIBZ])[A-Z0-9]\d-?"
    r"(?:(?![SLOIBZ])[A-Z]){2}\d{2}"
)


def us_medicare(text: str) -> bool:
    """Whether a text has the form of a US Medicare number: eleven places, letters without S, L, O, I, B and Z."""
    return _MBI.fullmatch(text.strip().upper()) is not None


def us_provider(text: str) -> bool:
    """Whether a text is a US provider number (NPI): ten digits from 1 or 2, Luhn check with 80840 before them."""
    digits = text.strip()
    if len(digits) != 10 or not digits.isdecimal() or digits[0] not in "12":
        return False
    doubled = (int(d) * (1 + i % 2) for i, d in enumerate(reversed("80840" + digits)))
    return sum(sum(divmod(d, 10)) for d in doubled) % 10 == 0


def british_national_insurance(text: str) -> bool:
    """Whether a text has the form of a British National Insurance number, such as AB 12 34 56 C."""
    plain = re.sub(r"\s", "", text).upper()
    return re.fullmatch(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]", plain) is not None
