"""Verdicts said in a sentence: "Therefore, Response B is better.", "I pick A", "Both are equally good".

A statement counts where its clause says so without negation, condition, doubt, a criterion it is limited to, or another speaker. Only
the last part of a very long text is looked at. Knows nothing of markers, cues or reasons.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from rationalerm.judge.labels import NOUN, OPTION_LETTER, SIDE, Label, side_of
from rationalerm.judge.marked import Candidate
from rationalerm.types import Verdict

__all__ = ["CONCLUDING", "is_statement", "statements"]

_ADV = (
    r"(?:(?i:clearly|significantly|slightly|much|far|somewhat|marginally|definitely|overall|arguably|a bit|a little|considerably|substantially"
    r"|noticeably|by far|still|simply|also|ultimately|generally|certainly|obviously|probably|likely|therefore|thus|hence|a lot|way|vastly|strongly"
    r"|decidedly|just|only|indeed|objectively|undoubtedly|narrowly|even|the|a|my|clear|obvious|one|moderately|actually|in fact|in my (?:view|opinion))\s+){0,6}"
)
_ADJ = r"(?i:better|best|superior|stronger|strongest|preferable|preferred|winner|victor|favou?red|winning)"
_BE = r"(?i:is|was|seems to be|appears to be|seems|appears|remains|stands out as|comes out as|emerges as|looks)"
_ASIDE = r"(?:\s*,\s*(?i:however|though|overall|on the other hand|in contrast|by contrast|on the whole|in my (?:view|opinion)|therefore|thus)\s*,)?"
_AUX = r"(?:(?i:would|will|'d|'ll|do|must|have to|had to|am going to|strongly|slightly|clearly|therefore|thus|hence|still|personally|definitely|ultimately|also|finally|should|overall)\s+){0,3}"
_IS_BETTER = re.compile(rf"(?P<side>{SIDE}){_ASIDE}\s+{_BE}\s+{_ADV}{_ADJ}\b")
_MAKES = re.compile(
    rf"(?i:makes?|making|finds?|found|consider(?:ed)?|deem(?:ed)?|judged?|rated?|declared?|rendering|chos[eo]n?|choose|select(?:ed)?)\s+(?P<side>{SIDE})\s+(?i:as\s+|to be\s+)?{_ADV}{_ADJ}\b"
)
_I_PICK = re.compile(
    rf"\b(?:I|[Ww]e)\s?{_AUX}(?i:prefer|choose|chose|pick|picked|select|selected|favou?r|vote for|go with|went with|side with|lean(?:ed|ing)? towards?|opt for|recommend)\s+(?P<side>{SIDE})(?!\w)"
)
_WINS = re.compile(
    rf"(?P<side>{SIDE}){_ASIDE}\s+{_ADV}(?i:wins|won|outperforms|outperformed|beats|surpasses|surpassed|prevails|edges out|comes out ahead|comes out on top|takes the win|gets my vote"
    rf"|deserves (?:to win|the win)|has the (?:overall )?(?:edge|advantage|upper hand)|is preferred|takes the (?:edge|lead))\b"
)
_GOES = re.compile(rf"(?i:(?:edge|win|nod|victory|verdict|preference|vote|point) (?:\w+ )?(?:goes |belongs )?to|(?:favou?r of))\s+(?P<side>{SIDE})(?!\w)")
_EQUAL = r"(?i:equally (?:good|strong|bad|well|poor|weak|matched|valid and good|good and \w+)|equal in (?:overall )?quality|of equal (?:overall )?quality|tied|on par|(?:completely |exactly )?equal(?=\s*[.,;!\n]|$)|evenly matched|a tie|a draw|of (?:about |roughly )?the same quality)"
_TIE = re.compile(
    rf"(?:\b(?i:both(?: of (?:them|these|the))?|they|the two|these two)(?:\s+(?i:\w+))?(?:\s+{SIDE}\s+(?i:and)\s+{SIDE})?|{SIDE}\s+(?i:and)\s+{SIDE}|(?<![\w])(?i:it'?s|it|this|the (?:result|outcome|comparison|{NOUN})))"
    rf"\s*(?i:\b(?:are|were|is|was|ends in|ends as|seem|appear|remain)\s+)?(?:(?i:therefore|thus|overall|essentially|basically|roughly|about|all|clearly|effectively|more or less|pretty much|just|to be)\s+){{0,2}}{_EQUAL}\b"
    rf"|\b(?:I|[Ww]e)\s?{_AUX}(?i:call|declare|consider|rate|judge|deem|make|score|call) (?i:it|this|them|the two|the \w+)(?i: as| to be| is|)? (?i:a tie|a draw|tied|equal(?:ly good)?)\b"
    rf"|\b(?i:a tie between|tie between the two)\b"
)
_WORSE = re.compile(rf"(?P<side>{SIDE})\s+(?i:is|was)\s+{_ADV}(?i:worse|inferior|weaker)\s+(?i:than|to)\s+(?={SIDE})|(?P<side2>{SIDE})\s+{_ADV}(?i:loses|lost) to (?={SIDE})")
_PREDICATE = re.compile(
    r"(?i)better|best|superior|strong|prefer|winner|victor|favou?r|\bw[io]n|outperform|beats|surpass|prevail|edge|ahead|on top|deserve|advantage|upper hand"
    r"|lead|choose|chose|pick|select|vote|go with|went with|side|lean|opt for|recommend|\bnod\b|verdict|point|worse|inferior|weaker|lose|lost|equal|\btie|on par|evenly|draw|same"
)
_SIGN = re.compile(r"(?<![\w\[{<(>=$\\^_-])(?P<left>[AB])\s?(?P<op>>{1,2}|<{1,2}|==?)\s?(?P<right>[AB])(?![\w\]}>)=<$^_+*/-])")

_CHOOSES = re.compile(rf"\b(?:I|[Ww]e)\s?{_AUX}(?i:choose|chose|pick|select|answer|output|conclude|go with|settle on|decide on|rate (?:it|this)|judge)\s+(?i:that\s+)?$")
_WORD = r"(?i:prompt|instruction|question|task|query|request|user(?:'s \w+)?|problem|case|comparison|criteria)"
_TAIL = re.compile(
    rf"(?:\s+(?:{NOUN}|(?i:one|choice|option|pick|of the (?:two|pair)|between the two|of both)))*"
    rf"(?:,?\s+(?i:overall|here|by far|in general|on the whole|as a whole|in every (?:way|respect|regard)|in all (?:respects|aspects|regards|criteria)|by a (?:\w+ )?margin|in my (?:view|opinion|judge?ment)|in this (?:case|comparison|instance|regard)|(?:for|to|in|on|at following|in following|at answering|at addressing) (?:this|the|that) (?:\w+ )?{_WORD}))*"
    rf"(?:\s+(?i:than|to|over|against)\s+(?:(?P<other>{SIDE})|(?i:the )?(?i:other)(?:\s+(?:{NOUN}|(?i:one)))?|(?i:its (?:rival|counterpart|competitor))))?"
    rf"(?:\s+(?P<object>{SIDE}))?"
    rf"(?:,?\s+(?i:overall|here|by far|in this (?:case|comparison)|by a (?:\w+ )?margin|in (?:all|every) \w+|for (?:this|the) (?:\w+ )?{_WORD}))*"
    rf"\s*(?:$|[.!;:)\]\"](?!\w)|\n|,(?!\s*(?i:but|if|unless|only|when|although if|provided)\b)|,?\s*(?i:but|albeit|though)\s+(?i:not by much|only (?:slightly|just|marginally|barely|narrowly)|both|the (?:margin|difference|gap)|just|narrowly)\b"
    rf"|\s?[—–(]|\s-\s|\s?\b(?i:because|since|due to|given|and|while|whereas|thanks to|owing to|by \w+ing|for its|for being|for (?:the |these |several |many |a few |two |three |four |multiple |various |a number of |the following |a couple of )+(?:\w+ )?(?:reasons|following)|as (?:it|they|its|the|this|that|both|I|there|{NOUN}|[AB]\b)|which|so)\b)"
)
CONCLUDING = re.compile(
    r"(?i)\b(?:therefore|thus|hence|overall|in conclusion|to conclude|conclusion|in summary|to summari[sz]e|to sum up|all in all|finally|on balance|in the end|ultimately"
    r"|final(?:ly)?|taken together|all things considered|considering (?:everything|all)|on the whole|for th(?:ese|is) reasons?|as a result|consequently|in total|so|accordingly|i conclude)\b"
)
_DOUBT_ANYWHERE = re.compile(
    r"(?i)(?:(?<!even )(?<!as )\bif\b|\bwhether\b|\bunless\b|\bsuppos(?:e|ing)\b|\bassum(?:e|ing)\b|\bimagin|\bhypothetical|\bhad\s+(?:it|the|[AB])\b|\bshould you\b|\bin case\b"
    r"|\bin terms of\b|\bregarding\b|\bwith respect to\b|\bwhen it comes to\b|\bas for\b|\bin (?:this|that|one|some|many|certain|most) (?:aspects?|respects?|areas?|ways?|dimensions?|criteri\w+)\b)"
)
_DOUBT_CLAUSE = re.compile(
    r"(?i)(?:\b(?:not|never|nor|neither|no|hardly|cannot|without|would|could|might|may|perhaps|maybe|possibly|when|once|until|should|supposedly|allegedly|seemingly"
    r"|at first|initially|first (?:sight|glance|impression)|thought|expected|assumed|believed|tempt\w*|unsure|uncertain|unclear|doubt\w*|hard to|difficult to|tell me|told|claim\w*|says?|said|argues?|states?|asserts?"
    r"|insists?|writes?|wrote|asks?|instruct\w*|pretend\w*|some|someone|somebody|one|others?|many|people|users|readers|annotators?|humans?|which of|who|why|how|than|output|print|choose|pick|example|e\.g|like)\b|n't\b|\?)"
)
_SPEAKER = re.compile(
    r"(?i)\bI(?:'d|'m|\s+(?:would|might|must|have to|should|will|am inclined to|could only))?\s+(?:therefore |thus |still |also |strongly |clearly )?(?:say|argue|conclude|judge|rate|think|believe|find|feel|maintain|consider|rank|choose|pick|decide|go with)\b(?:\s+that)?|\bnot only\b|\bwhich makes\b|\bthan\b(?=.*\b(?:so|therefore)\b)|\bit can be said\b"
)
_CRITERION = re.compile(r"^[\s\-*•>\d.)(#]*(?P<lead>[A-Za-z][\w /&,'-]{1,50}?)\s?:\s")
_VERDICT_LEAD = re.compile(r"(?i)\b(?:verdict|winner|overall|conclusion|final|summary|decision|result|judge?ment|comparison|preference|choice|answer|better|assessment|evaluation|recommendation|reason\w*|output|therefore|so|thus|explanation|justification|feedback)\b")
_ON = re.compile(r"(?i)(?:^|[;,—]\s*|\b(?:and|but|while|whereas)\s+)(?:on|for|in|under|by)\s+(?:the\s+)?(?!the whole|balance|conclusion|summary|my|total|general|this|these|short|light|contrast|comparison|view|end|reasons?|all|sum|fact|both)(?:\w+\s?){1,4},\s*(?:\w+,?\s+)?$")
_CLAUSE = re.compile(r",|;|:|—|–|\(|\b(?:but|so|therefore|thus|hence|and|because|since|although|though|while|whereas|yet|however|that makes)\b")
_SENTENCE = re.compile(r"(?<=[.!?。！？])[\"')\]*]{0,2}\s|\n|(?<=[。！？])")
_END = re.compile(r"[.!?](?=\s|$|[\"')*])|\n|[。！？]")
_EMPHASIS = re.compile(r"\*\*|__")
_LEAD = 320
_SCOPE = 60_000
_REACH = 240
_MOST = 400


def _sentence_start(text: str, position: int) -> int:
    low = max(0, position - _LEAD)
    start = low
    for match in _SENTENCE.finditer(text, low, position):
        start = match.end()
    return start


def _asks(text: str, position: int) -> bool:
    end = _END.search(text, position, position + 300)
    return end is not None and end[0] == "?" and '"' not in text[position : end.start()]


def _sound(text: str, start: int, end: int) -> bool:
    """Whether the words before and behind a statement leave it as the judge's own, plain verdict."""
    before = text[_sentence_start(text, start) : start]
    lead = _CRITERION.match(before)
    if lead:
        if not re.fullmatch(r"\(?[A-Ca-c12]\)?", lead["lead"]) and not _VERDICT_LEAD.search(lead["lead"]):
            return False
        before = before[lead.end() :]
    before = _SPEAKER.sub(" ", before)
    if _DOUBT_ANYWHERE.search(before) or _ON.search(before):
        return False
    cuts = [match.end() for match in _CLAUSE.finditer(before)]
    clause = before[cuts[-1] :] if cuts else before
    if len(clause.split()) < 1 and len(cuts) > 1 and re.search(r"(?i)\b(?:that|say|says|said)\s*,?\s*$", before):
        clause = before
    return not _DOUBT_CLAUSE.search(clause) and not _asks(text, end)


def _plain_bare(text: str, match: re.Match[str]) -> bool:
    """Whether a lone capital letter is a side here: not `Plan A`, `vitamin B`."""
    words = match["side"] if "side" in match.re.groupindex else ""
    if not words or not re.match(r"\(?[AB]\b", words):
        return True
    before = text[max(0, match.start("side") - 20) : match.start("side")]
    word = re.search(r"([A-Za-z]+)\s+\(?$", before)
    if not word:
        return True
    return word[1].lower() in _FUNCTION_WORDS


def _maybe_option(text: str, match: re.Match[str], tail: str) -> bool:
    """`(B) remains the best choice`: perhaps of a multiple-choice question."""
    if not re.fullmatch(r"\(?[AB]\)?", match["side"]) or not match[0].lower().endswith("best"):
        return False
    return bool(re.match(r"\s+(?:choice|option|answer)", tail)) or bool(OPTION_LETTER.search(text))


_FUNCTION_WORDS = frozenset(
    "that so therefore overall and think believe say is hence thus then find conclude judge because since while whereas although though but prefer"
    " choose pick select favor favour with for over than to of clearly ultimately finally as only both makes making consider declare deem rate"
    " toward towards opt recommend if whether when not i we conclusion was also still chose picked selected makes out say feel argue even yet or"
    " in either nor neither where which however".split()
)


def _regions(text: str) -> list[tuple[int, int]]:
    """The parts of the text that hold a verdict's words at all, with their surroundings."""
    regions: list[tuple[int, int]] = []
    for word in _PREDICATE.finditer(text):
        low, high = max(0, word.start() - _REACH), min(len(text), word.end() + _REACH)
        low = max(low, text.rfind("\n", low, word.start()) + 1)
        if regions and low <= regions[-1][1]:
            regions[-1] = (regions[-1][0], high)
        else:
            regions.append((low, high))
    return regions


def _matches(pattern: re.Pattern[str], text: str, regions: list[tuple[int, int]]) -> list[re.Match[str]]:
    """The matches inside the regions; of very many the last ones."""
    return [match for low, high in regions for match in pattern.finditer(text, low, high)][-_MOST:]


def _found(text: str) -> Iterator[tuple[int, int, int]]:
    """(start, end, side) of each sound statement."""
    regions = _regions(text)
    for pattern in (_IS_BETTER, _MAKES, _I_PICK, _WINS, _GOES):
        for match in _matches(pattern, text, regions):
            side = side_of(match["side"])
            tail = _TAIL.match(text, match.end())
            if not side or not tail or not _plain_bare(text, match):
                continue
            others = [side_of(words) for words in (tail["other"], tail["object"]) if words]
            if pattern is _IS_BETTER and _maybe_option(text, match, tail[0]):
                continue
            if any(other == side for other in others) or (tail["object"] and pattern is not _WINS):
                continue
            if _sound(text, match.start(), match.end()):
                yield match.start(), match.end(), side
    for match in _matches(_WORSE, text, regions):
        side = side_of(match["side"] or match["side2"])
        other = re.match(SIDE, text[match.end() : match.end() + 60])
        if other and side_of(other[0]) == -side and re.match(_TAIL, text[match.end() + other.end() : match.end() + other.end() + 100]) and _sound(text, match.start(), match.end()):
            yield match.start(), match.end(), -side
    for match in _matches(_TIE, text, regions):
        if _TAIL.match(text, match.end()) and _sound(text, match.start(), match.end()):
            yield match.start(), match.end(), 0


def statements(text: str, _numbers: bool = False) -> list[Candidate]:
    """The judge's statements of a verdict, in the order of the text (answer without thinking, signs unified)."""
    offset = max(0, len(text) - _SCOPE)
    scope = text[offset:]
    view, places = _without_emphasis(scope)
    found = []
    for start, end, side in _found(view):
        before = view[_sentence_start(view, start) : start]
        tail = view[end : end + 14]
        final = bool(CONCLUDING.search(before)) or bool(re.match(r"\W*overall\b", tail, re.I))
        found.append(Candidate(offset + places(start), offset + places(end), Label(Verdict(side), None, True), 1, "rule: statement", final))
    for match in list(_SIGN.finditer(view))[-_MOST:]:
        label = _signed(view, match)
        if label:
            found.append(Candidate(offset + places(match.start()), offset + places(match.end()), label, 1, "rule: sign in a concluding sentence", True))
    return sorted(found, key=lambda one: one.start)


def _signed(text: str, match: re.Match[str]) -> Label | None:
    """`Overall, A > B.`: only in a concluding sentence that says nothing else."""
    before = text[_sentence_start(text, match.start()) : match.start()]
    if match["left"] == match["right"] or not (CONCLUDING.search(before) or _CHOOSES.search(before)) or not re.match(r"\s*(?:[.!,;(]|$|\n)", text[match.end() : match.end() + 3]):
        return None
    if not _sound(text, match.start(), match.end()) or len(before.split()) > 12:
        return None
    sign = match["op"]
    if sign[0] == "=":
        return Label(Verdict.TIE, None)
    side = (-1 if match["left"] == "A" else 1) * (1 if sign[0] == ">" else -1)
    return Label(Verdict(side * len(sign)), len(sign))


class _Places:
    """Positions of a text with its emphasis taken out, in the text itself."""

    def __init__(self, cuts: list[int]) -> None:
        self._cuts = cuts  # positions in the shortened text at which two characters are missing

    def __call__(self, position: int) -> int:
        return position + 2 * bisect_right(self._cuts, position)


def _without_emphasis(text: str) -> tuple[str, _Places]:
    cuts = [match.start() - 2 * number for number, match in enumerate(_EMPHASIS.finditer(text))]
    return _EMPHASIS.sub("", text) if cuts else text, _Places(cuts)


def is_statement(sentence: str) -> bool:
    """Whether a sentence says a verdict and nothing else."""
    view = " ".join(sentence.replace("**", "").split())
    for start, end, _ in _found(view):
        tail = _TAIL.match(view, end)
        rest = view[tail.end() :] if tail else view[end:]
        if not rest.strip(" .!)\"'") and len(view[:start].split()) <= 8:
            return True
    return False
