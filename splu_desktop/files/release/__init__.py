"""A release: written whole, as a folder or one ZIP, read back and checked without its source."""

from __future__ import annotations

from splu_desktop.files.release.facts import BadRelease, Dialect
from splu_desktop.files.release.fingerprint import fingerprint
from splu_desktop.files.release.folder import Form, fill_folder
from splu_desktop.files.release.package import PasswordNeeded
from splu_desktop.files.release.reading import OpenRelease, open_release
from splu_desktop.files.release.verify import Check, Verification, verify

__all__ = [
    "BadRelease",
    "Check",
    "Dialect",
    "Form",
    "OpenRelease",
    "PasswordNeeded",
    "Verification",
    "fill_folder",
    "fingerprint",
    "open_release",
    "verify",
]
