"""Puts signals of different scales together: each is standardised over the documents, then summed by weight.

A signal is {document path: score}. Weights are shares of the signals that took part, so that an answer
without one of them is ranked by the others alone.
"""

import math


def standard(values: dict[str, float], paths: list[str]) -> dict[str, float]:
    """z-scores over `paths`; a path without a value counts as the lowest one (0 where there is none).

    All zero when nothing sets the documents apart.
    """
    least = min(values.values(), default=0.0)
    full = [values.get(path, min(least, 0.0)) for path in paths]
    mean = sum(full) / len(full) if full else 0.0
    deviation = math.sqrt(sum((v - mean) ** 2 for v in full) / len(full)) if full else 0.0
    if deviation < 1e-9:
        return dict.fromkeys(paths, 0.0)
    return {path: (value - mean) / deviation for path, value in zip(paths, full)}


def fuse(signals: dict[str, dict[str, float]], weights: dict[str, float], paths: list[str]) -> tuple[dict[str, float], dict]:
    """-> (path -> fused z-score, signal -> path -> its own z-score). The fused score is standardised again."""
    each = {name: standard(values, paths) for name, values in signals.items()}
    total = sum(weights[name] for name in each) or 1.0
    summed = {path: sum(weights[name] / total * each[name][path] for name in sorted(each)) for path in paths}
    return standard(summed, paths), each
