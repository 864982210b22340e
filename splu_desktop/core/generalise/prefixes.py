"""Codes to a prefix: the first characters, or all before a mark (postcode district, ICD category)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from splu_desktop.core.generalise.step import CannotGeneralise, Generalisation, Grouping, check_whole, grouping_by_name
from splu_desktop.core.messages import say
from splu_desktop.core.table import Column

_ONE_SETTING = say("A prefix is set by its length, by the mark it ends before, or by what is cut off.")


@dataclass(frozen=True)
class Prefix(Generalisation):
    """The first characters of each label; one of the three settings is given.

    Attributes
    ----------
    length : keep so many characters: E11.9 -> E11 with 3, 10115 -> 10 with 2.
    before : keep what stands before the first of this mark: 250.83 -> 250 with ".", SW1A 1AA -> SW1A with " ".
    drop_last : leave out so many characters at the end: SW1A1AA -> SW1A with 3.
    """

    length: int | None = None
    before: str | None = None
    drop_last: int | None = None
    how: ClassVar[str] = "prefix"

    def __post_init__(self) -> None:
        if sum(given is not None for given in (self.length, self.before, self.drop_last)) != 1:
            raise CannotGeneralise(_ONE_SETTING)
        if self.before is None:
            check_whole(self.drop_last if self.length is None else self.length, 1)
        elif not isinstance(self.before, str) or not self.before:
            raise CannotGeneralise(_ONE_SETTING)

    def group_labels(self, column: Column) -> Grouping:
        """Return the prefix of each label, blanks around it left out; a label without one stays as it is."""
        texts = map(str.strip, column.labels.tolist())
        end = self.length or -(self.drop_last or 0)
        parts = (text[:end] if self.before is None else text.split(self.before, 1)[0] for text in texts)
        prefixes = [part.rstrip() or None for part in parts]
        return grouping_by_name(prefixes, sorted({prefix for prefix in prefixes if prefix}))

    @property
    def words(self) -> str:
        """What it does."""
        if self.length is not None:
            return say("codes to their first {n:character|{n} characters}", n=self.length)
        if self.before is not None:
            return say("codes to what stands before “{before}”", before=self.before)
        return say("codes without their last {n:character|{n} characters}", n=self.drop_last or 1)
