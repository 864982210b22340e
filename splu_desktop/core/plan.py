"""The plan: everything a release depends on besides the table and chance. Frozen, validated, versioned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import Any

from splu_desktop.core.audience import Audience
from splu_desktop.core.errors import BadSetting, SpluError, UnknownColumn
from splu_desktop.core.generalise import Rare, Steps, steps_from
from splu_desktop.core.mechanism import CLASS, NUMBER, Block, Lenders, draw_as_dict, draw_from
from splu_desktop.core.messages import say
from splu_desktop.core.persons.blanking import Blanking
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Table
from splu_desktop.core.thresholds import Thresholds

PLAN_VERSION = 3


@dataclass(frozen=True)
class Plan:
    """What becomes of every column, and how strongly it is protected.

    Attributes
    ----------
    roles : column -> Role, for every column of the table.
    blocks : sensitive columns drawn as one, each with its draw; every sensitive column stands in exactly one.
    classes : unchanged columns whose values, crossed after generalisation, make the classes of lenders.
    thresholds : what the bounds are stated for.
    generalisations : column -> its steps, one after another; columns without any left out.
    blanking : what is blanked of persons who are still not alike with enough others; None for nothing.
    persons : what is done about persons with several rows; None where no column names them.
    kept_identifiers : column that names persons and is published all the same -> the reason given.
    public_values : sensitive column -> its values that are not secret (absence), of which no risk is said.
    rare : sensitive column -> K; published values of fewer than K rows become one *after* the draw.
    questions : the tables that must come out.
    audience : who gets the release.
    row_word : what one row is ("test"), "" where it was not said.
    """

    roles: Mapping[str, Role]
    blocks: tuple[Block, ...]
    classes: tuple[str, ...] = ()
    thresholds: Thresholds = field(default_factory=Thresholds)
    generalisations: Mapping[str, Steps] = field(default_factory=dict)
    blanking: Blanking | None = None
    persons: ByPerson | None = None
    kept_identifiers: Mapping[str, str] = field(default_factory=dict)
    public_values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rare: Mapping[str, int] = field(default_factory=dict)
    questions: tuple[AskedTable, ...] = ()
    audience: Audience = field(default_factory=Audience)
    row_word: str = ""

    def __post_init__(self) -> None:
        steps, joined = {name: tuple(each) for name, each in self.generalisations.items() if each}, dict(self.rare)
        # Rare values of a secret column are joined after the draw, on published counts: the counts before are secret.
        for name in [name for name in steps if name in self.sensitive]:
            joined.update((name, each.k) for each in steps[name] if isinstance(each, Rare))
            steps[name] = tuple(each for each in steps[name] if not isinstance(each, Rare))
        steps = {name: each for name, each in steps.items() if each}
        object.__setattr__(self, "generalisations", MappingProxyType(steps))
        object.__setattr__(self, "rare", joined)
        for name in ("roles", "kept_identifiers", "public_values", "rare"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        for name in ("blocks", "classes", "questions"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        self._check()

    def _check(self) -> None:
        for name in self.named_columns:
            if name not in self.roles:
                raise UnknownColumn(name, tuple(self.roles))
        drawn = [name for block in self.blocks for name in block.columns]
        if not self.sensitive:
            raise BadSetting("No column is secret; mark at least one column as secret (SA).")
        if sorted(drawn) != sorted(self.sensitive):
            raise BadSetting("Each secret column is drawn in exactly one block, and no other column is drawn.")
        for name in self.classes:
            if not self.roles[name].is_unchanged:
                raise BadSetting("“{column}” makes classes, so it must be published as it is.", column=name)
        for name, reason in self.kept_identifiers.items():
            if not reason.strip():
                raise BadSetting("Column “{name}” names persons; say why it is published all the same.", name=name)
        for name in () if self.persons is None else self.persons.shift:
            if not self.roles[name].is_unchanged:
                raise BadSetting("“{column}” is not published as it is, so its dates are not moved.", column=name)
        for name in {CLASS, NUMBER} & {*self.sensitive, *self.nsas, *self.kept_identifiers}:
            raise BadSetting("The table has a column “{name}” already; rename it in the file.", name=name)
        for name, least in self.rare.items():
            if name not in self.sensitive or least < 2:
                raise BadSetting("Rare values of the secret column “{name}” are joined below 2 or more.", name=name)

    @cached_property
    def sensitive(self) -> tuple[str, ...]:
        """Names of the sensitive columns, in the table's order."""
        return tuple(name for name, given in self.roles.items() if given.sensitive)

    @cached_property
    def nsas(self) -> tuple[str, ...]:
        """Names of the columns published unchanged, in the table's order."""
        return tuple(name for name, given in self.roles.items() if given.is_unchanged)

    @cached_property
    def knowable(self) -> tuple[str, ...]:
        """Names of the unchanged columns that somebody may know of a person: not the dates that are moved."""
        moved = () if self.persons is None else self.persons.shift
        return tuple(name for name in self.nsas if self.roles[name].is_known and name not in moved)

    @property
    def named_columns(self) -> tuple[str, ...]:
        """Names of the columns that entries beside the roles name."""
        persons = () if self.persons is None else self.persons.columns
        emptied = () if self.blanking is None else chain(*self.blanking.groups)
        by_column = (*self.generalisations, *self.kept_identifiers, *self.public_values, *self.rare)
        return (*by_column, *self.classes, *persons, *emptied)

    @property
    def draws_persons(self) -> bool:
        """Whether persons are drawn, each with all its rows."""
        return self.persons is not None and self.persons.way == "draw"

    @property
    def gamma(self) -> float:
        """The strength; of blocks of several strengths the smallest."""
        return min(block.draw.gamma for block in self.blocks)

    def list_with(self, role: Role) -> tuple[str, ...]:
        """Names of the columns with a role, in the table's order."""
        return tuple(name for name, given in self.roles.items() if given is role)

    def block_of(self, sensitive: str) -> Block:
        """Return the block that a sensitive column stands in."""
        return next(block for block in self.blocks if sensitive in block.columns)

    def with_gamma(self, gamma: float) -> Plan:
        """Return the plan with one strength for all blocks. Raises BadSetting."""
        return replace(self, blocks=tuple(Block(each.columns, each.draw.with_gamma(gamma)) for each in self.blocks))

    def with_role(self, column: str, role: Role) -> Plan:
        """Return the plan with another role of a column, all that hung on the old one gone with it."""
        return self.with_roles([column], role)

    def with_roles(self, columns: Sequence[str], role: Role) -> Plan:
        """Return the plan with columns in a role, all that hung on their old ones gone with it."""
        # At once, since each plan is checked: of 200 columns one after another took most of a second.
        changed, persons = dict.fromkeys(columns, role), self.persons
        drawn = {name for name in self.sensitive if name not in changed or role.sensitive}
        parts = [(tuple(name for name in each.columns if name in drawn), each.draw) for each in self.blocks]
        blocks = [Block(names, draw) for names, draw in parts if names]
        if role.sensitive:
            blocks += [Block((name,), Lenders(self.gamma)) for name in changed if name not in self.sensitive]
        if persons is not None and not role.is_unchanged and changed.keys() & set(persons.shift):
            left = tuple(name for name in persons.shift if name not in changed)
            persons = replace(persons, shift=left, days=persons.days if left else 0)
        return replace(
            self,
            roles={**self.roles, **changed},
            blocks=tuple(blocks),
            persons=persons,
            classes=tuple(name for name in self.classes if name not in changed or role.is_unchanged),
            public_values={k: v for k, v in self.public_values.items() if k not in changed or role.sensitive},
            rare={k: v for k, v in self.rare.items() if k not in changed or role.sensitive},
            kept_identifiers={k: v for k, v in self.kept_identifiers.items() if k not in changed},
            generalisations={k: v for k, v in self.generalisations.items() if k not in changed or role.is_published},
            questions=tuple(
                each
                for each in self.questions
                if (each.sa not in changed or role.sensitive)
                and (not changed.keys() & set(each.by) or role.is_unchanged)
            ),
        )

    def with_steps(self, columns: Sequence[str], steps: Steps) -> Plan:
        """Return the plan with columns in another form; no steps for the form as read."""
        left = {name: each for name, each in self.generalisations.items() if name not in columns}
        return replace(self, generalisations={**left, **dict.fromkeys(columns, steps)} if steps else left)

    def with_secret(self, column: str, value: str) -> Plan:
        """Return the plan with a value that counts as secret."""
        left = tuple(each for each in self.public_values.get(column, ()) if each != value)
        return replace(self, public_values={**self.public_values, column: left})

    def join_blocks(self, first: str, second: str) -> Plan:
        """Return the plan with one block of those of two columns."""
        one, other = self.block_of(first), self.block_of(second)
        rest = [block for block in self.blocks if block not in (one, other)]
        return replace(self, blocks=(replace(one, columns=(*one.columns, *other.columns)), *rest))

    def part_blocks(self, columns: Sequence[str]) -> Plan:
        """Return the plan with a block of each of some columns, as far as it draws them."""
        apart = [Block((name,), self.block_of(name).draw) for name in columns if name in self.sensitive]
        left = [(block, tuple(name for name in block.columns if name not in columns)) for block in self.blocks]
        return replace(self, blocks=(*(replace(block, columns=rest) for block, rest in left if rest), *apart))

    def with_persons(self, persons: ByPerson | None) -> Plan:
        """Return the plan with more than a draw done about persons, where that is asked; moved dates go out."""
        if persons is None or (persons.way == "draw" and not persons.number and not persons.shift):
            return self
        shown = self.with_roles([name for name in persons.shift if self.roles[name] is not Role.NSA], Role.NSA)
        return replace(shown, persons=persons)

    def check(self, table: Table) -> None:
        """Raise UnknownColumn or BadSetting where plan and table do not belong together."""
        for name in self.roles:
            if name not in table:
                raise UnknownColumn(name, table.names)
        for name in table.names:
            if name not in self.roles:
                raise BadSetting("Column “{name}” has no role; give it one before publishing.", name=name)

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as plain data, as stored in recipes and project files."""
        data: dict[str, Any] = {
            "version": PLAN_VERSION,
            "row_word": self.row_word,
            "roles": {name: role.value for name, role in self.roles.items()},
            "blocks": [{"columns": list(each.columns), **draw_as_dict(each.draw)} for each in self.blocks],
            "classes": list(self.classes),
            "thresholds": {k: v for k, v in asdict(self.thresholds).items() if v is not None},
            "generalisations": {
                name: [step.as_dict() for step in steps] for name, steps in self.generalisations.items()
            },
            "kept_identifiers": dict(self.kept_identifiers),
            "public_values": {name: list(values) for name, values in self.public_values.items()},
            "rare": dict(self.rare),
            "questions": [each.as_dict() for each in self.questions],
            "audience": self.audience.as_dict(),
        }
        if self.blanking is not None:
            data["blanking"] = {"k": self.blanking.k, "groups": [list(group) for group in self.blanking.groups]}
        if self.persons is not None:
            data["persons"] = self.persons.as_dict()
        return data

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], read: Callable[[Mapping[str, Any]], AskedTable], name: str = ""
    ) -> Plan:
        """Return the plan of `as_dict`; `read` makes a table of a question. Raises BadSetting, by file and entry."""
        given: dict[str, Any] = {}
        readers: dict[str, Callable[[Any], Any]] = {
            "roles": lambda roles: {str(name): Role(role) for name, role in roles.items()},
            "blocks": lambda blocks: tuple(Block(tuple(map(str, each["columns"])), draw_from(each)) for each in blocks),
            "classes": lambda names: tuple(map(str, names)),
            "thresholds": lambda entries: Thresholds(**entries),
            "generalisations": steps_by_column,
            "blanking": lambda entries: Blanking(**entries),
            "persons": ByPerson.from_dict,
            "kept_identifiers": lambda reasons: {str(name): str(why) for name, why in reasons.items()},
            "public_values": lambda values: {str(name): tuple(map(str, each)) for name, each in values.items()},
            "rare": lambda rare: {str(name): int(least) for name, least in rare.items()},
            "questions": lambda questions: tuple(map(read, questions)),
            "audience": Audience.from_dict,
            "row_word": str,
        }
        entry = "version"
        try:
            if data[entry] != PLAN_VERSION:
                words = "The recipe has version {version}; this program reads version {plan_version}."
                raise BadSetting(words, version=data[entry], plan_version=PLAN_VERSION)
            for entry in sorted({"roles", "blocks", *data} - {"version"}):
                given[entry] = readers[entry](data[entry])
            entry = ""  # what follows is of several, and names the column
            return cls(**given)
        except (KeyError, TypeError, ValueError, AttributeError):
            fault: str = say("The recipe can't be understood: an entry is missing or of the wrong kind.")
        except SpluError as refused:
            fault = str(refused)
        raise BadSetting("“{path}”: {fault}", path=f"{name} [plan] {entry}".strip(), fault=fault)


Edit = Callable[[Plan], Plan]
"""A change of a plan: what a repair does, and what undoes a step."""


def steps_by_column(data: Mapping[str, Any]) -> dict[str, Steps]:
    """Return the steps of all columns from the plain data of a plan. Raises BadSetting, naming the column."""
    by_column = {}
    for name, steps in data.items():
        try:
            by_column[str(name)] = steps_from(steps)
        except BadSetting as fault:
            raise BadSetting("Column “{name}”: {fault}", name=name, fault=fault) from None
    return by_column
