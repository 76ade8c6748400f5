"""Claims about a person, which nobody but that person should let into a memory."""

import re
from functools import cache

from mind.text.durability.wording import is_conditional, spoken, unfolded

_TRADE = (
    r"(?:\w+[- ]){0,3}(?:developer|engineer|programmer|designer|student|beginner|newcomer|expert|"
    r"manager|founder|teacher|writer|scientist|researcher|freelancer|consultant|hobbyist|novice|"
    r"doctor|nurse|architect by training|vegetarian|vegan|native speaker|morning person|night owl)"
)
_TASTE = r"(?:prefers?|likes?|dislikes?|hates?|loves?|enjoys?)"
_TRAIT = (
    rf"(?:(?:a|an) {_TRADE}|based in|located in|vegetarian|vegan|allergic|"
    r"left-handed|colou?r-?blind|dyslexic|deaf|married|new to|familiar with|unfamiliar with|"
    r"not familiar with|fluent in|\d+ years old|frustrated|annoyed|impatient|happy with)"
)
_LISTENER = (
    r"(?:me|us|you|claude|the (?:agent|assistant|model|ai|bot)|answers|replies|responses|"
    r"explanations|concise|short|brief|detailed|no (?:emojis?|comments|explanations|summaries)|"
    r"to be (?:called|asked|told|addressed|consulted))"
)
_OWN = (
    r"(?:name|time ?zone|birthday|email|phone(?: number)?|address|wife|husband|partner|boss|job|"
    r"employer|preference|preferred \w+|favou?rite \w+|native language|mother tongue|pronouns|"
    r"hometown|age|salary|health|diagnosis|religion)"
)
_NO_DATA = (
    r"(?! (?:\w+ed|shown|hidden|sent|read|set|kept|written|given|not|optional|required|empty|null|"
    r"unique|part|in|the|a|an)\b)"
)
_MATTER = (
    r"(?:to be (?:called|asked|told|addressed)|short|concise|brief|detailed|direct|being|"
    r"coding|programming|reviewing|tea|coffee|dark mode|light mode|vim|emacs|pair programming|"
    r"meetings?|emails?|answers|replies|explanations|small (?:prs?|commits|steps))"
)

_MUCH = r"(?:(?:strongly|really|generally|usually|clearly|explicitly|personally|much) )*"

_ROWS = rf"""
(?:the|this|our) (?:user|human|developer) {_MUCH}(?:{_TASTE}\b(?! (?:table|column|field|count
    |button|page|list
    |model|endpoint|feature)s?\b)|insists|is {_TRAIT}|works (?:at|as an?|for|from)|lives in
    |speaks|asked (?:me|us|that|not)|told (?:me|us)|wants {_LISTENER}|(?:always|never) (?:wants
    |likes|asks|writes|codes|commits|prefers)|doesn['’]t (?:like|want (?:me|us|you|any))
    |does not (?:like|want (?:me|us|you|any)))
(?:(?<=[.:;!?*-] )|(?<=\n)|\A)user {_MUCH}(?:prefers|likes|dislikes|hates|loves|insists
    |works (?:at|as an?)|lives in
    |speaks|asked (?:me|us|that|not)|told (?:me|us)|wants {_LISTENER}|is (?:a|an) {_TRADE})
(?:the )?user['’]s {_OWN} (?:is|are)\b{_NO_DATA}
\bI {_MUCH}(?:prefer|dislike|hate|love|enjoy)\b(?! (?:it|how|that|this|your|when|the way|to see)\b)
\bI (?:don['’]t|do not) (?:like|want (?:you|claude|the (?:agent|assistant)))
\bI (?:always|never) (?:want|use|like|write|work|commit|code|eat|drink)\b
\bI(?: am|['’]m) {_TRAIT}
\bI (?:work (?:at|as an?|for)|live in|speak|was born)\b
\bI like (?:to be|it when|my|short|concise|working|coding|writing|seeing)\b
\bmy {_OWN} (?:is|are)\b{_NO_DATA}
\bcall me [A-Z]\w+
\b[A-Z][a-z]+ (?:prefers|likes|dislikes|hates|loves|wants) {_MATTER}\b
\b(?!Th|It\b|He\b|What|Wh|If\b|There|Here)[A-Z][a-z]+ (?:is (?:a|an) {_TRADE}
    |works as an? {_TRADE}|is (?:allergic|vegetarian|vegan|left-handed|\d+ years old)|was born)\b
\b(?:der|die) (?:be)?nutzer(?:in)? (?:bevorzugt|mag|hasst|möchte (?:keine|kurze|nicht)
    |arbeitet (?:bei|als)|wohnt)\b
\bich (?:bevorzuge|mag|hasse|heiße|wohne|arbeite (?:bei|als)|bin (?:(?:ein
    |eine) )?\w*entwickler(?:in)?)\b
\b(?:l['’]utilisateur|l['’]utilisatrice) (?:préfère|aime|déteste|veut (?:que|des réponses)
    |travaille|habite)\b
\b(?:je préfère|j['’]aime|je déteste|je travaille (?:chez|comme)|j['’]habite|je m['’]appelle)\b
\b(?:el usuario|la usuaria|al usuario|a la usuaria) (?:prefiere|le gusta|odia|quiere (?:que
    |respuestas)|trabaja (?:en|como)|vive en)\b
\b(?:me llamo|prefiero|me gustan?|trabajo (?:como|para)|vivo en)\b
"""
_CASED = re.compile(r"\[A-Z\]|\\bI[ (]")


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(row if _CASED.search(row) else f"(?i:{row})") for row in unfolded(_ROWS)
    )


def about_user(text: str) -> str | None:
    """The words by which ``text`` is a claim about a person, as they stand there; None if none do.

    Only clear forms: "the user prefers", "I work at", "my time zone is", "Anna likes short
    answers". What a program does with its users ("user must be logged in", "the user model has
    a field", "when the user prefers reduced motion") is none, nor is what a team decided ("we
    prefer composition"), nor what is quoted. Only its first 20,000 characters are looked at.
    """
    said = spoken(text)
    found = [
        match
        for pattern in _patterns()
        for match in pattern.finditer(said)
        if not is_conditional(said, match.start())
    ]
    if not found:
        return None
    first = min(found, key=lambda match: match.start())
    return " ".join(first[0].split())
