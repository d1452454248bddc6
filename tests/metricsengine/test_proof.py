"""What a model promises is tried by a few short requests, once, and an outage is no finding."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pliable import ALL, Pliable

from metricsengine import probes
from metricsengine.errors import ModelError
from metricsengine.model import Need
from metricsengine.proof import Policy, Proof, prove
from metricsengine.store import ResponseStore

EVERYTHING: frozenset[Need] = frozenset({"plain", "chat", "system_role", "option_scores", "seed"})
OUTAGE = "no connection to http://127.0.0.1:1"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ResponseStore]:
    with ResponseStore(tmp_path / "store.db") as opened:
        yield opened


@pytest.fixture
def proof(store: ResponseStore) -> Callable[..., Proof]:
    def proof(model: Pliable, *needs: Need, policy: Policy = "cached") -> Proof:
        return prove(model, frozenset(needs) or EVERYTHING, store, policy)

    return proof


class TestAModelThatKeepsItsPromises:
    def test_is_found_to_do_what_it_declares(self, proof: Callable[..., Proof]) -> None:
        found = proof(Pliable())
        assert found.capabilities == ALL
        assert list(found.findings) == ["plain", "chat", "system_role", "option_scores", "invariant_scores", "seed"]
        assert {name: finding.detail for name, finding in found.findings.items()} == {
            "plain": "answered",
            "chat": "answered",
            "system_role": "32 more words in the system turn make the prompt 32 tokens longer",
            "option_scores": "4 of 4 options have a probability, together 0.950",
            "invariant_scores": "probabilities at the temperatures 0 and 0.7 and 1 differ by up to 0",
            "seed": "2 of 2 replies came back the same when asked again; two replicates differ from each other",
        }

    def test_is_asked_little(self, proof: Callable[..., Proof]) -> None:
        model = Pliable()
        proof(model)
        assert len(model.asked) == 7
        assert model.requests == 12
        assert max(request.sampling.max_tokens for call in model.asked for request in call if not request.options) <= 16

    @pytest.mark.parametrize(
        ("needs", "found"),
        [
            (("plain",), ["plain", "seed"]),
            (("chat",), ["chat", "seed"]),
            (("system_role",), ["chat", "system_role", "seed"]),
            (("option_scores",), ["plain", "option_scores", "invariant_scores", "seed"]),
        ],
    )
    def test_is_asked_for_what_is_needed(
        self, proof: Callable[..., Proof], needs: tuple[Need, ...], found: list[str]
    ) -> None:
        assert list(proof(Pliable(), *needs).findings) == found

    def test_is_asked_in_the_form_of_the_study(self, proof: Callable[..., Proof]) -> None:
        plain, chat, only_chat = Pliable(), Pliable(), Pliable(can=replace(ALL, plain=False))
        proof(plain, "option_scores", policy="fresh")
        proof(chat, "option_scores", "chat", policy="fresh")
        proof(only_chat, "option_scores", policy="fresh")
        assert {type(request.prompt) for call in plain.asked for request in call} == {str}
        assert {type(request.prompt) for call in [*chat.asked, *only_chat.asked] for request in call} == {tuple}

    def test_what_is_not_declared_is_not_tried(self, proof: Callable[..., Proof]) -> None:
        can = replace(ALL, option_scores=False, seed=False)
        found = proof(Pliable(can=can))
        assert set(found.findings) == {"plain", "chat", "system_role"}
        assert found.capabilities == can


class TestAModelThatDoesNot:
    @pytest.mark.parametrize(
        ("bent", "capability", "detail"),
        [
            (
                {"system": "ignored"},
                "system_role",
                "32 more words in the system turn make the prompt 0 tokens longer: it does not reach the model",
            ),
            ({"system": "dropped"}, "system_role", "the rendered prompt leaves the system turn out"),
            (
                {"system": "rejected"},
                "system_role",
                "rejected twice, while other requests were answered: 400: roles must alternate user/assistant",
            ),
            (
                {"probabilities": lambda temperature: (0.25,) * 4},
                "option_scores",
                "all options came back with the same probability, 0.25",
            ),
            (
                {"probabilities": lambda temperature: ()},
                "option_scores",
                "0 of 4 options came back with a score (answered)",
            ),
            (
                {"censored": frozenset("ABCD")},
                "option_scores",
                "none of 4 options is among the tokens that came back with a probability",
            ),
            ({"probabilities": lambda temperature: (0.0,) * 4}, "option_scores", "the probabilities .* add up to 0"),
            (
                {"probabilities": lambda temperature: (float("nan"), 0.1, 0.1, 0.2)},
                "option_scores",
                "the probabilities of 4 options add up to nan",
            ),
            ({"probabilities": lambda temperature: (0.9,) * 3 + (0.8,)}, "option_scores", ".* add up to 3.5"),
            (
                {"probabilities": lambda temperature: (0.6 - temperature / 5, 0.2, 0.1, 0.05)},
                "invariant_scores",
                "probabilities at the temperatures 0 and 0.7 and 1 differ by up to 0.2",
            ),
            (
                {"seeded": False},
                "seed",
                "0 of 2 replies came back the same when asked again; two replicates differ from each other",
            ),
        ],
    )
    def test_is_found_out(
        self, proof: Callable[..., Proof], bent: dict[str, Any], capability: str, detail: str
    ) -> None:
        found = proof(Pliable(**bent))
        refuted = {name: finding.detail for name, finding in found.findings.items() if not finding.holds}
        assert list(refuted) == [capability]
        assert re.fullmatch(detail.replace("(", r"\(").replace(")", r"\)"), refuted[capability])
        assert getattr(found.capabilities, capability) is False

    def test_one_option_of_four_is_a_score(self, proof: Callable[..., Proof]) -> None:
        found = proof(Pliable(censored=frozenset("BCD")), "option_scores")
        assert found.findings["option_scores"].detail == "1 of 4 options have a probability, together 0.600"
        assert found.capabilities.option_scores

    def test_scores_that_round_differently_are_the_same(self, proof: Callable[..., Proof]) -> None:
        model = Pliable(probabilities=lambda temperature: (0.6 + temperature / 60, 0.2, 0.1, 0.05))
        assert proof(model).capabilities.invariant_scores

    def test_without_scores_nothing_is_said_of_their_temperature(self, proof: Callable[..., Proof]) -> None:
        found = proof(Pliable(probabilities=lambda temperature: (temperature,) * 4))
        assert "invariant_scores" not in found.findings

    def test_without_token_counts_the_rendered_prompt_must_do(self, proof: Callable[..., Proof]) -> None:
        found = proof(Pliable(counting=False, system="ignored"), "system_role")
        assert found.findings["system_role"].detail == (
            "the rendered prompt holds the system turn (prompt tokens are not reported)"
        )

    def test_a_model_that_writes_nothing_keeps_its_seed(self, proof: Callable[..., Proof]) -> None:
        found = proof(Pliable(reply="", seeded=False), "chat")
        assert found.capabilities.seed
        assert found.findings["seed"].detail == "not told: no text came back within 8 tokens"

    def test_where_noise_is_declared_one_equal_reply_suffices(self, proof: Callable[..., Proof]) -> None:
        class Half(Pliable):
            def _written(self, request: Any) -> str:
                return f"{request.replicate} {len(self.asked) if request.replicate else ''}"

        assert not proof(Half(), "chat", policy="fresh").capabilities.seed
        assert proof(Half(can=replace(ALL, batch_noise="kernels")), "chat", policy="fresh").capabilities.seed


class TestMemory:
    def test_what_was_found_is_not_asked_again(self, proof: Callable[..., Proof]) -> None:
        first = proof(Pliable(system="ignored"))
        again = Pliable(system="ignored")
        assert proof(again) == first
        assert not again.asked

    def test_only_what_is_not_known_is_asked(self, proof: Callable[..., Proof]) -> None:
        proof(Pliable(), "chat")
        again = Pliable()
        proof(again, "system_role")
        assert again.requests == 2

    @pytest.mark.parametrize("change", ["surroundings", "version", "form"])
    def test_other_circumstances_are_found_anew(
        self, proof: Callable[..., Proof], monkeypatch: pytest.MonkeyPatch, change: str
    ) -> None:
        proof(Pliable(places={"endpoint": "a"}), "chat")
        if change == "version":
            monkeypatch.setattr(probes, "VERSION", probes.VERSION + 1)
        again = Pliable(places={"endpoint": "b" if change == "surroundings" else "a"})
        proof(again, "plain" if change == "form" else "chat")
        assert again.requests == 5

    def test_jobs_that_come_at_once_ask_once(self, store: ResponseStore) -> None:
        together, models, found = threading.Barrier(4), [Pliable() for _ in range(4)], list[Proof]()

        def job(model: Pliable) -> None:
            with ResponseStore(store.path) as own:
                together.wait()
                found.append(prove(model, EVERYTHING, own, "cached"))

        threads = [threading.Thread(target=job, args=(model,)) for model in models]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(model.requests for model in models) == 12
        assert found == [found[0]] * 4
        assert found[0].capabilities == ALL

    def test_fresh_asks_and_remembers(self, proof: Callable[..., Proof]) -> None:
        proof(Pliable(system="ignored"), "system_role")
        repaired = Pliable()
        assert proof(repaired, "system_role", policy="fresh").capabilities.system_role
        assert repaired.asked
        assert proof(Pliable(system="ignored"), "system_role").capabilities.system_role

    def test_none_takes_the_model_at_its_word(self, proof: Callable[..., Proof]) -> None:
        proof(Pliable(system="ignored"), "system_role")
        model = Pliable()
        assert proof(model, policy="none") == Proof(ALL)
        assert not model.asked


class TestOutages:
    @pytest.mark.parametrize("calls", range(7))
    def test_a_model_that_cannot_be_reached_is_no_finding(
        self, proof: Callable[..., Proof], monkeypatch: pytest.MonkeyPatch, calls: int
    ) -> None:
        class Dying(Pliable):
            def answer(self, requests: Any) -> Any:
                self.failures = 1 if len(self.asked) == calls else 0
                return super().answer(requests)

        with pytest.raises(ModelError, match=OUTAGE):
            proof(Dying())
        assert proof(Pliable()).capabilities == ALL

    def test_an_error_that_passes_refutes_nothing(self, proof: Callable[..., Proof]) -> None:
        class Stumbling(Pliable):
            def answer(self, requests: Any) -> Any:
                self.system = "rejected" if len(self.asked) < 2 else "kept"
                return super().answer(requests)

        assert proof(Stumbling(), "system_role").capabilities.system_role

    def test_an_error_to_everything_is_no_finding(self, proof: Callable[..., Proof]) -> None:
        class Broken(Pliable):
            def _text(self, request: Any, system: str) -> str:
                return "system:"

        with pytest.raises(ModelError, match="400: roles must alternate"):
            proof(Broken(system="rejected"), "chat")
        assert proof(Pliable(), "chat").findings["chat"].holds

    def test_silence_is_an_error(self, proof: Callable[..., Proof]) -> None:
        class Silent(Pliable):
            def answer(self, requests: Any) -> Any:
                return iter([[]])

        with pytest.raises(ModelError, match="1 of 1 requests were left unanswered"):
            proof(Silent(), "chat")
