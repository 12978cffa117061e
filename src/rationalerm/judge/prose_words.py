"""The words of a verdict said in a sentence, as patterns: what says it, what may follow, what casts doubt on it.

Tables only; how they are used is `prose`'s.
"""

from __future__ import annotations

import re

from rationalerm.judge.labels import NOUN, SIDE

_ADV = (
    r"(?:(?i:clearly|significantly|slightly|much|far|somewhat|marginally|definitely|overall|arguably|a bit"
    r"|a little|considerably|substantially"
    r"|noticeably|by far|still|simply|also|ultimately|generally|certainly|obviously|probably|likely|therefore|thus"
    r"|hence|a lot|way|vastly|strongly"
    r"|decidedly|just|only|indeed|objectively|undoubtedly|narrowly|even|the|a|my|clear|obvious|one|moderately"
    r"|actually|in fact|in my (?:view|opinion))\s+){0,6}"
)
_ADJ = r"(?i:better|best|superior|stronger|strongest|preferable|preferred|winner|victor|favou?red|winning)"
_BE = r"(?i:is|was|seems to be|appears to be|seems|appears|remains|stands out as|comes out as|emerges as|looks)"
_ASIDE = (
    r"(?:\s*,\s*(?i:however|though|overall|on the other hand|in contrast|by contrast|on the whole|in my (?:view"
    r"|opinion)|therefore|thus)\s*,)?"
)
_AUX = (
    r"(?:(?i:would|will|'d|'ll|do|must|have to|had to|am going to|strongly|slightly|clearly|therefore|thus|hence"
    r"|still|personally|definitely|ultimately|also|finally|should|overall)\s+){0,3}"
)
IS_BETTER = re.compile(rf"(?P<side>{SIDE}){_ASIDE}\s+{_BE}\s+{_ADV}{_ADJ}\b")
MAKES = re.compile(
    rf"(?i:makes?|making|finds?|found|consider(?:ed)?|deem(?:ed)?|judged?|rated?|declared?|rendering|chos[eo]n?"
    rf"|choose|select(?:ed)?)\s+(?P<side>{SIDE})\s+(?i:as\s+|to be\s+)?{_ADV}{_ADJ}\b"
)
I_PICK = re.compile(
    rf"\b(?:I|[Ww]e)\s?{_AUX}(?i:prefer|choose|chose|pick|picked|select|selected|favou?r|vote for|go with"
    rf"|went with|side with|lean(?:ed|ing)? towards?|opt for|recommend)\s+(?P<side>{SIDE})(?!\w)"
)
WINS = re.compile(
    rf"(?P<side>{SIDE}){_ASIDE}\s+{_ADV}(?i:wins|won|outperforms|outperformed|beats|surpasses|surpassed|prevails"
    rf"|edges out|comes out ahead|comes out on top|takes the win|gets my vote|is my (?:final |overall )?(?:choice|pick"
    rf"|preference)|(?:should|must) (?:be preferred|win)"
    rf"|deserves (?:to win|the win)|has the (?:overall )?(?:edge|advantage|upper hand)|is preferred|takes the (?:edge|lead)"
    rf"|(?:provides|provided|gives|gave|offers|offered|delivers|presents|has|produces|wrote) (?:a|the) (?:\w+ly "
    rf"|much |overall )?(?:better|best|superior|stronger) (?:overall )?(?:response|answer|output|reply|solution"
    rf"|summary))\b"
)
GOES = re.compile(
    rf"(?i:(?:edge|win|nod|victory|verdict|preference|vote|point) (?:\w+ )?(?:goes |belongs )?to"
    rf"|(?:favou?r of))\s+(?P<side>{SIDE})(?!\w)"
)
GIVES = re.compile(
    rf"(?i:gives?|giving|gave|hands?|handing|awards?|awarding)\s+(?P<side>{SIDE})\s+(?i:the|a)\s+(?i:\w+\s+)?"
    r"(?i:edge|win|victory|nod|advantage|upper hand|lead)\b"
)
_EQUAL = (
    r"(?i:equally (?:good|strong|bad|well|poor|weak|matched|valid and good|good and \w+)"
    r"|equal in (?:overall )?quality|of equal (?:overall )?quality|tied|on par|(?:completely "
    r"|exactly )?equal(?=\s*[.,;!\n]|$)|evenly matched|a tie|a draw|of (?:about |roughly )?the same quality)"
)
TIE = re.compile(
    rf"(?:\b(?i:both(?: of (?:them|these|the))?|they|the two"
    rf"|these two)(?:\s+(?i:\w+))?(?:\s+{SIDE}\s+(?i:and)\s+{SIDE})?|{SIDE}\s+(?i:and)\s+{SIDE}|(?<![\w])(?i:it'?s"
    rf"|it|this|the (?:result|outcome|comparison|{NOUN})))"
    rf"\s*(?i:\b(?:are|were|is|was|ends in|ends as|seem|appear|remain)\s+)?(?:(?i:therefore|thus|overall"
    rf"|essentially|basically|roughly|about|all|clearly|effectively|more or less|pretty much|just"
    rf"|to be)\s+){{0,2}}{_EQUAL}\b"
    rf"|\b(?:I|[Ww]e)\s?{_AUX}(?i:call|declare|consider|rate|judge|deem|make|score|call) (?i:it|this|them|the two"
    rf"|the \w+)(?i: as| to be| is|)? (?i:a tie|a draw|tied|equal(?:ly good)?)\b"
    rf"|\b(?i:a tie between|tie between the two)\b"
)
WORSE = re.compile(
    rf"(?P<side>{SIDE})\s+(?i:is|was)\s+{_ADV}(?i:worse|inferior|weaker)\s+(?i:than|to)\s+(?={SIDE})"
    rf"|(?P<side2>{SIDE})\s+{_ADV}(?i:loses|lost) to (?={SIDE})"
)
PREDICATE = re.compile(
    r"(?P<adj>better|best|superior|strong|prefer|winner|victor|favou?r|winning)"
    r"|(?P<win>\bw[io]n|outperform|beats|surpass|prevail|edge|ahead|on top|deserve|advantage|upper hand|lead|\bnod\b|is my)"
    r"|(?P<vote>vote)|(?P<goes>verdict|point)|(?P<pick>choose|chose|pick|select|go with|went with|side|lean|opt for|recommend)"
    r"|(?P<worse>worse|inferior|weaker|lose|lost)|(?P<same>equal|\btie|on par|evenly|draw|same)"
)
"""The words that a statement can't do without, in classes, for a text in small letters."""
FOR_ONE = (
    (IS_BETTER, frozenset({"adj"})),
    (MAKES, frozenset({"adj"})),
    (I_PICK, frozenset({"adj", "pick", "vote"})),
    (WINS, frozenset({"adj", "win", "vote"})),
    (GOES, frozenset({"adj", "pick", "win", "vote", "goes"})),
    (GIVES, frozenset({"adj", "win"})),
)
"""The patterns that say one side is better, each with the classes of `PREDICATE` of which it holds one."""
AGAINST_ONE = WORSE, frozenset({"worse"})
FOR_NEITHER = TIE, frozenset({"same"})
SIGN = re.compile(r"(?<![\w\[{<(>=$\\^_-])(?P<left>[AB])\s?(?P<op>>{1,2}|<{1,2}|==?)\s?(?P<right>[AB])(?![\w\]}>)=<$^_+*/-])")
CHOOSES = re.compile(
    rf"\b(?:I|[Ww]e)\s?{_AUX}(?i:choose|chose|pick|select|answer|output|conclude|go with|settle on|decide on"
    rf"|(?:rate|judge|give|call|score) (?:it|this)|judge|give)\s+(?i:that\s+|as\s+|an?\s+)?$"
)
_WORD = r"(?i:prompt|instruction|question|task|query|request|user(?:'s \w+)?|problem|case|comparison|criteria)"
TAIL = re.compile(
    rf"(?:\s+(?:{NOUN}|(?i:one|choice|option|pick|of the (?:two|pair)|between the two|of both|hands down"
    r"|(?:this|the) (?:comparison|contest|round|match-?up|battle|duel|head-to-head))))*"
    rf"(?:,?\s+(?i:overall|here|by far|in general|on the whole|as a whole|in every (?:way|respect|regard)"
    rf"|in all (?:respects|aspects|regards|criteria)|by a (?:\w+ )?margin|in my (?:view|opinion|judge?ment)"
    rf"|in this (?:case|comparison|instance|regard)|(?:for|to|in|on|at following|in following|at answering"
    rf"|at addressing) (?:this|the|that) (?:\w+ )?{_WORD}))*"
    rf"(?:\s+(?i:than|to|over|against)\s+(?:(?P<other>{SIDE})(?:'s)?|(?i:the )?(?i:other)(?:\s+(?:{NOUN}"
    rf"|(?i:one)))?|(?i:its (?:rival|counterpart|competitor))))?"
    rf"(?:\s+(?P<object>{SIDE}))?"
    rf"(?:,?\s+(?i:overall|here|by far|hands down|in this (?:case|comparison)|by a (?:\w+ )?margin|in (?:all|every) \w+"
    rf"|for (?:this|the) (?:\w+ )?{_WORD}))*"
    rf"\s*(?:$|[.!;:)\]\"](?!\w)|\n|,(?!\s*(?i:but|if|unless|only|when|although if|provided)\b)|,?\s*(?i:but"
    rf"|albeit|though)\s+(?i:not by much|only (?:slightly|just|marginally|barely|narrowly)|both|the (?:margin"
    rf"|difference|gap)|just|narrowly)\b"
    rf"|\s?[—–(]|\s-\s|\s?\b(?i:because|since|due to|given|and|while|whereas|thanks to|owing to|by \w+ing|for its"
    rf"|for being|for (?:the |these |several |many |a few |two |three |four |multiple |various |a number of "
    rf"|the following |a couple of )+(?:\w+ )?(?:reasons|following)|as (?:it|they|its|the|this|that|both|I|there"
    rf"|{NOUN}|[AB]\b)|which|so)\b)"
)
CONCLUDING = re.compile(
    r"(?i)\b(?:therefore|thus|hence|overall|in conclusion|to conclude|conclusion|in summary|to summari[sz]e"
    r"|to sum up|all in all|finally|on balance|in the end|ultimately"
    r"|final(?:ly)?|taken together|all things considered|considering (?:everything|all)|on the whole|for th(?:ese"
    r"|is) reasons?|as a result|consequently|in total|so|accordingly|i conclude)\b"
)
DOUBT_ANYWHERE = re.compile(
    r"(?i)(?:(?<!even )(?<!as )\bif\b|\bwhether\b|\bunless\b|\bsuppos(?:e|ing)\b|\bassum(?:e|ing)\b|\bimagin"
    r"|\bhypothetical|\bhad\s+(?:it|the|[AB])\b|\bshould you\b|\bin case\b"
    r"|\bin terms of\b|\bregarding\b|\bwith respect to\b|\bwhen it comes to\b|\bas for\b|\bin (?:this|that|one"
    r"|some|many|certain|most) (?:aspects?|respects?|areas?|ways?|dimensions?|criteri\w+)\b)"
)
DOUBT_CLAUSE = re.compile(
    r"(?i)(?:\b(?:not|never|nor|neither|no|hardly|cannot|without|would|could|might|may|perhaps|maybe|possibly|when"
    r"|once|until|should|supposedly|allegedly|seemingly"
    r"|at first|initially|first (?:sight|glance|impression)|thought|expected|assumed|believed|tempt\w*|unsure"
    r"|uncertain|unclear|doubt\w*|disagree\w*|deny|dispute|refute|reject|wrong to|false|hard to|difficult to"
    r"|tell me|told|claim\w*|says?|said|argues?|states?|asserts?"
    r"|insists?|writes?|wrote|asks?|instruct\w*|pretend\w*|some|someone|somebody|one|others?|many|people|users"
    r"|readers|annotators?|humans?|which of|who|why|how|than|output|print|choose|pick|example|e\.g|like)\b|n't\b"
    r"|\?)"
)
SPEAKER = re.compile(
    r"(?i)\bI(?:'d|'m|\s+(?:would|might|must|have to|should|will|am inclined to|could only))?\s+(?:therefore "
    r"|thus |still |also |strongly |clearly )?(?:say|argue|conclude|judge|rate|think|believe|find|feel|maintain"
    r"|consider|rank|choose|pick|decide|go with)\b(?:\s+that)?|\bnot only\b|\bwhich makes\b|\bthan\b(?=.*\b(?:so"
    r"|therefore)\b)|\bit can be said\b"
)
CRITERION = re.compile(r"^[\s\-*•>\d.)(#]*(?P<lead>[A-Za-z][\w /&,'-]{1,50}?)\s?:\s")
VERDICT_LEAD = re.compile(
    r"(?i)\b(?:verdict|winner|overall|conclusion|final|summary|decision|result|judge?ment|comparison|preference"
    r"|choice|answer|better|assessment|evaluation|recommendation|reason\w*|output|therefore|so|thus|explanation"
    r"|justification|feedback)\b"
)
ON = re.compile(
    r"(?i)(?:^|[;,—]\s*|\b(?:and|but|while|whereas)\s+)(?:on|for|in|under|by)\s+(?:the\s+)?(?!the whole|balance"
    r"|conclusion|summary|my|total|general|this|these|short|light|contrast|comparison|view|end|reasons?|all|sum"
    r"|fact|both)(?:\w+\s?){1,4},\s*(?:\w+,?\s+)?$"
    r"|^\W*(?:for|on|in|by|under)\s+(?!me\b|us\b|its\b|being\b|the\b|this\b|these\b|that\b|my\b|our\b|all\b|both\b|short\b|sum\b"
    r"|total\b|general\b|balance\b|conclusion\b|summary\b|light\b|contrast\b|comparison\b|view\b|reasons?\b|fact\b|\w+ing\b)"
    r"(?:\w+\s){1,2}$"
)
CLAUSE = re.compile(
    r",|;|:|—|–|\(|\b(?:but|so|therefore|thus|hence|and|because|since|although|though|while|whereas|yet|however"
    r"|that makes)\b"
)
FUNCTION_WORDS = frozenset(
    [
        "that",
        "so",
        "therefore",
        "overall",
        "and",
        "think",
        "believe",
        "say",
        "is",
        "hence",
        "thus",
        "then",
        "find",
        "conclude",
        "judge",
        "because",
        "since",
        "while",
        "whereas",
        "although",
        "though",
        "but",
        "prefer",
        "choose",
        "pick",
        "select",
        "favor",
        "favour",
        "with",
        "for",
        "over",
        "than",
        "to",
        "of",
        "clearly",
        "ultimately",
        "finally",
        "as",
        "only",
        "both",
        "makes",
        "making",
        "consider",
        "declare",
        "deem",
        "rate",
        "toward",
        "towards",
        "opt",
        "recommend",
        "if",
        "whether",
        "when",
        "not",
        "i",
        "we",
        "conclusion",
        "was",
        "also",
        "still",
        "chose",
        "picked",
        "selected",
        "makes",
        "out",
        "say",
        "feel",
        "argue",
        "even",
        "yet",
        "or",
        "in",
        "either",
        "nor",
        "neither",
        "where",
        "which",
        "however",
    ]
)
