"""The default: pulled towards what each condition says by itself (`reconstruct_pooled`)."""

from splu_desktop.core.estimate.method import Method, registered

Method.POOLED = registered(
    Method(
        "pooled",
        "Pulled towards what each condition says by itself, as far as this release shows that to hold. "
        "The most accurate on all tables tried, hence the default.",
        lambda case: case.pooled(),
        within=True,
    )
)
