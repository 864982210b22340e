"""A table of persons with several rows and foreign letters, and two releases of it: within its limits, and not."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.core.audience import Audience
from splu_desktop.core.mechanism import Block, Lenders
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.verdict import Verdict, verdict
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Table
from splu_desktop.files.importer import read
from splu_desktop.files.publish.publishing import publish
from splu_desktop.files.register.ledger import Entry, Register
from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.report.fields import Fields
from splu_desktop.report.make import Report, make_report

REASON = "The ethics board has agreed"
TITLE = '#panic("read") *شلل* \\ [x] $y$ \U0001f9a0'
FIELDS = Fields(title=TITLE, organisation="Spital Nord", reviewer="C. Ørsted", law="gdpr,ehds,hipaa,ico,iso27559")


@dataclass(frozen=True, eq=False)
class Case:
    """A source, its release and the verdict on it."""

    source: Table
    plan: Plan
    judged: Verdict
    opened: OpenRelease
    entry: Entry

    def report(self, *, internal: bool, fields: Fields = FIELDS) -> Report:
        """Return its report."""
        return make_report(self.opened, fields, entry=self.entry, source=self.source if internal else None)


@pytest.fixture(scope="package")
def source(tmp_path_factory: pytest.TempPathFactory) -> Table:
    rng = np.random.default_rng(7)
    path = tmp_path_factory.mktemp("source") / "tests.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["patient_id", "sex", "age_group", "city_רחובות", "result", "symptom"])
        for person in range(1_500):
            own = [f"P{person:05d}", rng.choice(["f", "m"]), rng.choice(["0-17", "18-64", "65+"])]
            own.append(rng.choice(["Nord", "שלום", "東京"]))
            ill = rng.random() < 0.2
            for _ in range(int(rng.integers(1, 4))):
                result = "positive" if rng.random() < (0.6 if ill else 0.03) else "negative"
                shares = [0.5, 0.3, 0.1, 0.1] if ill else [0.1, 0.1, 0.1, 0.7]
                symptom = rng.choice(["fever", "cough", "حمى", "none"], p=shares)
                writer.writerow([*own, result, symptom])
    return read(path).table


def _case(source: Table, gamma: float, folder: Path, name: str) -> Case:
    roles = dict.fromkeys(source.names, Role.NSA)
    roles |= {"patient_id": Role.IDENTIFIER, "result": Role.SA, "symptom": Role.SA}
    plan = Plan(
        roles=roles,
        blocks=(Block(("result", "symptom"), Lenders(gamma)),),
        classes=("sex", "age_group"),
        persons=ByPerson("patient_id"),
        public_values={"result": ("negative",), "symptom": ("none",)},
        questions=(AskedTable("result", "positive", ("sex", "age_group")), AskedTable("symptom", None, ("sex",))),
        audience=Audience(recipient=f"Uni {name}", purpose="Positive tests by age", until="2099-12-31"),
    )
    register = Register(folder / f"register {name}")
    judged = verdict(source, plan)
    accepted = {line.name: REASON for line in judged.open}
    done = publish(source, plan, folder / name, judged=judged, accepted=accepted, register=register)
    return Case(source, plan, judged, done.release, done.entry)


@pytest.fixture(scope="package")
def cases(source: Table, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    folder = tmp_path_factory.mktemp("releases")
    return {"kept": _case(source, 5.0, folder, "kept"), "missed": _case(source, 1.5, folder, "missed")}


@pytest.fixture(params=["kept", "missed"])
def case(request: pytest.FixtureRequest, cases: dict[str, Case]) -> Case:
    return cases[request.param]
