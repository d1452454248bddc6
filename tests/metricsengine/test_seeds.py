"""Seeds: stable, unambiguous, and without global state."""

import os
import random
import subprocess
import sys
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metricsengine.seeds import derive, generator

Part = str | int | bytes
PARTS: st.SearchStrategy[tuple[Part, ...]] = st.lists(
    st.text(st.characters(exclude_categories=[])) | st.integers() | st.binary(), max_size=4
).map(tuple)


def test_seed_is_the_hash_of_typed_and_counted_parts() -> None:
    framed = b"i" + (1).to_bytes(8, "big") + b"\x07" + b"s" + (4).to_bytes(8, "big") + "wöm".encode()
    assert derive(7, "wöm") == int.from_bytes(blake2b(framed, digest_size=8).digest(), "big") // 2


def test_seeds_never_change_between_releases() -> None:
    assert derive(7, "exaggeration", "woman") == 6919725447220818874
    assert generator(7, "exaggeration", "woman").bit_generator.random_raw() == 15167020064611711309


@settings(deadline=None)
@given(PARTS, PARTS)
def test_different_parts_differ_and_equal_parts_agree(left: tuple[Part, ...], right: tuple[Part, ...]) -> None:
    typed = [[(type(part), part) for part in parts] for parts in (left, right)]
    assert (derive(*left) == derive(*right)) == (typed[0] == typed[1])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (("ab", "c"), ("a", "bc")),
        ((1,), ("1",)),
        (("a",), (b"a",)),
        (("",), ()),
        (("", "a"), ("a", "")),
        ((127,), (-129,)),
        ((255,), (-1,)),
        ((0,), (b"\x00",)),
        (("\ud800\udc00",), ("\U00010000",)),
        (("\u00e9",), ("e\u0301",)),
    ],
)
def test_near_collisions_differ(left: tuple[Part, ...], right: tuple[Part, ...]) -> None:
    assert derive(*left) != derive(*right)


@settings(deadline=None)
@given(PARTS)
def test_seed_has_63_bits(parts: tuple[Part, ...]) -> None:
    assert 0 <= derive(*parts) < 2**63


def test_every_bit_of_the_seed_varies() -> None:
    counts = [sum(derive(i) >> bit & 1 for i in range(1000)) for bit in range(63)]
    assert all(400 < count < 600 for count in counts)


def test_lone_surrogates_and_huge_integers_are_parts_like_any_other() -> None:
    assert len({derive("\ud83d"), derive("\ude00"), derive(10**5000), derive(-(10**5000))}) == 4


@pytest.mark.parametrize("part", [1.0, None, ("a",), np.int64(1)])
def test_parts_without_a_stable_spelling_are_refused(part: object) -> None:
    with pytest.raises(TypeError, match=f"str, int or bytes, got {type(part).__name__}"):
        derive("seed", part)  # type: ignore[arg-type]  # the wrong type is the point


def test_other_processes_and_hash_seeds_agree() -> None:
    code = "from metricsengine.seeds import derive; print(derive('persona', 3))"
    for hash_seed in ("0", "1"):
        run = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert int(run.stdout) == derive("persona", 3)


def test_generators_repeat_and_are_independent() -> None:
    first, again, other = generator("a", 1).random(1000), generator("a", 1).random(1000), generator("a", 2).random(1000)
    assert np.array_equal(first, again)
    assert abs(np.corrcoef(first, other)[0, 1]) < 0.15


def test_global_random_state_is_left_alone() -> None:
    before = random.getstate(), np.random.get_state(legacy=False)
    generator("a").normal(size=10)
    assert random.getstate() == before[0]
    assert repr(np.random.get_state(legacy=False)) == repr(before[1])
