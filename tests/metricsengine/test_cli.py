"""The command line: what it takes, what it refuses in one line, and where it writes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from metricsengine import __version__, cli
from metricsengine.errors import ConfigError
from metricsengine.run import INTERRUPTED

SCORED = ("tracking=none", "metric=duplicate_rate", "study.default_persona=person", "study.default_topic=comment")

RECORDED = """persona,topic,text
person,golf,NA
person,golf,NA
woman,golf,None
woman,comment,hello
person,comment,hi
"""


class TestWords:
    @pytest.mark.parametrize("word", ["-h", "--help", "help"])
    def test_help(self, metricsengine: Callable[..., Any], word: str) -> None:
        ended = metricsengine(word)
        assert (ended.status, ended.err) == (0, "")
        assert "metricsengine score FILE [overrides]" in ended.out

    def test_version(self, metricsengine: Callable[..., Any]) -> None:
        assert metricsengine("--version").out == f"metricsengine {__version__}\n"

    @pytest.mark.parametrize(
        ("words", "line"),
        [
            (["plugns"], "unknown command 'plugns': did you mean 'plugins' or 'plan'? Known: .*"),
            (["diary"], "unknown command 'diary'. Known: .*"),
            (["plugins", "--jsn"], "metricsengine plugins does not take '--jsn'; usage: plugins --json"),
            (["doctor", "now"], "metricsengine doctor does not take 'now'; usage: doctor"),
            (["score"], "usage: metricsengine score FILE [overrides]"),
            (["score", "study.n=3"], "study.n=3: no such file; usage: metricsengine score FILE [overrides]"),
            (["score", "."], ".: no such file; .*"),
            (["report"], "the following .*: RUN_OR_SWEEP_DIR; usage: metricsengine report RUN_OR_SWEEP_DIR .*"),
            (["report", "nowhere"], "nowhere holds no results.json: is it the folder of a finished run?"),
            (["ui", "x"], "plugin 'mlflow' of metricsengine .*, metricsengine_ui: .*usage: .*"),
            (["study=diary", "-x"], "unrecognized arguments: -x; `metricsengine --hydra-help` lists the flags"),
            (["--cfg", "jobs"], "argument --cfg/-c: invalid choice: 'jobs' .*"),
            (["study=diary", "--config-dir"], "--config-dir needs a value"),
        ],
    )
    def test_what_is_no_command_line_is_refused_in_one_line(
        self, metricsengine: Callable[..., Any], words: list[str], line: str
    ) -> None:
        ended = metricsengine(*words)
        assert (ended.status, ended.out) == (2, "")
        assert re.fullmatch(line.replace("?", r"\?").replace("[", r"\["), ended.line), ended.line

    @pytest.mark.parametrize(
        ("word", "line"),
        [
            ("experiment=diry", "unknown experiment 'diry': did you mean 'diary'? Known: .*"),
            ("model=lod_parrot", "unknown model 'lod_parrot': did you mean 'loud_parrot' or 'parrot'? Known: .*"),
            ("study=dairy", "unknown study 'dairy': did you mean 'diary'? Known: .*"),
            ("metric=page_lenght", "unknown metric 'page_lenght': did you mean 'page_length'? Known: .*"),
            ("encoder=minlm", "unknown encoder 'minlm': did you mean 'minilm'? Known: .*"),
            ("tracking=mlfow", "unknown tracking 'mlfow': did you mean 'mlflow'? Known: .*"),
            ("mood=tow", "unknown mood 'tow': did you mean 'two'? Known: two"),
            ("study.dys=3", "unknown key of study 'dys': did you mean 'days'? Known: days"),
            ("sed=3", "unknown key 'sed': did you mean 'seed'? Known: .*"),
            ("study.days=x", "Value 'x' of type 'str' could not be converted to Integer (key study.days)"),
            ("study.days=1,2", "Ambiguous value for argument 'study.days=1,2' .* --multirun .*"),
            ("study.days=[", "cannot read 'study.days=[': .*"),
            ("card.author=Ann, of =", "cannot read 'card.author=Ann, of =': .*quoted twice.*"),
            ("encoder=null", "encoder=null chooses nothing: to do without, write ~encoder"),
            ("metric=exaggeration", "metric 'exaggeration' reads table Simulations, .*; choose metric=[page_length]"),
            ("protocol=released", "metric 'page_length' knows protocol=paper, not released"),
            ("~model", "this study asks a model: add model=NAME"),
            (
                "seed=${hydra:job.num}",
                "seed takes its value from what Hydra knows of a job, .* its number",
            ),
            ("hydra.sweeper.params={seed:'1,2'}", ".* belongs into a file: on the command line a sweep is typed as .*"),
            ("records.file=nowhere.csv", ".*/nowhere.csv: no such file"),
        ],
    )
    def test_what_cannot_be_run_is_refused_in_one_line(self, diary: Callable[..., Any], word: str, line: str) -> None:
        ended = diary(word)
        assert (ended.status, ended.out) == (2, "")
        pattern = re.sub(r"[?\[()]", lambda found: "\\" + found[0], line)
        assert re.fullmatch(pattern, ended.line), ended.line

    def test_the_stack_is_shown_to_those_who_ask(
        self, metricsengine: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HYDRA_FULL_ERROR", "1")
        with pytest.raises(ConfigError, match="unknown experiment"):
            metricsengine("experiment=diry")
        assert os.environ["HYDRA_FULL_ERROR"] == "1"

    def test_a_study_that_is_named_starts_from_its_own_defaults(self, metricsengine: Callable[..., Any]) -> None:
        ended = metricsengine("study=diary", "model=parrot", "tracking=none", "study.days=1")
        assert ended.status == 0
        assert {e["labels"]["mood"] for e in ended.results["estimates"] if e["labels"]} == {
            "happy, =and% #well",
            "${sad}",
        }
        assert ended.results["provenance"]["command"] == (
            "metricsengine study=diary model=parrot tracking=none study.days=1"
        )

    def test_the_configuration_can_be_seen(self, diary: Callable[..., Any]) -> None:
        ended = diary("study.days=4", "--cfg", "job")
        assert (ended.status, ended.err) == (0, "")
        assert "study:\n  days: 4\n" in ended.out
        assert not (Path(os.environ["METRICSENGINE_OUTPUTS"])).exists()
        ended = diary("--info", "searchpath")
        assert ended.status == 0
        assert "metricsengine_diary/conf" in ended.out


class TestPlaces:
    def test_a_run_goes_below_the_outputs_folder(self, diary: Callable[..., Any], outputs: Path) -> None:
        ended = diary()
        assert ended.status == 0
        assert ended.folder.is_relative_to(outputs / "runs")
        assert {path.name for path in outputs.iterdir()} == {"runs", "store.db"}
        assert not list(Path.cwd().iterdir())

    def test_or_where_the_command_says(self, diary: Callable[..., Any], tmp_path: Path) -> None:
        ended = diary("hydra.run.dir=here/and there")
        assert ended.folder == Path.cwd() / "here" / "and there"
        assert ended.results["counts"]["answered"] == 4

    def test_without_the_variable_below_the_current_directory(
        self, diary: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("METRICSENGINE_OUTPUTS")
        assert diary().folder.is_relative_to(Path.cwd() / "outputs" / "runs")

    @pytest.mark.parametrize("place", ["METRICSENGINE_OUTPUTS", "hydra.run.dir", "hydra.sweep.dir"])
    def test_a_folder_that_cannot_be_made_is_named(
        self, diary: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
    ) -> None:
        taken = tmp_path / "taken"
        taken.write_text("a file")
        if place == "METRICSENGINE_OUTPUTS":
            monkeypatch.setenv(place, str(taken))
            ended = diary()
        else:
            ended = diary(f"{place}={taken}/x", *(["-m"] if "sweep" in place else []))
        assert ended.status == 2
        assert str(taken) in ended.line
        assert ended.line.endswith("choose another folder: hydra.run.dir=DIR, or METRICSENGINE_OUTPUTS")
        assert taken.read_text() == "a file"

    def test_what_is_refused_loses_nothing(self, diary: Callable[..., Any]) -> None:
        ended = diary("hydra.run.dir=here")
        before = (ended.folder / "results.json").read_bytes()
        refused = diary("hydra.run.dir=here", "metric=exaggeration")
        assert refused.status == 2
        assert (ended.folder / "results.json").read_bytes() == before
        status = json.loads((ended.folder / "status.json").read_text())
        assert (status["status"], status["error"]) == ("failed", refused.line)
        assert diary("hydra.run.dir=here").status == 0


class TestScoring:
    @pytest.mark.parametrize("name", ["responses.csv", 'my "own" responses, it\'s =${protocol} & #1%.csv'])
    def test_a_file_may_be_called_anything(self, metricsengine: Callable[..., Any], name: str) -> None:
        Path(name).write_text(RECORDED)
        ended = metricsengine("score", name, *SCORED)
        assert ended.status == 0, ended.err
        assert ended.results["model"] is None
        assert ended.results["provenance"]["dataset"]["source"] == str(Path.cwd() / name)
        cells = {(e["labels"]["persona"], e["labels"]["topic"]): e for e in ended.results["estimates"] if not e["over"]}
        assert (cells["person", "golf"]["value"], cells["person", "golf"]["n"]) == (0.5, 2)
        assert cells["woman", "golf"]["n"] == 1
        assert metricsengine("report", str(ended.folder)).status == 0

    def test_columns_are_mapped_as_the_message_says(self, metricsengine: Callable[..., Any]) -> None:
        Path("r.csv").write_text(RECORDED.replace("text", "reply", 1))
        words = ["score", "r.csv", *SCORED]
        refused = metricsengine(*words)
        assert refused.status == 2
        assert refused.line.startswith(f"{Path.cwd() / 'r.csv'}: no column 'text'")
        assert "records.columns.text=NAME" in refused.line
        ended = metricsengine(*words, "records.columns.text=reply")
        assert ended.status == 0
        assert ended.results["counts"]["rows.Simulations"] == 5

    def test_a_broken_file_is_refused_in_one_line(self, metricsengine: Callable[..., Any]) -> None:
        Path("r.jsonl").write_text('{"persona": "person"}\n{"persona"\n')
        ended = metricsengine("score", "r.jsonl", *SCORED)
        assert ended.status == 2
        assert ended.line.startswith(f"{Path.cwd() / 'r.jsonl'}, line 2: ")


class TestReport:
    def test_it_is_rebuilt_from_the_folder_alone(
        self, diary: Callable[..., Any], metricsengine: Callable[..., Any]
    ) -> None:
        ended = diary("hydra.run.dir=here")
        page = ended.folder / "report.html"
        before = page.read_text()
        page.unlink()
        rebuilt = metricsengine("report", "here")
        assert (rebuilt.status, rebuilt.out) == (0, "Report: here/report.html\n")
        assert page.read_text() == before

    def test_a_folder_without_its_configuration(
        self, diary: Callable[..., Any], metricsengine: Callable[..., Any]
    ) -> None:
        config = diary("hydra.run.dir=here").folder / "config.yaml"
        config.unlink()
        assert "here/config.yaml: " in metricsengine("report", "here").line
        for content in ("a: [", "- 1", "seed: 1"):
            config.write_text(content)
            ended = metricsengine("report", "here")
            assert ended.status == 2
            assert ended.line.startswith("here/config.yaml")


class TestEnds:
    def test_an_interruption(self, diary: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
        import metricsengine_diary.parrot as parrot

        def interrupted(self: object, requests: object) -> None:
            os.kill(os.getpid(), signal.SIGTERM)

        monkeypatch.setattr(parrot.Parrot, "answer", interrupted)
        ended = diary("hydra.run.dir=here")
        assert ended.status == 130
        assert ended.err.splitlines()[-1] == f"metricsengine: {INTERRUPTED}"
        assert json.loads(Path("here/status.json").read_text())["status"] == "interrupted"
        monkeypatch.undo()

    def test_a_reader_that_has_seen_enough(self, site: Any) -> None:
        read, write = os.pipe()
        os.close(read)
        child = subprocess.run(
            [sys.executable, "-c", "import sys; from metricsengine.cli import main; sys.exit(main(['--help']))"],
            stdout=write,
            stderr=subprocess.PIPE,
            check=False,
        )
        os.close(write)
        assert b"Traceback" not in child.stderr


class TestFlags:
    def test_come_first_for_hydra_with_their_values(self) -> None:
        words = ["study.n=2", "-m", "--config-dir", "a b", "--cfg=job", "seed=1", "-p", "study"]
        flags = ["-m", "--config-dir", "a b", "--cfg=job", "-p", "study"]
        assert cli._flags_first(words) == [*flags, "study.n=2", "seed=1"]

    def test_a_value_may_be_optional(self) -> None:
        assert cli._flags_first(["seed=1", "--info"]) == ["--info", "all", "seed=1"]
        assert cli._flags_first(["--info", "seed=1"]) == ["--info", "all", "seed=1"]
        assert cli._flags_first(["seed=1", "-i", "plugins"]) == ["-i", "plugins", "seed=1"]


def test_sets_presets_and_experiments_of_ones_own(
    metricsengine: Callable[..., Any], own_conf: Callable[[Mapping[str, str]], None], tmp_path: Path
) -> None:
    mine = "# @package _global_\ndefaults: [{override /study: diary}, {override /model: quiet.parrot}]\n"
    own_conf(
        {
            "mood/C&A (UK) #1.toml": 'moods = ["so-so"]\n',
            "model/quiet.parrot.yaml": "defaults: [parrot, _self_]\nwords: 1\n",
            "experiment/mine.yaml": mine,
        }
    )
    more = tmp_path / "more conf" / "mood"
    more.mkdir(parents=True)
    (more / "v1.2.toml").write_text('moods = ["tired"]\n')
    words = ["experiment=mine", "tracking=none", 'mood=["C&A (UK) #1",v1.2]', "--config-dir", str(more.parent)]
    ended = metricsengine(*words, "study.days=1")
    assert ended.status == 0, ended.err
    cells = {e["labels"]["mood"]: e["value"] for e in ended.results["estimates"] if e["labels"]}
    assert cells == {"so-so": 1.0, "tired": 1.0}
    sets = {str(path.relative_to(ended.folder / "sets")) for path in (ended.folder / "sets").rglob("*.toml")}
    assert sets == {"mood/C&A (UK) #1.toml", "mood/v1.2.toml"}
    assert metricsengine(*words, "-m", "study.days=1,2").status == 0
