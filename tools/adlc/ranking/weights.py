"""The constants of ranking, all of them. `bench/choose.py` prints how they were chosen.

K1, B       saturation and length normalisation of BM25, the same for every field
FIELDS      weight of each field's BM25
PHRASE      weight of neighbouring query words found side by side in the body
SUBJECT     extra weight of the words of the first sentence, when a query has more than one
FUNCTION    weight of the function words of a query
CANDIDATES  how many documents, best first, are read for phrases
"""

K1, B = 1.2, 0.75
FIELDS = {"name": 1.0, "purpose": 0.4, "body": 1.0}
PHRASE = 1.25
SUBJECT = 0.5
FUNCTION = 0.5
CANDIDATES = 30

# context: what the signals weigh. Meaning counts for more the fewer words the question has (long tasks carry their
# own vocabulary) and the fewer of them the corpus knows (a question in another language); never more than words do.
MEANING_SHORT, SHORT = 0.45, 15
MEANING_UNKNOWN, MEANING_MOST = 0.30, 0.60
PATHS = 0.25


def signals(terms: int, known: float = 1.0) -> dict[str, float]:
    """signal -> weight, for a question of `terms` distinct terms, of whose weight the corpus knows the share `known`."""
    share = min(MEANING_MOST, MEANING_SHORT * SHORT / (SHORT + terms) + MEANING_UNKNOWN * (1 - known))
    return {"lexical": 1 - share, "meaning": share, "paths": PATHS}


# The past: nats of evidence and shares of votes, added to the fused z-score. `bench/history.py` prints how they
# were chosen.
#
# PATH_WORDS  weight of the given paths' words, as a question of their own, beside the task's
# TOGETHER    weight of what changed together with the given files
# PRIOR       how many changes the shares of a file are shrunk by
# FOLDER      weight of a file's directory beside the file
# VOTES       weight of the VOTERS past changes most like this one
# UNCHANGED   what a document that never changed is given, in terms of the mean of the others
PATH_WORDS = 1.5
TOGETHER, PRIOR, FOLDER = 0.4, 8.0, 0.75
VOTES, VOTERS = 0.4, 5
UNCHANGED = 1.25
