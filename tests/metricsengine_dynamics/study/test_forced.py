"""Algorithm 1 on the states of the reference model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from simulated import DEBATE, PROMPTS, Drawn, Known, Scripted, Simulate, edges, mean, prompt_of, stances

from metricsengine.model import Outcome, Response
from metricsengine_dynamics.models.deffuant_weisbuch import DeffuantWeisbuch
from metricsengine_dynamics.models.hegselmann_krause import HegselmannKrause
from metricsengine_dynamics.prompting.prompts import PromptSet

SAID = ["opinion", "post", "reply", "decoding", "persona", "handle"]
DECLINED = "I'm sorry, but I can't help with that."


def ignoring_line_breaks(model: Scripted) -> Scripted:
    """Its twin that never sees one."""

    class Deaf(Scripted):
        def reply(self, prompt: str) -> str:
            return super().reply(" ".join(prompt.split()))

    return Deaf(model.opine)


class TestAPerfectAgent:
    @pytest.mark.parametrize("epsilon", [0.3, 0.9])
    def test_is_as_good_as_rounding_allows(self, simulate: Simulate, epsilon: float) -> None:
        ran = simulate(reference=HegselmannKrause(epsilon), n_agents=8, steps=4, runs=3)
        llm, floor = ran.of("llm"), ran.of("rounded")
        pd.testing.assert_frame_equal(llm[["run", "step", "node", "x"]], floor[["run", "step", "node", "x"]])
        assert llm["opinion"].tolist() == floor["opinion"].tolist()
        assert not llm["isolated"].all()

    def test_line_breaks_that_it_ignores_change_nothing(self, simulate: Simulate) -> None:
        ran = simulate(ignoring_line_breaks(Scripted()), prompts=["base", "newline"])
        base, newline = ran.of("llm", "base"), ran.of("llm", "newline")
        pd.testing.assert_frame_equal(base.drop(columns="variant"), newline.drop(columns="variant"))
        assert len({prompt.count("\n") for prompt in ran.asked.prompts("POST")}) == 2

    def test_one_that_turns_everything_round_errs_wherever_it_is_not_neutral(self, simulate: Simulate) -> None:
        ran = simulate(Scripted(lambda labels: -mean(labels)), reference=HegselmannKrause(0.9))
        asked = ran.of("llm")[lambda rows: ~rows["isolated"]]
        floor = ran.of("rounded")[lambda rows: ~rows["isolated"]]
        assert (asked["opinion"] == -floor["opinion"]).all()
        assert (floor["opinion"] != 0).any()


class TestReferenceStates:
    def test_the_reference_feeds_every_step(self, simulate: Simulate) -> None:
        rows = simulate(Scripted(lambda labels: 5)).of("llm")
        for _, run in rows.groupby("run"):
            x, reference = (run.pivot(index="step", columns="node", values=name) for name in ("x", "reference"))
            np.testing.assert_array_equal(x.loc[1:].to_numpy(), reference.loc[:1].to_numpy())

    def test_everybody_meets_the_same(self, simulate: Simulate) -> None:
        ran = simulate(prompts=["base", "loud"], repeats=2, agents=["zero", "llm", "random", "rounded"])
        columns = ["run", "step", "node", "x", "reference", "heard", "isolated"]
        first, *others = [
            rows.sort_values(["run", "step", "node"])[columns].reset_index(drop=True)
            for _, rows in ran.table.groupby(["agent", "variant", "repeat"], dropna=False)
        ]
        assert len(others) == 4 + 3 - 1
        for other in others:
            pd.testing.assert_frame_equal(other, first)

    def test_runs_and_seeds_differ_and_come_again(self, simulate: Simulate) -> None:
        one, again = simulate(), simulate()
        pd.testing.assert_frame_equal(one.table, again.table)
        assert one.asked.rounds == again.asked.rounds
        starts = one.of("llm")[lambda rows: rows["step"] == 0].groupby("run")["x"].apply(tuple)
        assert len(set(starts)) == 2

    def test_a_known_state_by_hand(self, simulate: Simulate) -> None:
        network = edges(4, (0, 1), (1, 2), (2, 3))
        ran = simulate(network=network, opinions=[0.1, 0.4, 0.3, -1.0], n_agents=0, steps=1, runs=1)
        rows = ran.of("llm")
        assert rows["x"].tolist() == [0.1, 0.4, 0.3, -1.0]
        np.testing.assert_allclose(rows["reference"], [0.4, 0.2, 0.4, -1.0])
        assert rows["heard"].tolist() == [1, 2, 1, 0]
        # 0.1 and 0.3 are told as 0 and 2 (halves to even), 0.4 as 2.
        assert rows["opinion"].tolist() == [2, 1, 2, -5]

    def test_pairs_that_were_drawn_are_those_who_hear_each_other(self, simulate: Simulate) -> None:
        ran = simulate(reference=DeffuantWeisbuch(epsilon=2.0), n_agents=9)
        assert set(ran.of("llm")["heard"]) == {0, 1}
        for (step, _), rows in ran.of("llm").groupby(["step", "run"]):
            talking = rows[rows["heard"] == 1]
            assert len(talking) % 2 == 0, step
        read = [len(stances(prompt)) for prompt in ran.asked.prompts("READ")]
        assert set(read) == {1}


class TestNobodyHeard:
    def test_three_who_know_nobody(self, simulate: Simulate) -> None:
        opinions = [0.11, -0.37, 0.0]
        agents = ["llm", "rounded", "zero", "random"]
        ran = simulate(network=edges(3), opinions=opinions, n_agents=3, agents=agents, steps=2, runs=1)
        assert ran.asked.rounds == []
        for agent in ("llm", "rounded"):
            assert ran.of(agent)["opinion"].tolist() == [1.0, -2.0, 0.0] * 2
        assert ran.of("llm")["outcome"].isna().all()
        assert ran.table["isolated"].all()
        assert ran.table["reference"].tolist() == opinions * 8

    def test_nobody_within_the_bound(self, simulate: Simulate) -> None:
        network = edges(3, (0, 1), (1, 2), (0, 2))
        ran = simulate(network=network, opinions=[-1, 0, 1], n_agents=3, reference=HegselmannKrause(0.9))
        assert ran.table["isolated"].all()
        assert ran.asked.rounds == []

    def test_baselines_that_always_answer(self, simulate: Simulate) -> None:
        ran = simulate(network=edges(200), n_agents=200, agents=["zero", "random"], steps=5, runs=2)
        assert (ran.of("zero")["opinion"] == 0).all()
        counts = ran.of("random")["opinion"].value_counts()
        assert sorted(counts.index) == list(range(-5, 6))
        assert counts.min() > 2000 / 11 - 5 * np.sqrt(2000 / 11)
        assert counts.max() < 2000 / 11 + 5 * np.sqrt(2000 / 11)


class TestRequests:
    def test_everything_of_all_runs_and_variants_goes_together(self, simulate: Simulate) -> None:
        ran = simulate(prompts=["base", "loud"], n_agents=10, steps=4, runs=3, reference=HegselmannKrause(0.9))
        posts, replies, sides, degrees = ran.asked.rounds
        assert {prompt_of(request)[:4] for request in posts} == {"POST"}
        asked = (~ran.of("llm", "base")["isolated"]).sum() * 2
        assert len(replies) == len(sides) == len(degrees) == asked

    def test_equal_inputs_are_encoded_once_in_a_run(self, simulate: Simulate) -> None:
        ran = simulate(n_agents=12, steps=6, reference=HegselmannKrause(0.9))
        posts = ran.asked.rounds[0]
        assert len(set(posts)) == len(posts)
        told = ran.of("llm")[lambda rows: rows["post"].notna()]
        assert len(posts) < len(told)
        assert len(posts) == len(told[["run", "handle", "post"]].drop_duplicates())
        assert {request.replicate for request in posts} == {0, 1}

    def test_only_who_is_heard_posts(self, simulate: Simulate) -> None:
        ran = simulate(network=edges(4, (0, 1)), n_agents=4, steps=1, runs=1, reference=HegselmannKrause(2.0))
        assert len(ran.asked.prompts("POST")) == 2
        assert ran.of("llm")["post"].notna().tolist() == [True, True, False, False]

    def test_posts_stand_in_the_order_of_the_nodes(self, simulate: Simulate) -> None:
        network = edges(4, (3, 0), (2, 0), (0, 1))
        ran = simulate(network=network, n_agents=4, steps=1, runs=1, reference=HegselmannKrause(2.0))
        rows = ran.of("llm")
        [timeline] = [prompt for prompt in ran.asked.prompts("READ") if prompt.count("says:") == 3]
        handles = [line.split(" says:")[0] for line in timeline.split("\n") if "says:" in line]
        assert handles == rows["handle"].tolist()[1:]
        assert rows["persona"][0] in timeline

    def test_numbers_are_told_with_two_digits(self, simulate: Simulate) -> None:
        network = edges(2, (0, 1))
        ran = simulate(
            Scripted(broken={"POST": Response(Outcome.ANSWERED, "I am barely for keeping cats.")}),
            network=network,
            opinions=[0.12345, -0.0001],
            n_agents=2,
            steps=1,
            runs=1,
            encoding="scalar",
            agents=["llm"],
        )
        told = [prompt.rsplit(" ", 1)[1] for prompt in ran.asked.prompts("POST")]
        assert told == ["0.62.", "0."]

    def test_repeats_ask_the_same_under_other_seeds(self, simulate: Simulate) -> None:
        ran = simulate(repeats=3)
        seeds = {}
        for request in (request for asked in ran.asked.rounds for request in asked):
            seeds.setdefault(request.seed, []).append(prompt_of(request))
        assert len(seeds) == 3
        first, second, third = seeds.values()
        assert sorted(first) == sorted(second) == sorted(third)
        assert set(ran.table.loc[ran.table["agent"] == "rounded", "repeat"]) == {0}
        assert ran.of("llm", repeat=2)["opinion"].tolist() == ran.of("llm")["opinion"].tolist()

    def test_long_runs_are_asked_in_parts_that_give_the_same(
        self, simulate: Simulate, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = simulate(steps=5)
        monkeypatch.setattr("metricsengine_dynamics.study.study.TOGETHER", 20)
        parts = simulate(steps=5)
        pd.testing.assert_frame_equal(whole.table, parts.table)
        assert len(parts.asked.rounds) > len(whole.asked.rounds)
        assert sorted(parts.asked.prompts("POST")) == sorted(whole.asked.prompts("POST"))


class TestSummaries:
    def test_personas_are_summed_up_once(self, simulate: Simulate) -> None:
        ran = simulate(summarise=True, prompts=["base", "loud"], n_agents=40)
        asked = ran.asked.prompts("SUM UP")
        assert len(asked) == len(set(asked)) == 40
        assert [prompt_of(request) for request in ran.asked.rounds[0]] == asked
        assert all("Briefly: " in prompt for prompt in (*ran.asked.prompts("POST"), *ran.asked.prompts("READ")))
        assert ran.of("llm", "base")["persona"].str.startswith("You own").all()
        assert ran.study.notices == []

    @pytest.mark.parametrize(
        "summary", [Response(Outcome.REFUSED, "No.", "declines"), Response(Outcome.ANSWERED, DECLINED)]
    )
    def test_one_that_fails_leaves_the_persona(self, simulate: Simulate, summary: Response) -> None:
        ran = simulate(Scripted(broken={"SUM UP": summary}), summarise=True)
        assert all("You own " in prompt for prompt in ran.asked.prompts("POST"))
        [notice] = ran.study.notices
        number = len(ran.asked.prompts("SUM UP"))
        assert notice == (
            f"{number} summaries could not be had ({number} refused) and the personas stand in full in the prompts"
        )


class TestWhatFails:
    NETWORK = edges(3, (0, 1), (0, 2))

    def ran(self, simulate: Simulate, broken: dict[str, Response], **options: object) -> tuple[pd.DataFrame, object]:
        fixed = {"network": self.NETWORK, "opinions": [0.0, 0.4, 0.8], "n_agents": 3, "steps": 1, "runs": 1}
        ran = simulate(Scripted(broken=broken), reference=HegselmannKrause(2.0), **fixed | options)
        return ran.of("llm"), ran

    def test_a_post_that_failed_is_missing_from_timelines(self, simulate: Simulate) -> None:
        rows, ran = self.ran(simulate, {"You are slightly for": Response(Outcome.REFUSED, "No.", "declines")})
        assert rows["opinion"].tolist() == [4, 0, 0]  # 0 hears 0.8 only, the others hear 0
        assert rows["lost"].tolist() == [1, 0, 0]
        assert pd.isna(rows["post"][1])
        assert ran.study.notices == [
            "1 post could not be had (1 refused) and is missing from the timelines of those who would have heard it"
        ]

    def test_a_post_that_declines_is_one_that_failed(self, simulate: Simulate) -> None:
        rows, ran = self.ran(simulate, {"You are slightly for": Response(Outcome.ANSWERED, DECLINED)})
        assert rows["opinion"].tolist() == [4, 0, 0]
        assert rows["lost"].tolist() == [1, 0, 0]
        assert pd.isna(rows["post"][1])
        assert not any(DECLINED in prompt for prompt in ran.asked.prompts("READ"))
        assert ran.study.notices == [
            "1 post could not be had (1 refused) and is missing from the timelines of those who would have heard it"
        ]

    def test_a_reply_that_declines_is_not_decoded(self, simulate: Simulate) -> None:
        rows, ran = self.ran(simulate, {"READ": Response(Outcome.ANSWERED, DECLINED)})
        assert rows["opinion"].isna().all()
        assert set(rows["outcome"]) == {"refused"}
        assert set(rows["reply"]) == {DECLINED}
        assert rows["reason"].str.startswith("the reply opens with \"i'm sorry, but").all()
        assert not ran.asked.prompts("SIDE")

    def test_nobody_is_asked_about_an_empty_timeline(self, simulate: Simulate) -> None:
        rows, ran = self.ran(simulate, {"POST": Response(Outcome.EMPTY, "", "nothing came")})
        assert rows["opinion"].isna().all()
        assert set(rows["outcome"]) == {"empty"}
        assert set(rows["reason"]) == {"no post that was heard could be had: nothing came"}
        assert rows["lost"].tolist() == [2, 1, 1]
        assert not ran.asked.prompts("READ")

    def test_a_reply_that_failed(self, simulate: Simulate) -> None:
        rows, ran = self.ran(simulate, {"READ": Response(Outcome.REFUSED_BY_PROVIDER, "", "content_filter")})
        assert rows["opinion"].isna().all()
        assert set(rows["outcome"]) == {"refused_by_provider"}
        assert set(rows["reason"]) == {"content_filter"}
        assert not ran.asked.prompts("SIDE")

    def test_a_reply_that_cannot_be_decoded(self, simulate: Simulate) -> None:
        rows, _ = self.ran(simulate, {"SIDE": Response(Outcome.ANSWERED, "Bananas are yellow.")})
        assert rows["opinion"].isna().all()
        assert set(rows["outcome"]) == {"unparsed"}
        assert rows["reply"].notna().all()
        assert set(rows["decoding"]) == {"Bananas are yellow."}

    def test_posts_that_find_no_room_are_counted(self, simulate: Simulate) -> None:
        network = edges(9, *((0, node) for node in range(1, 9)))
        ran = simulate(
            network=network,
            reference=HegselmannKrause(2.0),
            n_agents=9,
            steps=1,
            runs=1,
            max_tokens=100,
            context=200,
        )
        rows = ran.of("llm")
        longest = max(ran.asked.prompts("READ"), key=len)
        shown = longest.count("says:")
        assert 1 <= shown < 8
        assert rows["cut"].tolist() == [8 - shown] + [0] * 8
        assert len(longest) / 3 + 100 <= 200 + shown * 10

    def test_no_room_for_a_single_post(self, simulate: Simulate) -> None:
        rows, ran = self.ran(simulate, {}, context=110, max_tokens=100)
        assert rows["opinion"].isna().all()
        assert set(rows["outcome"]) == {"truncated"}
        assert set(rows["reason"]) == {"the context is too small for a single post"}
        assert rows["cut"].tolist() == [2, 1, 1]
        assert not ran.asked.prompts("READ")


def test_a_prompt_set_that_changes_nothing_is_told(simulate: Simulate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROMPTS, "same", PromptSet(title="Nothing of its own", of="base"))
    ran = simulate(prompts=["base", "loud", "same"])
    assert ran.study.notices == ["prompt set same is the same as base in every text: S is 0 by construction"]
    pd.testing.assert_series_equal(ran.of("llm", "same")["opinion"], ran.of("llm", "base")["opinion"])


class TestTheTable:
    def test_what_was_said_is_there(self, simulate: Simulate) -> None:
        ran = simulate(reference=HegselmannKrause(0.9))
        rows = ran.of("llm")[lambda rows: ~rows["isolated"]]
        assert rows[SAID].notna().all(axis=None)
        assert rows["outcome"].eq("answered").all()
        assert rows["decoding"].str.fullmatch(r"(yes|no)\n.+").all()
        assert ran.of("rounded")[["variant", "outcome", "persona", "post", "reply", "cut"]].isna().all(axis=None)

    def test_nothing_is_asked_for_baselines(self, simulate: Simulate) -> None:
        ran = simulate(agents=["zero", "random", "rounded"])
        assert ran.asked.rounds == []
        assert ran.study.needs == frozenset()
        assert list(dict.fromkeys(ran.table["agent"])) == ["zero", "random", "rounded"]

    def test_labels_and_dimensions(self, simulate: Simulate) -> None:
        ran = simulate(network=Known(Drawn().draw(6, np.random.default_rng(0)), sized=True), n_agents=0)
        assert ran.study.labels == {
            "n_agents": "6",
            "network": "known",
            "reference": "hegselmann_krause",
            "epsilon": "0.3",
            "mode": "forced",
        }
        told = ran.study.compost({"Transitions": ran.table})
        assert told == {
            "context": "6 agents, network some, reference hegselmann_krause",
            "persona": "few",
            "topic": DEBATE.title,
        }
