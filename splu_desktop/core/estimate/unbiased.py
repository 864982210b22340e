"""Right on average over many releases (mechanism.md section 4)."""

from splu_desktop.core.estimate.method import Method, registered

Method.UNBIASED = registered(
    Method(
        "unbiased",
        "Right on average over many releases, but scattered widely for small counts; may be negative.",
        lambda case: case.unbiased(),
        bounded=False,
        straight=True,
    )
)
