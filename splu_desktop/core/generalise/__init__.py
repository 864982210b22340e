"""Generalisation: coarser labels for a column, so that rare values and combinations disappear.

A generalisation is a frozen choice (`Intervals`, `DatePart`, `Age`, `Prefix`, `Chapter`, `Groups`, `Hierarchy`,
`Rare`, `OneMissing`); a column takes a tuple of them, one after another. `as_dict` and `from_dict` keep them in
recipes, project files and release.json; `words` says what one does.
"""

from __future__ import annotations

from splu_desktop.core.generalise.chain import (
    Steps,
    column_after,
    from_dict,
    label_map,
    steps_from,
    table_after,
    words_for,
)
from splu_desktop.core.generalise.chapters import Chapter, system_of
from splu_desktop.core.generalise.clinical import clinical
from splu_desktop.core.generalise.dates import Age, DatePart, Part, reference_date
from splu_desktop.core.generalise.groups_of_values import Groups, Hierarchy, OneMissing, Rare
from splu_desktop.core.generalise.intervals import Intervals, by_cuts, by_magnitude, by_width, round_width
from splu_desktop.core.generalise.measurements import NeedsGroups, check_sensitive, is_measurement, suggest
from splu_desktop.core.generalise.prefixes import Prefix
from splu_desktop.core.generalise.step import CannotGeneralise, Generalisation
