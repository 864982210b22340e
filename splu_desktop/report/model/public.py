"""What follows from the release folder and from what the custodian typed, nothing else."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.guarantees.attackers import Attack
from splu_desktop.core.guarantees.audience import Limits
from splu_desktop.core.risk.disclosure import Disclosure
from splu_desktop.frozen import dataclass

THRESHOLD = 1 / 11  # of the risk of recognition, "0.09" for public release (EMA 0070, Health Canada)


@dataclass(frozen=True)
class Fields:
    """What the custodian types; empty where nothing was.

    Attributes
    ----------
    controls, contract : what the recipient's surroundings and the contract demand.
    attempt, review : record of an attempt at recognising persons, and when the assessment is looked at again.
    threshold : the largest risk of recognition that the custodian allows, 0 to 1.
    law : codes of the law packs (`report.law`) between commas; "none" for none.
    """

    title: str = ""
    organisation: str = ""
    operator: str = ""
    reviewer: str = ""
    purpose: str = ""
    recipient: str = ""
    controls: str = ""
    contract: str = ""
    attempt: str = ""
    review: str = ""
    threshold: str = ""
    law: str = ""
    remarks: str = ""

    def __post_init__(self) -> None:
        for name, text in dataclasses.asdict(self).items():
            if not isinstance(text, str):
                raise BadSetting("The report's field “{name}” must be text.", name=name)
            if len(text) > 4_000:
                raise BadSetting(
                    "The report's field “{name}” can hold 4,000 characters at most; shorten it.", name=name
                )
        if self.threshold and self.allowed is None:
            raise BadSetting(
                "The risk allowed must be a number between 0 and 1, such as 0.09, not “{text}”.",
                text=self.threshold[:40],
            )

    @property
    def allowed(self) -> float | None:
        """The largest risk that the custodian allows; None where none was given."""
        try:
            found = float(self.threshold.replace(",", "."))
        except ValueError:
            return None
        return found if 0 <= found <= 1 else None


def asked_risk(fields: Fields, limits: Limits | None) -> float | None:
    """Return the largest risk of recognition asked for, typed or by the limits for who gets it; None for neither."""
    asked = (fields.allowed, None if limits is None else 1 / limits.k)
    return min((each for each in asked if each is not None), default=None)


@dataclass(frozen=True)
class LawPack:
    """A law pack by which the report is arranged: its code, version and date (resources/law)."""

    code: str
    version: str
    dated: str


@dataclass(frozen=True)
class Verdict:
    """The release in one line.

    Attributes
    ----------
    code : "sound", "reservations" (sound, with what a reviewer should weigh) or "fails" (a check failed).
    reasons : codes of `content.VERDICT_REASONS`.
    """

    code: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Cover:
    """Who, when and what for."""

    fields: Fields
    created: str  # of the report
    time_zone: str
    software: str
    software_version: str
    verdict: Verdict
    laws: tuple[LawPack, ...] = ()


@dataclass(frozen=True)
class ReleaseFacts:
    """What was handed out."""

    folder: str
    id: str | None
    created: str
    software: str
    mechanism: str
    records: int
    columns: int
    nsas: tuple[str, ...]
    sensitive: tuple[str, ...]


@dataclass(frozen=True)
class PublishedColumn:
    """One column of the published table."""

    name: str
    role: str  # "nsa" or "sa"
    kind: str
    distinct: int
    missing: int  # records
    generalised: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class DrawnBlock:
    """Columns that were drawn as one, most of them alone: how, and what drawing them together tells."""

    columns: tuple[str, ...]
    how: str
    costs: tuple[str, ...]


@dataclass(frozen=True)
class Eligibility:
    """Whether a column can be drawn so: of its values the one nearest to the share that it may have at most.

    In the external edition the counts are those that recipients are told; the check of the true ones stands in
    `Original`.

    Attributes
    ----------
    gamma, largest_gamma : of groups of one size, where the limit is 1/gamma for all values.
    limit : `Draw.most_share`; None where no value is refused, whatever its share: `nearest` is then the commonest.
    """

    column: str
    gamma: int | None
    values: int
    nearest: str
    count: int
    share: float
    limit: float | None
    largest_gamma: int | None


@dataclass(frozen=True)
class Repeated:
    """What k releases of the same records leave of the promise.

    Attributes
    ----------
    t_p : of their averaged counts; 0 where nothing is promised of several.
    right, twice : share of the rows, found in all of them, that the best guess hits, and that show their true value
        twice or more, which gives a rare one away; in a joined draw both are of the rows that show the same value
        each time (`RowGain`).
    """

    releases: int
    t_p: float
    right: float
    twice: float


@dataclass(frozen=True)
class ExactLaw:
    """The exact law of a column in groups of one size: f' ~ Binomial(gamma f, 1/gamma).

    Attributes
    ----------
    small_counts : Pr of an error above epsilon at 1, 2, ...
    curve_t_f : T_f at each of `curve_t_e`, exactly and by Chebyshev's bound.
    thresholds : epsilon, T_E, T_f.
    expected : true count, mean relative error, Pr of an error above epsilon.
    """

    gamma: int
    t_f_chebyshev: int
    t_f_as_published: float
    small_counts: tuple[float, ...]
    curve_t_e: tuple[float, ...]
    curve_t_f: tuple[int, ...]
    curve_t_f_chebyshev: tuple[int, ...]
    thresholds: tuple[tuple[float, float, int], ...]
    expected: tuple[tuple[int, float, float], ...]


@dataclass(frozen=True)
class Value:
    """One published value of an SA, and what its published count means.

    Attributes
    ----------
    state : "protected", "in between", "answerable", by its published count.
    tolerance : how surely a row that shows it is right at most, on average.
    t_p : least probability of a larger error in its small counts.
    keeps, signal : a_s, the probability that a record of it keeps it, and a_s - b_s.
    likely : what recipients are told: its published count, but where the draw moves counts.
    deviation : standard deviation of that over releases.
    """

    value: str
    published: int
    state: str
    tolerance: float
    t_p: float
    keeps: float
    signal: float
    likely: float
    deviation: float


@dataclass(frozen=True)
class Guarantee:
    """How one SA was re-drawn, what is promised of it, and its published values (mechanism.md section 3).

    Attributes
    ----------
    drawn : the draw in a few words.
    gamma : the group size where it is all there is to set; then `law` holds its exact law.
    confidence : how surely a row that shows a protected value is right at most, on average.
    t_p, t_f : of the least protected value; 0 where public figures tell small counts.
    meets : whether `wanted_t_p` is reached; None where none was asked.
    sentences, readers : what is promised, and what a row tells to whom.
    unprotected : the sentence that public figures alone tell small counts.
    sizes, shares, fakes, certainty : of groups of several sizes (`Draw.shape`).
    caution : what warns of reading published shares as true ones; "" where they are.
    """

    column: str
    drawn: str
    gamma: int | None
    epsilon: float
    t_e: float
    alpha: int
    confidence: float
    wanted_t_p: float | None
    t_p: float
    t_f: int
    meets: bool | None
    sentences: tuple[str, ...]
    readers: tuple[str, ...]
    unprotected: str | None
    sizes: tuple[int, ...]
    shares: tuple[float, ...]
    fakes: int
    certainty: float
    caution: str
    repeated: tuple[Repeated, ...]
    values: tuple[Value, ...]
    law: ExactLaw | None


@dataclass(frozen=True)
class Recognisable:
    """How recognisable records are by the NSAs, which are published as they were."""

    nsas: tuple[str, ...]
    records: int
    classes: int
    smallest: int
    below: Mapping[str, int]  # k -> records in classes of fewer than k
    causes: tuple[tuple[str, int], ...]  # NSA, unique records left without it

    @property
    def unique(self) -> float:
        """Share of the records that are alone in their class."""
        return self.below["2"] / self.records

    @property
    def small(self) -> float:
        """Share of the records in classes of fewer than 11, whose risk is above 0.09."""
        return self.below["11"] / self.records

    @property
    def highest(self) -> float:
        """Prosecutor risk of the worst record: 1 over the smallest class."""
        return 1 / self.smallest

    def above(self, asked: float | None) -> bool:
        """Whether some record is recognised more surely than was asked for, or, where nothing was, than THRESHOLD."""
        return bool(self.nsas) and self.highest > (THRESHOLD if asked is None else asked)

    @property
    def mean(self) -> float:
        """Prosecutor risk of the average record: 1 over its class, averaged, is classes over records."""
        return self.classes / self.records


@dataclass(frozen=True)
class Risk:
    """Measured disclosure risk of the published table."""

    recognisable: Recognisable
    disclosure: tuple[Disclosure, ...]
    attacks: tuple[Attack, ...]  # judged by what the strongest attacker believes


@dataclass(frozen=True)
class CheckResult:
    """One check of the release: name of `core.checks.selfcheck.Check`, what it is about, its end, in English words."""

    name: str
    column: str | None
    passed: bool
    sentence: str


@dataclass(frozen=True)
class FileFacts:
    """One file of the release; `stated` is the SHA-256 in release.json, None for release.json itself."""

    name: str
    bytes: int
    sha256: str
    stated: str | None


@dataclass(frozen=True)
class Persons:
    """How many records persons have, and what is promised of those with several.

    Attributes
    ----------
    most_records, mean_records : per person, as handed out: rounded up to 2, 3, 5, 10, ..., and to one decimal; None
        where nothing is known.
    column : the sensitive column that gives most away of persons with several records, None where there are none.
    right : (records k, chance) that someone who sees all k rows of a person with the same value in all guesses it.
    sentences : the same in words.
    """

    most_records: int | None
    mean_records: float | None
    column: str | None
    right: tuple[tuple[int, float], ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Public:
    """Everything that follows from the release and the typed fields."""

    cover: Cover
    release: ReleaseFacts
    columns: tuple[PublishedColumn, ...]
    blocks: tuple[DrawnBlock, ...]
    eligibility: tuple[Eligibility, ...]
    guarantees: tuple[Guarantee, ...]
    risk: Risk
    checks: tuple[CheckResult, ...]
    files: tuple[FileFacts, ...]
    persons: Persons
