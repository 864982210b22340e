"""The estimators: a register of them. One becomes known, after those before it, by being imported here."""

from splu_desktop.core.estimate import pooled, shrunk, unbiased, bayes, as_published  # noqa: I001 - their order is shown
from splu_desktop.core.estimate.method import Case, Method, registered

DEFAULT = Method.POOLED

__all__ = ["DEFAULT", "Case", "Method", "registered"]
