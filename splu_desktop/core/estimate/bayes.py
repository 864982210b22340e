"""Iterative Bayes (journal Eq. 13-14), with the corrected transition."""

from splu_desktop.core.estimate.method import Method, registered

Method.BAYES = registered(
    Method(
        "bayes",
        "The likeliest count (iterative Bayes, journal Eq. 13-14, with the corrected transition).",
        lambda case: case.likeliest(),
    )
)
