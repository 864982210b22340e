"""The plan: everything a release depends on besides the table and chance. Frozen, validated, versioned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any

from splu_desktop.core.draw import Draw, draws_from
from splu_desktop.core.draw.by_person import NUMBER, ByPerson, check_dates, one_per_person
from splu_desktop.core.errors import BadSetting, UnknownColumn
from splu_desktop.core.generalise import Steps, steps_from
from splu_desktop.core.guarantees.audience import Audience
from splu_desktop.core.rationals import as_fraction as as_fraction
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Table
from splu_desktop.core.thresholds import Thresholds as Thresholds
from splu_desktop.frozen import dataclass

PLAN_VERSION = 2
DEFAULT_GAMMA = 5


@dataclass(frozen=True)
class Plan:
    """Roles of all columns, a draw for each SA, thresholds, and how columns are generalised before anything else.

    Attributes
    ----------
    roles : column name -> Role, for every column of the table.
    draws : SA name -> how its values are drawn anew, for exactly the columns with role SA.
    thresholds : what the guarantees are stated for.
    generalisations : column name -> its steps, one after another; columns without any left out.
    kept_identifiers : name of a column that was suggested as an identifier and is published all the same -> the reason
        that the custodian gave; the report shows it.
    persons : what is done about persons with several records; None where nothing was chosen.
    audience : who gets the release; None where it was not asked.
    """

    roles: Mapping[str, Role]
    draws: Mapping[str, Draw]
    thresholds: Thresholds = field(default_factory=Thresholds)
    version: int = PLAN_VERSION
    generalisations: Mapping[str, Steps] = field(default_factory=dict)
    kept_identifiers: Mapping[str, str] = field(default_factory=dict)
    persons: ByPerson | None = None
    audience: Audience | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "roles", MappingProxyType(dict(self.roles)))
        by = self.persons.drawn if self.persons is not None else ""
        draws = {name: draw.by_person(by) for name, draw in self.draws.items()}
        if self.persons is None and draws != dict(self.draws):
            raise BadSetting("A draw per person needs to know by which column; say what tells persons.")
        object.__setattr__(self, "draws", MappingProxyType(draws))
        steps = {name: tuple(steps) for name, steps in self.generalisations.items() if steps}
        object.__setattr__(self, "generalisations", MappingProxyType(steps))
        object.__setattr__(self, "kept_identifiers", MappingProxyType(dict(self.kept_identifiers)))
        named = () if self.persons is None else self.persons.columns
        for name in (*self.generalisations, *self.kept_identifiers, *named):
            if name not in self.roles:
                raise UnknownColumn(name, tuple(self.roles))
        for name, reason in self.kept_identifiers.items():
            if not reason.strip():
                raise BadSetting("Column “{name}” names persons; say why it is published all the same.", name=name)
        for name in () if self.persons is None else self.persons.shift:
            if self.roles[name] is Role.SA:
                raise BadSetting(
                    "“{column}” is sensitive and drawn anew, so its dates are not shifted, too.", column=name
                )
            if self.roles[name] is not Role.NSA:
                raise BadSetting(
                    "“{column}” is left out of the release, so its dates can't be shifted; publish it, or leave it out "
                    "of the columns that are shifted.",
                    column=name,
                )
        if self.persons is not None and self.persons.number and NUMBER in self.roles:
            raise BadSetting(
                "The table has a column “{name}” already; rename it, or leave the number out.", name=NUMBER
            )
        if not self.sensitive:
            raise BadSetting("No sensitive column is marked; mark at least one column as sensitive (SA).")
        if set(self.draws) != set(self.sensitive):
            raise BadSetting("Each sensitive column needs a group size gamma, and no other column has one.")
        for draw in self.draws.values():
            draw.of_block(self.draws)

    @property
    def blocks(self) -> Mapping[tuple[str, ...], Draw]:
        """The columns that are drawn together -> their draw; most stand alone."""
        return {draw.block(name): draw.of_block(self.draws) for name, draw in self.draws.items()}

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Names of the sensitive columns."""
        return self.named(Role.SA)

    def named(self, role: Role) -> tuple[str, ...]:
        """Names of the columns with a role, in the table's order."""
        return tuple(name for name, given in self.roles.items() if given is role)

    def check(self, table: Table) -> None:
        """Raise UnknownColumn or BadSetting where plan and table do not belong together."""
        for name in self.roles:
            if name not in table:
                raise UnknownColumn(name, table.names)
        for name in table.names:
            if name not in self.roles:
                raise BadSetting("Column “{name}” has no role; give it one before publishing.", name=name)
        for name in () if self.persons is None else self.persons.shift:
            check_dates(table[name])
        if one_per_person(table, self.persons) is not table:
            raise BadSetting("One record per person is to be taken first (`by_person.one_per_person`).")

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as plain data, as stored in recipes and project files."""
        return {
            "version": self.version,
            "roles": {name: role.value for name, role in self.roles.items()},
            "draws": {name: draw.as_dict() for name, draw in self.draws.items()},
            "thresholds": self.thresholds.as_dict(),
            "generalisations": steps_as_dicts(self.generalisations),
            "kept_identifiers": dict(self.kept_identifiers),
            **({} if self.persons is None else {"persons": self.persons.as_dict()}),
            **({} if self.audience is None else {"audience": self.audience.as_dict()}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Plan:
        """Return the plan that `as_dict` gave. Raises BadSetting where the data are no plan."""
        try:
            version = data["version"]
            if version != PLAN_VERSION:
                raise BadSetting(
                    "The stored plan has version {version}; this program reads version {plan_version}.",
                    version=version,
                    plan_version=PLAN_VERSION,
                )
            thresholds = data["thresholds"]
            return cls(
                roles={str(name): _role(name, role) for name, role in data["roles"].items()},
                draws=draws_from(data["draws"]),
                thresholds=Thresholds(**thresholds),
                generalisations=steps_by_column(data.get("generalisations", {})),
                kept_identifiers={str(name): str(why) for name, why in data.get("kept_identifiers", {}).items()},
                persons=ByPerson.from_dict(data["persons"]) if "persons" in data else None,
                audience=Audience.from_dict(data["audience"]) if "audience" in data else None,
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise BadSetting("The stored plan can't be understood: an entry is missing or of the wrong kind.") from None


def steps_as_dicts(generalisations: Mapping[str, Steps]) -> dict[str, list[dict[str, Any]]]:
    """Return the steps of all columns as plain data."""
    return {name: [step.as_dict() for step in steps] for name, steps in generalisations.items() if steps}


def steps_by_column(data: Mapping[str, Any]) -> dict[str, Steps]:
    """Return the steps that `steps_as_dicts` gave. Raises BadSetting, naming the column."""
    found = {}
    for name, steps in data.items():
        try:
            found[str(name)] = steps_from(steps)
        except BadSetting as fault:
            raise BadSetting("Column “{name}”: {fault}", name=name, fault=fault) from None
    return found


def _role(name: str, role: Any) -> Role:
    try:
        return Role(role)
    except ValueError:
        known = ", ".join(each.value for each in Role)
        raise BadSetting(
            "Column “{name}” has the role “{role}”; the roles are {known}.",
            name=name,
            role=str(role)[:40],
            known=known,
        ) from None
