"""What a column is: its role, suggested from its name and from what stands in it."""

from __future__ import annotations

from splu_desktop.core.roles.absence import absence_values
from splu_desktop.core.roles.role import SUBJECTS, Role, Suggestion
from splu_desktop.core.roles.suggest import suggest_roles

__all__ = ["SUBJECTS", "Role", "Suggestion", "absence_values", "suggest_roles"]
