"""The register of releases on this computer."""

from __future__ import annotations

from splu_desktop.files.register.ledger import Entry, Reading, Register, RegisterFault

__all__ = ["Entry", "Reading", "Register", "RegisterFault"]
