"""Draws as files hold them: those of this version, and those of 0.1.0, which knew group sizes and tolerances alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from splu_desktop.core.draw import DecoyGroups, Draw, PlainGroups, draw_from, draws_from
from splu_desktop.core.errors import BadSetting

# What release.json calls the draws that every reader of its first version knows.
_PUBLISHED = {PlainGroups.name: "gamma", DecoyGroups.name: "grouping"}


def draws_as_dicts(draws: Mapping[str, Draw]) -> dict[str, dict[str, Any]]:
    """Return the draws of all columns as plain data."""
    return {name: draw.as_dict() for name, draw in draws.items()}


def upgraded(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return data with “draws” in place of the “gammas” and “groupings” of 0.1.0. Raises KeyError."""
    if "draws" in data:
        return {**data, "draws": dict(data["draws"])}
    rest = {key: value for key, value in data.items() if key not in ("gammas", "groupings")}
    plain = {name: {"draw": PlainGroups.name, "gamma": gamma} for name, gamma in data["gammas"].items()}
    several = {name: {"draw": DecoyGroups.name, **stored} for name, stored in data.get("groupings", {}).items()}
    return {**rest, "draws": {**plain, **several}}


def recorded_draws(body: Mapping[str, Any]) -> dict[str, Draw]:
    """Return the draws of an entry of the register, with a tolerance's text in the place of its values.

    Raises BadSetting, KeyError, TypeError, ValueError or AttributeError where the entry is not understood.
    """
    return draws_from(
        {
            name: {**draw, "tolerances": {limit: limit for limit in draw["tolerances"]}}
            if "tolerances" in draw
            else draw
            for name, draw in upgraded(body)["draws"].items()
        }
    )


def draws_in_words(body: Mapping[str, Any]) -> dict[str, str]:
    """Return the draws of an entry of the register in words, none where it is not understood."""
    try:
        return {name: draw.words() for name, draw in recorded_draws(body).items()}
    except (BadSetting, KeyError, TypeError, ValueError, AttributeError):
        return {}


def published_entry(draw: Draw) -> dict[str, Any]:
    """Return what release.json says in a column's entry of its draw."""
    settings = draw.settings()
    key = _PUBLISHED.get(draw.name)
    if key is None:
        return {"draw": draw.as_dict()}
    return {key: settings.get(key, settings)}


def published_draw(entry: Mapping[str, Any]) -> Draw:
    """Return the draw in a column's entry of release.json. Raises BadSetting, KeyError."""
    for name, key in _PUBLISHED.items():
        if key in entry:
            settings = entry[key] if isinstance(entry[key], dict) else {key: entry[key]}
            return draw_from({"draw": name, **settings})
    return draw_from(entry["draw"])
