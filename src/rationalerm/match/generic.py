"""Whether a reason says anything in particular. Knows nothing of the other reason.

A remark is generic where, once the words that could be said of any answer are taken away ("clear", "detailed", "follows the
instructions", "some errors", "grammar mistakes"), hardly any word of weight is left and no fact is named.
"""

from __future__ import annotations

from functools import lru_cache

__all__ = ["is_vague"]

_STEMS = tuple(
    "clear detail comprehens thorough helpful useful inform accura inaccura correct incorrect error mistak flaw issue problem qualit"
    " struct organi organ readab format present styl tone engag creativ interest relevan complet incomplet concis brief verbos"
    " length depth deep better best worse good great poor bad strong weak superior inferior overall general answer respon solut explan explain"
    " explic instruct prompt request requir follow adher address satisf fulfil meet user need question task query code program"
    " script implement approach logic reason method robust effici optim practic effectiv profession fluent fluenc natural idiomatic"
    " languag grammar spell translat gramma linguist word wording text content inform factual fact scientif mathemat calcul comput"
    " arithm result output conclus argument analys analyz evidence support understand easi easy simpl complex confus ambig vague"
    " specif concret nuanc insight valuab value action real realist appropri suitab cultur aware sensit level standard expect"
    " assist product maint clean well consist coher flow smooth polish tidy enhanc improv optimis overal effective edge case"
    " best practice practis convention document comment reliab trustw credib faith precise precis sound rigor rigour valid convinc persuas"
    " interact accessib approach learn learner student reader audienc beginner expert thought reflect care careless sloppy slop"
    " miss lack omit fail wrong right includ provid contain give offer show demonstrat make cover mention some several many few various"
    " certain number lot bit more most less least very quite really rather much too entire fully whole part aspect area element point"
    " way work thing prefer choose pick like love enjoy feel seem appear look read sound come fall short excel stand out perform"
    " difficult hard grasp hand overview summar summary introduc conclusion balance view perspect context background key main import essential"
    " necessary relev minor major serious signific slight critical clarity completeness correctness accuracy relevance helpfulness"
    " conciseness readability creativity originality originalit original tasteful vivid story narrat writing written essay poem"
    " capabil function feature perfect excellent flawless ideal decent adequate suffici solid superb outstanding nice fine"
    " tailored natur human robot unnatural awkward stilted native speaker vocabul grammatic punctuat syntax semantic meaning"
    " sense technical theor domain knowledg expertise goal aim purpose intent intend purposeful job success reach"
    " actual exact direct quickly simply deliver walk arriv manner professionalism trust".split()
)
_SHORT = frozenset(
    "est sont plus moins bonne bon meilleur meilleure clair claire réponse ist sind besser gut klar antwort mejor más bien respuesta melhor mais"
    " resposta migliore più risposta und et y e la el le les der die das una une un "
    "do does did has have had get gets got use uses used help helps try tries add adds go goes be it its as so up far".split())


@lru_cache(maxsize=50_000)
def is_vague(word: str) -> bool:
    """Whether a word could stand in a remark on any answer."""
    return word in _SHORT or word.startswith(_STEMS)
