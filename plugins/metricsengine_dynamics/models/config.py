"""Options of the reference models. Their ranges are checked where the models are built."""

from __future__ import annotations

from dataclasses import dataclass

from omegaconf import II


@dataclass
class DeGrootConf:
    """Options of DeGroot's model (Sense and Sensitivity, Definition 1).

    Attributes:
        weighted: Whether the mean is weighted by the edges' weights, where the network has any.
        self_loop: Whether agents hear themselves too; if not, self-edges are ignored.
    """

    weighted: bool = True
    self_loop: bool = False


@dataclass
class FriedkinJohnsenConf(DeGrootConf):
    """Options of Friedkin and Johnsen's model.

    Attributes:
        susceptibility: How far agents follow others rather than the opinion they began with, in [0, 1].
        attribute: Attribute of the network's agents that holds each one's susceptibility; empty for the same of all.
    """

    susceptibility: float = 0.8
    attribute: str = ""


@dataclass
class HegselmannKrauseConf:
    """Options of Hegselmann and Krause's model (Sense and Sensitivity, Definition 2).

    Attributes:
        epsilon: Confidence bound, >= 0; the study's by default.
        strict: Whether opinions at a distance of just epsilon are not heard.
        self_loop: Whether agents hear themselves too, as in the classic model; if not, self-edges are ignored.
    """

    epsilon: float = II("study.epsilon")
    strict: bool = False
    self_loop: bool = False


@dataclass
class DeffuantWeisbuchConf:
    """Options of Deffuant and Weisbuch's model.

    Attributes:
        epsilon: Confidence bound, >= 0; the study's by default.
        mu: Share of their distance by which both of a pair move, in (0, 0.5].
        pairs: How many pairs meet in a step, none sharing an agent; 1 is the classic model, 0 takes as many as a random
            order of the edges allows.
    """

    epsilon: float = II("study.epsilon")
    mu: float = 0.5
    pairs: int = 0
