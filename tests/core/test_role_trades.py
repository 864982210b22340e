"""Suggested roles on invented tables of nine trades and tongues: stays, laboratory, registers, line lists and wards.

Each column carries what a careful custodian takes it for; values are drawn here, in the habit of such exports, and go
through a file as they would in a hospital.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from splu_desktop.core.roles.suggest import Role, suggest_roles
from splu_desktop.files.importer import read

Make = Callable[[int], str]
RANDOM, N = random.Random(20_261_122), 300
NAMES = ["García", "Rossi", "Silva", "Jansen", "Müller", "Novak", "Fernández", "Bianchi", "Costa", "López", "Pereira"]
FIRST = ["Ana", "Luca", "João", "Sanne", "Eva", "Marco", "Lucía", "Pedro", "Anke", "Giulia", "Pablo", "Tom", "Ines"]


def ch(*values: str) -> Make:
    return lambda _: RANDOM.choice(values)


def num(low: int, high: int) -> Make:
    return lambda _: str(RANDOM.randint(low, high))


def dec(low: float, high: float, digits: int = 1) -> Make:
    return lambda _: f"{RANDOM.uniform(low, high):.{digits}f}"


def day(first: int = 2019, last: int = 2023, form: str = "%Y-%m-%d") -> Make:
    return lambda _: (date(first, 1, 1) + timedelta(days=RANDOM.randint(0, 365 * (last - first)))).strftime(form)


def seq(before: str) -> Make:
    return lambda i: f"{before}{i * 37 % N + 10**5}"


def long(before: str, digits: int) -> Make:
    return lambda _: f"{before}{RANDOM.randint(10 ** (digits - 1), 10**digits - 1)}"


def person(_: int) -> str:
    return f"{RANDOM.choice(NAMES)} {RANDOM.choice(FIRST)}"


# Table -> column -> (what it is, its values): I names persons, H is of health or the like, N neither, ? may be either.
TABLES: dict[str, dict[str, tuple[str, Make]]] = {
    "es_alta": {
        "NHC": ("I", seq("")),
        "NASI": ("I", long("28", 10)),
        "Primer apellido": ("I", ch(*NAMES)),
        "fec_nacimiento": ("I", day(1930, 2010, "%d/%m/%Y")),
        "Sexo": ("N", ch("H", "M")),
        "C.P.": ("?", lambda i: f"{RANDOM.randint(28001, 28080)}"),
        "Fecha de ingreso": ("?", day(form="%d/%m/%Y")),
        "Circunstancia de alta": ("H", ch("Domicilio", "Exitus", "Traslado", "Alta voluntaria")),
        "Servicio de alta": ("N", ch("MIR", "CAR", "TRA", "GIN")),
        "D1": ("H", ch("I50.9", "J18.9", "N39.0", "S72.0", "K80.2", "I63.9")),
        "POAD1": ("H", ch("S", "N")),
        "Procedimiento 1": ("H", ch("0SR90", "10E0X", "4A023")),
        "GRD APR": ("H", num(1, 900)),
        "Nivel de severidad": ("H", num(1, 4)),
        "Riesgo de mortalidad": ("H", num(1, 4)),
        "Coste APR": ("H", dec(1000, 9000, 2)),
        "Exitus": ("H", ch("0", "1")),
        "CIP SNS": ("I", long("BBBB", 10)),
        "Médico responsable": ("I", person),
        "Tipo de financiación": ("N", ch("SNS", "Mutua", "Privado")),
        "Días UCI": ("H", num(0, 9)),
        "Tratamiento al alta": ("H", ch("Enoxaparina", "Insulina", "Furosemida")),
        "Reingreso": ("H", ch("Sí", "No")),
    },
    "it_sdo": {
        "progressivo_sdo": ("I", seq("")),
        "CF assistito": (
            "I",
            lambda i: f"RSSMRA{RANDOM.randint(30, 99)}A{RANDOM.randint(10, 71)}H{RANDOM.randint(100, 999)}X",
        ),
        "Cognome e nome": ("I", person),
        "sesso": ("N", ch("1", "2")),
        "comune di residenza": ("N", ch("Milano", "Roma", "Pavia")),
        "cittadinanza": ("H?", ch("ITA", "ROU", "MAR")),
        "stato civile": ("N", ch("1", "2", "3")),
        "data_prenotazione": ("?", day()),
        "onere degenza": ("N", ch("1", "2", "4")),
        "trauma": ("H", ch("0", "1")),
        "dia_pri": ("H", ch("428.0", "486", "V30.00", "574.20")),
        "int_pri": ("H", ch("45.23", "74.1", "81.51")),
        "mod_dim": ("H", ch("1", "2", "3")),
        "peso nascita": ("H", num(1500, 4500)),
        "riscontro autoptico": ("H", ch("0", "1")),
        "allergie": ("H", ch("", "penicillina", "FANS")),
        "esenzione ticket": ("H", ch("048", "013", "E01", "C01")),
        "invalidita": ("H", ch("0", "1", "2")),
        "medico di base": ("I", person),
        "tel.": ("I", long("3", 9)),
        "PAS": ("H", num(90, 190)),
        "dia": ("H", num(50, 99)),
        "creat.": ("H", dec(0.5, 4)),
        "note": ("I", lambda i: f"paziente {i} vigile, {RANDOM.choice(NAMES)} riferisce dolore {RANDOM.randint(1, 9)}"),
    },
    "nl_ontslag": {
        "patnr": ("I", seq("")),
        "BSN": ("I", long("", 9)),
        "geb. datum": ("I", day(1930, 2010, "%d-%m-%Y")),
        "geslacht": ("N", ch("M", "V")),
        "PC4": ("N?", lambda i: str(RANDOM.randint(1011, 1099))),
        "huisarts": ("I", person),
        "opname dd": ("?", day(form="%d-%m-%Y")),
        "ontslag dd": ("?", day(form="%d-%m-%Y")),
        "DBC": ("H", ch("0301", "0401", "0308")),
        "zorgproduct": ("H", ch("99001", "99002", "14E12")),
        "hoofddiagnose ICD10": ("H", ch("I21.4", "J44.1", "C50.9")),
        "comorbiditeit": ("H", ch("DM", "COPD", "geen")),
        "reanimatiebeleid": ("H", ch("wel", "niet")),
        "verzekeraar": ("N", ch("VGZ", "CZ", "Zilveren Kruis")),
        "kreat": ("H", num(40, 300)),
        "Hb (mmol/L)": ("H", dec(5, 10)),
        "ondervoed": ("H", ch("ja", "nee")),
        "delier": ("H", ch("ja", "nee")),
        "decubitus": ("H", ch("ja", "nee")),
        "burgerlijke staat": ("N", ch("gehuwd", "ongehuwd")),
        "bestemming na ontslag": ("H", ch("huis", "verpleeghuis", "overleden")),
        "MRSA drager": ("H", ch("ja", "nee")),
        "opm.": ("I", lambda i: f"pat {i} belt dochter {RANDOM.choice(FIRST)} op {RANDOM.randint(10, 99)}"),
        "polisnr": ("I", long("P", 8)),
    },
    "pt_gdh": {
        "n_processo": ("I", seq("")),
        "NIF": ("I", lambda i: str(RANDOM.randint(10**8, 3 * 10**8))),
        "SNS": ("I", long("", 9)),
        "dt_nasc": ("I", day(1930, 2010)),
        "sexo": ("N", ch("M", "F")),
        "freguesia": ("N", ch("Arroios", "Belém", "Alvalade")),
        "concelho": ("N", ch("Lisboa", "Sintra")),
        "adm_tip": ("N", ch("1", "2")),
        "dsp": ("H", ch("1", "2", "20")),
        "ddx1": ("H", ch("I5022", "J189", "Z3800")),
        "srg1": ("H", ch("0BH17EZ", "3E0G76Z")),
        "GDH": ("H", num(1, 900)),
        "peso_rn": ("H", num(1500, 4500)),
        "obito": ("H", ch("0", "1")),
        "gravida": ("H", ch("0", "1")),
        "tabagismo": ("H", ch("0", "1", "2")),
        "HTA": ("H", ch("s", "n")),
        "alergias": ("H", ch("", "penicilina")),
        "raça": ("H", ch("branca", "negra", "mista")),
        "profissão": ("N", ch("reformado", "professor", "pedreiro")),
        "habilitações": ("N", ch("1ciclo", "superior")),
        "telemóvel": ("I", long("9", 8)),
        "medicação habitual": ("H", ch("metformina", "ramipril")),
        "subsistema": ("N", ch("SNS", "ADSE")),
        "valor_faturado": ("H", dec(100, 9000, 2)),
    },
    "lab_loinc": {
        "SpecimenID": ("I", seq("S")),
        "PatientKey": ("I", lambda i: f"K{RANDOM.randint(1, 400):06}"),
        "CollectionDateTime": ("?", lambda i: day()(i) + f" {RANDOM.randint(0, 23):02}:{RANDOM.randint(0, 59):02}"),
        "LOINC": ("H", ch("2345-7", "718-7", "2160-0", "4548-4")),
        "Component": ("H", ch("Glucose", "Hemoglobin", "Creatinine")),
        "ResultValue": ("H", dec(1, 200)),
        "Units": ("N", ch("mg/dL", "g/dL")),
        "AbnormalFlag": ("H", ch("H", "L", "N")),
        "RefLow": ("N", ch("70", "12", "0.6")),
        "RefHigh": ("N", ch("100", "16", "1.2")),
        "OrderingProvider": ("I", person),
        "ProviderNPI": ("I", lambda i: str(RANDOM.randint(10**9, 2 * 10**9))),
        "Fasting": ("?H", ch("Y", "N")),
        "PerformingLab": ("N", ch("Core", "Stat")),
        "HIV1_RNA": ("H", dec(0, 1000)),
        "Culture": ("H", ch("E. coli", "no growth", "S. aureus")),
        "PregnancyStatus": ("H", ch("Y", "N", "U")),
        "ResultComment": ("I", lambda i: f"called to {RANDOM.choice(NAMES)} at {i}"),
        "AccessionNumber": ("I", seq("A")),
        "InstrumentID": ("N", ch("X1", "X2")),
        "AgeAtTest": ("N", num(0, 99)),
    },
    "cancer": {
        "tumour_id": ("I", seq("T")),
        "nhsnumber": ("I", long("", 10)),
        "diagnosisdatebest": ("?H", day()),
        "site_icd10_o2": ("H", ch("C50", "C34", "C61")),
        "morph_icd10_o2": ("H", ch("8500", "8140", "8070")),
        "behaviour_icd10_o2": ("H", ch("3", "2")),
        "laterality": ("H", ch("L", "R", "9")),
        "t_best": ("H", ch("1", "2", "3", "4")),
        "n_best": ("H", ch("0", "1", "2")),
        "m_best": ("H", ch("0", "1")),
        "stage_best": ("H", ch("1", "2", "3", "4")),
        "grade": ("H", ch("G1", "G2", "G3")),
        "er_status": ("H", ch("P", "N")),
        "her2_status": ("H", ch("P", "N")),
        "gleason_primary": ("H", ch("3", "4", "5")),
        "screendetected": ("?H", ch("0", "1")),
        "age": ("N", num(20, 95)),
        "ethnicity": ("H", ch("A", "B", "M")),
        "vitalstatus": ("H", ch("A", "D")),
        "vitalstatusdate": ("H?", day()),
        "deathcausecode_underlying": ("H", ch("C50", "I21", "")),
        "chemo_tumour_flag": ("H", ch("0", "1")),
        "rt_tumour_flag": ("H", ch("0", "1")),
        "quintile_2019": ("N", ch("1", "2", "3")),
        "cancer_alliance": ("N", ch("North", "South")),
        "performancestatus": ("H", ch("0", "1", "2")),
        "nodesexcised": ("H", num(0, 30)),
        "tumoursize": ("H", num(1, 120)),
        "dateoflastcontact": ("?", day()),
    },
    "vacc": {
        "No.": ("I", lambda i: str(i + 1)),
        "Child name": ("I", person),
        "Caregiver phone": ("I", long("07", 8)),
        "Village": ("N?", ch("Kisi", "Mbale", "Tororo")),
        "GPS lat": ("I", dec(0, 1, 5)),
        "GPS lon": ("I", dec(33, 34, 5)),
        "DOB": ("I", day(2019, 2023)),
        "Sex": ("N", ch("M", "F")),
        "BCG date": ("H?", day(2019, 2023)),
        "OPV0": ("H", ch("Y", "N")),
        "Penta3": ("H", ch("Y", "N")),
        "MCV1": ("H", ch("Y", "N")),
        "MCV2": ("H", ch("Y", "N")),
        "Vit A": ("H", ch("Y", "N")),
        "LLIN given": ("H?", ch("Y", "N")),
        "AEFI": ("H", ch("none", "fever", "swelling")),
        "HIV exposed": ("H", ch("Y", "N", "U")),
        "Weight (kg)": ("H", dec(3, 15)),
        "MUAC": ("H", dec(10, 17)),
        "Nutritional status": ("H", ch("normal", "MAM", "SAM")),
        "Zero-dose": ("H", ch("Y", "N")),
        "Religion": ("H", ch("C", "M")),
        "Household no": ("I", seq("H")),
        "Card seen": ("N", ch("Y", "N")),
        "Vaccinator": ("I", person),
        "Batch": ("N", ch("B1", "B2", "B3")),
    },
    "maternity": {
        "mother_hosp_no": ("I", seq("M")),
        "baby_hosp_no": ("I", seq("B")),
        "mat_age": ("N", num(15, 48)),
        "booking_bmi": ("H", dec(17, 45)),
        "gravidity": ("H", num(1, 8)),
        "para": ("H", num(0, 7)),
        "lmp": ("H?", day()),
        "edd": ("H?", day()),
        "ga_wks": ("H", num(24, 42)),
        "mode_of_birth": ("H", ch("SVD", "EMCS", "ELCS", "Forceps")),
        "ebl_ml": ("H", num(100, 2500)),
        "perineal_tear": ("H", ch("0", "1", "2", "3a")),
        "epidural": ("H", ch("Y", "N")),
        "gdm": ("H", ch("Y", "N")),
        "pet": ("H", ch("Y", "N")),
        "gbs": ("H", ch("pos", "neg")),
        "rhesus": ("H", ch("pos", "neg")),
        "smoker_booking": ("H", ch("Y", "N")),
        "domestic_abuse": ("H", ch("Y", "N")),
        "fgm": ("H", ch("Y", "N")),
        "bwt_g": ("H", num(900, 4800)),
        "apgar_1": ("H", num(0, 10)),
        "cord_ph": ("H", dec(6.9, 7.4, 2)),
        "scbu": ("H", ch("Y", "N")),
        "feeding_discharge": ("H", ch("breast", "formula")),
        "stillborn": ("H", ch("Y", "N")),
        "midwife": ("I", person),
        "imd_decile": ("N", num(1, 10)),
        "theatre_time": ("?", lambda i: f"{RANDOM.randint(0, 23):02}:{RANDOM.randint(0, 59):02}"),
        "congenital_anom": ("H", ch("none", "cleft", "CHD")),
        "consanguinity": ("H", ch("Y", "N")),
        "tops": ("H", num(0, 3)),
    },
    "psych": {
        "Fall-Nr.": ("I", seq("F")),
        "Pat.-Name": ("I", person),
        "Geb.": ("I", day(1940, 2005, "%d.%m.%Y")),
        "Hauptdiag.": ("H", ch("F20.0", "F32.2", "F10.2")),
        "PHQ-9": ("H", num(0, 27)),
        "BPRS": ("H", num(18, 126)),
        "CGI-S": ("H", num(1, 7)),
        "Unterbringung": ("H", ch("freiwillig", "PsychKG", "BGB")),
        "Fixierung": ("H", ch("ja", "nein")),
        "Suizidalität": ("H", ch("keine", "latent", "akut")),
        "Lithiumspiegel": ("H", dec(0.3, 1.4, 2)),
        "EKT": ("H", ch("ja", "nein")),
        "Substanz": ("H", ch("Alkohol", "Opiate", "keine")),
        "THC": ("H", ch("pos", "neg")),
        "Betreuer": ("I", person),
        "ges. Betreuung": ("H?", ch("ja", "nein")),
        "Migrationshintergrund": ("H", ch("ja", "nein")),
        "Wohnform": ("N?", ch("eigene Wohnung", "Heim", "wohnungslos")),
        "Rente": ("N?", ch("EM-Rente", "keine")),
        "GdB": ("H", ch("0", "30", "50", "80")),
        "Bezugspflege": ("I", person),
        "Haft": ("H", ch("ja", "nein")),
        "Depot": ("H", ch("Paliperidon", "keins")),
        "GAF bei Aufn.": ("H", num(10, 90)),
        "Trauma": ("H", ch("ja", "nein")),
        "Verw.-dauer": ("N", num(1, 120)),
        "Kostentr.": ("N", ch("AOK", "TK")),
    },
    "dental": {
        "chart no": ("I", seq("C")),
        "pt name": ("I", person),
        "DMFT": ("H", num(0, 28)),
        "BPE score": ("H", ch("0", "1", "2", "3", "4")),
        "caries risk": ("H", ch("low", "med", "high")),
        "plaque %": ("H", num(0, 100)),
        "bleeding on probing": ("H", num(0, 100)),
        "tooth": ("H?", num(11, 48)),
        "surface": ("H?", ch("M", "O", "D")),
        "CDT code": ("H", ch("D0120", "D1110", "D2391")),
        "fluoride varnish": ("H", ch("Y", "N")),
        "pack-years": ("H", num(0, 60)),
        "bisphosphonates": ("H", ch("Y", "N")),
        "anticoag": ("H", ch("Y", "N")),
        "anxiety scale (MDAS)": ("H", num(5, 25)),
        "orthodontic need IOTN": ("H", num(1, 5)),
        "Medicaid": ("N?H", ch("Y", "N")),
        "next recall": ("?", day()),
        "dentist": ("I", person),
        "guardian email": ("I", lambda i: f"{RANDOM.choice(NAMES).lower()}{i}@mail.org"),
        "radiograph": ("H?", ch("BW", "OPG", "none")),
        "allergy latex": ("H", ch("Y", "N")),
        "sedation": ("H", ch("none", "IV", "GA")),
        "perio dx": ("H", ch("gingivitis", "stage II", "healthy")),
        "school": ("N?", ch("Oak", "Elm")),
        "SES": ("N", ch("1", "2", "3")),
        "fee": ("H", dec(20, 900, 2)),
    },
}


@pytest.mark.parametrize("name", TABLES)
def test_no_health_is_published_and_no_identifier_missed(name: str, tmp_path: Path) -> None:
    table = TABLES[name]
    path = tmp_path / f"{name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, delimiter=";")
        rows.writerow(table)
        rows.writerows([make(i) for _, make in table.values()] for i in range(N))
    found = suggest_roles(read(path).table)
    assert tuple(found) == tuple(table)
    wrong = {
        column: found[column].reason
        for column, (what, _) in table.items()
        if (what == "H" and found[column].role in (Role.NSA, Role.IDENTIFIER))
        or (what == "I" and found[column].role.published)
        or (what == "N" and found[column].role is Role.IDENTIFIER)
    }
    assert not wrong
    assert sum(said.role is Role.SA for said in found.values()) == 1
