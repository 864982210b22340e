"""How sensitive columns are drawn anew: the members of one protocol, `Draw`, and the register of them.

A draw becomes known by being imported here.
"""

from splu_desktop.core.draw.decoy_groups import DecoyGroups
from splu_desktop.core.draw.draw import Draw, Promise, draw_from, draws_from, registered
from splu_desktop.core.draw.joined import Joined
from splu_desktop.core.draw.joined_persons import JoinedPerPerson
from splu_desktop.core.draw.persons import DrawPerPerson
from splu_desktop.core.draw.plain_groups import PlainGroups
from splu_desktop.core.draw.together import Together
from splu_desktop.core.draw.together_persons import TogetherPerPerson
