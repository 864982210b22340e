"""Pulled towards independence (`reconstruct.shrink`)."""

from splu_desktop.core.estimate.method import Method, registered

Method.SHRUNK = registered(
    Method(
        "shrunk",
        "Pulled towards what chance alone would give, as far as this selection shows that to hold.",
        lambda case: case.shrunk(),
    )
)
