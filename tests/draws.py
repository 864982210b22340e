"""Short ways to say draws."""

from __future__ import annotations

from collections.abc import Mapping

from splu_desktop.core.draw import Draw, PlainGroups


def plain(gammas: Mapping[str, int]) -> dict[str, Draw]:
    """Return plain decoy groups of these sizes."""
    return {name: PlainGroups(gamma) for name, gamma in gammas.items()}
