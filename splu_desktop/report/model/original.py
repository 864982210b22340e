"""What was computed with the source at hand: the internal edition's part."""

from __future__ import annotations

from splu_desktop.core.guarantees.attackers import Attack, Figures
from splu_desktop.core.guarantees.audience import Limits
from splu_desktop.core.risk.disclosure import Disclosure
from splu_desktop.frozen import dataclass
from splu_desktop.report.model.public import CheckResult, Eligibility, Recognisable


@dataclass(frozen=True)
class SourceProblem:
    """Problems of one kind found on import, and what was decided."""

    kind: str
    decision: str
    problems: int
    rows: int
    example: str


@dataclass(frozen=True)
class SourceFacts:
    """Where the table came from and how it was read."""

    file: str
    bytes: int
    sha256: str
    records: int
    columns: int
    rows_dropped: int
    choices: tuple[tuple[str, str, str], ...]  # name, choice, reason
    missing: tuple[tuple[str, str, int, bool], ...]  # column, text, records, taken as missing
    problems: tuple[SourceProblem, ...]


@dataclass(frozen=True)
class SourceColumn:
    """One column of the source: role, what was done to it, and why."""

    name: str
    role: str
    kind: str
    distinct: int
    generalised: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class BeforeAfter:
    """One value's count before and after the draw, and what recipients estimate it to be.

    That is the published count where the draw keeps shares true, else what they reconstruct from it.
    """

    value: str
    true: int
    published: int
    told: int
    state: str
    inside: bool  # |told - f| <= epsilon f


@dataclass(frozen=True)
class Marginal:
    """Counts of one SA before and after, and how many of each kind came out wrong by more than epsilon."""

    column: str
    values: tuple[BeforeAfter, ...]
    small_values: int
    small_wrong: int
    large_values: int
    large_wrong: int
    total_deviation: float  # half the sum of |told - f|, over N


@dataclass(frozen=True)
class Band:
    """Measured error of questions whose true count lies in a band."""

    label: str
    queries: int
    mean_relative_error: float | None
    coverage: float | None


@dataclass(frozen=True)
class MeasuredUtility:
    """A workload asked of the published table and of the source (`core.query.workload`).

    small : questions with a true count of 1 to 3; `unsafe` of them were answered wrong by more than 30 %.
    """

    column: str
    queries: int
    method: str
    bands: tuple[Band, ...]
    small: int
    unsafe: float | None


@dataclass(frozen=True)
class OriginalDisclosure:
    """The same measures for the original table, and the attack on the release judged by true values.

    `original` is what the original's statistics alone teach, every record tested being kept out of them.
    """

    column: str
    disclosure: Disclosure
    attack: Attack
    original: Figures


@dataclass(frozen=True)
class Earlier:
    """An earlier release of the same source."""

    time: str
    release: str
    purpose: str
    recipient: str
    relation: str


@dataclass(frozen=True)
class Acknowledged:
    """An amber line of the gate: a risk that the custodian took.

    Attributes
    ----------
    sentence : what was found; empty where it can't be told again.
    accepted : whether it was acknowledged by name, or only shown.
    words : the words in which it was accepted; empty for a bare acknowledgement.
    """

    name: str
    column: str | None
    sentence: str
    accepted: bool
    words: str


@dataclass(frozen=True)
class Alternative:
    """One system that was compared with this release on the same table (`splu compare`).

    Attributes
    ----------
    column : the sensitive column that was compared; "" where the comparison doesn't say.
    system, parameter : as the comparison names them.
    error : relative error of counts, the median where it is known, else the mean.
    small_wrong : share of the small counts answered wrong by more than was asked.
    certainty : how sure a reader of a row is of the sensitive value.
    """

    column: str
    system: str
    parameter: str
    error: float | None
    small_wrong: float | None
    certainty: float | None


@dataclass(frozen=True)
class Original:
    """What was computed with the source at hand: for the internal edition alone.

    Attributes
    ----------
    before : how recognisable records were by the same columns before they were made coarser.
    alternatives : other systems compared on the same table; none where no comparison was given.
    audience, audience_brief : who gets the release and what it may show at most, as the plan's answers say, in full
        and on one line; None where not asked.
    audience_limits : the same as figures.
    """

    source: SourceFacts
    columns: tuple[SourceColumn, ...]
    before: Recognisable
    eligibility: tuple[Eligibility, ...]
    marginals: tuple[Marginal, ...]
    utility: tuple[MeasuredUtility, ...]
    disclosure: tuple[OriginalDisclosure, ...]
    earlier: tuple[Earlier, ...] | None  # None where no register was asked
    acknowledged: tuple[Acknowledged, ...] | None  # None where it is not known
    checks: tuple[CheckResult, ...]
    alternatives: tuple[Alternative, ...] = ()
    audience: str | None = None
    audience_brief: str | None = None
    audience_limits: Limits | None = None
