"""The journal's own estimate, for comparison."""

from splu_desktop.core.estimate.method import Method, registered

Method.AS_PUBLISHED = registered(
    Method(
        "as-published",
        "The journal's own estimate, with its printed transition. Biased; for comparison only.",
        lambda case: case.as_printed(),
    )
)
