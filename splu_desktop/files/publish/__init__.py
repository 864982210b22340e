"""Publishing: a release appears whole or not at all, and is remembered."""

from __future__ import annotations

from splu_desktop.files.publish.publishing import (
    Options,
    Outcome,
    Refused,
    SourceChanged,
    check_accepted,
    publish,
    tidy,
)

__all__ = ["Options", "Outcome", "Refused", "SourceChanged", "check_accepted", "publish", "tidy"]
