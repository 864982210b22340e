"""What a column's name says about it, in English, German, French and Spanish."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@cache
def words_of(name: str) -> tuple[str, ...]:
    """Split a column's name into lower-case words without accents: `PatientNr` -> patient, nr."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    spaced = _CAMEL.sub(" ", plain)
    return tuple(re.findall(r"[a-z]+|\d+", spaced.lower()))


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Names of official numbers and of ways to reach a person: identifiers whatever they hold.
_PHRASES: tuple[tuple[str, str], ...] = (
    ("social security", "social-security number"), ("ssn", "social-security number"), ("sozialversicherung", "social-security number"),
    ("sozialversicherungsnummer", "social-security number"), ("rentenversicherungsnummer", "social-security number"), ("svnr", "social-security number"),
    ("securite sociale", "social-security number"), ("seguridad social", "social-security number"), ("nss", "social-security number"),
    ("nhs no", "NHS number"), ("nhs number", "NHS number"), ("nhs nr", "NHS number"), ("nhsnumber", "NHS number"), ("nhs id", "NHS number"),
    ("kvnr", "health-insurance number"), ("versichertennummer", "health-insurance number"), ("versicherten nr", "health-insurance number"),
    ("krankenversichertennummer", "health-insurance number"), ("versichertennr", "health-insurance number"), ("insurance number", "health-insurance number"),
    ("insurance id", "health-insurance number"), ("policy number", "health-insurance number"), ("carte vitale", "health-insurance number"),
    ("tarjeta sanitaria", "health-insurance number"), ("medicare number", "health-insurance number"), ("medicaid number", "health-insurance number"),
    ("ahv nummer", "social-security number"), ("ahvnr", "social-security number"), ("cpr number", "social-security number"),
    ("dni", "identity-card number"), ("nif", "identity-card number"), ("nie", "identity-card number"), ("passport", "passport number"),
    ("pasaporte", "passport number"), ("passeport", "passport number"), ("reisepass", "passport number"), ("ausweisnummer", "identity-card number"),
    ("personalausweis", "identity-card number"), ("steuernummer", "tax number"), ("tax id", "tax number"), ("iban", "bank account"),
    ("account number", "account number"), ("kontonummer", "account number"), ("driver license", "licence number"), ("drivers license", "licence number"),
    ("license plate", "number plate"), ("kennzeichen", "number plate"),
    ("mrn", "medical-record number"), ("medical record", "medical-record number"), ("record number", "record number"), ("record no", "record number"),
    ("record nr", "record number"), ("record id", "record number"), ("chart number", "medical-record number"), ("patient number", "patient number"),
    ("patient no", "patient number"), ("patient id", "patient number"), ("patientid", "patient number"), ("patient nbr", "patient number"),
    ("patient nr", "patient number"), ("pat id", "patient number"), ("pat nr", "patient number"), ("pat no", "patient number"), ("patid", "patient number"),
    ("patientennummer", "patient number"), ("patientennr", "patient number"), ("patienten nr", "patient number"), ("patienten id", "patient number"),
    ("fallnummer", "case number"), ("fallnr", "case number"), ("fall nr", "case number"), ("fall id", "case number"), ("aktenzeichen", "case number"),
    ("aufnahmenummer", "case number"), ("case id", "case number"), ("case number", "case number"), ("case no", "case number"), ("caseid", "case number"),
    ("numero de dossier", "record number"), ("no dossier", "record number"), ("numero dossier", "record number"), ("num dossier", "record number"),
    ("numero patient", "patient number"), ("num patient", "patient number"), ("identifiant", "identifier"), ("ipp", "patient number"),
    ("numero de paciente", "patient number"), ("historia clinica", "medical-record number"), ("numero de historia", "medical-record number"),
    ("numero de expediente", "record number"), ("expediente", "record number"), ("nhc", "medical-record number"), ("id paciente", "patient number"),
    ("id patient", "patient number"), ("subject id", "subject number"), ("subjid", "subject number"), ("usubjid", "subject number"),
    ("participant id", "subject number"), ("person id", "person number"), ("personennummer", "person number"), ("member id", "member number"),
    ("encounter id", "encounter number"), ("encounter number", "encounter number"), ("visit id", "visit number"), ("admission id", "admission number"),
    ("admission number", "admission number"), ("hadm id", "admission number"), ("stay id", "stay number"), ("claim id", "claim number"),
    ("claim number", "claim number"), ("study id", "subject number"), ("employee id", "staff number"), ("student id", "student number"),
    ("customer id", "customer number"), ("user id", "user number"), ("username", "user name"), ("uuid", "identifier"), ("guid", "identifier"),
    ("ip address", "network address"), ("mac address", "network address"), ("url", "web address"), ("website", "web address"),
)  # fmt: skip
_EMAIL = _set("email mail emails correo courriel")
_PHONE = _set(
    "phone telephone tel telefon telefonnummer handy handynummer mobil mobile cell cellphone fax telefono telefax movil portable"
)
_ADDRESS = _set(
    "address adresse addresses anschrift street strasse str hausnummer housenumber direccion domicilio calle rue domicile wohnort addr address1 address2 adresszeile"
)
_COORDINATE = _set(
    "lat latitude lon lng long longitude breitengrad laengengrad langengrad latitud longitud coordinates coordinate koordinaten"
)
_PERSON_NAME = _set(
    "surname lastname firstname forename givenname maidenname vorname vornamen nachname familienname geburtsname zuname prenom prenoms apellido apellidos "
    "patientname fullname patientenname middlename nickname initials initialen"
)
_NAME = _set("name names nom nombre nombres namen")
_PERSON = _set(
    "patient patienten patientin patiente paciente person personne persona subject participant member client customer first last full given family middle "
    "maiden mother father mutter vater mere pere madre padre doctor physician arzt medecin medico nurse contact guardian employee student "
    "insured versicherter pat kunde user author owner holder relative spouse next kin de del la du"
)  # fmt: skip
_BIRTH = _set(
    "birth birthdate dob birthday geburtsdatum geburtstag geb gebdat gebdatum geburt naissance nacimiento born nasc ddn fnac"
)
_FREE = _set(
    "note notes comment comments remark remarks narrative bemerkung bemerkungen kommentar kommentare notiz notizen anmerkung anmerkungen freitext "
    "remarque remarques commentaire commentaires observaciones observacion comentario comentarios notas freetext"
)
_NUMBERING = _set(
    "id ids nr no num number nbr nummer numero key index idx identifier identifikator code uid pk rowid row record seq sequence laufnummer lfdnr"
)
_MEDICAL = _set(
    "diag diagnosis diagnoses diagnose diagnosen diagnostic diagnostico dx icd icd9 icd10 drg ccs mdc procedure prozedur ops cpt disease krankheit "
    "maladie enfermedad medication medikament drug atc symptom lab test result value dose"
)

# What is sensitive, with a weight: how clearly. Medical and financial matters only.
_SENSITIVE: tuple[tuple[frozenset[str], float, str], ...] = (
    (_set("diagnosis diagnoses diagnose diagnosen diagnostic diagnostics diagnostico diag dx icd icd9 icd10 disease diseases krankheit krankheiten "
          "erkrankung maladie enfermedad hauptdiagnose nebendiagnose condition conditions illness pathology pathologie disorder morbidity hiv aids "
          "cancer krebs tumor psychiatric std comorbidity"), 1.0, "a diagnosis or illness"),
    (_set("medication medications medicine drug drugs medikament medikamente medikation arznei medicament traitement treatment treatments therapy "
          "therapie tratamiento medicacion prescription rezept atc surgery operation procedure procedures prozedur eingriff intervention"), 0.8, "a treatment"),
    (_set("result results befund resultat resultado a1c a1cresult glu cholesterol bmi outcome ausgang disposition prognosis symptom symptoms drg ccs "
          "pregnancy schwangerschaft abortion addiction alcohol mental disability behinderung handicap allergy allergies"), 0.6, "a medical finding"),
    (_set("salary income wage wages gehalt einkommen lohn salaire revenu revenus sueldo salario ingresos debt schulden credit loan charge charges cost "
          "costs kosten rechnung bill payment account balance earnings gain loss incomeclass wealth"), 0.5, "a financial matter"),
)  # fmt: skip
_NOT_SENSITIVE = _set("date datum fecha code_system version year jahr type_of month number count num anzahl")


def identifier_by_name(name: str) -> str | None:
    """Return what kind of direct identifier a name announces, None where it announces none.

    Only names that leave no doubt; `numbering` says the rest.
    """
    words = words_of(name)
    if not words:
        return None
    text = " " + " ".join(words) + " "
    joined = "".join(words)
    for phrase, kind in _PHRASES:
        if f" {phrase} " in text or joined == phrase.replace(" ", ""):
            return kind
    have = set(words)
    if have & _EMAIL and not have & {"code", "preference", "consent"}:
        return "e-mail address"
    if have & _PHONE and not have & {"calls", "type", "service"}:
        return "telephone number"
    return None


def person_by_name(name: str) -> str | None:
    """Return "name", "address", "exact place" or "free text" where a column of texts (or coordinates) is named so."""
    words = words_of(name)
    have = set(words)
    if have & _PERSON_NAME or "".join(words) in _PERSON_NAME:
        return "name of a person"
    if (
        have & _NAME
        and (len(words) == 1 or have & _PERSON - {"de", "del", "la", "du"})
        and not _counts_in_french(words)
    ):
        return "name of a person"
    if have & _ADDRESS and not have & {"type", "change", "count", "state", "country", "city"}:
        return "address"
    if have & _FREE:
        return "free text"
    return None


def _counts_in_french(words: tuple[str, ...]) -> bool:
    return (
        "nombre" in words
        and words.index("nombre") + 1 < len(words)
        and words[words.index("nombre") + 1] in ("de", "d", "des")
    )


def coordinate_by_name(name: str) -> bool:
    """Whether a name announces a geographical coordinate."""
    words = words_of(name)
    have = set(words)
    return bool(have & _COORDINATE) and not (have & {"long"} and len(words) > 1)


def birth_by_name(name: str) -> bool:
    """Whether a name announces a date of birth."""
    have = set(words_of(name))
    return bool(have & _BIRTH) and not have & {
        "weight",
        "order",
        "place",
        "country",
        "city",
        "type",
        "gewicht",
        "ort",
        "rate",
    }


def numbering(name: str) -> bool:
    """Whether a name announces a number or key of something, not necessarily of a person; an empty name does too."""
    words = words_of(name)
    if not words or words[0] in ("column", "unnamed"):
        return True
    return words[-1] in _NUMBERING or words[0] in ("id", "nr", "lfd") or "".join(words) in _NUMBERING


def medical(name: str) -> bool:
    """Whether a name announces a medical finding, which is no identifier however rare its values."""
    have = set(words_of(name))
    return bool(have & _MEDICAL) or sensitivity(name) is not None


def sensitivity(name: str) -> tuple[float, str] | None:
    """Return (weight in 0..1, what it is) where a name announces a sensitive matter."""
    words = words_of(name)
    have = set(words)
    if have & _NOT_SENSITIVE:
        return None
    for known, weight, what in _SENSITIVE:
        if have & known:
            # Of several columns of a kind the first (diag_1, primary) says most.
            later = any(word.isdigit() and int(word) > 1 for word in words)
            return weight - 0.05 * later - (0.02 if "code" in have else 0.0), what
    return None
