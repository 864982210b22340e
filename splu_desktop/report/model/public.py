"""What follows from the release folder and from what the custodian typed, nothing else."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.guarantees.attackers import Attack
from splu_desktop.core.messages import say
from splu_desktop.core.risk.disclosure import Disclosure


@dataclass(frozen=True)
class Fields:
    """What the custodian types; empty where nothing was."""

    title: str = ""
    organisation: str = ""
    operator: str = ""
    reviewer: str = ""
    purpose: str = ""
    recipient: str = ""
    remarks: str = ""

    def __post_init__(self) -> None:
        for name, text in dataclasses.asdict(self).items():
            if not isinstance(text, str):
                raise BadSetting(say("The report's field “{name}” must be text.", name=name))
            if len(text) > 4_000:
                raise BadSetting(
                    say("The report's field “{name}” can hold 4,000 characters at most; shorten it.", name=name)
                )


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
class MechanismFacts:
    """How one SA was re-drawn.

    Attributes
    ----------
    groups : r = floor(N/gamma); larger_groups of them have gamma + 1 records.
    confidence : r/N, the probability that a record kept its value: what an attacker knows from a person's own row.
    """

    column: str
    gamma: int
    groups: int
    larger_groups: int
    confidence: float


@dataclass(frozen=True)
class Eligibility:
    """Whether decoy groups exist: no value may fill more than 1/gamma of the records.

    In the external edition the counts are those published; the check of the true ones stands in `Original`.
    """

    column: str
    gamma: int
    values: int
    most_frequent: str
    count: int
    share: float
    limit: float
    largest_gamma: int


@dataclass(frozen=True)
class Repeated:
    """What k releases of the same records, averaged, leave of the promise."""

    releases: int
    t_p: float
    t_f: int


@dataclass(frozen=True)
class Guarantee:
    """What is promised for one SA: functions of gamma and the thresholds alone (mechanism.md section 3)."""

    column: str
    gamma: int
    epsilon: float
    t_e: float
    alpha: int
    wanted_t_p: float | None
    t_p: float
    t_f: int
    t_f_chebyshev: int
    t_f_as_published: float
    meets: bool | None
    small_counts: tuple[float, ...]  # Pr of an error above epsilon at 1, 2, ...
    curve_t_e: tuple[float, ...]
    curve_t_f: tuple[int, ...]
    curve_t_f_chebyshev: tuple[int, ...]
    thresholds: tuple[tuple[float, float, int], ...]  # epsilon, T_E, T_f
    repeated: tuple[Repeated, ...]
    unprotected: str | None = None  # the sentence that public figures alone tell small counts


@dataclass(frozen=True)
class ExpectedError:
    """Error of a count by the law of the draw alone."""

    count: int
    expected_relative_error: float
    error_probability: float


@dataclass(frozen=True)
class PublishedValue:
    """One value of an SA as published, with what its published count means."""

    value: str
    published: int
    state: str  # "protected", "in between", "answerable"
    error_probability: float
    expected_relative_error: float
    signal: float


@dataclass(frozen=True)
class Utility:
    """What the published counts of one SA are worth, from the release alone."""

    column: str
    expected: tuple[ExpectedError, ...]
    values: tuple[PublishedValue, ...]


@dataclass(frozen=True)
class Recognisable:
    """How recognisable records are by the NSAs, which are published as they were."""

    nsas: tuple[str, ...]
    records: int
    classes: int
    smallest: int
    below: Mapping[str, int]  # k -> records in classes of fewer than k
    causes: tuple[tuple[str, int], ...]  # NSA, unique records left without it


@dataclass(frozen=True)
class Risk:
    """Measured disclosure risk of the published table; `combinations` says what columns drawn together tell."""

    recognisable: Recognisable
    disclosure: tuple[Disclosure, ...]
    attacks: tuple[Attack, ...]  # judged by what the strongest attacker believes
    combinations: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckResult:
    """One check of the release: name of `core.selfcheck.Check`, what it is about, how it ended, in English words."""

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
class TolerantValue:
    """One published value of an SA that is promised of value by value.

    Attributes
    ----------
    tolerance : share of the rows showing it that may truly have it, on average.
    t_p : least probability of a larger error in its small counts.
    keeps : probability that a record of it keeps it, a_s.
    signal : a_s - b_s.
    likely : what its published count says of the true one: itself, but where the draw moves counts.
    deviation : standard deviation of that over releases.
    """

    value: str
    tolerance: float
    t_p: float
    published: int
    keeps: float
    signal: float
    likely: float
    deviation: float


@dataclass(frozen=True)
class Tolerant:
    """How one SA without a single gamma was re-drawn, and what is promised of it.

    Attributes
    ----------
    sizes, shares : group sizes and the share of the records in groups of each; none where it was drawn otherwise.
    t_f : count from which the published count is within epsilon.
    sentences, readers : what is promised, and what a row tells to whom (`core.attackers`).
    fakes : fake values in each group.
    certainty : how sure of a sensitive value someone can be at most who knows all other records of the group.
    mse : the papers' loss, sum of (size - 1)^2 over the groups, over N - 1; fake values count as records.
    step : the shares are whole multiples of so many records.
    caution : what warns of reading published shares as true ones; "" where they are.
    """

    column: str
    epsilon: float
    t_e: float
    alpha: int
    sizes: tuple[int, ...]
    shares: tuple[float, ...]
    t_f: int
    sentences: tuple[str, ...]
    readers: tuple[str, ...]
    values: tuple[TolerantValue, ...]
    fakes: int
    certainty: float
    mse: float
    step: int
    caution: str = ""


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
    mechanism: tuple[MechanismFacts, ...]
    eligibility: tuple[Eligibility, ...]
    guarantees: tuple[Guarantee, ...]
    utility: tuple[Utility, ...]
    risk: Risk
    checks: tuple[CheckResult, ...]
    files: tuple[FileFacts, ...]
    persons: Persons
    tolerant: tuple[Tolerant, ...] = ()
