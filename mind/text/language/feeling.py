"""The tone of a text: how somebody felt about the work."""

import re

from mind.domain.entry import Entry, Layer
from mind.text.language.guessing import foreign

_GLAD = """amazed amazing amused appreciate appreciated appreciative at_last awesome beautiful
    beautifully breakthrough breeze brilliant brilliantly calm celebrate celebrated charming
    cheerful comfortable confident cool curious delight delighted delightful delightfully
    eager ease easier easily effortless effortlessly elegant elegantly encouraged encouraging
    energized enjoy enjoyable enjoyed enjoying enjoys enthusiasm enthusiastic excellent
    excited excitement exciting fantastic fascinated fascinating finally_works flawless
    flawlessly fond fulfilling fun glad gladly good grateful gratifying great happier happily
    happy helpful hooray hopeful impressed impressive inspired inspiring intuitive joy kudos
    liked likes love loved lovely loves loving lucky magical marvelous motivated motivating
    neat nice nicely optimistic painless painlessly peaceful perfect perfectly playful
    pleasant pleasantly pleased pleasing pleasure praise praised pretty productive proud
    proudly reassured reassuring refreshing relaxed relief relieved rewarding satisfaction
    satisfied satisfying seamless seamlessly smooth smoother smoothly solid stoked stunning
    success successful superb supportive sweet terrific thank thankful thanks thrilled upbeat
    welcome win wins wonderful wonderfully wow yay"""
_SORRY = """afraid aggravating angry annoyance annoyed annoying annoys anxiety anxious ashamed awful
    awfully awkward bad badly baffled baffling bitter bored boring bothered burden burned_out
    burnout burnt burnt_out chaos chaotic clumsy clunky complaint complaints confused
    confusing confusion crappy cumbersome demoralized demoralizing depressed depressing
    disappointed disappointing disappointment discouraged discouraging dislike disliked
    dissatisfied distracting dread dreaded dreading embarrassed embarrassing exasperated
    exasperating exhausted exhausting fear feared fed_up fragile frustrate frustrated
    frustrates frustrating frustration furious grumpy hate hated hates hating hell hopeless
    horrendous horrible horribly impatient infuriating insane irritated irritating mad
    maddening mess messy nasty nervous nightmare overwhelmed overwhelming pain painful
    painfully pointless regret regretted sad sadly scared scary shame slog sluggish stress
    stressed stressful struggle struggled struggling stuck stupid suck sucks tedious tense
    terrible terribly tired tiring trouble troubled troubling ugly uncomfortable unhappy
    unpleasant upset upsetting useless worn_out worried worries worry worrying worse worst
    yikes yuck"""
_NOT = frozenset(
    """aren't barely can't cannot couldn't didn't doesn't don't hadn't hardly hasn't haven't isn't
    lack lacks less neither never no nobody none nor not nothing scarcely shouldn't wasn't
    weren't without won't wouldn't""".split()
)
_VERY = frozenset(
    """absolutely completely deeply especially extremely hugely immensely incredibly insanely really
    remarkably seriously so super surprisingly thoroughly too totally truly unbelievably utterly
    very""".split()
)
_RATHER = frozenset(
    "bit fairly kinda little mildly moderately partly slightly somewhat sorta".split()
)

_PLAIN, _STRONGER, _WEAKER, _NEGATED = 0.6, 1.5, 0.5, -0.5
"""What a word weighs, and by what those before it multiply that: "not great" is less than bad."""
_VALUES = dict.fromkeys(_GLAD.split(), _PLAIN) | dict.fromkeys(_SORRY.split(), -_PLAIN)
_READ = 2_000
_REACH = 3
"""How many words before a word can turn it or change its strength."""
_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)*|[.,;:!?()—–]|`[^`]*`")
_ENDS = frozenset((*".,;:!?()—–", "but", "though", "although", "however"))
"""Past which nothing is turned: "not fast, but lovely"."""


def tone(text: str) -> float | None:
    """How glad (up to 1) or sorry (down to -1) ``text`` sounds; None if it has no word for that.

    It is for entries of the layer ``emotion``, which keep moods ("the migration was painful",
    "smooth release at last"): beside one, it tells at a glance which way it went. About the work
    itself it says nothing: a crash is no feeling, so words such as "error" and "broken" do not
    count. It is the mean over English words of mood, each 0.6 to either side, half again as much
    after "very", half after "slightly", and turned to half of the opposite after "not". Code in
    backticks does not count. 2,000 characters are read.
    """
    tokens = _TOKEN.findall(text[:_READ].lower().replace("’", "'"))
    values = [
        value * _modified(tokens[max(0, at - _REACH) : at])
        for at, token in enumerate(tokens)
        if (value := _VALUES.get(token) or _VALUES.get("_".join(tokens[max(0, at - 1) : at + 1])))
    ]
    return round(sum(values) / len(values), 2) if values else None


def mood(entry: Entry) -> float | None:
    """The tone of an entry in English that is about moods; None for every other."""
    felt = entry.layer is Layer.EMOTION and not foreign(entry.text)
    return tone(entry.text) if felt else None


def _modified(before: list[str]) -> float:
    """By what the words just before a word multiply what it says."""
    factor = 1.0
    for token in reversed(before):
        if token in _ENDS:
            break
        if token in _NOT:
            factor *= _NEGATED
        elif token in _VERY:
            factor *= _STRONGER
        elif token in _RATHER:
            factor *= _WEAKER
    return max(-1 / _PLAIN, min(1 / _PLAIN, factor))
