"""A run made once more from its folder and the store: the same estimates, or what changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from metricsengine import provenance
from metricsengine.estimate import Estimate
from metricsengine.model import Batch, Capabilities, ModelAdapter, ModelIdentity, ModelSpec, Outcome, Request, Response
from metricsengine.rerunning.differences import differences
from metricsengine.rerunning.silent import found_able
from metricsengine.sets import NamedSet, SetFile
from metricsengine.settings import Settings

Command = Callable[..., Any]


def content(folder: Path) -> dict[Path, bytes]:
    """Every file below a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def edit(folder: Path, change: Callable[[dict[str, Any]], object], name: str = "results.json") -> None:
    """Change what a JSON file of a run folder holds."""
    file = folder / name
    row = json.loads(file.read_text(encoding="utf-8"))
    change(row)
    file.write_text(json.dumps(row), encoding="utf-8")


class TestTheSame:
    def test_nothing_is_asked_or_told_and_the_folder_stays_as_it_is(
        self, diary: Command, metricsengine: Command, outputs: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = diary()
        before = content(run.folder)
        monkeypatch.setattr("metricsengine_diary.parrot.Parrot.answer", lambda *_: pytest.fail("was asked"))
        monkeypatch.setattr("metricsengine_diary.events.write", lambda *_: pytest.fail("was told"))
        again = metricsengine("rerun", str(run.folder))
        assert (again.status, again.out, again.err) == (0, "The same 3 estimates\n", "")
        assert content(run.folder) == before
        assert [path.name for path in (outputs / "runs").glob("*/*")] == [run.folder.name]

    def test_the_sets_are_those_of_the_folder(
        self, diary: Command, metricsengine: Command, own_conf: Callable[[Mapping[str, str | bytes]], None]
    ) -> None:
        own_conf({"mood/mine.toml": b'moods = ["sad ${x}",\r\n "glad"]\r\n'})
        run = diary("mood=[mine,two]")
        own_conf({"mood/mine.toml": 'moods = ["mad"]'})
        again = metricsengine("rerun", str(run.folder))
        assert (again.status, again.out) == (0, "The same 5 estimates\n")

    def test_from_elsewhere_and_of_an_older_version(
        self, diary: Command, metricsengine: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = diary()
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        monkeypatch.setenv("METRICSENGINE_OUTPUTS", str(tmp_path / "others"))

        def older(row: dict[str, Any]) -> None:
            for key in ("choices", "directory", "sweep", "encoder"):
                del row["provenance"][key]

        assert metricsengine("rerun", str(run.folder)).status == 0
        edit(run.folder, older)
        assert metricsengine("rerun", str(run.folder)).status == 0
        assert not (tmp_path / "others").exists()
        assert Path.cwd() == tmp_path / "elsewhere"

    def test_a_file_that_was_named_from_where_the_run_was_started(
        self, diary: Command, metricsengine: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Path("own.csv").write_text("a,b\n", encoding="utf-8")
        monkeypatch.setattr(
            "metricsengine_diary.study.DiaryStudy.sources", property(lambda _: {"study.own": Path("own.csv")})
        )
        run = diary()
        source = run.results["provenance"]["sources"]["study.own"]
        assert source["path"] == str(Path("own.csv").absolute())
        edit(run.folder, lambda row: row["provenance"]["sources"]["study.own"].update(path="own.csv"))  # as it was told
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert metricsengine("rerun", str(run.folder)).out == "The same 3 estimates\n"

    def test_an_environment_that_was_damaged(self, diary: Command, metricsengine: Command) -> None:
        run = diary()
        edit(run.folder, lambda row: row.update(distributions="?"), "environment.json")
        assert metricsengine("rerun", str(run.folder)).out == "The same 3 estimates\n"

    def test_what_changed_without_effect_is_told(self, diary: Command, metricsengine: Command) -> None:
        run = diary()

        def other(row: dict[str, Any]) -> None:
            row["distributions"] |= {"numpy": "1.0", "metricsengine-diary": "0.9", "an-old-one": "1"}

        edit(run.folder, other, "environment.json")
        again = metricsengine("rerun", str(run.folder))
        assert again.status == 0
        first, although, *told = again.out.splitlines()
        assert (first, although) == ("The same 3 estimates", "Although since the run:")
        assert told[0].startswith("  numpy was 1.0 and is ")
        assert told[1].startswith("  metricsengine-diary was 0.9 and is ")
        assert told[2:] == ["  1 other package changed: an-old-one"]


class TestNotTheSame:
    def test_an_edited_configuration(self, diary: Command, metricsengine: Command) -> None:
        run = diary()
        diary("study.days=3")
        config = run.folder / "config.yaml"
        config.write_text(config.read_text(encoding="utf-8").replace("days: 2", "days: 3"), encoding="utf-8")
        again = metricsengine("rerun", str(run.folder))
        assert again.status == 1
        assert again.out.splitlines() == [
            "3 of 3 estimates differ: page_length 3",
            "  page_length (mood=${sad}): value 7.5 → 10, n 2 → 3",
            "  page_length (mood=happy, =and% #well): value 7.5 → 10, n 2 → 3",
            "  page_length over mood: value 7.5 → 10",
            "Counts: requests 4 → 6, answered 4 → 6, rows.Entries 4 → 6",
            "Since the run:",
            "  config.yaml's study.days was 2 and is 3",
        ]

    def test_estimates_that_no_input_explains(self, diary: Command, metricsengine: Command) -> None:
        run = diary()
        edit(run.folder, lambda row: row["estimates"][0].update(value=3.0))
        again = metricsengine("rerun", str(run.folder))
        assert again.status == 1
        assert again.out.splitlines()[1:] == [
            "  page_length (mood=${sad}): value 3 → 7.5",
            "No recorded input changed since the run.",
        ]
        told = metricsengine("rerun", "--json", str(run.folder))
        row = json.loads(told.out)
        assert told.status == 1
        assert (row["outcome"], row["estimates"], row["changed"]) == ("different", 3, [])
        [difference] = row["differences"]
        assert (difference["then"], difference["now"]) == ({"value": 3.0}, {"value": 7.5})

    def test_a_request_that_ended_in_an_error_did_so_until_it_is_answered(
        self, site: Any, diary: Command, metricsengine: Command
    ) -> None:
        site.add_live("moody", models=[MOODY])
        Moody.answers = False
        run = diary("model=moody")
        assert run.status == 1
        assert run.results["counts"]["error"] == 2
        assert metricsengine("rerun", str(run.folder)).out == "The same 3 estimates\n"
        Moody.answers = True
        assert diary("model=moody").status == 0
        again = metricsengine("rerun", str(run.folder))
        assert again.status == 1
        assert "Counts: answered 2 → 4, error 2 → 0" in again.out


class TestNotPossible:
    def test_answers_that_are_not_in_the_store_are_asked_if_wanted(
        self, diary: Command, metricsengine: Command, outputs: Path
    ) -> None:
        run = diary()
        for file in outputs.glob("store.db*"):
            file.unlink()
        again = metricsengine("rerun", str(run.folder))
        assert again.status == 1
        assert again.out.splitlines()[0] == (
            f"Cannot be repeated: 4 of 4 answers are not in the response store {outputs / 'store.db'}, which does not "
            f"exist; `metricsengine rerun --ask {run.folder}` asks the model"
        )
        assert not (outputs / "store.db").exists()
        assert metricsengine("rerun", "--ask", str(run.folder)).status == 0
        assert metricsengine("rerun", str(run.folder)).status == 0

    def test_for_want_of_the_same_model_set_or_plugin(
        self, diary: Command, metricsengine: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = diary()

        def told() -> list[str]:
            again = metricsengine("rerun", str(run.folder))
            assert again.status == 1
            lines: list[str] = again.out.splitlines()
            return lines

        kept = run.folder / "sets" / "mood" / "two.toml"
        kept.write_text('moods = ["happy"]')
        first, _, edited = told()
        assert first.startswith("Cannot be repeated: 2 of 2 answers")
        assert edited.startswith("  the run folder's copy of mood=two was edited (digest ")
        another = ModelIdentity("parrot", "Parrot", weights="another", format=1)
        monkeypatch.setattr("metricsengine_diary.parrot.Parrot.identity", another)
        assert told()[2] == "  the fingerprint of model Parrot was words=5 and is another"
        kept.unlink()
        assert told() == [
            f"Cannot be repeated: mood=two is not in the run folder: put the file as it was then at {kept}",
            "Since the run:",
            "  the run folder's copy of mood=two is gone",
        ]
        edit(run.folder, lambda row: row["provenance"]["choices"].update(metric=["page_lenght"]))
        assert told()[0].startswith("Cannot be repeated: unknown metric 'page_lenght': did you mean 'page_length'?")

    @pytest.mark.parametrize("words", [(), ("a", "b"), ("--why", "."), ("nowhere",)])
    def test_words_that_it_does_not_take(self, metricsengine: Command, words: Sequence[str]) -> None:
        ended = metricsengine("rerun", *words)
        assert ended.status == 2
        assert ended.line.endswith("usage: metricsengine rerun [--ask] [--json] RUN_OR_SWEEP_DIR")

    def test_a_folder_of_something_else(self, metricsengine: Command) -> None:
        ended = metricsengine("rerun", ".")
        assert (ended.status, ended.line) == (
            2,
            f"{Path.cwd()} holds no results.json: is it the folder of a finished run?",
        )


class TestSweep:
    def test_job_by_job_and_the_worst_counts(self, diary: Command, metricsengine: Command) -> None:
        assert diary("-m", "study.days=1,2", "hydra.sweep.dir=jobs").status == 0
        again = metricsengine("rerun", "jobs")
        assert (again.status, again.out) == (0, "   0  The same 3 estimates\n   1  The same 3 estimates\n")
        edit(Path("jobs/0"), lambda row: row["estimates"][0].update(n=7))
        assert metricsengine("rerun", "jobs/1").out == "The same 3 estimates\n"
        (Path("jobs/1") / "results.json").unlink()
        again = metricsengine("rerun", "jobs")
        assert again.status == 1
        different, impossible = again.out.splitlines()
        assert different == "   0  1 of 3 estimates differ: page_length 1"
        assert impossible.startswith("   1  Cannot be repeated: ")
        told = json.loads(metricsengine("rerun", "jobs", "--json").out)["jobs"]
        assert [(job["job"], job["outcome"]) for job in told] == [("0", "different"), ("1", "impossible")]


class TestDifferences:
    A = Estimate("warmth", 0.1 + 0.2, 3, {"town": "a"}, low=0.1, high=0.5)
    B = Estimate.undefined("warmth", "no days", labels={"town": "b"})

    def test_order_and_the_last_bit_do_not_count(self) -> None:
        assert differences([self.A, self.B], [self.B, replace(self.A, value=0.3)]) == []

    def test_only_what_differs_is_told(self) -> None:
        [difference] = differences([self.A], [replace(self.A, low=0.2, n=4)])
        assert (difference.then, difference.now) == ({"low": 0.1, "n": 3}, {"low": 0.2, "n": 4})
        assert difference.told({}) == "warmth (town=a): low 0.1 → 0.2, n 3 → 4"
        assert difference.told({"town": "a"}) == "warmth: low 0.1 → 0.2, n 3 → 4"

    def test_what_is_averaged_over_is_part_of_the_name(self) -> None:
        over = replace(self.A, over=("day",))
        gone, new = differences([self.A], [over])
        assert (gone.told({}), new.told({})) == (
            "warmth (town=a): is not there now",
            "warmth (town=a) over day: was not there",
        )

    def test_a_reason_is_part_of_what_must_be_the_same(self) -> None:
        [difference] = differences([self.B], [replace(self.B, reason="no nights")])
        assert difference.told({}) == "warmth (town=b): reason no days → no nights"


def test_a_set_that_is_looked_up_is_kept(make_run: Callable[..., Any], tmp_path: Path) -> None:
    file = SetFile("mood", "two+case", tmp_path / "two.toml", "abc")
    file.path.write_bytes(b"moods = []\r\n")
    run = provenance.save(make_run(Settings(study=None, find=lambda group, name: NamedSet(file, group + name))))
    assert run.settings.find("mood", "two+case").value == "moodtwo+case"
    assert (run.folder / "sets" / "mood" / "two.toml").read_bytes() == b"moods = []\r\n"


def test_what_a_model_was_found_able_to_do_is_read_by_the_names_known_today() -> None:
    assert found_able({"capabilities": {"chat": True, "telepathy": True}}) == Capabilities(chat=True)
    assert found_able(None) is None


@pytest.mark.slow
def test_a_study_that_asks_no_model(metricsengine: Command) -> None:
    run = metricsengine("experiment=opinion_baselines", "study.runs=2", "study.steps=5", "tracking=none")
    assert run.status == 0
    again = metricsengine("rerun", str(run.folder))
    assert (again.status, again.out) == (0, f"The same {len(run.results['estimates'])} estimates\n")


@dataclass
class MoodyConf:
    """No options."""


class Moody(ModelAdapter):
    """Says a word to the first of every two requests, and to the second if it is in the mood."""

    answers = True

    def __init__(self, conf: MoodyConf) -> None:
        pass

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("moody", "Moody", "moody", 1)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(seed=False)

    def render(self, request: Request) -> str:
        return str(request.prompt)

    def answer(self, requests: Sequence[Request]) -> Iterator[Batch]:
        for i, request in enumerate(requests):
            silent = request.replicate and not self.answers
            yield [(i, Response(Outcome.ERROR, reason="bad mood") if silent else Response(Outcome.ANSWERED, "word"))]


MOODY = ModelSpec("moody", MoodyConf, Moody)
