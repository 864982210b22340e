"""What a column's name says about it, in English, German, French and Spanish."""

from __future__ import annotations

from splu_desktop.core.words import words_of


def listed(text: str) -> frozenset[str]:
    """Return the words of a list written with blanks."""
    return frozenset(text.split())


# Names of official numbers and of ways to reach a person: identifiers whatever they hold.
_PHRASES: dict[str, str] = {
    "social-security number": (
        "social security | ssn | sozialversicherung | sozialversicherungsnummer | rentenversicherungsnummer | "
        "svnr | securite sociale | seguridad social | nss | ahv nummer | ahvnr | cpr number | sv nummer | sv "
        "nr | svnummer | numss | num secu | numero de seguridad social | nir"
    ),
    "NHS number": ("nhs no | nhs number | nhs nr | nhsnumber | nhs id"),
    "health-insurance number": (
        "kvnr | versichertennummer | versicherten nr | krankenversichertennummer | versichertennr | insurance "
        "number | insurance id | policy number | carte vitale | tarjeta sanitaria | medicare number | "
        "medicaid number | kv nummer | kvnummer | egk nummer | mutuelle number"
    ),
    "identity-card number": ("dni | nif | nie | ausweisnummer | personalausweis"),
    "passport number": ("passport | pasaporte | passeport | reisepass"),
    "tax number": ("steuernummer | tax id"),
    "bank account": ("iban"),
    "account number": ("account number | kontonummer"),
    "licence number": ("driver license | drivers license"),
    "number plate": (
        "license plate | licence plate | kennzeichen | number plate | vehicle registration | immatriculation"
    ),
    "telephone number": ("cell phone | cell no | cell number"),
    "medical-record number": ("mrn | medical record | chart number | historia clinica | numero de historia | nhc"),
    "record number": (
        "record number | record no | record nr | record id | numero de dossier | no dossier | numero dossier "
        "| num dossier | numero de expediente | expediente | recordid | datensatznummer | registro id | num "
        "registro"
    ),
    "patient number": (
        "patient number | patient no | patient id | patientid | patient nbr | patient nr | pat id | pat nr | "
        "pat no | patid | patientennummer | patientennr | patienten nr | patienten id | numero patient | num "
        "patient | ipp | numero de paciente | id paciente | id patient | patientenid | pat nummer | patienten "
        "nummer | patient key | patient identifier | num paciente | numero paciente | idpaciente | idpatient "
        "| patient code"
    ),
    "case number": (
        "fallnummer | fallnr | fall nr | fall id | aktenzeichen | aufnahmenummer | case id | case number | "
        "case no | caseid | fallid | fall nummer | fall no | num caso | numero de caso | numero cas | "
        "vorgangsnummer"
    ),
    "identifier": ("identifiant | uuid | guid"),
    "subject number": ("subject id | subjid | usubjid | participant id | study id"),
    "person number": ("person id | personennummer"),
    "member number": ("member id"),
    "encounter number": ("encounter id | encounter number"),
    "visit number": ("visit id"),
    "admission number": (
        "admission id | admission number | hadm id | aufnahme nr | aufnahmenr | num sejour | numero de sejour "
        "| episodio id | id episodio"
    ),
    "stay number": ("stay id"),
    "claim number": ("claim id | claim number"),
    "staff number": ("employee id"),
    "student number": ("student id"),
    "customer number": ("customer id"),
    "user number": ("user id"),
    "user name": ("username"),
    "network address": ("ip address | mac address"),
    "web address": ("url | website"),
}
# Numbers of persons and of their stays that are known by an acronym.
_ACRONYMS = listed(
    "pid csn fin crn chi upi empi mpi npi iep nda nip ipp cip nuhsa nass nss mbi hicn acct pat patnr fallnr lanr bsn "
    "nino nhsno pesel avs ahv tsi num_ss ine"
)
# What a number of which is a number of a person or stay: "No dossier", "Spell ID", "N° SS".
_NUMBERED = listed(
    "dossier episodio episode sejour stay spell visit encounter account acct policy fall patient hospital hosp case "
    "pathway ubrn referral admission accession contact client person paciente persona registro expediente afiliacion "
    "afiliado ss secu assure versicherten vers mitglied member subject proband teilnehmer participant insured beleg "
    "besuch aufnahme behandlung passage venue consulta ingreso historia hc medicare medicaid insurance versicherung"
)
_NUMBER_WORDS = listed("no nr n num number numero nummer id nbr ids key identifier")
_FACILITY, _FACILITY_NUMBER = listed("hospital hosp"), listed("no nr num number numero nummer")
_EMAIL = listed("email mail emails correo courriel")
_PHONE = listed(
    "phone telephone tel telefon telefonnummer handy handynummer mobil mobile cellphone fax telefono "
    "telefax movil portable mobilnr mobilnummer mobilno telefonnr telnr telno handynr phoneno phonenumber"
)
_ADDRESS = listed(
    "address adresse addresses anschrift street strasse str hausnummer housenumber direccion domicilio "
    "wohnadresse heimatadresse privatadresse postadresse meldeadresse postanschrift wohnanschrift "
    "calle rue domicile wohnort addr address1 address2 adresszeile"
)
_COORDINATE = listed(
    "lat latitude lon lng long longitude breitengrad laengengrad langengrad latitud longitud coordinates "
    "coordinate koordinaten"
)
_PERSON_NAME = listed(
    "surname lastname firstname forename givenname maidenname vorname vornamen nachname familienname "
    "geburtsname zuname prenom prenoms apellido apellidos patientname fullname patientenname middlename "
    "nickname initials initialen"
)
_NAME = listed("name names nom nombre nombres namen")
_PERSON = listed(
    "patient patienten patientin patiente paciente person personne persona subject participant member "
    "client customer first last full given family middle maiden mother father mutter vater mere pere "
    "madre padre doctor physician arzt medecin medico nurse contact guardian employee student insured "
    "gp consultant surgeon prescriber operateur anaesthetist therapist investigator "
    "pt px usage usuel naissance famille marital fille epouse jeune completo legal preferred "
    "versicherter pat kunde user author owner holder relative spouse next kin de del la du"
)
_OTHER_PERSONS = (
    "next of kin",
    "emergency contact",
    "contact person",
    "angehorige",
    "angehoriger",
    "ansprechpartner",
    "personne a prevenir",
    "personne de confiance",
    "persona de contacto",
    "nom d usage",
)
_BIRTH = listed(
    "birth birthdate dob birthday geburtsdatum geburtstag geb gebdat gebdatum geburt naissance nacimiento "
    "born nasc ddn fnac nac naiss geboren"
)
_BIRTH_ENDS, _BIRTH_PARTS = ("dob", "nac"), ("geburtsd", "geburtst", "naiss", "nacim", "birthd")
_FREE = listed(
    "note notes comment comments remark remarks narrative bemerkung bemerkungen kommentar kommentare "
    "notiz notizen anmerkung anmerkungen freitext remarque remarques commentaire commentaires "
    "observaciones observacion comentario comentarios notas freetext"
)
_NUMBERING = listed(
    "id ids nr no num number nbr nummer numero key index idx identifier identifikator code uid pk rowid "
    "row record seq sequence laufnummer lfdnr"
)
_MEDICAL = listed(
    "snomed loinc ndc hcpcs opcs opcs4 opcs3 ccam cim cim10 cie cie9 cie10 ghm grd gdr dp das actes acte procedimiento "
    "procedimientos farmaco farmacos medicamento medicamentos wirkstoff arzneimittel pzn ebm goae icpc icpc2 "
    "readcode "
    "morphology topography tnm labor laborwert analyse analyt laboratoire laboratorio resultado prueba prescripcion "
    "ordonnance posologie dosis posologia allergen vaccine impfstoff vaccin vacuna antibiotic antibiotikum "
    "operation operations opertn oper op eingriff variant gene gen genotype mutation allele snp hgvs karyotype "
    "diag diagnosis diagnoses diagnose diagnosen diagnostic diagnostico dx icd icd9 icd10 drg ccs mdc "
    "procedure prozedur ops cpt disease krankheit maladie enfermedad medication medikament drug atc "
    "symptom lab test result value dose"
)

# Columns of these names alone hold numbers of persons, also where a person has many records, if they hold codes.
_PERSONS = listed(
    "patient patienten patiente paciente person persona client subject proband teilnehmer participant member mitglied "
    "dossier historia versicherten assure afiliado"
)
_CASES = listed("fall case sejour aufnahme")

# What is sensitive, with a weight: how clearly. Medical and financial matters only.
_SENSITIVE: tuple[tuple[frozenset[str], float, str], ...] = (
    (
        listed(
            "diagnosis diagnoses diagnose diagnosen diagnostic diagnostics diagnostico diag dx icd icd9 icd10 "
            "disease diseases krankheit krankheiten erkrankung maladie enfermedad hauptdiagnose nebendiagnose "
            "condition conditions illness pathology pathologie disorder morbidity hiv aids cancer krebs tumor "
            "psychiatric std comorbidity comorbidities komorbiditat komorbiditaten vorerkrankung vorerkrankungen "
            "begleiterkrankung begleiterkrankungen grunderkrankung hauptdiagnosen nebendiagnosen erkrankungen "
            "comorbidite comorbidites antecedents maladies pathologies comorbilidad comorbilidades enfermedades"
        ),
        1.0,
        "a diagnosis or illness",
    ),
    (
        listed(
            "medication medications medicine drug drugs medikament medikamente medikation arznei medicament "
            "traitement treatment treatments therapy therapie tratamiento medicacion prescription rezept atc "
            "surgery operation procedure procedures prozedur eingriff intervention"
        ),
        0.8,
        "a treatment",
    ),
    (
        listed(
            "result results befund resultat resultado a1c a1cresult glu cholesterol bmi outcome ausgang "
            "disposition prognosis symptom symptoms drg ccs pregnancy schwangerschaft abortion addiction alcohol "
            "mental disability behinderung handicap allergy allergies complaint complaints beschwerde beschwerden "
            "leitsymptom leitbeschwerde aufnahmegrund vorstellungsgrund motif motivo queja"
        ),
        0.6,
        "a medical finding",
    ),
    (
        listed(
            "salary income wage wages gehalt einkommen lohn salaire revenu revenus sueldo salario ingresos debt "
            "schulden credit loan charge charges cost costs kosten rechnung bill payment account balance earnings "
            "gain loss incomeclass wealth"
        ),
        0.5,
        "a financial matter",
    ),
)
# Numbers of these are times, counts or measures, which number no record.
_MEASURES = listed(
    "year jahr annee ano anio month monat mois mes day tag jour dia age alter edad hour stunde weight height gewicht "
    "groesse grosse poids taille peso talla count anzahl total sum minute week woche semaine semana date datum fecha "
    "bp hr pulse rr bmi gfr egfr temp temperature blood pressure score dose volume length rate ratio level"
)
_NOT_SENSITIVE = listed("date datum fecha code_system version year jahr type_of month number count num anzahl")


def identifier_by_name(name: str) -> str | None:
    """Return what kind of direct identifier a name announces, None where it announces none.

    Only names that leave no doubt; `numbering` says the rest.
    """
    words = words_of(name)
    if not words:
        return None
    text = " " + " ".join(words) + " "
    joined = "".join(words)
    for kind, phrases in _PHRASES.items():
        for phrase in phrases.split(" | "):
            if f" {phrase} " in text or joined == phrase.replace(" ", ""):
                return kind
    have = set(words)
    if have & _EMAIL and not have & {"code", "preference", "consent"}:
        return "e-mail address"
    if have & _PHONE and not have & {"calls", "type", "service"}:
        return "telephone number"
    return None


def number_by_name(name: str) -> bool:
    """Whether a name may announce a number of a person or stay, which its values have to bear out.

    "Historia" or "dossier" by themselves do not: see `names_a_file`.
    """
    words = words_of(name)
    told = [word for word in words if word not in _NUMBER_WORDS]
    if not told or len(words) > 3 or not _ACRONYMS.union(_NUMBERED).issuperset(told):
        return False
    if _FACILITY.intersection(told):  # a hospital's number is a patient's, its id the hospital's own
        return bool(_FACILITY_NUMBER.intersection(words))
    numbered = len(words) > len(told) or any(mark in name for mark in "#№")
    return bool(_ACRONYMS.intersection(told)) or numbered


def names_a_file(name: str) -> bool:
    """Whether a name is that of a person's file or stay and nothing else, such as "historia"."""
    words = words_of(name)
    return len(words) == 1 and words[0] in _NUMBERED


def names_one_person(name: str) -> bool:
    """Whether a name is that of a person and nothing else, such as "patient"."""
    words = words_of(name)
    return len(words) == 1 and words[0] in _PERSONS


def names_a_case(name: str) -> bool:
    """Whether a name is that of a person or case and nothing else; cases may be falls, or a kind of control."""
    words = words_of(name)
    return len(words) == 1 and words[0] in _PERSONS | _CASES


def person_by_name(name: str) -> str | None:
    """Return "name", "address", "exact place" or "free text" where a column of texts (or coordinates) is named so."""
    words = words_of(name)
    have = set(words)
    if any(f" {phrase} " in f" {' '.join(words)} " for phrase in _OTHER_PERSONS):
        return "name of a person"
    if have & _PERSON_NAME or "".join(words) in _PERSON_NAME:
        return "name of a person"
    if (
        have & _NAME
        and (len(words) == 1 or have & _PERSON - {"de", "del", "la", "du"})
        and not _counts_in_french(words)
    ):
        return "name of a person"
    if have & _ADDRESS and not have & {"drug", "drugs", "type", "change", "count", "state", "country", "city"}:
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
    words = words_of(name)
    have = set(words)
    if words[:1] == ("ne",) and words[-1:] == ("le",):  # né(e) le
        return True
    if any(word.endswith(_BIRTH_ENDS) or any(part in word for part in _BIRTH_PARTS) for word in words):
        return True  # only dates count, so a weight at birth is none
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


def measures(name: str) -> bool:
    """Whether a name announces a time, a count or a measured quantity."""
    return bool(set(words_of(name)) & _MEASURES)


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
