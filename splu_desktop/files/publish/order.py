"""What is to be published, what was found out about it, and whether its source is still the file that was opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.checks.gate import Gate
from splu_desktop.core.draw import Draw
from splu_desktop.core.draw.by_person import one_per_person
from splu_desktop.core.errors import SpluError
from splu_desktop.core.generalise import column_after
from splu_desktop.core.plan import Plan
from splu_desktop.core.table import IN_MEMORY, Column, Storage, Table
from splu_desktop.files.disk.whole import check_name, check_new_file, check_new_folder
from splu_desktop.files.register.book import Reading
from splu_desktop.files.register.earlier import Cost, EarlierRelease
from splu_desktop.files.register.fingerprint import Fingerprints
from splu_desktop.frozen import dataclass


@dataclass(frozen=True, eq=False)
class Order:
    """What is to be published, and how.

    Attributes
    ----------
    table : the source as read, before generalisation; with one record of each person once it is here, if so planned.
    plan : roles, group sizes, thresholds and generalisations.
    target : the release folder, or the ZIP if `packed`; must not exist.
    formats : of "csv" (always written), "xlsx", "parquet".
    bom : whether the CSV starts with a byte order mark.
    packed : one ZIP instead of a folder.
    password : of the ZIP; None for one without.
    source, source_sha256 : the source's file and what it hashed to when it was read; None where there is no file.
    source_stamp : what `stamp` said of the file before it was read; spares hashing it again where it says the same.
    operator, purpose, recipient : for the register.
    spoken : code of the language of what the recipient reads, README and data dictionary.
    storage : where the published table's codes are to lie.
    """

    table: Table
    plan: Plan
    target: Path
    formats: tuple[str, ...] = ("csv",)
    bom: bool = False
    packed: bool = False
    password: str | None = field(default=None, repr=False)
    source: Path | None = None
    source_sha256: str | None = None
    source_stamp: tuple[int, int, int] | None = None
    operator: str = ""
    purpose: str = ""
    recipient: str = ""
    spoken: str = "en"
    storage: Storage = IN_MEMORY

    def __post_init__(self) -> None:
        table, plan = one_each(self.table, self.plan)
        object.__setattr__(self, "plan", plan)
        object.__setattr__(self, "table", table)


def one_each(table: Table, plan: Plan, kept: NDArray[np.int64] | None = None) -> tuple[Table, Plan]:
    """Return a table with one record of each person, where so planned, and the plan as it fits these.

    kept : as in `one_per_person`. A table that has them already is returned with its plan as it is.
    """
    taken, steps = one_per_person(table, plan.persons, kept=kept), plan.generalisations
    if taken is table:
        return table, plan
    draws = fitted(plan.draws, lambda name: column_after(taken[name], steps.get(name, ())))
    return taken, replace(plan, draws=draws)


def fitted(draws: Mapping[str, Draw], column: Callable[[str], Column]) -> dict[str, Draw]:
    """Return draws for a table with one record per person: others may stay than those planned with.

    Their counts differ a little, so that a draw may need other chances or groups for the same tolerances. What can't be
    drawn at all is left as it is, and told by the gate.

    column : gives a sensitive column as it is to be drawn.
    """
    found = dict(draws)
    for name, draw in draws.items():
        with suppress(SpluError):
            values = column(name)
            try:
                draw.check(values)
            except SpluError:
                found[name] = draw.fitted(values)
    return found


@dataclass(frozen=True, eq=False)
class Examination:
    """What was found before publishing.

    Attributes
    ----------
    gate : its lines; `accepted` is empty.
    earlier : releases of the same records, oldest first.
    costs : how T_P falls with one release more, per SA that was released before.
    prints : the source's fingerprints; None where the register can't be used.
    seen : the register as it was read; None where it can't be used.
    """

    gate: Gate
    earlier: tuple[EarlierRelease, ...]
    costs: tuple[Cost, ...]
    prints: Fingerprints | None
    seen: Reading | None = None


def check_target(order: Order) -> None:
    """Raise CannotWrite unless the release can appear where it is to."""
    check_name(order.target)
    if order.packed:
        check_new_file(order.target)
    else:
        check_new_folder(order.target)
