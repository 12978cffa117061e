"""Fault or merit: what a clause says of the response it is about, from -1 (a fault) to +1 (a merit). Knows nothing of sides.

A small reading machine over word classes. A negator turns the next judging word over ("not correct" -1, "no errors" +1) and
means a fault where nothing follows ("does not validate"). A word of lack absorbs the merit after it ("fails to handle" -1), a word
of care absorbs the fault after it ("avoids the error" +1). Words that judge nothing leave 0: "says that insulin is made in the
liver" is known to be a fault only to one who knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

__all__ = ["polarity", "word_class"]

_NOT = frozenset("not no never cannot without nothing none nor neither nowhere hardly barely isnt doesnt nicht kein keine keinen ohne nunca sin"
                 " jamais pas sans non senza não sem niet geen".split())  # fmt: skip
_EXACT = {
    "-": "wrong wrongly bad badly worse worst false falsely lost lose loses breaks broken bug bugs buggy typo typos slow cold rude vague weak"
    " poor poorly harm harmful odd wordy long-winded stiff flat dull bland stale raw risky mess messy off slip slips err errs error errors"
    " fault faulty mix mixes mixed mixing confuses hardcoded falls falsch fehler faux erreur error incorrecto errado sbagliato fout overkill crash"
    " misses abrupt abruptly runs_out ends_abruptly unfit untrue dead illegal loses threw crowded rambles strays drifts drops dropped"
    " breaking violates ignores ignored ignoring overlooks skips skipped skipping jumps flattens flattened lopsided clumsy needless absurd"
    " gluing glues concatenates mangles garbles invents invented fabricates pretends contradicts misgenders bloated padded short disappointing disappoints declines permissive throws throw exception raises plagiarises refusal stops twists spoils ruins lopsided unguarded generic simplistic basic dry partial partially attempts deviates falsely mishandles omits_it worsens hurts clash clashes".split(),
    "+": "correct correctly right rightly good well great excellent best better superior accurate accurately proper properly precise clear"
    " clearly clean safe secure works work respects follows keeps sticks stays meets matches natural naturally fluent vivid warm"
    " warmth polite courteous useful helpful thorough complete completely fully faithful valid sound strong robust concise concisely"
    " succeeds success elegant efficient fine gracefully nicely sensibly wisely praise idiomatic consistent balanced consistently"
    " richtig korrekt bien correctamente bem correcte bene goed preserves retains maintains honours honors obeys laid".split(),
    "give": "gives give includes include included provides provide contains contain states shows show lists mentions mention explains explain"
    " offers adds describes names defines covers cover cites uses supplies presents documents walks illustrates draws backs supports"
    " demonstrates has have got ships attaches specifies clarifies asks computes rejects picks highlights distinguishes justifies"
    " proves tells quantifies releases wraps".split(),
    "care": "avoids avoid avoiding prevents prevent preventing fixes fix fixing resolves detects detect catches spots warns warn cautions flags identifies identify"
    " handles handle handling guards guard checks check tests validates validate verifies verify recognises recognizes acknowledges"
    " addresses notes notices points corrects copes rules escapes sanitises sanitizes protects repairs rejects".split(),
    "lack": "lacks lack lacking lacked omits omit omitted omitting misses missing miss missed forgets forget forgot forgetting fails fail failed failing absent"
    " absence neglects neglected refuses refuse refusing overlooked omission failure fehlt fehlen manque falta faltan manca ontbreekt vergisst"
    " oublie olvida esquece incomplete unable insufficient insufficiently unhandled unspecified undefined leaves".split(),
    "less": "only assumes assuming merely barely although though despite instead rather should must needs ought too overly even unlike".split(),
}
_STEMS = {
    "-": "incorrect inaccura erroneous mistak confus mislead misinterpret misread misquot mistransl misstat mislabel misus misspell"
    " misrepresent misunderst misattrib misdat misnam misplac mischar misidentif misapp misgender hallucinat fabricat irrelevan unnecessar needless"
    " redundan repetiti verbos awkward unnatural unclear ambig inconsisten invalid illogic flaw problem issue violat"
    " exceed overflow leak insecur unsafe vulnerab danger deprecat outdat obsolete truncat contradict circular hardcod ineffic"
    " clutter excess superfluous superficial shallow dismiss judgmental preach disregard unsupport unfound unjustif biased"
    " distort garbl stilt unsuit inappropr unhelp imposs nonexist spurious bogus fictitio nonsens meaningless careless sloppy brittle"
    " fragile malform mismatch ungrammat offens vulgar infring underdevelop undermin contraven overcomplic overload misalign crash"
    " corrupt oversimpl overstat understat exaggerat conflat inject".split(),
    "+": "appropriat suitab precis readab fluen authentic engag creativ thorough comprehens effectiv efficien empath thoughtful"
    " nuanc organi structur logical coheren relevan faithful rigor adher compli satisf fulfil preserv maintain sensib conform"
    " readabl idiomat".split(),
    "lack": "omission unhandl insuffic incomplet".split(),
    "care": "sanitis sanitiz parameteri".split(),
}
_VALUE = {"+": 1.0, "-": -1.0, "give": 0.5, "care": 1.0, "lack": -1.0}
_ASKED = frozenset("requested asked required instructed specified needed wanted expected prescribed".split())


@lru_cache(maxsize=50_000)
def word_class(word: str) -> str:
    """One of "", "+", "-", "give", "care", "lack", "less", "not", "asked"."""
    if word in _NOT or word.endswith(("n't", "n’t")):
        return "not"
    if word in _ASKED:
        return "asked"
    if word.endswith(("error", "exception")):
        return "-"
    for name, words in _EXACT_SETS:
        if word in words:
            return name
    for name, stems in _STEMS.items():
        if word.startswith(tuple(stems)):
            return name
    return ""


_EXACT_SETS = [(name, frozenset(words)) for name, words in _EXACT.items()]
_COMPOUND = frozenset("handling message messages checking check code codes margin bars bound bounds condition conditions report reports".split())
_REACH = 5  # how many tokens a negator reaches over


def polarity(words: Sequence[str]) -> float:
    """-1..1 for one clause."""
    total, negated, mode, last = 0.0, 0, "", ""
    pending = False  # a negator that has met no judging word yet
    for k, word in enumerate(words):
        name = word_class(word)
        if name == "-" and k + 1 < len(words) and words[k + 1] in _COMPOUND:  # "error handling" is no error
            name = ""
        if name == "not":
            if k + 1 < len(words) and words[k + 1] == "only":
                continue
            negated, pending = _REACH, True
        elif name == "asked":
            total += 0.8 if last in ("as", "the") and "as" in words[max(0, k - 3) : k] else -0.1
        elif name == "less":
            total -= 0.8 if word in ("too", "overly") else 0.4
        elif name:
            value = _VALUE[name]
            if (mode == "lack" and value > 0 and not negated) or (mode == "care" and value < 0):
                value = 0.0
            if negated and value:
                value = -value if abs(value) == 1 else -1.0
                negated, pending = 0, False
            total += value
            if name in ("lack", "care") and not mode:
                mode = name
        elif negated:
            negated -= 1
        last = word
    if pending:
        total -= 0.8
    return max(-1.0, min(1.0, total))
