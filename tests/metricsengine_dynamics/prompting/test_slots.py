"""Filling slots."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metricsengine_dynamics.prompting.debate import Debate, Pole
from metricsengine_dynamics.prompting.slots import DEBATE, check_slots, fill


@given(persona=st.text(), text=st.text())
def test_what_is_filled_in_stays_as_it_is(persona, text) -> None:
    assert fill("{persona}|{text}|{{x}}", {"persona": persona, "text": text}) == f"{persona}|{text}|{{x}}"


def test_a_debate_fills_exactly_the_slots_that_every_prompt_may_have() -> None:
    debate = Debate("t", "a or b", Pole("an a", "a", "a"), Pole("a b", "b", "b"))
    assert debate.slots.keys() == DEBATE


@pytest.mark.parametrize("text", ["{}", "{0}", "{a.b}", "{a[0]}", "{A}", "{{{b}}}"])
def test_odd_slots_are_refused(text) -> None:
    with pytest.raises(ValueError, match="unknown slot"):
        check_slots(text, frozenset({"a"}))


@pytest.mark.parametrize("text", ["{a!s}", "{a:>9}"])
def test_a_slot_is_filled_as_it_is(text) -> None:
    with pytest.raises(ValueError, match=r"a slot takes no conversion or format: write \{a\}"):
        check_slots(text, frozenset({"a"}))
