"""What people write on a report: what no figure can know."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fields:
    """Texts of the conditions and the signature; "" where a line is left to be filled in by hand.

    Attributes
    ----------
    title, organisation : of the release, and who decides on it.
    reviewer : who signs for data protection.
    contract, basis : what the recipient is bound to; legal basis or request.
    review : when the decision is looked at again.
    remarks : printed below the conditions.
    law : codes of law packs between commas, "none" for none, "" for the default.
    threshold : largest certainty of a row that is allowed, 0 to 1, beside the audience's limits; None for none.
    """

    title: str = ""
    organisation: str = ""
    reviewer: str = ""
    contract: str = ""
    basis: str = ""
    review: str = ""
    remarks: str = ""
    law: str = ""
    threshold: float | None = None
