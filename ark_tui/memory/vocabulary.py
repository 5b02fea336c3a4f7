"""The words of claims and of what was said: which say nothing, which are the same, how much one says."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache

from ark_tui.embedding import static
from ark_tui.index.words import analysis, terms

WORD = re.compile(r"[^\W_][\w'’.+#/-]*[\w+#]|[^\W_]")
LANGUAGES = ("de",)  # besides English


def words_of(text: str) -> frozenset[str]:
    """A set of words that is written as a text."""
    return frozenset(text.split())


NOT = words_of("""
no not never none nothing nobody neither without cannot unless except avoid forget forbidden refrain
nicht nie niemals kein nichts niemand ohne weder außer ausser vermeiden vergessen verboten
""")
OTHER_FORMS = {
    **{f"kein{end}": "kein" for end in ("e", "en", "em", "er", "es")},
    **{f"niemand{end}": "niemand" for end in ("en", "em")},
    "avoiding": "avoid",
    "nor": "neither", "forgot": "forget", "forgotten": "forget", "forbid": "forbidden",
    "prohibited": "forbidden", "vermeide": "vermeiden", "vermeidet": "vermeiden", "vergiss": "vergessen",
}  # fmt: skip
"""Of these."""
COMMON = words_of("""
a an the this that these those it its he she they we you i if when while where what who how why in on at by
for from to of with and or but as is are was were be been do does did has have had can could should would will
may must use set run add put make take keep give get let try check always never no not each every all some one
two three there then than so after before until since because also only user users nutzer benutzer someone
people again instead still yet now here too just even ever often format formats status state value system item
items list thing member part parts whereas genug enough zuvor
several cause reason solution workaround outage incident regression rollout engineer return
returns performance instance approach purpose usage behaviour behavior procedure convention preference
requirement default downtime host formate fehler problem ursache grund lösung änderung nutzung verwendung
einsatz betrieb vorgang aufgabe bereich anzahl dauer zeitpunkt zustand wert stelle fall hinweis regel vorgabe
voraussetzung bedarf umstellung umstieg wechsel behebung anforderung möglichkeit person personen besitzer
menge angabe unternehmen projekt gerät ansprechpartner ansprechpartnerin dafür damit dazu dabei davon daher
deshalb deswegen dadurch dort hier seit seitdem uhr
""")
ACTING = words_of("""
is are was were has have had does do did will would can could may might must shall should and or not never
also always who ist sind war waren hat haben hatte wird werden wurde kann können darf dürfen muss müssen soll
sollen will wollen und oder nicht
""")  # behind whom a sentence is about
ALIKE = """
ram memory speicher arbeitsspeicher; database databases db datenbank; disk drive ssd volume platte festplatte;
bug error failure issue problem fehler defect defekt broken kaputt; patch fix hotfix; outage downtime down
störung; server host machine box node maschine rechner; cpu processor prozessor; laptop notebook; phone
telephone telefon; mac macos osx; kubernetes k8s kube; javascript js; typescript ts; python py; pr mr; e2e
end-to-end; wifi wlan; tls ssl https certificate cert zertifikat; authentication auth login signin anmeldung;
password passwort; mfa 2fa; network net netz netzwerk; folder directory dir ordner verzeichnis; file datei;
documentation docs doku; maximum max maximal höchstens; minimum min minimal mindestens; average avg; clock
time uhrzeit; second sec sekunde; customer client kunde; company firma office; vendor supplier provider
hersteller anbieter lieferant; team colleague kollege; employee staff mitarbeiter; developer dev entwickler;
manager boss lead chef; option flag switch parameter schalter; setting configuration config einstellung;
command befehl; version release; rollout deploy deployment; environment env umgebung; backup sicherung; reboot
restart neustart; message nachricht; request call anfrage; query abfrage; reply answer response antwort; email
e-mail mail; website site page seite webseite; screen display monitor bildschirm; picture image bild; invoice
bill rechnung; price cost kosten preis; delay latency lag verzögerung; duration time dauer; lose lost loss
verlust; rest remainder; freeze hang block; test tests; on-call pager duty bereitschaft; vacation leave
holiday urlaub
"""
"""Words for the same thing, as engineers say them, also in another language."""

SEASONS = words_of("spring summer autumn fall winter frühling frühjahr sommer herbst")
CLIPPED, ROOTED, DERIVED, WITHIN = 3, 4, 6, 5
"""Letters that a word has to share with another one, to be of it."""
ENDINGS = (
    "",
    *words_of("""
s es d ed ing er ers or ors ion ions ation ations ment ments al able ible ive ity ly y ness ful ance ence ant
ent t te ten en n e er ern ung ungen ig lich bar heit keit isch end et nis
"""),
)
PARTICIPLE = re.compile(r"^(ab|an|auf|aus|ein|um|vor|zu|hin|her|weg|los|nach|mit|zurück|durch)ge(?=\w{3})")
INFLECTED = {
    "en": re.compile(r"(?:s|ed|en|ing|ly|able|ible|ive|ary|ful|less|ous)$"),
    "de": re.compile(r"(?:t|e|en|er|te|es|em|ig|lich|isch|bar|los|sam|hin|mal|s)$"),
}
"""What is done or how, mostly: a claim may word that anew."""


def also_called(word: str) -> str:
    """What a word and others for the same thing are called here; itself where there are none."""
    return _groups().get(word, word)


@cache
def _groups() -> dict[str, str]:
    return {
        form: f"={place}"
        for place, group in enumerate(ALIKE.split(";"))
        for word in group.split()
        for form in (terms.stem(word), word)
    }


@lru_cache(1 << 14)
def stems(text: str) -> frozenset[str]:
    """The words of a text that say something, without their endings."""
    return frozenset(terms.read(text, languages=LANGUAGES).stems)


@lru_cache(1 << 14)
def forms(text: str) -> frozenset[str]:
    """The words of a text, their stems, also those in other languages, and what else they are called."""
    words = {*terms.words(text), *map(str.casefold, WORD.findall(text))}
    words |= {word.replace("-", "") for word in words}
    found = stems(text).union(words, (terms.stem(word, code) for word in words for code in ("", *LANGUAGES)))
    return found.union(map(also_called, found))


def is_new(word: str, said: AbstractSet[str]) -> bool:
    """Whether a word is none of these forms, whatever its ending, and is not made of one of them."""
    if forms(word) & said:
        return False
    plain = word.casefold()
    return not (plain.isalpha() and any(_of_one(plain, one) for one in said if one.isalpha()))


def _of_one(word: str, other: str) -> bool:
    """Whether one of two words is made of the other: `config`, `synchronisation`, `Lizenzserver`."""
    short, long = (word, other) if len(word) < len(other) else (other, word)
    if len(short) < CLIPPED:
        return False
    if long.startswith(short):
        return len(long) >= 2 * CLIPPED and not is_function(short) and not _single(long.removeprefix(short))
    if short[:DERIVED] == long[:DERIVED] or _family(short) & _family(long):
        return True
    return WITHIN <= len(short) < len(long) - 2 and terms.stem(short, "de") in long


@lru_cache(1 << 14)
def _family(word: str) -> frozenset[str]:
    """What a word may be derived from: itself without an ending, and without the `ge` of a participle."""
    plain = PARTICIPLE.sub(r"\1", word)
    roots = (plain[: len(plain) - len(ending)] for ending in ENDINGS if plain.endswith(ending))
    return frozenset(root for root in roots if len(root) >= ROOTED)


def _single(word: str) -> bool:
    """Whether texts have these letters as a word by itself."""
    return len(word) >= CLIPPED and static.available() and len(static.of_word(word)) == 1


@lru_cache(1 << 14)
def weight(word: str) -> float:
    """How much a word says by itself: the length of its vector in the embedded model; infinite if rare.

    The vector of a text is the mean of its words': those that turn up everywhere were made short.
    """
    if word in SEASONS or not (word.isascii() and word.isalpha() and static.available()):
        return float("inf")
    pieces = static.of_word(word)
    if len(pieces) > 1:
        return float("inf")
    vector = static.table()[pieces[0]].astype("float32")
    return float((vector @ vector) ** 0.5)


@lru_cache(1 << 14)
def is_function(word: str) -> bool:
    """Whether a word says nothing by itself, or a negation, which is looked at apart."""
    plain = word.casefold()
    return (
        plain in COMMON
        or plain in NOT
        or plain in OTHER_FORMS
        or (plain.isalpha() and any(analysis.function_words([plain], code) for code in ("en", *LANGUAGES)))
    )


def language(text: str) -> str:
    """The one of which a text has the most function words; of equals English."""
    words = terms.words(text)
    return max(("en", *LANGUAGES), key=lambda code: len(analysis.function_words(words, code)))
