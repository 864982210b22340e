"""Iterative Bayes (journal Eq. 13-14), with the corrected transition."""

from splu_desktop.core.estimate.method import Method, registered

Method.BAYES = registered(
    Method(
        "bayes",
        "The likeliest count (iterative Bayes, journal Eq. 13-14, with the corrected transition). Where all "
        "selected records share a value it is exact more often than T_P says, which is about published counts.",
        lambda case: case.likeliest(),
        straight=True,
    )
)
