"""The report as named fields: the one thing that every format is made from.

`Report.public` follows from the release folder and from what the custodian typed, nothing else, and is the whole of the
external edition. `Report.original` holds what was computed with the source at hand; the internal edition adds it.
Shares and probabilities are numbers in 0..1, counts are records unless said otherwise, moments ISO 8601 with offset.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Mapping
from enum import Enum
from typing import Any

from splu_desktop.files.disk.plain_data import to_json
from splu_desktop.frozen import dataclass
from splu_desktop.report.model.original import (
    Acknowledged,
    Alternative,
    Band,
    BeforeAfter,
    Earlier,
    Marginal,
    MeasuredUtility,
    Original,
    OriginalDisclosure,
    SourceColumn,
    SourceFacts,
    SourceProblem,
)
from splu_desktop.report.model.public import (
    CheckResult,
    Cover,
    DrawnBlock,
    Eligibility,
    ExactLaw,
    Fields,
    FileFacts,
    Guarantee,
    LawPack,
    Persons,
    Public,
    PublishedColumn,
    Recognisable,
    ReleaseFacts,
    Repeated,
    Risk,
    Value,
    Verdict,
    asked_risk,
)

FORMAT = "splu-report"
VERSION = 4


@dataclass(frozen=True)
class Report:
    """The report. Without `original` it is the external edition."""

    public: Public
    original: Original | None = None

    @property
    def edition(self) -> str:
        """ "internal" or "external"."""
        return "external" if self.original is None else "internal"

    def digest(self) -> str:
        """Return the SHA-256 of all that is reported, whatever its format and the moment at which it was written."""
        return digest_of(self.as_dict())

    def as_dict(self) -> dict[str, Any]:
        """Return all figures as plain data; infinite ones as None."""
        data: dict[str, Any] = {"format": FORMAT, "version": VERSION, "edition": self.edition}
        data["public"] = plain(self.public)
        if self.original is not None:
            data["original"] = plain(self.original)
        return data


def digest_of(data: Mapping[str, Any]) -> str:
    """Return the digest of a report's figures: without when it was written, its seal, and the folder's name."""
    found = data.get("public")
    public = dict(found) if isinstance(found, Mapping) else {}
    for part, names in (("cover", ("created", "time_zone")), ("release", ("folder",))):
        inner = public.get(part)
        public[part] = {k: v for k, v in inner.items() if k not in names} if isinstance(inner, Mapping) else inner
    told = {**{name: value for name, value in data.items() if name != "digest"}, "public": public}
    return hashlib.sha256(to_json(told).encode("utf-8")).hexdigest()


def plain(value: Any) -> Any:
    """Return dataclasses, mappings and tuples as what JSON knows."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str):
        return str.__str__(value)  # no longer a `Said`, which knows what it was made of
    return value
