"""One policy: limits of an audience, one proposal, one verdict."""

from __future__ import annotations

from splu_desktop.core.policy.alternatives import Alternative
from splu_desktop.core.policy.draft import Step, blanked_step, together_step
from splu_desktop.core.policy.figures import Figures
from splu_desktop.core.policy.limits import REASONS, Limits, check_reason, level_of, limits_for, reasons_named
from splu_desktop.core.policy.lines import OK, RED, Line
from splu_desktop.core.policy.proposal import Proposal, propose
from splu_desktop.core.policy.verdict import BLURRED, TOO_SMALL, UNSAFE, USEFUL, Verdict, title_of, verdict
from splu_desktop.core.risk.releases import EarlierRelease
