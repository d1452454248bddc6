"""Named sets: read as they are, and what is wrong names the file and the key."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metricsengine.errors import ConfigError
from metricsengine.sets import NamedSet, SetFile, SetSpec, choose, find_sets, load_set, validate


@dataclass(frozen=True)
class Person:
    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012 - as pydantic reads it

    name: str
    age: int = 0


@dataclass(frozen=True)
class Crowd:
    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012 - as pydantic reads it

    title: str
    person: list[Person] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.title.isspace():
            raise ValueError("a title is a text")


CROWD = SetSpec("crowd", Crowd)


def put(root: Path, name: str, content: str | bytes) -> Path:
    path = root / "crowd" / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def load(root: Path, name: str) -> NamedSet:
    return load_set(CROWD, find_sets(["crowd"], [root])["crowd"][name])


class TestLoading:
    def test_a_set_knows_its_file(self, tmp_path: Path) -> None:
        path = put(tmp_path, "x", 'title = "X"\n[[person]]\nname = "Ann"\nage = 40\n')
        named = load(tmp_path, "x")
        assert named.value == Crowd("X", [Person("Ann", 40)])
        assert named.name == "x"
        assert (named.file.group, named.file.path) == ("crowd", path)

    @given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
    def test_any_text_stays_as_it_is(self, tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        root = tmp_path_factory.mktemp("sets")
        put(root, "x", f'title = "t{quoted}"\n')
        assert load(root, "x").value.title == f"t{text}"

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ('title = "X"\ntitel = "Y"\n', "key titel: .*"),
            ("", "key title: .*"),
            ("title = 3\n", "key title: .*string"),
            ('title = " "\n', "key content: a title is a text"),
            ('title = "X"\n[[person]]\nname = "Ann"\n[[person]]\nage = 3\n', "key person.1.name: .*"),
            ('title = "X"\n[[person]]\nname = "Ann"\nage = "x"\n', "key person.0.age: .*integer.*"),
        ],
    )
    def test_what_does_not_fit_names_file_and_key(self, tmp_path: Path, content: str, message: str) -> None:
        path = put(tmp_path, "x", content)
        with pytest.raises(ConfigError) as error:
            load(tmp_path, "x")
        assert re.fullmatch(f"{re.escape(str(path))}, {message}", str(error.value)), str(error.value)

    @pytest.mark.parametrize("content", ['title = "X', "title: X", 'title = "\xe9"'.encode("latin-1")])
    def test_what_is_no_toml_names_the_file(self, tmp_path: Path, content: str | bytes) -> None:
        path = put(tmp_path, "x", content)
        with pytest.raises(ConfigError, match=re.escape(str(path))):
            load(tmp_path, "x")

    def test_a_file_that_vanished(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match="No such file"):
            load_set(CROWD, SetFile("crowd", "x", tmp_path / "x.toml", ""))

    def test_plain_data_is_checked_in_the_same_way(self) -> None:
        assert validate(Person, {"name": "Ann"}, "here") == Person("Ann")
        with pytest.raises(ConfigError, match="here, key name"):
            validate(Person, {}, "here")


class TestFinding:
    def test_groups_and_roots_are_kept_apart(self, tmp_path: Path) -> None:
        put(tmp_path / "a", "x", 'title = "X"\n')
        put(tmp_path / "b", "C&A (UK) #1, or größer", 'title = "Y"\n')
        found = find_sets(["crowd", "mood"], [tmp_path / "a", tmp_path / "b", tmp_path / "missing"])
        assert {group: sorted(files) for group, files in found.items()} == {
            "crowd": ["C&A (UK) #1, or größer", "x"],
            "mood": [],
        }

    def test_the_digest_is_that_of_the_bytes(self, tmp_path: Path) -> None:
        for name, content in {"a": "title = 'X'\n", "b": "title = 'X'\n", "c": "title = 'X' \n"}.items():
            put(tmp_path, name, content)
        digests = {name: file.digest for name, file in find_sets(["crowd"], [tmp_path])["crowd"].items()}
        assert digests["a"] == digests["b"] != digests["c"]

    def test_the_same_content_under_one_name_is_one_set(self, tmp_path: Path) -> None:
        for root in ("a", "b"):
            put(tmp_path / root, "x", 'title = "X"\n')
        assert list(find_sets(["crowd"], [tmp_path / "a", tmp_path / "b"])["crowd"]) == ["x"]

    def test_other_content_under_one_name_names_both(self, tmp_path: Path) -> None:
        one, two = put(tmp_path / "a", "x", 'title = "X"\n'), put(tmp_path / "b", "x", 'title = "Y"\n')
        with pytest.raises(ConfigError) as error:
            find_sets(["crowd"], [tmp_path / "a", tmp_path / "b"])
        assert str(error.value) == f"two sets are called crowd=x: {one} and {two}; rename one"

    def test_unknown_names_list_near_matches(self, tmp_path: Path) -> None:
        put(tmp_path, "genders", 'title = "X"\n')
        with pytest.raises(ConfigError, match="unknown crowd 'gender': did you mean 'genders'"):
            choose(find_sets(["crowd"], [tmp_path])["crowd"], "crowd", "gender")
