"""The lines of a verdict: each holds one figure against one limit and knows what would settle it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from splu_desktop.core.generalise import DatePart, Part, suggest
from splu_desktop.core.mechanism import NUMBER
from splu_desktop.core.mechanism.law import t_p
from splu_desktop.core.messages import Phrase, certainty_words, quoted, say, share_words
from splu_desktop.core.persons.choice import ByPerson, persons
from splu_desktop.core.persons.identify import person_columns
from splu_desktop.core.persons.treatment import rehearse_shift
from splu_desktop.core.plan import Edit, Plan
from splu_desktop.core.policy.alternatives import best_way, fewer_tables
from splu_desktop.core.policy.draft import draft, draw_again
from splu_desktop.core.policy.figures import FEWEST_CELLS, Figures, who_of
from splu_desktop.core.policy.limits import Limits
from splu_desktop.core.policy.search import STOPS, Search, Setting, find_way
from splu_desktop.core.risk.association import find_linked
from splu_desktop.core.risk.giveaway import Giveaway, giveaways
from splu_desktop.core.risk.releases import EarlierRelease
from splu_desktop.core.risk.tiers import TIERS
from splu_desktop.core.roles import Role
from splu_desktop.core.roles.suggest import Suggestion
from splu_desktop.core.sanitise import DrawInput, prepare
from splu_desktop.core.table import Table

OK, AMBER, RED = "ok", "amber", "red"
MOST_LINES = 8


@dataclass(frozen=True)
class Repair:
    """What the program can do about a line.

    Attributes
    ----------
    words : what a button says.
    apply : gives the plan that has it done.
    """

    words: str
    apply: Edit


@dataclass(frozen=True)
class Line:
    """One thing that was checked.

    Attributes
    ----------
    name : by which it is accepted and found in JSON.
    state : "ok", "amber" or "red".
    sentence : of at most 25 words, with one number.
    value, limit : the figure and what it is held against; None where there is none.
    repair : what would settle it, None where nothing does.
    """

    name: str
    state: str
    sentence: str
    value: float | None = None
    limit: float | None = None
    repair: Repair | None = None

    @property
    def open(self) -> bool:
        """Whether it stands against the release."""
        return self.state != OK

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        repair = None if self.repair is None else str(self.repair.words)
        data = {"name": self.name, "state": self.state, "sentence": str(self.sentence)}
        return {**data, "value": self.value, "limit": self.limit, "repair": repair}


@dataclass(frozen=True, eq=False)
class Case:
    """A plan and all that is known of it.

    Attributes
    ----------
    source : the table as read; `suggestions` says what each of its columns is taken for.
    draw_input, figures : the table as the plan prepares it, and what was counted.
    limits, earlier : what holds, and releases of the same persons.
    giveaways : what unchanged columns give away.
    """

    source: Table
    draw_input: DrawInput
    plan: Plan
    suggestions: Mapping[str, Suggestion]
    limits: Limits
    figures: Figures
    earlier: tuple[EarlierRelease, ...]
    giveaways: tuple[Giveaway, ...]

    def lines(self) -> list[Line]:
        """Return at most eight lines, the red ones first; of two that say the same of one fault the worse."""
        alike, riskiest = self._alike(), self._riskiest()
        lines = [*self._columns(), alike, riskiest, *(() if riskiest.open else [self._average()])]
        lines += [self._readable(), self._gives_away(), *self._releases(), *self._person_column()]
        lines += [*(() if alike.open else self._dates()), *self._moved_dates(), *self._signature()]
        return sorted(lines, key=lambda line: (RED, AMBER, OK).index(line.state))[:MOST_LINES]

    def _columns(self) -> Iterator[Line]:
        plan, taken_for = self.plan, self.suggestions
        left_out = {*plan.kept_identifiers, *plan.generalisations}  # of an exact day of birth the year may go out
        public = [name for name, role in plan.roles.items() if role.is_published and name not in left_out]
        naming = [name for name in public if name in taken_for and taken_for[name].role is Role.IDENTIFIER]
        if naming:
            columns, first = quoted(naming, 3), taken_for[naming[0]]
            sentence = say("{columns} names persons and would go out.", columns=columns)
            if all(taken_for[name].doubt for name in naming):  # a weight may be each row's own, and names nobody
                sentence = Phrase("{columns}: {why}", {"columns": columns, "why": first.reason})
            repair = Repair(say("Leave it out"), lambda plan: plan.with_roles(naming, Role.IDENTIFIER))
            yield Line("names-persons", RED, sentence, len(naming), 0, repair)
            return
        asked = {name for each in plan.questions for name in each.by}
        sure = {name for name, each in taken_for.items() if each.role is Role.SA and not each.doubt} - asked
        bare = [name for name in plan.nsas if name in sure]
        if bare:
            sentence = say("{columns} is published as it is. It says how a person lives.", columns=quoted(bare, 3))
            forms = {name: suggest(self.source[name]) for name in bare}
            repair = Repair(say("Make it secret"), draw_again(bare, forms))
            yield Line("sensitive-as-is", AMBER, sentence, len(bare), 0, repair)

    def _alike(self) -> Line:
        figures, k, who = self.figures, self.limits.alike, who_of(self.plan)
        changed = figures.blanked_persons + figures.left_out
        # Of all who were there, since those who are left out count among the changed ones.
        most = (1 - self.limits.share_alike) * (figures.persons + figures.left_out)
        repair = Repair(say("Make columns coarser"), self._coarser)
        if few := figures.alike.below(k):
            by = quoted(self.plan.nsas, 3)
            moved = set(self.plan.persons.shift if self.plan.persons else ()).intersection(self.plan.nsas)
            repair = _months([name for name in moved if self.draw_input.table[name].kind.is_date]) or repair
            if self.plan.persons is not None and self.plan.persons.number:
                by, bare = quoted([NUMBER]), replace(self.plan.persons, number=False)
                # Without the number rows may stand out all the same, each by itself.
                repair = Repair(say("Leave it out"), lambda plan: self._coarser(replace(plan, persons=bare)))
            words = "Number of {who} that stand out by {by}: {n}; at least {k} should look alike."
            return Line("persons-alike", RED, say(words, n=few, who=who, by=by, k=k), few, 0, repair)
        if changed > most:
            words = "Number of {who} with cells left empty or left out, so that nobody stands out: {n}."
            return Line("persons-alike", AMBER, say(words, n=changed, who=who), changed, most, repair)
        least, share = figures.alike.smallest, figures.found_by_others
        words = "Least number of {who} that look alike: {n}; asked for: {k}."
        if share * least > 1:  # to one reader fewer look alike
            words = "Least number of {who} that look alike: {n}; asked for: {k}. By their other rows {sure} are found."
        sentence = say(words, n=least, who=who, k=k, sure=certainty_words(share))
        return Line("persons-alike", OK, sentence, least, k)

    def _riskiest(self) -> Line:
        sure, limit = self.figures.certainty.riskiest, self.limits.riskiest
        words = (  # who knows more: law 3
            "In the riskiest group a row’s secret is right {sure} times ({limit} allowed); who knows more may be surer."
        )
        person = certainty_words(self.figures.person)
        if person != certainty_words(sure):
            words = "In the riskiest group a row’s secret is right {sure} times ({limit} allowed), a person’s {person}."
        sentence = say(words, sure=certainty_words(sure), limit=share_words(limit), person=person)
        if self.figures.certainty.riskiest_share >= 1:
            sentence = say("In one group everybody has the same secret value, which no strength hides.")
        return self._certain("riskiest-group", sentence, sure, limit)

    def _average(self) -> Line:
        sure, limit = self.figures.certainty.average, self.limits.average
        words = "A row that shows a secret value is right {sure} times on average; {limit} is allowed."
        sentence = say(words, sure=certainty_words(sure), limit=share_words(limit))
        return self._certain("certainty", sentence, sure, limit)

    def _certain(self, name: str, sentence: str, sure: float, limit: float) -> Line:
        # The strength may have been chosen so as to meet the limit exactly, and digits at the end are rounding.
        if sure <= limit + 1e-9:
            return Line(name, OK, sentence, sure, limit)
        needed = self.figures.certainty.least_gamma(self.limits.riskiest, self.limits.average)
        repair = self._ways if needed > STOPS[0] else _make_safer(needed)
        return Line(name, RED, sentence, sure, limit, repair)

    def _readable(self) -> Line:
        read, cells, share = self.figures.readable, self.figures.cells, self.limits.useful
        value = read / cells if cells else 0.0
        if not self.plan.questions:
            return self._ordinary()
        words = "{read} of {cells} cells of 50 and more can be read; {wanted} are needed."
        sentence = say(words, read=read, cells=cells, wanted=share_words(share))
        if self.figures.useful(share):
            if none := self.figures.count_unread(self.plan):
                words = "{read} of {cells} cells of 50 and more can be read; tables without any: {n}."
                sentence = say(words, read=read, cells=cells, n=none)
            return Line("too-blurred", OK, sentence, value, share)
        if cells < FEWEST_CELLS:
            sentence = say("Cells of 50 and more in your tables: {n}; three are needed.", n=cells)
            # No repair: a search finds no cells that the table lacks, and ways with other tables are the proposal's.
            return Line("too-blurred", AMBER, sentence, cells, FEWEST_CELLS)
        return Line("too-blurred", AMBER if read else RED, sentence, value, share, self._ways)

    def _ordinary(self) -> Line:
        """Return what can be read where no table was asked for: nothing must come out, but something should."""
        other = self.figures.other
        if other is None:
            return Line("too-blurred", OK, say("No table was asked for."))
        sentence = say("No table was asked for; {share} in 100 ordinary questions can be read.", share=int(100 * other))
        return Line("too-blurred", OK if other else AMBER, sentence, other)

    def _gives_away(self) -> Line:
        for worst in self.giveaways[:1]:
            repair = Repair(say("Leave out what tells it"), self._tell_nothing)
            return Line("gives-away", RED, worst.sentence, worst.rows, 0, repair)
        apart = find_linked(self.draw_input.table, [block.columns for block in self.plan.blocks])
        if apart is None:
            return Line("gives-away", OK, say("No unchanged column gives a secret value away."))
        one, two, strength = apart
        words = "“{one}” and “{two}” tell each other and are drawn apart: together they give persons away."
        repair = Repair(say("Draw them together"), self._tell_nothing)
        return Line("gives-away", RED, say(words, one=one, two=two), round(strength, 3), None, repair)

    def _tell_nothing(self, plan: Plan) -> Plan:
        """Return a plan in which no column gives a secret value away, one change after another."""
        while True:
            ready, blocks = prepare(self.source, plan), [block.columns for block in plan.blocks]
            if leaks := giveaways(ready, plan):
                plan = plan.with_role(leaks[0].columns[0], Role.DROPPED)
            elif apart := find_linked(ready.table, blocks):
                plan = plan.join_blocks(*apart[:2])
            else:
                return plan

    def _releases(self) -> Iterator[Line]:
        plan, limit = self.plan, self.limits.small_counts
        draw, thresholds = plan.blocks[0].draw.with_gamma(plan.gamma), plan.thresholds
        least = t_p(draw, thresholds.epsilon, thresholds.alpha)
        if not self.earlier or least < limit:  # what keeps the limit alone is told together with earlier releases
            words = "Counts of 1 to {alpha} come out wrong in at least {share} of 100 releases."
            sentence = say(words, alpha=thresholds.alpha, share=int(100 * least))
            # At gamma 2 T_P of the usual thresholds is .5 or more for either draw, which is what every audience asks.
            repair = None if least >= limit else _make_safer(2)
            yield Line("small-counts", RED if repair else OK, sentence, least, limit, repair)
        before = [each.recipient.strip() for each in self.earlier if not each.doubt]
        if not before:
            yield from (Line("second-release", AMBER, each.doubt) for each in self.earlier)
            return
        same = plan.audience.recipient.strip().casefold() in {*map(str.casefold, before)} - {""}
        sentence = say(
            "These {who} were released before, to {whom}. "
            "A row that shows one rare value in both is right {sure} times.",
            who=who_of(plan),
            whom=(say("the same recipient") if same else before[-1]) or say("somebody"),
            sure=certainty_words(self.figures.joint),
        )
        # The same recipient holds both for sure; that another one gets to see them is for the custodian to judge.
        yield Line("second-release", RED if same else AMBER, sentence, self.figures.joint, self.limits.riskiest)

    def _person_column(self) -> Iterator[Line]:
        named = person_columns(self.source) if self.plan.persons is None else []
        # Where nobody has a second row, naming the column would change no count.
        several = [name for name in named if persons(self.source[name]).max(initial=-1) + 1 < self.source.n]
        if several:
            words = "“{column}” may name the person. If persons have several rows, they are less safe."
            who, role = ByPerson(several[0], "draw"), Role.IDENTIFIER
            repair = Repair(say("Name the column"), lambda p: replace(p.with_role(who.column, role), persons=who))
            yield Line("no-person-column", AMBER, say(words, column=who.column), repair=repair)

    def _moved_dates(self) -> Iterator[Line]:
        """Say where the release alone gives back by how many days somebody's dates were moved."""
        choice = self.plan.persons
        if choice is None or not choice.shift:
            return
        dates = [n for n in self.plan.nsas if self.draw_input.table[n].kind.is_date]
        rehearsal = rehearse_shift(self.draw_input.table, choice, self.plan.nsas)
        state, repair = (OK, None) if rehearsal.enough else (AMBER, _months(dates))
        yield Line("moved-dates", state, rehearsal.sentence, repair=repair)

    def _dates(self) -> Iterator[Line]:
        table, moved = self.draw_input.table, () if self.plan.persons is None else self.plan.persons.shift
        dates = [n for n in self.plan.nsas if table[n].kind.is_date and n not in moved]
        # One day for all, as that of the extract, tells nobody from another.
        exact = [n for n in dates if (table[n].counts()[~table[n].missing] > 0).sum() > 1]
        if exact:
            sentence = say("{columns} is published to the day, and days are widely known.", columns=quoted(exact, 3))
            yield Line("dates", AMBER, sentence, len(exact), 0, _months(exact))

    def _signature(self) -> Iterator[Line]:
        if self.plan.audience.who != "public" and not self.plan.audience.signed:
            sentence = say("The recipient has not signed. The limits for anyone were used.")
            repair = Repair(say("They have signed"), lambda p: replace(p, audience=replace(p.audience, signed=True)))
            yield Line("not-signed", AMBER, sentence, repair=repair)

    @property
    def _ways(self) -> Repair:
        def edit(plan: Plan) -> Plan:
            setting, who = self._setting, None if plan.persons is None else plan.persons.column
            way = find_way(setting, plan)
            if not way.works:  # the first of the ways that a proposal names, else what it is where no table is named
                usual = draft(self.source, plan.audience, roles=plan.roles, person=who, suggestions=self.suggestions)
                ways = (each for _, each in fewer_tables(replace(setting, own_tables=False), way))
                way = next(ways, None) or max(way, best_way(usual.setting, usual.plan), key=lambda each: each.works)
            return way.plan if way.safe else plan

        return Repair(say("Look for a way that works"), edit)

    @property
    def _setting(self) -> Setting:
        subjects = {name: each.subject for name, each in self.suggestions.items()}
        return Setting(self.source, subjects, self.limits)

    def _coarser(self, plan: Plan) -> Plan:
        result = plan
        for asked in (plan.questions, ()):  # columns that tables count by go last, and only where nothing else does
            search = Search(self._setting, replace(plan, questions=asked))
            # In classes who leaves takes others along, so that the coarsest forms may spare those whom these do not.
            mildest = search.tiers.mildest()
            for levels in (mildest, search.tiers.top(TIERS)) if mildest else ():
                coarser = search.plan_with(levels)
                kept = tuple(dict.fromkeys(each.keep_columns(coarser.nsas) for each in plan.questions))
                result = replace(coarser, questions=kept, classes=())
                for classes in (tuple(n for n in plan.classes if n in coarser.nsas), ()):
                    ready = prepare(self.source, coarse := replace(result, classes=classes))
                    if ready.blanked_persons + ready.left_out <= search.most_out:
                        return coarse
        return result


def _make_safer(gamma: float) -> Repair:
    return Repair(say("Make it safer"), lambda plan: plan.with_gamma(max(gamma, plan.gamma)))


def _months(dates: Sequence[str]) -> Repair | None:
    by_month = partial(Plan.with_steps, columns=dates, steps=(DatePart(Part.MONTH),))
    return Repair(say("Months instead"), by_month) if dates else None
