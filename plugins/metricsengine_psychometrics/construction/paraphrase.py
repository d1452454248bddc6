"""Items said in other words by a model (TRAIT, Table 25d)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from metricsengine.exhibits import Exhibit
from metricsengine.reading.refusal import keyword_strict
from metricsengine.records import Tables
from metricsengine.results import Results
from metricsengine.study import Rounds, StudyInputs, together
from metricsengine.words import words
from metricsengine_psychometrics.construction import prompts, replies
from metricsengine_psychometrics.construction.asking import Attempt, Log, fingerprint, read_as
from metricsengine_psychometrics.construction.banks import BankStudy, described
from metricsengine_psychometrics.construction.config import ParaphraseConf
from metricsengine_psychometrics.construction.filters import Complaint
from metricsengine_psychometrics.items.item import ROLES, Item, Wording

STAGE = "paraphrase"
_LONGER, _SLACK = 3, 10
_USABLE = "In other words, this is what happens."
_EXAMPLE = [words(line) for line in prompts.PARAPHRASE.splitlines()[2:5:2]]


class ParaphraseItems(BankStudy):
    """Has every text of a test said in other words; an item is paraphrased where all of its texts are.

    Args:
        conf: Options.
        inputs: The item banks, and the seed.
    """

    doing = "rewording test items"

    def __init__(self, conf: ParaphraseConf, inputs: StudyInputs) -> None:
        super().__init__(conf, inputs)
        self._conf = conf

    def run(self) -> Rounds[Tables]:
        """Every text is a conversation of its own, again where a paraphrase cannot be used."""
        log = Log()
        texts = [(item, field, text) for bank in self.banks for item in bank.items for field, text in _fields(item)]
        found = yield from together(self._reworded(item, field, text, log) for item, field, text in texts)
        told: dict[tuple[str, str], dict[str, str]] = {}
        for (item, field, _), wording in zip(texts, found, strict=True):
            told.setdefault((item.test, item.id), {})[field] = wording
        banks = [
            replace(bank, items=[_paraphrased(item, told.get((item.test, item.id), {}), log) for item in bank.items])
            for bank in self.banks
        ]
        return {"Attempts": log.table(), "Items": described(banks)}

    def exhibits(self, results: Results) -> Iterable[Exhibit]:
        """The bank with its paraphrases, and what was lost."""
        from metricsengine_psychometrics.construction import exhibits

        return (*exhibits.banks(results, "reworded_by"), exhibits.lost(results))

    def _reworded(self, item: Item, field: str, text: str, log: Log) -> Rounds[str]:
        """Another wording of a text; empty where the model gave none that can be used."""
        prompt = prompts.PARAPHRASE.format(sentence=text)
        parent = f"{item.id}:{field}"
        for replicate in range(self._conf.attempts):
            last = replicate == self._conf.attempts - 1  # a plan takes the longest way: only then the example is of use
            [response] = yield [self._pen.request(prompt, replicate, _USABLE if last else text)]
            blank = Attempt(STAGE, item.trait, parent, replicate, fingerprint(prompt))
            found, outcome, reason = read_as(response, _one, "the reply holds no sentence")
            if not found:
                log.add(replace(blank, text=response.text, outcome=outcome, reason=reason))
            elif complaint := _wrong(found[0], text):
                log.add(replace(blank, text=found[0], filter=complaint.rule, reason=complaint.reason))
            else:
                log.add(replace(blank, text=found[0], product=parent))
                return found[0]
        return ""


def _fields(item: Item) -> list[tuple[str, str]]:
    words_ = item.original
    named = {
        "situation": words_.situation,
        "question": words_.question,
        **words_.options,
        "statement": words_.statement,
    }
    return [(field, text) for field, text in named.items() if text]


def _one(reply: str) -> list[str]:
    told = replies.rewording(reply)
    return [told] if words(told) and not keyword_strict(told) else []


def _wrong(told: str, text: str) -> Complaint | None:
    if words(told) == words(text):
        return Complaint("duplicate", "repeats the original")
    if words(told) in _EXAMPLE:
        return Complaint("example", "repeats the example of the prompt")
    if len(words(told)) > _LONGER * len(words(text)) + _SLACK:
        return Complaint("length", f"{len(words(told))} words for {len(words(text))}")
    return None


def _paraphrased(item: Item, told: Mapping[str, str], log: Log) -> Item:
    """The item with its new paraphrase, or with none."""
    if not all(told.get(field) for field, _ in _fields(item)):
        return replace(item, paraphrase=None)
    options = {role: told[role] for role in ROLES if role in told}
    if len({" ".join(words(text)) for text in options.values()}) < len(options):
        complaint = "two options of the paraphrase say the same"
        log.add(Attempt(STAGE, item.trait, item.id, 0, "", reason=complaint, filter="duplicate"))
        return replace(item, paraphrase=None)
    wording = Wording(told.get("situation", ""), told.get("question", ""), options, told.get("statement", ""))
    return replace(item, paraphrase=wording)
