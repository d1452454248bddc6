"""Options of the T-evaluator, of what is measured of it, and of the balance of traits in texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from metricsengine.errors import ConfigError, require
from metricsengine.options import listed

BASELINES = ("random", "zero_shot", "few_shot")
ASKED = BASELINES[1:]
"""Baselines that a model answers."""

MODEL = "model"
"""Instead of a run folder: the run's own model judges, without examples."""


@dataclass
class LoraConf:
    """Options of ``study.method=lora`` (TRAIT, appendix D.1).

    Attributes:
        base: Folder of the causal language model that is adapted, in the format of transformers, or its name in the
            hub's cache on this machine.
        learning_rate: Peak of the learning rate, > 0.
        rank: Rank of the adapter's matrices, at least 1.
        alpha: Their scale is ``alpha / rank``.
        epochs: How often every text is seen, at least 1.
        warmup: Steps in which the learning rate rises from 0, before it falls linearly to 0.
        batch: Texts of a step; reached by accumulating gradients.
        micro_batch: Texts that are computed at once; a matter of memory only.
        max_tokens: Longest prompt with its answer, in tokens; the text is cut at its beginning.
        device: Where it is computed, such as ``cpu`` or ``cuda``.
    """

    base: str = ""
    learning_rate: float = 3e-4
    rank: int = 8
    alpha: int = 16
    epochs: int = 3
    warmup: int = 100
    batch: int = 256
    micro_batch: int = 4
    max_tokens: int = 512
    device: str = "cpu"

    def __post_init__(self) -> None:
        require(0 < self.learning_rate < float("inf"), "study.lora.learning_rate", self.learning_rate, "above 0")
        for key in ("rank", "alpha", "epochs", "batch", "micro_batch"):
            require(getattr(self, key) >= 1, f"study.lora.{key}", getattr(self, key), "at least 1")
        require(self.warmup >= 0, "study.lora.warmup", self.warmup, "at least 0")
        require(self.max_tokens >= 16, "study.lora.max_tokens", self.max_tokens, "at least 16")


@dataclass
class TEvaluatorConf:
    """Options of the T-evaluator (TRAIT, section 3.2 and appendix D.1).

    Attributes:
        train: Item banks that it is trained on: files, or names of chosen sets of the group ``items``.
        test: Other banks on which it is evaluated; the traits of each must be among those of ``train``.
        text: Of a multiple-choice item, what is classified: situation, question and option (``full``), or the
            ``option`` alone.
        method: ``linear``: a linear model on sentence embeddings. ``lora``: a causal language model with a trained
            adapter that writes the class (needs the extra ``lora``).
        c: Inverse strength of the linear model's ridge penalty, > 0.
        folds: Parts of the cross-validation on ``train``, cut by personality description; 0 for none (each part costs
            one training).
        baselines: What stands beside it (Table 5): ``random``, ``zero_shot``, ``few_shot``; the latter two ask a model.
        shots: Examples shown to the model (``few_shot``).
        answer: How the model answers: ``scores`` of the letters of the classes, or a written ``text``.
        max_tokens: Longest written answer, in tokens.
        lora: Options of ``method=lora``.
    """

    train: Any = field(default_factory=lambda: ["everyday"])
    test: Any = field(default_factory=lambda: ["self_description"])
    text: str = "full"
    method: str = "linear"
    c: float = 1.0
    folds: int = 5
    baselines: Any = field(default_factory=lambda: ["random"])
    shots: int = 4
    answer: str = "scores"
    max_tokens: int = 16
    lora: LoraConf = field(default_factory=LoraConf)

    def __post_init__(self) -> None:
        for key in ("train", "test", "baselines"):
            setattr(self, key, listed(f"study.{key}", getattr(self, key), numbers=True))
        require(bool(self.train), "study.train", "[]", "at least one item bank")
        for name in self.baselines:
            require(name in BASELINES, "study.baselines", name, f"of {', '.join(BASELINES)}")
        require(self.text in ("full", "option"), "study.text", self.text, "full or option")
        require(self.method in ("linear", "lora"), "study.method", self.method, "linear or lora")
        require(0 < self.c < float("inf"), "study.c", self.c, "a finite number above 0")
        require(self.folds == 0 or self.folds >= 2, "study.folds", self.folds, "at least 2, or 0 for none")
        require(self.shots >= 1, "study.shots", self.shots, "at least 1")
        _check_answer(self.answer, self.max_tokens)
        if self.method == "lora":
            require(bool(self.lora.base), "study.lora.base", "''", "the folder of a language model (study.method=lora)")


@dataclass
class TraitBalanceConf:
    """Options of the balance of traits in texts (TRAIT, sections 4.1 and 7, appendices E.2 and F.5).

    Attributes:
        evaluator: Folder of a finished run of ``study=t_evaluator``; or ``model``: the run's model is asked.
        texts: CSV, JSONL or Parquet file. Each row holds a ``text``; or a ``chosen`` and a ``rejected`` one; or
            ``messages``, of which each of the assistant's turns is a text. ``conversation``, ``turn``, ``model`` and
            ``persona`` may stand beside them.
        columns: The file's column for each of these, where it is called otherwise: ``{text: reply}``.
        runs: Folders of finished runs with a table ``Simulations``, instead of ``texts``.
        n: Most rows of the file, or simulations of a run, drawn at random; 0 for all.
        min_probability: Least probability of a text's trait, 0 to 1; what lies below is out of class.
        answer: How the model answers (``evaluator=model``): ``scores``, or a written ``text``.
        max_tokens: Longest written answer, in tokens.
    """

    evaluator: str = ""
    texts: str = ""
    columns: dict[str, str] = field(default_factory=dict)
    runs: Any = field(default_factory=list)
    n: int = 0
    min_probability: float = 0.0
    answer: str = "scores"
    max_tokens: int = 16

    def __post_init__(self) -> None:
        self.runs = listed("study.runs", self.runs, numbers=True)
        require(self.n >= 0, "study.n", self.n, "at least 0")
        require(0 <= self.min_probability <= 1, "study.min_probability", self.min_probability, "from 0 to 1")
        _check_answer(self.answer, self.max_tokens)
        if self.min_probability and self.evaluator == MODEL and self.answer == "text":
            raise ConfigError("study.min_probability needs probabilities: choose study.answer=scores")


@dataclass
class ClassifierAccuracyConf:
    """Options of the accuracy of classifiers.

    Attributes:
        draws: Bootstrap samples of an interval over descriptions, at least 2; 0 for none.
    """

    draws: int = 2000

    def __post_init__(self) -> None:
        _check_draws("classifier_accuracy", self.draws)


@dataclass
class TraitBalanceMetricConf:
    """Options of the balance of traits.

    Attributes:
        draws: Bootstrap samples of an interval, at least 2; 0 for none.
    """

    draws: int = 2000

    def __post_init__(self) -> None:
        _check_draws("trait_balance", self.draws)


def _check_answer(answer: str, max_tokens: int) -> None:
    require(answer in ("scores", "text"), "study.answer", answer, "scores or text")
    require(max_tokens >= 1, "study.max_tokens", max_tokens, "at least 1")


def _check_draws(metric: str, draws: int) -> None:
    require(draws == 0 or draws >= 2, f"metric.{metric}.draws", draws, "at least 2, or 0 for none")
