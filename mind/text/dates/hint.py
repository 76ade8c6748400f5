"""Whether a text may name a time at all: asked first, since reading times takes 25 ms to load."""

import re

_NAMING = frozenset(
    """
    abr abril afternoon ago agosto amanha annee annees ano anoche anos ans anteayer anteontem
    antes antier aout apr apres april aug august aujourd automne autumn avant avr avril ayer day
    days dec december decembre demain depois dez dezember dezembro dia dias dic diciembre
    dienstag dimanche domingo donnerstag ene enero ete evening fall feb feber febrero februar
    february fev fevereiro fevr fevrier fortnight freitag fri friday fruhjahr fruhling gestern
    halben halbes half herbst heure heures heute hier hiver hoje hora horas hour hours hoy
    inverno invierno jahr jahre jahren jahres jan janeiro janner januar january janv janvier
    jeudi jour jours jueves juil juillet juin jul julho juli julio july jun june junho juni
    junio kw lundi lunes mai maio manana mar march marco mardi mars martes marz marzo matin may
    mayo medio meio mercredi mes meses miercoles minute minuten minutes minuto minutos mittwoch
    mois mon monat monate monaten monats monday montag month months morgen morning mrz night nov
    november novembre novembro noviembre oct october octobre octubre okt oktober ontem otono out
    outono outubro pasado primavera printemps quarta quartal quartals quarter quarters quinta
    sabado samedi samstag sat saturday segunda semaine semaines semana semanas sep sept
    september septembre septiembre set setembro setiembre sexta sommer sonnabend sonntag spring
    stunde stunden summer sun sunday tag tage tagen tarde terca thu thur thurs thursday today
    tomorrow tonight trimestre tue tues tuesday ubermorgen vendredi verano verao viernes
    vorgestern wed wednesday week weekend weeks winter woche wochen wochenende year years
    yesterday
    """.split()
)
"""The longest word of each form in ASCII that names a day or a unit (see ``lexicon``).

The French "an" is left out, which is an English article: what can stand beside it is below.
"""
_BESIDE_AN = frozenset(
    """
    ce cet cette cinq dernier derniere dernieres derniers deux deuxieme dix douze huit neuf passe
    passee premier premiere prochain prochaine quatorze quatre quatrieme quelques quinze second
    sept six trente trois troisieme un une
    """.split()
)
_RELEASED = frozenset(("last", "latest", "previous"))
_WORD = re.compile(r"[a-z]+")


def may_name_a_time(text: str) -> bool:
    """Whether ``text`` has a digit, a letter that is not ASCII, or a word that times are made of.

    If not, there is no time in it, and no release either.
    """
    if not text.isascii() or any(character.isdigit() for character in text):
        return True
    words = set(_WORD.findall(text.lower()))
    return not words.isdisjoint(_NAMING | _RELEASED) or (
        "an" in words and not words.isdisjoint(_BESIDE_AN)
    )
