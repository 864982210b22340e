"""What a column is: its role, suggested from its name and from what stands in it."""

from __future__ import annotations

from splu_desktop.core.roles.role import SUBJECTS, Role, Suggestion
