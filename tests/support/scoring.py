"""Scripted models that score options, for tests."""

from __future__ import annotations

from metricsengine.model import OptionScore, Outcome, Request, Response


def chosen(request: Request, said: str, share: float = 0.7) -> Response:
    """The response in which the option that is said has this share, and all others the rest in equal parts."""
    rest = (1 - share) / (len(request.options) - 1)
    scores = tuple(OptionScore(option, share if option == said else rest) for option in request.options)
    assert said in request.options
    return Response(Outcome.ANSWERED, finish_reason="scored", scores=scores)
