"""The report: self-contained, honest about what is missing, and inert whatever a model said."""

import base64
import hashlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from browser import Browser
from PIL import Image

from metricsengine.drawing import DPI
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Excerpt, Excerpts, Exhibit, Figure, Listing, Passage
from metricsengine.inert import read_csv
from metricsengine.markup import markdown
from metricsengine.metric import Measure
from metricsengine.report import write_report
from metricsengine.report_exhibits import FORMATS, marked
from metricsengine.results import Results
from metricsengine.wording import Said

HOSTILE = [
    "<script>alert(1)</script>",
    "</style></script></title></textarea><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)" style="position:fixed" x="',
    "' onfocus='alert(1)' autofocus x='",
    "<svg/onload=alert(1)><iframe src=https://evil.example/></iframe>",
    "{{ 7*7 }}{% raw %}",
    '=HYPERLINK("https://evil.example")',
    "\x1b[31mred\x07",
    "\u202egnp.exe",
    "nul\x00nul",
    "lone \ud800 surrogate",
    "[bold red]",
    "[click](javascript:alert(1)) ![x](https://evil.example/x.png) <https://evil.example>",
    "[ok](https://evil.example 't\" onclick=alert(1)') \n\n# heading\n\n<b onclick=alert(1)>b</b>",
    "[r]\n\n[r]: javascript:alert(1)",
    "--><!--<![CDATA[",
    "p" * 10_000,
    "老师, é, مرحبا, $\\frac{",
]
VOID = {"meta", "link", "img", "br", "hr"}
ALLOWED = {
    *(
        "html",
        "head",
        "meta",
        "link",
        "title",
        "style",
        "script",
        "body",
        "header",
        "nav",
        "main",
        "section",
        "article",
    ),
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "a", "span", "em", "strong", "i", "mark", "code", "pre", "blockquote"),
    *("div", "ul", "ol", "li", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("figure", "img", "figcaption", "details", "summary"),
}


class Page(HTMLParser):
    """A parsed page: its elements with their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()
        self.text = "".join(self.texts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        inside = self.open[-1] if self.open else ""
        self.raw.get(inside, self.texts).append(data)

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


def results(**changes: object) -> Results:
    estimates = [
        Estimate("exaggeration", 0.31, 100, {"persona": "woman", "topic": "golf"}, low=0.24, high=0.39,
                 interval="bootstrap"),
        Estimate("exaggeration", -0.04567, 98, {"persona": "woman", "topic": "opera"}, low=-0.1, high=0.02,
                 excluded={"missing": 2}, flags=("outside_unit_interval",), interval="bootstrap"),
        Estimate.undefined("exaggeration", "no seed words", labels={"persona": "man", "topic": "golf"}),
        Estimate("exaggeration", 0.132, 2, {"persona": "woman"}, over=("topic",)),
    ]  # fmt: skip
    measure = Measure(
        "exaggeration", "1", (None, None), "higher: more caricature", "CoMPosT, eq. 3", ("persona", "topic")
    )
    content = {
        "study": "caricature", "protocol": "paper", "seed": 1, "model": {"name": "SmolLM2", "details": {"layers": 30}},
        "compost": {"context": "forum", "model": "SmolLM2", "persona": "two personas", "topic": "two topics"},
        "counts": {"requests": 300, "answered": 298, "refused": 2}, "estimates": estimates,
        "measures": {"exaggeration": measure},
        "provenance": {"command": "metricsengine", "config": {"study": {"n": 100}}},
    }  # fmt: skip
    return Results(**(content | changes))  # type: ignore[arg-type] # keyword by keyword


def figure(name: str = "plot", title: str = "Plot", label: str = "x", alt: str = "", width: int = 3) -> Figure:
    def draw() -> object:
        from matplotlib.figure import Figure as Canvas

        canvas = Canvas(figsize=(width, 2))
        canvas.add_subplot().set_title(label)
        return canvas

    return Figure(name, title, "A caption.", draw, alt)  # type: ignore[arg-type] # imported late


def written(folder: Path, *exhibits: Exhibit, **changes: object) -> Page:
    return Page(write_report(results(**changes), exhibits, folder).path.read_text(encoding="utf-8"))


def squeezed(text: str) -> str:
    return " ".join(text.split())


def hostile_results() -> Results:
    estimates = [
        Estimate(
            "exaggeration", 0.5, 1, {"persona": text, "topic": text}, excluded={text: 1}, flags=(text,), interval=text
        )
        for text in HOSTILE
    ]
    estimates += [Estimate.undefined("exaggeration", text, labels={"persona": text, text: "x"}) for text in HOSTILE]
    estimates += [Estimate("exaggeration", 0.5, 1, {"persona": text}, over=("topic",)) for text in HOSTILE]
    return results(
        estimates=estimates,
        measures={"exaggeration": Measure("exaggeration", HOSTILE[0], direction=HOSTILE[1], citation=HOSTILE[2])},
        study=HOSTILE[1],
        model={"name": HOSTILE[0], "details": {text: text for text in HOSTILE}},
        compost=dict.fromkeys(("context", "model", "persona", "topic"), HOSTILE[2]),
        counts=dict.fromkeys(HOSTILE, 1),
        notices=HOSTILE,
        failures=HOSTILE,
        store={text: text for text in HOSTILE},
        provenance={"config": {text: {text: [text]} for text in HOSTILE}, "dataset": {text: text for text in HOSTILE}},
    )


def hostile_exhibits() -> Iterator[Exhibit]:
    for i, text in enumerate(HOSTILE):
        yield Passage(f"passage-{i}", text, text)
        frame = pd.DataFrame([[text, 1], [None, 2]], columns=pd.Index([text, "n"], dtype=object), dtype=object)
        yield Listing(f"listing-{i}", text, text, frame)
        marks = [(0, 3, "persona"), (3, 5, '"><script>'), (4, 10**9, "topic")]
        yield Excerpts(f"excerpts-{i}", text, text, [Excerpt(text, text, marks)])
        yield figure(f"figure-{i}", text, "x", alt=text)
    yield Passage("../escape", "Escape", "x")


@pytest.fixture(scope="module")
def hostile_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    report = write_report(hostile_results(), hostile_exhibits(), folder)
    assert report.failures == ("passage ../escape: ValueError: an exhibit's name holds letters, digits, _ and - only",)
    return folder


@pytest.fixture(scope="module")
def hostile(hostile_folder: Path) -> Page:
    return Page((hostile_folder / "report.html").read_text(encoding="utf-8"))


def test_nothing_a_model_said_executes(hostile: Page) -> None:
    assert len(hostile.all("script")) == len(hostile.all("style")) == 1
    assert hostile.open == []
    for tag, attributes in hostile.elements:
        assert tag in ALLOWED
        assert not {name for name in attributes if name.startswith("on") or name == "style"}
        for name in ("src", "href"):
            assert attributes.get(name, "#").startswith(("#", "data:image/", "data:,"))
    assert "url(" not in hostile.raw["style"][0]
    assert "@import" not in hostile.raw["style"][0]


def test_what_a_model_said_can_still_be_read(hostile: Page) -> None:
    for text in (
        "<script>alert(1)</script>",
        "{{ 7*7 }}",
        "[bold red]",
        "␛[31mred␇",
        "⟨U+202E⟩gnp.exe",
        "nul␀nul",
        "lone ⟨U+D800⟩ surrogate",
    ):
        assert text in hostile.text
    assert "(10,000 characters)" in hostile.text


def test_the_policy_admits_our_style_and_script_only(hostile: Page) -> None:
    [policy] = [meta["content"] for meta in hostile.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    for kind in ("script", "style"):
        [content] = hostile.raw[kind]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[f"{kind}-src"] == f"'sha256-{digest}'"
    assert (rules["default-src"], rules["img-src"], rules["base-uri"]) == ("'none'", "data:", "'none'")


def test_files_beside_the_page_are_inert_and_inside_the_folder(hostile_folder: Path) -> None:
    assert not (hostile_folder.parent / "escape.md").exists()
    number = HOSTILE.index('=HYPERLINK("https://evil.example")')
    formula = read_csv(hostile_folder / "listings" / f"listing-{number}.csv")
    assert formula.columns[0].startswith("=HYPERLINK")
    for path in (hostile_folder / "listings").glob("*.csv"):
        cells = re.findall(r'(?:^|,)"?(.)', path.read_text(encoding="utf-8"))
        assert not set(cells) & set("=+@")


def test_values_intervals_and_reasons_are_in_the_page(tmp_path: Path) -> None:
    page = written(tmp_path)
    text = squeezed(page.text)
    assert "0.31 [0.24, 0.39]" in text
    assert "−0.0457 [−0.1, 0.02]" in text
    assert "undefined: no seed words" in text
    assert "2 of 3 cells have a value" in text
    for said in (
        "2 missing",
        "outside_unit_interval",
        "higher: more caricature",
        "CoMPosT, eq. 3",
        "two personas",
        "any number",
    ):
        assert said in text
    cells = [attributes.get("data-v") for attributes in page.all("td") if "value" in attributes.get("class", "")]
    assert cells == ["0.132", "0.31", "-0.04567", None]


def test_scored_recordings_and_empty_runs_are_told_as_such(tmp_path: Path) -> None:
    page = written(tmp_path, estimates=(), measures={}, model=None, compost={}, counts={}, provenance={})
    text = squeezed(page.text)
    assert "recorded responses" in text
    assert "This run holds no estimates." in text
    assert "not stated by the study" in text


def test_headings_tables_and_links_are_accessible(tmp_path: Path) -> None:
    page = written(
        tmp_path,
        figure(alt="Women are exaggerated most"),
        Listing("words", "Words", "One word.", pd.DataFrame({"w": ["a"]})),
    )
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for link in page.all("a"):
        assert link["href"].removeprefix("#") in ids
    assert {a["aria-labelledby"] for _, a in page.elements if "aria-labelledby" in a} <= set(ids)
    assert len(page.all("h1")) == 1
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert len(page.all("caption")) == len(page.all("table"))
    assert page.all("img")[0]["alt"] == "Women are exaggerated most"
    assert all(heading.get("scope") == "col" for heading in page.all("th"))


def test_the_card_comes_first_and_the_others_in_order(tmp_path: Path) -> None:
    page = written(tmp_path, figure(), Passage("other", "Other", "x"), Passage("card", "Card", "**bold**"))
    order = [a["id"] for a in page.all("section") if a["id"].startswith("exhibit-")]
    assert order == ["exhibit-card", "exhibit-plot", "exhibit-other"]
    assert (tmp_path / "card.md").read_text(encoding="utf-8") == "# Card\n\n**bold**\n"


def test_a_figure_that_fails_is_named_and_the_rest_is_shown(tmp_path: Path) -> None:
    def broken() -> object:
        raise RuntimeError("no axis\nsecond line")

    bad = Figure("bad", "Bad figure", "", broken)  # type: ignore[arg-type] # never returns
    report = write_report(results(failures=("metric 'x': gone",)), [bad, figure()], tmp_path)
    assert report.failures == ("figure bad: RuntimeError: no axis",)
    page = Page(report.path.read_text(encoding="utf-8"))
    assert "2 parts failed" in page.text
    assert "metric 'x': gone" in page.text
    assert len(page.all("img")) == 1
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == ["plot.svg"]


def test_exhibits_that_end_in_an_error_are_shown_as_far_as_they_came(tmp_path: Path) -> None:
    def exhibits() -> Iterator[Exhibit]:
        yield Passage("first", "First", "x")
        raise KeyError("table")

    report = write_report(results(), exhibits(), tmp_path)
    assert report.failures == ("the study's exhibits after the first 1: KeyError: 'table'",)
    assert "exhibit-first" in report.path.read_text(encoding="utf-8")


def test_two_exhibits_of_one_name_do_not_overwrite_each_other(tmp_path: Path) -> None:
    report = write_report(results(), [Passage("a", "A", "one"), Passage("a", "A", "two")], tmp_path)
    assert report.failures == ("passage a: ValueError: another exhibit has the same name",)
    assert "one" in (tmp_path / "a.md").read_text(encoding="utf-8")


def test_figures_are_the_same_bytes_every_time_and_quiet_about_missing_glyphs(tmp_path: Path) -> None:
    label = "Ogham ᚁ, hieroglyph 𓀀, escape \x1b"
    for name in ("one", "two"):
        assert write_report(results(), [figure(label=label)], tmp_path / name, formats=FORMATS).failures == ()
    for file in ("figures/plot.png", "figures/plot.pdf", "figures/plot.svg", "report.html"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    assert ET.parse(tmp_path / "one" / "figures" / "plot.svg").getroot().tag.endswith("svg")


def test_a_figure_too_wide_for_the_page_is_panned_not_shrunk(tmp_path: Path) -> None:
    page = written(tmp_path, figure(), figure("wide", width=20))
    [pan] = [a for a in page.all("div") if a.get("class") == "pan"]
    assert (pan["tabindex"], pan["aria-labelledby"]) == ("0", "title-wide")
    assert [a.get("width") for a in page.all("img")] == [None, "1440"]


def test_figures_in_other_formats_go_away_with_the_report_that_they_belong_to(tmp_path: Path) -> None:
    write_report(results(), [figure()], tmp_path, formats=["png", "pdf"])
    png, pdf = (tmp_path / "figures" / f"plot.{name}" for name in ("png", "pdf"))
    with Image.open(png) as bitmap:
        assert bitmap.size == (3 * DPI, 2 * DPI)
    assert pdf.read_bytes().startswith(b"%PDF-")
    write_report(results(), [figure()], tmp_path, formats=["pdf"])
    assert not png.exists()
    write_report(results(), [], tmp_path)
    assert list((tmp_path / "figures").iterdir()) == []


def test_a_long_listing_is_cut_in_the_page_and_whole_in_its_file(tmp_path: Path) -> None:
    frame = pd.DataFrame({"i": range(90_000), "x": 0.5, "text": "t"})
    page = written(tmp_path, Listing("rows", "Rows", "One row.", frame))
    assert "The first 500 of 90,000 rows; all are in listings/rows.csv." in squeezed(page.text)
    assert len(read_csv(tmp_path / "listings" / "rows.csv")) == 90_000
    assert (tmp_path / "report.html").stat().st_size < 200_000


def test_listings_tell_holes_from_texts_and_sort_numbers(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "text": ["", "NA", None],
            "whole": pd.array([1_234_567, None, -3], dtype="Int64"),
            "share": [0.123456, None, 12.0],
            "yes": [True, False, True],
        }
    )
    page = written(tmp_path, Listing("l", "L", "One row.", frame), estimates=())
    start = page.text.index("One row.")
    rows = page.text[start : start + 200]
    assert rows.count("—") == 3
    assert "1234567" in rows
    assert "0.123" in rows
    assert "True" in rows
    values = [a["data-v"] for a in page.all("td") if "data-v" in a]
    assert {"1234567", "-3", "0.123456", "12.0"} <= set(values)


def test_nine_hundred_cells_of_three_metrics_stay_usable(tmp_path: Path) -> None:
    estimates = [
        Estimate(metric, i / 900, 100, {"persona": f"persona {i % 30}", "topic": f"topic {i // 30}"}, low=0.0, high=1.0)
        for metric in ("a", "b", "c")
        for i in range(900)
    ]
    page = written(tmp_path, estimates=estimates)
    assert sum("value" in attributes.get("class", "") for attributes in page.all("td")) == 2_700
    assert page.text.count("Show 900 cells") == 3
    assert not any("open" in attributes for attributes in page.all("details"))
    assert (tmp_path / "report.html").stat().st_size < 2_000_000


@pytest.mark.parametrize(
    ("marks", "pieces"),
    [
        ([], [("abcdef", "")]),
        ([(0, 2, "persona"), (4, 6, "topic")], [("ab", "persona"), ("cd", ""), ("ef", "topic")]),
        ([(4, 99, "topic"), (-5, 2, "persona")], [("ab", "persona"), ("cd", ""), ("ef", "topic")]),
        ([(0, 3, "persona"), (1, 5, "topic")], [("abc", "persona"), ("de", "topic"), ("f", "")]),
        ([(2, 2, "persona"), (5, 3, "persona")], [("abcdef", "")]),
        ([(0, 6, 'x" onclick="y')], [("abcdef", "mark")]),
    ],
)
def test_marks_cut_the_text_without_losing_any(
    marks: list[tuple[int, int, str]], pieces: list[tuple[str, str]]
) -> None:
    assert marked("abcdef", marks) == pieces


def test_marked_words_are_marked_in_the_page(tmp_path: Path) -> None:
    excerpt = Excerpt("Example", "a <proud> 👩 man\nhere", [(2, 9, "persona"), (10, 11, "topic")])
    write_report(results(), [Excerpts("e", "E", "Chosen at random.", [excerpt])], tmp_path)
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'a <mark class="persona">&lt;proud&gt;</mark> <mark class="topic">👩</mark> man\nhere' in html


def test_markdown_is_read_but_never_acts() -> None:
    html = str(
        markdown(
            "# Title\n\n| a | b |\n|--:|---|\n| 1 | *two* |\n\n<img src=x onerror=y>\n\n[paper](https://x.example/p) ![p](https://x.example/i.png)"
        )
    )
    assert "<h3>Title</h3>" in html
    assert '<td class="right">1</td>' in html
    assert "<em>two</em>" in html
    assert "&lt;img src=x onerror=y&gt;" in html
    assert 'paper <span class="address">(https://x.example/p)</span>' in html
    assert "<a" not in html
    assert "<img" not in html
    assert "[x](javascript:alert(1))" in str(markdown("[x](javascript:alert(1))"))


CHROMIUM = shutil.which("chromium")
SORT_AND_TELL = """
const tables = [...document.querySelectorAll("table.sortable")].filter((t) => t.querySelector("td.value"));
const table = tables.at(-1);
const read = () => [...table.querySelectorAll("td.value")].map((td) => td.textContent.trim().split(/\\s/)[0]).join(" ");
const button = table.querySelector("th.value button");
const said = [read()];
button.click(); said.push(read(), button.closest("th").getAttribute("aria-sort"));
button.click(); said.push(read(), button.closest("th").getAttribute("aria-sort"));
document.body.dataset.said = said.join("|");
"""


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_a_browser_shows_and_sorts_it_without_a_complaint(tmp_path: Path, hostile_folder: Path) -> None:
    write_report(results(), [figure(), Passage("card", "Card", "| a |\n|--:|\n| 1 |")], tmp_path)
    for page in (tmp_path / "report.html", hostile_folder / "report.html"):
        assert "CONSOLE" not in _browsed(page, tmp_path)[1]
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(SORT_AND_TELL.encode()).digest()).decode()
    driven = html.replace("script-src ", f"script-src 'sha256-{digest}' ").replace(
        "</body>", f"<script>{SORT_AND_TELL}</script></body>"
    )
    (tmp_path / "driven.html").write_text(driven, encoding="utf-8")
    dom, complaints = _browsed(tmp_path / "driven.html", tmp_path)
    assert "CONSOLE" not in complaints
    [said] = [a["data-said"] for a in Page(dom).all("body")]
    assert said == ("0.31 −0.0457 undefined:|−0.0457 0.31 undefined:|ascending|0.31 −0.0457 undefined:|descending")


def _browsed(page: Path, scratch: Path) -> tuple[str, str]:
    """The page's document after its scripts ran, and what the browser complained about."""
    assert CHROMIUM is not None
    flags = "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update "
    flags += "--disable-sync --no-first-run --enable-logging=stderr --virtual-time-budget=3000 --dump-dom"
    done = subprocess.run(
        [CHROMIUM, *flags.split(), f"--user-data-dir={scratch / 'profile'}", page.as_uri()],
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    return done.stdout, done.stderr


def test_conclusions_count_the_cells_that_the_tables_count() -> None:
    from metricsengine.wording import conclusions, coverage

    mean = Estimate("score", 0.5, 3, {"trait": "t"}, over=("template",))
    missing = Estimate.undefined("score.std", "one template", labels={"trait": "t"}, over=("template",))
    found = results(estimates=[mean, missing])
    assert [(c.metric, c.defined, c.cells) for c in coverage(found)] == [("score", 1, 1), ("score.std", 0, 1)]
    assert any("1 of 2 cells have a value" in line for line in conclusions(found))


def test_what_an_earlier_page_showed_goes_away_and_nothing_else(tmp_path: Path) -> None:
    def names(*exhibits: Exhibit) -> set[str]:
        write_report(results(), exhibits, tmp_path)
        return {str(path.relative_to(tmp_path)) for path in tmp_path.glob("*/*")}

    first = Listing("first", "First", "", pd.DataFrame({"a": [1]}))
    second = Listing(
        "second", "Second", '<section id="exhibit-own">', pd.DataFrame({"a": ['<section id="exhibit-own"']})
    )
    assert names(first, second) == {"listings/first.csv", "listings/second.csv"}
    (tmp_path / "listings" / "own.csv").write_text("mine")
    assert names(second) == {"listings/second.csv", "listings/own.csv"}
    assert names(Listing("../x", "Fails", "", first.frame)) == {"listings/second.csv", "listings/own.csv"}


def compared_results(rows: int = 3) -> Results:
    """What comparisons found about a metric: differences with their corrected p-values."""
    labels = [{"of": "exaggeration", "dimension": "persona", "level": f"a rather long name of persona number {i}",
               "base": "man"} for i in range(rows)]  # fmt: skip
    found = [
        Estimate("gap", 0.3 - 0.2 * i, 9, told, low=-0.1, high=0.5 + i, flags=("told_apart",), over=("topic",))
        for i, told in enumerate(labels)
    ]
    ps = [Estimate("gap.p", 0.0001 * 50**i, 9, told, over=("topic",)) for i, told in enumerate(labels[:2])]
    ps += [Estimate.undefined("gap.p", "no test", labels=told, over=("topic",)) for told in labels[2:]]
    return results(estimates=[*found, *ps, *results().estimates], compared=["gap", "gap.p"])


def page_of(found: Results, folder: Path, *exhibits: Exhibit, said: Said | None = None) -> Page:
    return Page(write_report(found, exhibits, folder, said).path.read_text(encoding="utf-8"))


def test_what_comparisons_found_stands_by_metric_with_corrected_p_values(tmp_path: Path) -> None:
    page = page_of(compared_results(), tmp_path)
    text = squeezed(page.text)
    assert "What comparisons found" in text
    assert "< 0.001" in text
    assert "0.005" in text
    assert "told apart" in text
    assert "averaged over: topic" in text
    assert "gap.p" not in text.partition("What comparisons found exaggeration")[2].partition("What the metrics mean")[0]
    assert "Every cell" in text
    assert text.count("a rather long name of persona number 2") == 1


def test_what_may_be_concluded_comes_first(tmp_path: Path) -> None:
    found = results(failures=("metric 'x': gone",), notices=("dry",))
    page = page_of(found, tmp_path, said=Said(["This much <b>."], ["That much."]))
    assert [a["id"] for a in page.all("section")][:3] == ["conclusions", "failures", "notices"]
    text = squeezed(page.text)
    places = [text.index(said) for said in ("These numbers say", "This much <b>.", "They do not say", "That much.")]
    assert places == sorted(places)


def test_many_estimates_are_cut_and_counted(tmp_path: Path) -> None:
    many = [Estimate(f"m{i % 40}", i / 7, 9, {"job": str(i)}) for i in range(20_000)]
    page = page_of(results(estimates=many, measures={}), tmp_path)
    assert len([a for a in page.all("td") if "value" in a.get("class", "")]) == 6_000
    assert "The first 150 rows of 500; all are in results.json." in squeezed(page.text)
    (tmp_path / "estimates.csv").write_text("metric\n")
    assert "all are in estimates.csv." in squeezed(page_of(results(estimates=many, measures={}), tmp_path).text)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_the_page_of_comparisons_fits_a_laptop_and_sorts_by_keyboard(tmp_path: Path) -> None:
    listing = Listing(
        "wide", "Wide", "One row.", pd.DataFrame({f"a long heading {i}": ["text " * 9] for i in range(14)})
    )
    levels = Listing("levels", "Levels", "One row.", pd.DataFrame({"level": ["0.1", "0.05", None, "-2", "0.1"]}))
    page_of(compared_results(24), tmp_path, figure(), listing, levels)
    with Browser(str(CHROMIUM), tmp_path / "profile") as browser:
        browser.open((tmp_path / "report.html").as_uri(), width=1366, height=900)
        assert browser.value("document.documentElement.scrollWidth <= 1366")
        assert browser.value(
            "[...document.querySelectorAll('section')].every((s) => s.getBoundingClientRect().right <= 1366)"
        )
        browser.press("Tab")
        assert browser.value("document.activeElement.className") == "skip"
        assert browser.value("document.activeElement.getBoundingClientRect().left >= 0")
        browser.value("document.querySelector('#found table.sortable th.value button').focus()")
        first = "document.querySelector('#found td.value').textContent.trim().split(/\\s/)[0]"
        sort = "document.activeElement.closest('th').getAttribute('aria-sort')"
        assert browser.value(first) == "0.3"
        assert browser.value("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        browser.press("Enter")
        assert (browser.value(first), browser.value(sort)) == ("−4.3", "ascending")
        browser.press(" ")
        assert (browser.value(first), browser.value(sort)) == ("0.3", "descending")
        browser.value("document.querySelector('#exhibit-levels button').click()")
        read = "[...document.querySelectorAll('#exhibit-levels td')].map((cell) => cell.textContent).join(' ')"
        assert browser.value(read) == "-2 0.05 0.1 0.1 —"
        assert browser.complaints == []
        browser.print_width(718)  # A4 without the margins, at 96 dots an inch
        overflowing = (
            "[...document.querySelectorAll('table')].filter((t) => t.getBoundingClientRect().right > 719).length"
        )
        assert browser.value(overflowing) == 0
