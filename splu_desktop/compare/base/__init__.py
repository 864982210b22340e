"""What all systems share: the table, what is asked of it, what a system is, and how its kinds are read."""

from splu_desktop.compare.base.kinds import Channel, Groups, NoisyAnswers, UnbiasedDraw
from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import Flags, Floats, Ints, TrueTable, in_parts, stand_together
from splu_desktop.compare.base.system import GAMMAS, Impossible, Points, System, binomials, say_briefly, system
