"""What was swept: its labels, and which labels of estimates tell the same anyway."""

from __future__ import annotations

import pytest

from metricsengine.estimate import Estimate
from metricsengine.sweeping.labels import SweptKey, label_names, swept_keys


def found(*labels: dict[str, str]) -> list[Estimate]:
    return [Estimate("warmth", 1.0, 3, one) for one in labels]


def only(keys: list[SweptKey]) -> SweptKey:
    [key] = keys
    return key


class TestKeys:
    def test_those_whose_values_differ_are_swept(self) -> None:
        jobs = [{"prompt": "base", "seed": "1"}, {"prompt": "newline", "seed": "1"}]
        key = only(swept_keys(jobs, [found({}), found({})]))
        assert (key.key, key.values, key.name) == ("prompt", ("base", "newline"), "prompt")
        assert not key.told

    def test_one_that_a_job_leaves_out_is_empty_there(self) -> None:
        assert only(swept_keys([{"seed": "1"}, {}], [found({}), found({})])).values == ("1", "")

    def test_nothing_is_swept_in_one_job(self) -> None:
        assert swept_keys([{"seed": "1"}], [found({})]) == []

    @pytest.mark.parametrize(
        ("key", "values", "label", "told"),
        [
            ("prompt", ("base", "newline"), "variant", ("base", "newline")),
            ("study.prompts", ("[base]", "['newline']"), "variant", ("base", "newline")),
            ("network.p", ("1.0", ".50"), "edge_probability", ("1", "0.5")),
            ("study.n_agents", ("0", "9"), "n_agents", ("34", "9")),
            ("study.deep", ("true", "false"), "deep", ("True", "False")),
        ],
    )
    def test_a_label_that_tells_the_jobs_apart_by_the_same_values_or_name_makes_it_redundant(
        self, key: str, values: tuple[str, str], label: str, told: tuple[str, str]
    ) -> None:
        jobs = [{key: value} for value in values]
        one = only(swept_keys(jobs, [found({"place": "here", label: value}) for value in told]))
        assert one.told == {label}
        assert one.shown == label

    @pytest.mark.parametrize(
        ("values", "told"),
        [
            (("1", "2", "2"), ("1", "2", "3")),  # tells more jobs apart
            (("1", "2", "3"), ("1", "2", "2")),  # fewer
            (("a", "b", "c"), ("b", "a", "c")),  # others
        ],
    )
    def test_a_label_that_tells_others_apart_does_not(self, values: tuple[str, ...], told: tuple[str, ...]) -> None:
        one = only(swept_keys([{"study.wind": v} for v in values], [found({"place": t}) for t in told]))
        assert not one.told
        assert one.shown == "wind"

    def test_nor_one_that_differs_among_the_jobs_by_chance(self) -> None:
        one = only(
            swept_keys([{"temperature": "0"}, {"temperature": "1"}], [found({"cut": ".4"}), found({"cut": ".6"})])
        )
        assert not one.told

    def test_nor_one_that_has_several_values_in_a_job(self) -> None:
        jobs = [{"place": "a"}, {"place": "b"}]
        one = only(swept_keys(jobs, [found({"place": "a"}, {"place": "b"}), found({"place": "b"})]))
        assert not one.told
        assert one.name == "chosen_place"


class TestNames:
    def test_are_the_last_part_of_the_key(self) -> None:
        assert label_names(["study.wind", "seed", "hydra/launcher"], []) == {
            "study.wind": "wind", "seed": "seed", "hydra/launcher": "launcher",
        }  # fmt: skip

    @pytest.mark.parametrize("taken", ["wind", "wind_speed"])
    def test_are_the_whole_key_where_estimates_use_it_or_take_it_for_an_attribute(self, taken: str) -> None:
        assert label_names(["study.wind"], [taken]) == {"study.wind": "study.wind"}

    def test_never_look_like_an_attribute_of_another_label(self) -> None:
        assert label_names(["study.persona_file"], ["persona"]) == {"study.persona_file": "study.persona_file"}

    def test_of_two_keys_that_end_alike_are_told_apart(self) -> None:
        assert set(label_names(["network.p", "study.p"], []).values()) == {"network.p", "study.p"}

    def test_of_a_group_stand_beside_labels_called_so(self) -> None:
        taken = ["persona", "chosen_persona"]
        assert label_names(["persona"], taken) == {"persona": "chosen_chosen_persona"}
