"""Options and conditions: labels in a list of options, or in what would be said in another case, are not the judge's own.

Knows nothing of how labels are written, nor of quotations.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rationalerm.judge.marked import Candidate

__all__ = ["OWN_VOICE", "SENTENCE", "drop_options"]

SENTENCE = re.compile(r"(?<=[.!?。！？])[\"')\]*]{0,2}\s|\n")
_TURN = re.compile(
    r"(?i)[;—]|\b(?:but|so|therefore|hence|thus|however|finally|then my|my (?:final )?verdict"
    r"|final verdict|my answer|i (?:choose|pick|select|conclude|decide|go with|output))\b"
)
_CONDITION_AFTER = re.compile(
    r"(?i)(?:[^\S\n]|[\"'`*_.,:)$]){0,6}(?:\(\s?)?(?:if|when(?:ever)?|in case|should (?:it|they|both|response|assistant)"
    r"|means?|indicat\w+|denot\w+|stands? for|represents?|for (?:an? )?(?:tie|draw|equal)|only if|unless"
    r"|would (?:mean|be used|have)|(?:is|are) (?:used|reserved|only|allowed|valid|for))\b"
)
_UTTER = r"(?:say|output|write|answer|use|respond|reply|print|return|put|give|select|pick|choose|end|finish|rate)"
_CONDITION_BEFORE = re.compile(
    # if ..., say [[A]]; if A is better: [[A]]; if the user wanted brevity: [[A]]
    rf"(?i)(?<!even )\bif\b(?!\s+(?:i\b|forced|pressed|pushed))[^.;]{{0,160}}?\b{_UTTER}\b\s*(?:\w+\s+){{0,3}}\W{{0,4}}$"
    r"|(?<!even )\bif\b[^.;,]{0,80}\b(?:better|best|wins|equal|tied?|superior|good)\b[\s,:]*(?:then)?[\s,:]*$"
    r"|(?<!even )\bif\b[^.;]{0,160}\bwould\b|\bwould\b[^.;]{0,60}\b(?:only|if)\b"
    r"|^\W*if\s+(?!i\b|we\b)[^.;,:]{0,80}?\b(?:\w+ed|were|had|wants?|values?|prefers?|matters?|counts?|needs?|cares?)\b"
    r"|\b(?:had|were)\s+(?:it|they|the|response|assistant|output|answer|model|[ab]\b)[^.;]{0,120}\bwould\b"
    r"|\b(?:otherwise,?\s+(?:i|it|the|my|say|answer|output|give|use|would)|(?:would|should|could|might) have)\b"
    # told to say, must end with: somebody else's instruction
    rf"|\b(?:told|asked|instructed|supposed|required|allowed|permitted|expected|invited|trying|attempts?|attempting|tries|try)"
    rf" (?:\w+ )?to (?:\w+ ){{0,4}}{_UTTER}\b"
    rf"|\b(?:you|judges?|one|graders?|evaluators?|verdict|line|answer|output|it)\s+(?:must|should|need to|have to|can|may)"
    rf" (?:either )?(?:be one|{_UTTER})\b[^.;:]{{0,30}}\W{{0,4}}$"
    # a list of options, an example
    r"|\b(?:one of|either)[\s\"'`*$]{0,6}$|\bone of (?:the|these|those) (?:\w+ ){0,3}(?:following|labels|options"
    r"|verdicts|values|choices)?[\s:]*$"
    r"|\b(?:choose|pick|select|decide|hesitat\w*|torn|waver\w*) (?:from|between|among)\b|\bbetween\b\W*$"
    r"|(?:\b(?:such as|for example|for instance|example(?: output)?)|\be\.g\.)[\s,:\"'`*$]{0,6}$"
    r"|\b(?:(?:options?|choices|labels)(?: are|:)|legend\b|^\W*(?:the |rating |verdict )*scale\W{0,3}(?:is|was|runs|goes|:|=)"
    r"|(?:possible|allowed|valid) (?:verdicts|labels|answers|outputs|options|choices|values|ratings)\b)"
)
_NOT_BEFORE = re.compile(
    r"(?i)(?:\bnot|n't|\bnever|\bnor|\brather than|\binstead of|\bneither|\bagainst|\bcannot"
    r"|\bno)[\s*_\"'`$]{1,6}(?:an? |the |say |saying |give |giving |choose |output |outputting |pick |be |quite "
    r"|as |justify |deserve |use |it's |is |go |write ){0,3}[\s*_\"'`$\\(]{0,6}$"
)
_OR_BEFORE = re.compile(r"(?i)(?:\bor|[/|])\W{0,4}$")
_OR_AFTER = re.compile(
    r"[^\w<]{0,4}(?:(?i:\bor\b)|[/|](?!\s*$))\W{0,6}(?:\\*boxed|\[\[|<(?!/)|[AB12(]|(?i:tie\b|response|assistant))"
)
_LISTED = re.compile(r"(?i)[\s,/|*`\"'$]{0,6}(?:\b(?:or|and)\b)?[\s*`\"'$]{0,6}")


OWN_VOICE = re.compile(
    r"(?i)\b(?:verdict|i (?:choose|pick|prefer|select|conclude|judge|decide|rate|go with|would|say)|my\b|therefore"
    r"|thus|hence|so\b|overall|winner|in conclusion|final(?:ly)?|decision|preference|is (?:\w+ )?better)"
)


_NEAR = 80


def _clause_before(text: str, start: int, since: int, cue: bool) -> str:
    low = max(since, start - 260)
    window = text[low:start]
    line = window.rpartition("\n")
    if line[1] and not line[2].strip(" *_\"'`>#$[({-") and (cue or line[0].rstrip(" *_\"'`")[-1:] in (".", "!", "?", "")):
        return ""  # first on its line, behind a finished sentence
    cut = 0
    for match in SENTENCE.finditer(window):
        if window[match.end() :].strip(" *_\"'`>#$[({-"):
            cut = match.end()
    window = window[cut:]
    for match in _TURN.finditer(window):
        cut_turn = (
            match.end()
            if match[0][0] in ";—" or match[0].lower() in ("but", "so", "therefore", "hence", "thus", "however", "finally")
            else match.start()
        )
        rest = window[cut_turn:]
        if not _TURN.search(rest, 1):
            return rest
    return window


def _runs(text: str, labels: Sequence[Candidate]) -> set[int]:
    """The places of labels that stand in a list of three or more different ones."""
    options: set[int] = set()
    run: list[int] = []
    style: int | None = None

    def close() -> None:
        if len({labels[place].label for place in run}) >= 3:
            options.update(run)

    for place, label in enumerate(labels):
        if run:
            gap = text[labels[run[-1]].end : label.start]
            style_now = min(gap.count("\n"), 2)
            broken = (
                len(gap) > _NEAR
                or bool(_TURN.search(gap))
                or bool(OWN_VOICE.search(gap.split("\n")[-1][-30:]) and "verdict" in gap.lower())
            )
            if broken or ("(" in gap.replace("\\(", "") and ")" not in gap) or (style is not None and style_now != style):
                close()
                run, style = [], None
            else:
                style = style_now
        run.append(place)
    close()
    return options


def drop_options(text: str, candidates: Sequence[Candidate]) -> tuple[list[Candidate], bool]:
    """The candidates without lists of options and conditional labels; and whether any was dropped."""
    own: list[Candidate] = []
    options = _runs(text, candidates)
    since, previous = 0, False
    for place, one in enumerate(candidates):
        after = text[one.end : one.end + 60]
        clause = _clause_before(text, one.start, since, cue=one.rank == 2)
        listed = place > 0 and previous and bool(_LISTED.fullmatch(text, candidates[place - 1].end, one.start))
        dropped = (
            place in options
            or listed
            or bool(_CONDITION_AFTER.match(after))
            or bool(_OR_AFTER.match(after))
            or bool(_NOT_BEFORE.search(clause.rpartition("\n")[2]))
            or (
                bool(_OR_BEFORE.search(text[max(0, one.start - 8) : one.start]))
                and place > 0
                and one.start - candidates[place - 1].end < _NEAR
            )
            or bool(_CONDITION_BEFORE.search(clause))
        )
        previous = dropped
        if not dropped:
            own.append(one)
        since = max(since, one.end)
    return own, len(own) < len(candidates)
