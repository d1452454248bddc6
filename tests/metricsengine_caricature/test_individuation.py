"""Telling a simulation from its default persona."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from metricsengine.memory import Memory
from metricsengine.store import ResponseStore
from metricsengine_caricature import individuation as module
from metricsengine_caricature.corpus import Undefined
from metricsengine_caricature.individuation import (
    Duplicates,
    Individuation,
    Pair,
    Splits,
    VMeasure,
    duplicates,
    individuation,
    released_individuation,
    v_measure,
)

TARGET = [f"target {i}" for i in range(20)]
CONTROL = [f"control {i}" for i in range(20)]


def noise(pair: Pair, gap: float = 0.0) -> np.ndarray:
    """A vector that follows from text and label; the classes lie ``gap`` apart in the first coordinate."""
    rows = [
        np.random.default_rng([*text.encode(), label]).standard_normal(8)
        for text, label in zip(pair.texts, pair.labels, strict=True)
    ]
    shifted: np.ndarray = np.array(rows) + gap * pair.labels[:, None] * np.eye(8)[0]
    return shifted


def accuracy(pair: Pair, matrix: np.ndarray, splits: Splits | None = None) -> Individuation:
    result = individuation(pair, matrix, splits)
    assert isinstance(result, Individuation)
    return result


def test_every_response_is_held_out_once_and_separable_classes_are_separated() -> None:
    pair = Pair.by_text(TARGET, CONTROL)
    result = accuracy(pair, noise(pair, gap=100.0))
    assert (result.correct, result.predictions, result.n, result.value) == (40, 40, (20, 20), 1.0)
    assert result.above_chance


def test_noise_stays_at_chance() -> None:
    target, control = [f"t{i}" for i in range(100)], [f"c{i}" for i in range(100)]
    pair = Pair.by_text(target, control)
    result = accuracy(pair, noise(pair))
    assert result.interval is not None
    assert result.interval.low < 0.5 < result.interval.high
    assert not result.above_chance


def test_order_of_the_responses_changes_nothing() -> None:
    pairs = [Pair.by_text(TARGET, CONTROL), Pair.by_text(TARGET[::-1], CONTROL[7:] + CONTROL[:7])]
    one, other = (accuracy(pair, noise(pair, gap=1.0)) for pair in pairs)
    assert one == other
    assert v_measure(pairs[0], noise(pairs[0], 1.0)) == v_measure(pairs[1], noise(pairs[1], 1.0))


def test_rows_sorted_by_text_keep_their_labels() -> None:
    pair = Pair.by_text(["b", "d"], ["c", "a", "d"])
    assert pair.texts == ("a", "b", "c", "d", "d")
    assert pair.labels.tolist() == [0, 1, 0, 0, 1]


def test_rows_in_file_order() -> None:
    pair = Pair.by_position(["t0", "t1"], ["c0", "c1"], [5, 9, 2, 7])
    assert pair.texts == ("c0", "t0", "c1", "t1")
    assert pair.labels.tolist() == [0, 1, 0, 1]


def test_single_split_judges_a_fifth() -> None:
    pair = Pair.by_text(TARGET, CONTROL)
    assert accuracy(pair, noise(pair), Splits(count=1)).predictions == 8


def test_repeats_add_predictions_but_do_not_narrow_the_interval() -> None:
    pair = Pair.by_text(TARGET, CONTROL)
    once, often = (accuracy(pair, noise(pair, gap=100.0), Splits(repeats=r)) for r in (1, 3))
    assert (once.predictions, often.predictions) == (40, 120)
    assert once.interval == often.interval


def test_chance_is_the_larger_class() -> None:
    pair = Pair.by_text(TARGET[:10], CONTROL)
    assert accuracy(pair, noise(pair)).chance == pytest.approx(2 / 3)


def test_groups_keep_twins_together() -> None:
    """With a twin of every response in the training part a forest looks able to tell noise from noise."""
    target, control = [f"t{i}" for i in range(30)] * 2, [f"c{i}" for i in range(30)] * 2
    pair = Pair.by_text(target, control)
    leaking, clean = (accuracy(pair, noise(pair), Splits(grouped=grouped)).value for grouped in (False, True))
    assert leaking > 0.8
    assert clean < 0.7


def test_grouped_single_split() -> None:
    pair = Pair.by_text(TARGET, CONTROL)
    assert accuracy(pair, noise(pair), Splits(count=1, grouped=True)).predictions == 8


@pytest.mark.parametrize(
    ("target", "control", "splits", "reason"),
    [
        (["one"], CONTROL, Splits(), "the target has n=1, minimum 5"),
        (TARGET, [], Splits(), "the default persona has n=0, minimum 5"),
        (TARGET, CONTROL[:4], Splits(1), "the default persona has n=4, minimum 5"),
        (TARGET, CONTROL[:9], Splits(10), "the default persona has n=9, minimum 10"),
        (["same"] * 20, CONTROL, Splits(grouped=True), "the target has n=1 distinct, minimum 5"),
        (TARGET, TARGET[::-1], Splits(), "identical corpora"),
    ],
)
def test_undefined_individuation_says_why(target: list[str], control: list[str], splits: Splits, reason: str) -> None:
    pair = Pair.by_text(target, control)
    result = individuation(pair, noise(pair), splits)
    assert isinstance(result, Undefined)
    assert reason in result.reason


def test_released_split_is_the_one_that_is_written_there() -> None:
    pair = Pair.by_position(TARGET, CONTROL, np.arange(40))
    matrix = noise(pair, gap=1.0)
    train, test, train_labels, test_labels = train_test_split(matrix, pair.labels, test_size=0.2, random_state=42)
    expected = RandomForestClassifier(random_state=0).fit(train, train_labels).score(test, test_labels)
    result = released_individuation(pair, matrix)
    assert isinstance(result, Individuation)
    assert (result.value, result.predictions) == (expected, 8)


def test_released_split_without_a_member_of_a_class_is_undefined() -> None:
    pair = Pair.by_position(TARGET[:2], CONTROL, np.arange(22))
    result = released_individuation(pair, noise(pair))
    assert isinstance(result, Undefined)
    assert "single class" in result.reason


def test_v_measure_in_closed_form() -> None:
    """Clusters of 4 controls + 1 target, and of 3 targets: one minus conditional over plain entropies."""
    pair = Pair.by_position(["t0", "t1", "t2", "t3"], ["c0", "c1", "c2", "c3"], np.arange(8))
    matrix = np.array([[9.0], [9.1], [9.2], [0.3], [0.0], [0.1], [0.2], [0.3]])

    def entropy(*shares: float) -> float:
        return -sum(share * math.log(share) for share in shares)

    homogeneity = 1 - 5 / 8 * entropy(1 / 5, 4 / 5) / entropy(0.5, 0.5)
    completeness = 1 - 4 / 8 * entropy(1 / 4, 3 / 4) / entropy(3 / 8, 5 / 8)
    result = v_measure(pair, matrix)
    assert isinstance(result, VMeasure)
    assert len(result.by_seed) == 10
    assert result.value == pytest.approx(2 * homogeneity * completeness / (homogeneity + completeness))


def test_v_measure_of_one_point_is_undefined() -> None:
    pair = Pair.by_text(TARGET, CONTROL)
    result = v_measure(pair, np.ones((40, 3)))
    assert isinstance(result, Undefined)
    assert "same vector" in result.reason


def test_duplicates() -> None:
    assert duplicates(["a", "b", "a", "a", "😀", "😀"]) == Duplicates(6, 3)
    assert duplicates(["a", "b"]) == Duplicates(2, 2)
    assert isinstance(duplicates([]), Undefined)
    assert Duplicates(6, 3).rate == 0.5


class TestRemembered:
    PAIR = Pair.by_text(TARGET, CONTROL)
    VECTORS = noise(PAIR, gap=1.0)

    @pytest.fixture
    def memory(self, tmp_path: Path) -> Iterator[Callable[..., Memory]]:
        with ResponseStore(tmp_path / "store.db") as store:
            yield lambda **versions: Memory(store, {"scikit-learn": "1", **versions})

    @pytest.fixture
    def fits(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """A word for each forest or clustering that is fitted."""
        fitted: list[str] = []
        for kind in (RandomForestClassifier, KMeans):

            def fit(self: Any, *data: Any, original: Any = kind.fit, name: str = kind.__name__, **more: Any) -> Any:
                fitted.append(name)
                return original(self, *data, **more)

            monkeypatch.setattr(kind, "fit", fit)
        return fitted

    def test_the_same_numbers_without_a_fit(self, memory: Callable[..., Memory], fits: list[str]) -> None:
        def all_three(*remembered: Any) -> list[Any]:
            return [
                individuation(self.PAIR, self.VECTORS, Splits(repeats=2), 3, *remembered),
                released_individuation(self.PAIR, self.VECTORS, *remembered),
                v_measure(self.PAIR, self.VECTORS, (0, 1, 2), *remembered),
            ]

        plain = all_three()
        made = len(fits)
        assert (fits.count("RandomForestClassifier"), fits.count("KMeans")) == (11, 3)
        assert all_three(memory()) == plain
        assert len(fits) == 2 * made
        assert all_three(memory()) == plain
        assert len(fits) == 2 * made

    def test_whatever_decides_it_fits_again(
        self, memory: Callable[..., Memory], fits: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        splits, moved = Splits(count=1), self.VECTORS.copy()
        moved[0, 0] = np.nextafter(moved[0, 0], 10)
        other = Pair.by_text([*TARGET[1:], "target zero"], CONTROL)
        swapped = Pair(self.PAIR.texts, 1 - self.PAIR.labels)
        arguments: list[tuple[Any, ...]] = [
            (self.PAIR, self.VECTORS, splits, 0, memory()),
            (other, self.VECTORS, splits, 0, memory()),
            (swapped, self.VECTORS, splits, 0, memory()),
            (self.PAIR, moved, splits, 0, memory()),
            (self.PAIR, self.VECTORS.astype(np.float32), splits, 0, memory()),
            (self.PAIR, self.VECTORS, splits, 1, memory()),
            (self.PAIR, self.VECTORS, Splits(count=1, repeats=2), 0, memory()),
            (self.PAIR, self.VECTORS, Splits(count=1, grouped=True), 0, memory()),
            (self.PAIR, self.VECTORS, splits, 0, memory(numpy="2")),
        ]
        for given in arguments:
            before = len(fits)
            individuation(*given)
            assert len(fits) > before
        monkeypatch.setattr(module, "RULE", module.RULE + 1)
        before = len(fits)
        individuation(*arguments[0])
        assert len(fits) > before

    def test_why_it_is_undefined(self, memory: Callable[..., Memory], fits: list[str]) -> None:
        """The only split that the released code would make may be of no use."""
        target, control = [f"t{i}" for i in range(2)], [f"c{i}" for i in range(18)]
        pair = Pair.by_position(target, control, range(20))
        plain = released_individuation(pair, noise(pair))
        assert isinstance(plain, Undefined)
        assert [released_individuation(pair, noise(pair), memory()) for _ in range(2)] == [plain, plain]
        assert fits == []
