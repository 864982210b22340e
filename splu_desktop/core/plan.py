"""The plan: everything a release depends on besides the table and chance. Frozen, validated, versioned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from splu_desktop.core.errors import BadSetting, UnknownColumn
from splu_desktop.core.generalise import Steps, steps_from
from splu_desktop.core.rationals import as_fraction as as_fraction
from splu_desktop.core.roles import Role
from splu_desktop.core.said import say
from splu_desktop.core.table import Table
from splu_desktop.core.tolerant_groups import Grouping

PLAN_VERSION = 1
DEFAULT_GAMMA = 5


@dataclass(frozen=True)
class Thresholds:
    """What the custodian asks of the release (mechanism.md section 1).

    Attributes
    ----------
    epsilon : relative error, in (0, 1].
    t_e : tolerated probability of an error of epsilon or more in a large count, in (0, 1).
    alpha : the largest "small" count, at least 1.
    t_p : least probability wanted of an error above epsilon in a small count, in [0, 1]; None where not asked.
    """

    epsilon: float = 0.3
    t_e: float = 0.05
    alpha: int = 3
    t_p: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.epsilon <= 1:
            raise BadSetting(
                say(
                    "The relative error epsilon must lie above 0 and at most at 1, not at {epsilon:g}.",
                    epsilon=self.epsilon,
                )
            )
        if not 0 < self.t_e < 1:
            raise BadSetting(
                say("The tolerated probability T_E must lie between 0 and 1, not at {t_e:g}.", t_e=self.t_e)
            )
        if self.alpha < 1:
            raise BadSetting(
                say("The largest small count alpha must be a whole number from 1, not {alpha}.", alpha=self.alpha)
            )
        if self.t_p is not None and not 0 <= self.t_p <= 1:
            raise BadSetting(say("The wanted probability T_P must lie between 0 and 1, not at {t_p:g}.", t_p=self.t_p))


@dataclass(frozen=True)
class Plan:
    """Roles of all columns, a gamma for each SA, thresholds, and how columns are generalised before anything else.

    Attributes
    ----------
    roles : column name -> Role, for every column of the table.
    gammas : SA name -> gamma, for exactly the columns with role SA that have no grouping.
    groupings : SA name -> group sizes of several kinds with a tolerance per value (mechanism.md section 5).
    thresholds : what the guarantees are stated for.
    generalisations : column name -> its steps, one after another; columns without any left out.
    kept_identifiers : name of a column that was suggested as an identifier and is published all the same -> the reason
        that the custodian gave; the report shows it.
    """

    roles: Mapping[str, Role]
    gammas: Mapping[str, int]
    thresholds: Thresholds = field(default_factory=Thresholds)
    version: int = PLAN_VERSION
    generalisations: Mapping[str, Steps] = field(default_factory=dict)
    kept_identifiers: Mapping[str, str] = field(default_factory=dict)
    groupings: Mapping[str, Grouping] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "roles", MappingProxyType(dict(self.roles)))
        object.__setattr__(self, "gammas", MappingProxyType(dict(self.gammas)))
        object.__setattr__(self, "groupings", MappingProxyType(dict(self.groupings)))
        steps = {name: tuple(steps) for name, steps in self.generalisations.items() if steps}
        object.__setattr__(self, "generalisations", MappingProxyType(steps))
        object.__setattr__(self, "kept_identifiers", MappingProxyType(dict(self.kept_identifiers)))
        for name in (*self.generalisations, *self.kept_identifiers):
            if name not in self.roles:
                raise UnknownColumn(name, tuple(self.roles))
        for name, reason in self.kept_identifiers.items():
            if not reason.strip():
                raise BadSetting(say("Column “{name}” names persons; say why it is published all the same.", name=name))
        if not self.sensitive:
            raise BadSetting("No sensitive column is marked; mark at least one column as sensitive (SA).")
        if {*self.gammas, *self.groupings} != set(self.sensitive):
            raise BadSetting("Each sensitive column needs a group size gamma, and no other column has one.")
        for name in self.groupings:
            if name in self.gammas:
                raise BadSetting(
                    say("Column “{name}” has both a group size gamma and tolerances; give it one of them.", name=name)
                )
        for name, gamma in self.gammas.items():
            if gamma < 2:
                raise BadSetting(
                    say(
                        "The group size gamma of column “{name}” is {gamma}; it must be 2 or more, since a group "
                        "of one hides nothing.",
                        name=name,
                        gamma=gamma,
                    )
                )

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Names of the sensitive columns."""
        return self.named(Role.SA)

    @property
    def ways(self) -> dict[str, int | Grouping]:
        """How each sensitive column is re-drawn: SA name -> gamma or grouping."""
        return {**self.gammas, **self.groupings}

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
                raise BadSetting(say("Column “{name}” has no role; give it one before publishing.", name=name))

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as plain data, as stored in recipes and project files."""
        return {
            "version": self.version,
            "roles": {name: role.value for name, role in self.roles.items()},
            "gammas": dict(self.gammas),
            "thresholds": {
                "epsilon": self.thresholds.epsilon,
                "t_e": self.thresholds.t_e,
                "alpha": self.thresholds.alpha,
                "t_p": self.thresholds.t_p,
            },
            "generalisations": steps_as_dicts(self.generalisations),
            "kept_identifiers": dict(self.kept_identifiers),
            **({"groupings": groupings} if (groupings := groupings_as_dicts(self.groupings)) else {}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Plan:
        """Return the plan that `as_dict` gave. Raises BadSetting where the data are no plan."""
        try:
            version = data["version"]
            if version != PLAN_VERSION:
                raise BadSetting(
                    say(
                        "The stored plan has version {version}; this program reads version {plan_version}.",
                        version=version,
                        plan_version=PLAN_VERSION,
                    )
                )
            thresholds = data["thresholds"]
            return cls(
                roles={str(name): _role(name, role) for name, role in data["roles"].items()},
                gammas=whole_gammas(data["gammas"]),
                thresholds=Thresholds(**thresholds),
                generalisations=steps_by_column(data.get("generalisations", {})),
                kept_identifiers={str(name): str(why) for name, why in data.get("kept_identifiers", {}).items()},
                groupings={str(name): Grouping.from_dict(stored) for name, stored in data.get("groupings", {}).items()},
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise BadSetting("The stored plan can't be understood: an entry is missing or of the wrong kind.") from None


def groupings_as_dicts(groupings: Mapping[str, Grouping]) -> dict[str, dict[str, Any]]:
    """Return the group sizes and tolerances of all columns as plain data."""
    return {name: grouping.as_dict() for name, grouping in groupings.items()}


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
            raise BadSetting(say("Column “{name}”: {fault}", name=name, fault=fault)) from None
    return found


def _role(name: str, role: Any) -> Role:
    try:
        return Role(role)
    except ValueError:
        known = ", ".join(each.value for each in Role)
        raise BadSetting(
            say(
                "Column “{name}” has the role “{role}”; the roles are {known}.",
                name=name,
                role=str(role)[:40],
                known=known,
            )
        ) from None


def whole_gammas(data: Mapping[str, Any]) -> dict[str, int]:
    """Return stored group sizes. Raises BadSetting where one is no whole number."""
    for name, gamma in data.items():
        if isinstance(gamma, bool) or not isinstance(gamma, int):
            raise BadSetting(
                say(
                    "The group size gamma of column “{name}” must be a whole number from 2, not {gamma}.",
                    name=name,
                    gamma=repr(gamma),
                )
            )
    return dict(data)
